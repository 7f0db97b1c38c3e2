// The rules of CUDA's driver API for tensor maps: cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col and
// cuTensorMapEncodeIm2colWide. Strides need not be as large as what they step over: broadcasts have a stride of 0.
#include "sim/tensor/tensor_map.hpp"

#include <string_view>

namespace warpsim::sim::tensor {

namespace {

using Found = std::optional<Problem>;

std::string indexed(std::string_view field, std::size_t i) {
    return std::string(field) + "[" + std::to_string(i) + "]";
}
/// Its message ends with what is there instead.
Problem problem(std::string field, std::string rule, std::uint64_t is) {
    return {std::move(field), std::move(rule) + "; it is " + std::to_string(is)};
}

bool is_padded(Element e) { return e == Element::b4x16_p64 || e == Element::b6x16_p32; }
bool is_float(Element e) {
    return e == Element::f16 || e == Element::bf16 || e == Element::f32 || e == Element::f32_ftz ||
           e == Element::f64 || e == Element::tf32 || e == Element::tf32_ftz;
}

Found check_tensor(TensorMap const& m) {
    std::uint32_t const least = m.mode != Mode::tile || m.interleave != Interleave::none ? 3 : 1;
    if (m.rank < least || m.rank > 5)
        return problem("rank", "the rank must be from " + std::to_string(least) + " to 5", m.rank);
    std::uint64_t const alignment = m.interleave == Interleave::bytes_32 || is_padded(m.element) ? 32 : 16;
    std::string const multiple = " must be a multiple of " + std::to_string(alignment);
    if (m.address % alignment != 0) return problem("address", "the address" + multiple, m.address);
    for (std::size_t i = 0; i < m.rank; ++i) {
        if (m.dims[i] == 0 || m.dims[i] > std::uint64_t{1} << 32)
            return problem(indexed("dims", i), "a dimension must be from 1 to 2^32", m.dims[i]);
    }
    std::uint64_t const packed = is_padded(m.element) ? 128 : m.element == Element::b4x16 ? 2 : 1;
    if (m.dims[0] % packed != 0)
        return problem("dims[0]",
                       "of this type the first dimension must be a multiple of " + std::to_string(packed),
                       m.dims[0]);
    for (std::size_t i = 0; i + 1 < m.rank; ++i) {
        if (m.strides[i] % alignment != 0)
            return problem(indexed("strides", i), "a stride" + multiple, m.strides[i]);
        if (m.strides[i] >= std::uint64_t{1} << 40)
            return problem(indexed("strides", i), "a stride must be less than 2^40", m.strides[i]);
    }
    for (std::size_t i = m.interleave == Interleave::none ? 1 : 0; i < m.rank; ++i) {
        if (m.element_strides[i] == 0 || m.element_strides[i] > 8)
            return problem(indexed("element_strides", i), "an element stride must be from 1 to 8",
                           m.element_strides[i]);
    }
    return std::nullopt;
}

Found check_pixels(TensorMap const& m) {
    if (m.channels == 0 || m.channels > 256)
        return problem("channels", "the channels per pixel must be from 1 to 256", m.channels);
    if (is_padded(m.element) && m.channels != 128)
        return problem("channels", "of this type the channels per pixel must be 128", m.channels);
    if (m.mode != Mode::im2col_w_128 && (m.pixels == 0 || m.pixels > 1024))
        return problem("pixels", "the pixels per column must be from 1 to 1024", m.pixels);
    std::size_t const corners = m.mode == Mode::im2col ? m.rank - 2 : 1;
    std::int32_t const limit = corners == 1 ? 32768 : corners == 2 ? 128 : 16;
    for (std::size_t i = 0; i < corners; ++i) {
        for (auto const& [name, corner] : {std::pair("lower", m.lower[i]), std::pair("upper", m.upper[i])}) {
            if (corner >= -limit && corner < limit) continue;
            return Problem{indexed(name, i), "a corner must be from " + std::to_string(-limit) + " to " +
                                                 std::to_string(limit - 1) + "; it is " + std::to_string(corner)};
        }
        // Its pixels are `lower` to `dim - 1 + upper`.
        if (static_cast<std::int64_t>(m.dims[i + 1]) + m.upper[i] <= m.lower[i])
            return Problem{indexed("upper", i), "the bounding box has no pixels"};
    }
    return std::nullopt;
}

Found check_box(TensorMap const& m) {
    std::uint32_t const inner = m.mode == Mode::tile ? m.box[0] : m.channels;
    std::string const field = m.mode == Mode::tile ? "box[0]" : "channels";
    if (m.mode == Mode::tile) {
        for (std::size_t i = 0; i < m.rank; ++i) {
            if (m.box[i] == 0 || m.box[i] > 256)
                return problem(indexed("box", i), "a dimension of the box must be from 1 to 256", m.box[i]);
        }
        if (is_padded(m.element) && inner != 128)
            return problem(field, "of this type the first dimension of the box must be 128", inner);
    } else if (Found found = check_pixels(m)) {
        return found;
    }
    if (m.interleave != Interleave::none) return std::nullopt;
    std::uint32_t const bits = inner * shared_bits(m.element);
    if (bits % 128 != 0)
        return problem(field, "the innermost bytes of the box must be a multiple of 16", bits / 8);
    std::uint32_t const span = span_bytes(m.swizzle);
    if (span != 0 && bits / 8 > span)
        return problem(field,
                       "the innermost bytes of the box must be at most the " + std::to_string(span) +
                           " of the swizzle",
                       bits / 8);
    return std::nullopt;
}

Found check_formats(TensorMap const& m) {
    bool const is_wide = m.mode == Mode::im2col_w || m.mode == Mode::im2col_w_128;
    if (is_wide && m.interleave != Interleave::none)
        return Problem{"interleave", "maps that go along W cannot be interleaved"};
    if (m.interleave != Interleave::none && is_padded(m.element))
        return Problem{"interleave", "tensors of this type cannot be interleaved"};
    if (m.interleave == Interleave::bytes_32 && m.swizzle != Swizzle::bytes_32)
        return Problem{"swizzle", "with slices of 32 bytes the swizzle must be that of 32 bytes"};
    if (m.atomicity != Atomicity::bytes_16 && m.swizzle != Swizzle::bytes_128)
        return Problem{"swizzle", "only a swizzle of 128 bytes has another atomicity than 16 bytes"};
    bool const is_128 = m.swizzle == Swizzle::bytes_128;
    bool const flips = m.atomicity == Atomicity::bytes_32_flip_8, keeps_64 = m.atomicity == Atomicity::bytes_64;
    if (is_wide && (!(is_128 || m.swizzle == Swizzle::bytes_64) || flips || keeps_64))
        return Problem{"swizzle",
                       "maps that go along W need a swizzle of 64 bytes, or one of 128 bytes that keeps 16 "
                       "or 32 bytes together"};
    bool const fits = m.swizzle == Swizzle::none || (is_128 && !flips);
    if (is_padded(m.element) && (!fits || (keeps_64 && m.element == Element::b4x16_p64)))
        return Problem{"swizzle", "of this type there is no such swizzle"};
    if (m.fill == Fill::nan && !is_float(m.element))
        return Problem{"fill", "only tensors of floating-point numbers can be filled with NaN"};
    return std::nullopt;
}

}  // namespace

std::optional<Problem> check(TensorMap const& map) {
    if (Found found = check_tensor(map)) return found;
    if (Found found = check_box(map)) return found;
    return check_formats(map);
}

}  // namespace warpsim::sim::tensor
