// Tensor maps: 128 opaque bytes that the program passes to kernels. What they say, and by which rules, is sim/tensor's.
#include "sim/tensor/tensor_map.hpp"

#include "runtime/cuda/driver_api/call.hpp"

#include <algorithm>
#include <cstring>
#include <optional>
#include <tuple>
#include <utility>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;
namespace tensor = warpsim::sim::tensor;

namespace {

constexpr std::uint64_t map_alignment = 64;

/// What the three kinds of map have in common, as the driver's interface has it.
struct Description {
    unsigned type, rank;
    void* address;
    std::uint64_t const *dims, *strides;
    std::uint32_t const* element_strides;
    unsigned interleave, swizzle, promotion, fill;
};

/// An enumeration of the interface; throws Failure(invalid_value) where it has no such number.
template <class T, std::size_t n> T chosen(T const (&values)[n], unsigned number) {
    if (number >= n) throw Failure(Result::invalid_value);
    return values[number];
}
template <class T> T chosen(unsigned number) {
    if (number >= static_cast<unsigned>(T::count)) throw Failure(Result::invalid_value);
    return static_cast<T>(number);
}

tensor::Element element(unsigned type) {
    using enum tensor::Element;
    constexpr tensor::Element order[] = {u8,  u16,  u32,     s32,  u64,      s64,   f16,       f32,
                                         f64, bf16, f32_ftz, tf32, tf32_ftz, b4x16, b4x16_p64, b6x16_p32};
    return chosen(order, type);
}

void set_swizzle(tensor::TensorMap& map, unsigned number) {
    using S = tensor::Swizzle;
    using A = tensor::Atomicity;
    constexpr std::pair<S, A> order[] = {{S::none, A::bytes_16},      {S::bytes_32, A::bytes_16},
                                         {S::bytes_64, A::bytes_16},  {S::bytes_128, A::bytes_16},
                                         {S::bytes_128, A::bytes_32}, {S::bytes_128, A::bytes_32_flip_8},
                                         {S::bytes_128, A::bytes_64}};
    std::tie(map.swizzle, map.atomicity) = chosen(order, number);
}

tensor::TensorMap map_of(Description const& d, tensor::Mode mode) {
    tensor::TensorMap map;
    map.mode = mode;
    if (d.rank == 0 || d.rank > map.dims.size() || d.dims == nullptr || d.element_strides == nullptr ||
        (d.rank > 1 && d.strides == nullptr))
        throw Failure(Result::invalid_value);
    map.element = element(d.type);
    map.rank = d.rank;
    map.address = number(d.address);
    std::copy_n(d.dims, d.rank, map.dims.begin());
    if (d.rank > 1) std::copy_n(d.strides, d.rank - 1, map.strides.begin());
    std::copy_n(d.element_strides, d.rank, map.element_strides.begin());
    map.interleave = chosen<tensor::Interleave>(d.interleave);
    // Without slices the element stride of dimension 0 has no meaning.
    if (map.interleave == tensor::Interleave::none) map.element_strides[0] = 1;
    set_swizzle(map, d.swizzle);
    map.promotion = chosen<tensor::Promotion>(d.promotion);
    map.fill = chosen<tensor::Fill>(d.fill);
    return map;
}

/// The corners of a bounding box: one for each spatial dimension.
void set_corner(std::array<std::int32_t, 3>& corner, int const* from, unsigned rank) {
    if (from == nullptr || rank < 3) throw Failure(Result::invalid_value);
    std::copy_n(from, rank - 2, corner.begin());
}

void write(void* to, tensor::TensorMap const& map) {
    if (check(map)) throw Failure(Result::invalid_value);
    tensor::MapBytes const bytes = encode(map);
    std::memcpy(to, bytes.data(), bytes.size());
}

/// For a device that has tensor copies, and a place for a map: work().
template <class F> CUresult with_map(void* to, std::uint32_t capability, F&& work) {
    return in_context([&](Process&, Gpu& gpu) {
        if (static_cast<std::uint32_t>(gpu.device.config().compute_capability.number()) < capability)
            throw Failure(Result::not_supported);
        if (to == nullptr || number(to) % map_alignment != 0) throw Failure(Result::invalid_value);
        work();
    });
}

}  // namespace

WARPSIM_API CUresult cuTensorMapEncodeTiled(void* out, unsigned type, std::uint32_t rank, void* address,
                                            std::uint64_t const* dims, std::uint64_t const* strides,
                                            std::uint32_t const* box, std::uint32_t const* element_strides,
                                            unsigned interleave, unsigned swizzle, unsigned promotion,
                                            unsigned fill) {
    Arguments const said(out, type, rank, address, dims, strides, box, element_strides, interleave, swizzle,
                         promotion, fill);
    return with_map(out, 90, [&] {
        tensor::TensorMap map =
            map_of({type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill},
                   tensor::Mode::tile);
        if (box == nullptr) throw Failure(Result::invalid_value);
        std::copy_n(box, rank, map.box.begin());
        write(out, map);
    });
}

WARPSIM_API CUresult cuTensorMapEncodeIm2col(void* out, unsigned type, std::uint32_t rank, void* address,
                                             std::uint64_t const* dims, std::uint64_t const* strides,
                                             int const* lower, int const* upper, std::uint32_t channels,
                                             std::uint32_t pixels, std::uint32_t const* element_strides,
                                             unsigned interleave, unsigned swizzle, unsigned promotion,
                                             unsigned fill) {
    Arguments const said(out, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides,
                         interleave, swizzle, promotion, fill);
    return with_map(out, 90, [&] {
        tensor::TensorMap map =
            map_of({type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill},
                   tensor::Mode::im2col);
        set_corner(map.lower, lower, rank);
        set_corner(map.upper, upper, rank);
        map.channels = channels;
        map.pixels = pixels;
        write(out, map);
    });
}

WARPSIM_API CUresult cuTensorMapEncodeIm2colWide(void* out, unsigned type, std::uint32_t rank, void* address,
                                                 std::uint64_t const* dims, std::uint64_t const* strides,
                                                 int lower, int upper, std::uint32_t channels,
                                                 std::uint32_t pixels, std::uint32_t const* element_strides,
                                                 unsigned interleave, unsigned mode, unsigned swizzle,
                                                 unsigned promotion, unsigned fill) {
    Arguments const said(out, type, rank, address, dims, strides, lower, upper, channels, pixels, element_strides,
                         interleave, mode, swizzle, promotion, fill);
    return with_map(out, 100, [&] {
        constexpr tensor::Mode modes[] = {tensor::Mode::im2col_w, tensor::Mode::im2col_w_128};
        tensor::TensorMap map =
            map_of({type, rank, address, dims, strides, element_strides, interleave, swizzle, promotion, fill},
                   chosen(modes, mode));
        map.lower[0] = lower;
        map.upper[0] = upper;
        map.channels = channels;
        map.pixels = pixels;
        write(out, map);
    });
}

WARPSIM_API CUresult cuTensorMapReplaceAddress(void* map, void* address) {
    Arguments const said(map, address);
    return with_map(map, 90, [&] {
        std::optional<tensor::TensorMap> changed = tensor::decode(static_cast<std::byte const*>(map));
        if (!changed) throw Failure(Result::invalid_value);
        changed->address = number(address);
        write(map, *changed);
    });
}
