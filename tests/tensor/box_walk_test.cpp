// Boxes of tensors against the formulas of the PTX ISA's sections on tensors, an element at a time.
#include "sim/tensor/box_walk.hpp"
#include "sim/tensor/elements.hpp"
#include "sim/tensor/swizzle.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <random>

namespace box_walk_test {

using namespace warpsim::sim::tensor;

namespace {

using Random = std::mt19937;
std::uint32_t number(Random& random, std::uint32_t low, std::uint32_t high) {
    return low + static_cast<std::uint32_t>(random()) % (high - low + 1);
}

constexpr std::uint64_t base = 1 << 20;  // where the memory of the tests begins
using Memory = std::vector<std::byte>;

/// Bits of memory, at any bit.
std::uint64_t bits_at(Memory const& memory, std::uint64_t bit, std::uint32_t count) {
    std::uint64_t value = 0;
    for (std::uint32_t i = 0; i < count; ++i) {
        std::uint64_t const at = bit + i;
        value |= (static_cast<std::uint64_t>(memory.at(at / 8)) >> at % 8 & 1) << i;
    }
    return value;
}

/// What a load brings, before the swizzle.
Memory loaded(TensorMap const& map, Request const& request, Memory const& memory) {
    BoxSize const size = size_of(map, request);
    Memory box(size.global_bytes()), shared(size.shared_bytes());
    fill(map, box.data(), box.size());
    for (Run const& run : walk(map, request)) {
        REQUIRE(run.address >= base);
        REQUIRE(run.address - base + run.bytes <= memory.size());
        REQUIRE(run.offset + run.bytes <= box.size());
        std::memcpy(box.data() + run.offset, memory.data() + (run.address - base), run.bytes);
    }
    expand(map, box.data(), box.size(), shared.data());
    return shared;
}

/// The element at these coordinates, as it is in global memory.
std::uint64_t element(TensorMap const& map, std::array<std::int64_t, 5> const& at, Memory const& memory) {
    std::uint32_t const bits = global_bits(map.element);
    bool is_inside = true;
    for (std::size_t i = 0; i < map.rank; ++i) {
        auto dim = static_cast<std::int64_t>(map.dims[i]);
        // The last slice of channels is complete.
        if (i == 0 && map.interleave != Interleave::none) {
            auto const channels = static_cast<std::int64_t>(slice_bytes(map.interleave) * 8 / bits);
            dim = (dim + channels - 1) / channels * channels;
        }
        is_inside = is_inside && at[i] >= 0 && at[i] < dim;
    }
    if (!is_inside) {
        std::uint64_t const nan = 0x7ff77ff77ff77ff7;
        return map.fill == Fill::nan ? nan & (bits == 64 ? ~0ull : (1ull << bits) - 1) : 0;
    }
    auto channel = static_cast<std::uint64_t>(at[0]);
    std::uint64_t bit = (map.address - base) * 8;
    if (map.interleave != Interleave::none) {
        std::uint64_t const channels = slice_bytes(map.interleave) * 8 / bits;
        bit += channel / channels * map.strides[map.rank - 3] * map.dims[map.rank - 2] * 8;
        channel %= channels;
    }
    bit += channel * bits;
    for (std::size_t i = 1; i < map.rank; ++i) bit += static_cast<std::uint64_t>(at[i]) * map.strides[i - 1] * 8;
    return bits_at(memory, bit, bits);
}

/// Element `index` of a box that a load brought.
std::uint64_t got_at(TensorMap const& map, Memory const& shared, std::uint64_t index) {
    std::uint32_t const bits = global_bits(map.element);
    if (shared_bits(map.element) == bits) return bits_at(shared, index * bits, bits);
    return bits_at(shared, index / 16 * 128 + index % 16 * bits, bits);
}

/// A map whose tensor lies in the memory.
TensorMap tensor(Random& random, Element type, std::uint32_t rank, Interleave interleave) {
    TensorMap map;
    map.element = type;
    map.rank = rank;
    map.interleave = interleave;
    bool const is_padded = global_bits(type) != shared_bits(type);
    std::uint32_t const unit = is_padded || interleave == Interleave::bytes_32 ? 32 : 16;
    map.address = base + unit * number(random, 0, 3);
    map.dims[0] = is_padded ? 128 * number(random, 1, 2) : 2 * number(random, 1, 40);
    for (std::size_t i = 1; i < rank; ++i) map.dims[i] = number(random, 1, 7);
    std::uint64_t const slice = slice_bytes(interleave);
    std::uint64_t stride = slice != 0 ? slice : (map.dims[0] * global_bits(type) / 8 + unit) / unit * unit;
    for (std::size_t i = 0; i + 1 < rank; ++i) {
        map.strides[i] = stride;
        std::uint64_t const slices = slice != 0 ? (map.dims[0] * global_bits(type) / 8 + slice - 1) / slice : 1;
        stride *= map.dims[i + 1] * (slice != 0 && i + 3 == rank ? slices : 1);
        stride += unit * number(random, 0, 2);
    }
    return map;
}

Memory noise(Random& random) {
    Memory memory(1 << 20);
    for (std::byte& b : memory) b = static_cast<std::byte>(random());
    return memory;
}

void choose_box(Random& random, TensorMap& map) {
    std::uint32_t const bits = shared_bits(map.element);
    bool const is_padded = global_bits(map.element) != bits;
    std::uint32_t const unit =
        map.interleave != Interleave::none ? slice_bytes(map.interleave) * 8 / bits : 128 / bits;
    map.box[0] = is_padded ? 128 : unit * number(random, 1, 128 / bits >= 8 ? 4 : 8);
    map.element_strides[0] = map.interleave != Interleave::none ? number(random, 1, 2) : 1;
    for (std::size_t i = 1; i < map.rank; ++i) {
        map.box[i] = number(random, 1, 6);
        map.element_strides[i] = number(random, 1, 3);
    }
}

Request request_of(TensorMap const& map) {
    Request request;
    request.mode = map.mode;
    request.rank = map.rank;
    return request;
}

std::int32_t first_coordinate(Random& random, TensorMap const& map) {
    std::uint32_t const bits = global_bits(map.element);
    bool const is_padded = shared_bits(map.element) != bits;
    std::int32_t const unit = map.interleave != Interleave::none
                                  ? static_cast<std::int32_t>(slice_bytes(map.interleave) * 8 / bits)
                              : is_padded ? 128
                              : bits == 4 ? 2
                                          : 1;
    return unit * (static_cast<std::int32_t>(number(random, 0, 8)) - 4);
}

Element const types[] = {Element::u8,        Element::u16, Element::u32,      Element::s32,  Element::u64,
                         Element::s64,       Element::f16, Element::f32,      Element::bf16, Element::b4x16,
                         Element::b4x16_p64, Element::f64, Element::b6x16_p32};

}  // namespace

TEST_CASE("Boxes of tiled tensors have the elements that the manual's formula gives", "[tensor]") {
    Random random(1);
    Memory const memory = noise(random);
    for (int round = 0; round < 3000; ++round) {
        Element const type = types[number(random, 0, std::size(types) - 1)];
        bool const is_packed = global_bits(type) < 8;
        auto const interleave = is_packed || number(random, 0, 2) != 0
                                    ? Interleave::none
                                    : static_cast<Interleave>(number(random, 1, 2));
        TensorMap map =
            tensor(random, type, number(random, interleave == Interleave::none ? 1 : 3, 5), interleave);
        if (interleave == Interleave::bytes_32) map.swizzle = Swizzle::bytes_32;
        choose_box(random, map);
        if (type == Element::f16 || type == Element::f32 || type == Element::f64)
            map.fill = static_cast<Fill>(number(random, 0, 1));
        auto const wrong = check(map);
        INFO("round " << round << " " << (wrong ? wrong->field + ": " + wrong->what : ""));
        REQUIRE(!wrong);
        Request request = request_of(map);
        request.at[0] = first_coordinate(random, map);
        for (std::size_t i = 1; i < map.rank; ++i) request.at[i] = static_cast<int>(number(random, 0, 9)) - 4;
        REQUIRE(check(map, request).empty());
        Memory const shared = loaded(map, request, memory);

        bool const is_sliced = interleave != Interleave::none;
        std::uint64_t const channels = is_sliced ? slice_bytes(interleave) * 8 / global_bits(type) : map.box[0];
        std::uint64_t const slices =
            is_sliced
                ? ((map.box[0] + channels - 1) / channels + map.element_strides[0] - 1) / map.element_strides[0]
                : 1;
        std::array<std::uint64_t, 5> steps{};
        std::uint64_t count = channels * slices;
        for (std::size_t i = 1; i < map.rank; ++i) {
            steps[i] = (map.box[i] + map.element_strides[i] - 1) / map.element_strides[i];
            count *= steps[i];
        }
        REQUIRE(shared.size() == count * shared_bits(type) / 8);
        bool same = true;
        for (std::uint64_t e = 0; e < count; ++e) {
            // NHWC, or N (slice) HW C8: the slice lies between the images and their pixels.
            std::uint64_t rest = e;
            std::array<std::int64_t, 5> at{};
            std::uint64_t channel = rest % channels;
            rest /= channels;
            for (std::size_t i = 1; i < map.rank; ++i) {
                if (is_sliced && i + 1 == map.rank) {
                    channel += rest % slices * map.element_strides[0] * channels;
                    rest /= slices;
                }
                at[i] = request.at[i] + static_cast<std::int64_t>(rest % steps[i] * map.element_strides[i]);
                rest /= steps[i];
            }
            at[0] = request.at[0] + static_cast<std::int64_t>(channel);
            same = same && got_at(map, shared, e) == element(map, at, memory);
        }
        CHECK(same);
    }
}

TEST_CASE("Columns of images have the pixels of their bounding box", "[tensor]") {
    Random random(2);
    Memory const memory = noise(random);
    for (int round = 0; round < 2000; ++round) {
        std::uint32_t const rank = number(random, 3, 5);
        TensorMap map = tensor(random, types[number(random, 0, 8)], rank, Interleave::none);
        map.mode = Mode::im2col;
        map.channels = 128 / global_bits(map.element) * number(random, 1, 3);
        map.pixels = number(random, 1, 80);
        Request request = request_of(map);
        std::array<std::int64_t, 5> grid{}, start{};  // how many positions a dimension has, and which is first
        for (std::size_t i = 1; i + 1 < rank; ++i) {
            map.element_strides[i] = number(random, 1, 3);
            map.lower[i - 1] = static_cast<int>(number(random, 0, 4)) - 3;
            map.upper[i - 1] = std::max<std::int32_t>(static_cast<int>(number(random, 0, 4)) - 3,
                                                      map.lower[i - 1] + 1 - static_cast<int>(map.dims[i]));
            std::int64_t const width = static_cast<int>(map.dims[i]) + map.upper[i - 1] - map.lower[i - 1];
            grid[i] = (width + map.element_strides[i] - 1) / map.element_strides[i];
            start[i] = number(random, 0, static_cast<std::uint32_t>(grid[i]) - 1);
            request.at[i] = static_cast<std::int32_t>(map.lower[i - 1] + start[i] * map.element_strides[i]);
            request.offsets[i - 1] = number(random, 0, 3);
        }
        request.at[rank - 1] = static_cast<int>(number(random, 0, 3)) - 1;
        request.at[0] = static_cast<int>(number(random, 0, 8)) - 4;
        auto const wrong = check(map);
        INFO("round " << round << " " << (wrong ? wrong->field + ": " + wrong->what : ""));
        REQUIRE(!wrong);
        REQUIRE(check(map, request).empty());
        Memory const shared = loaded(map, request, memory);
        REQUIRE(shared.size() == std::uint64_t{map.channels} * map.pixels * global_bits(map.element) / 8);
        bool same = true;
        for (std::uint32_t p = 0; p < map.pixels; ++p) {
            std::array<std::int64_t, 5> at{};
            std::int64_t carry = p;
            for (std::size_t i = 1; i + 1 < rank; ++i) {
                std::int64_t const place = start[i] + carry;
                at[i] = map.lower[i - 1] + place % grid[i] * map.element_strides[i] + request.offsets[i - 1];
                carry = place / grid[i];
            }
            at[rank - 1] = request.at[rank - 1] + carry;
            for (std::uint32_t c = 0; c < map.channels; ++c) {
                at[0] = request.at[0] + static_cast<std::int64_t>(c);
                same =
                    same && got_at(map, shared, std::uint64_t{p} * map.channels + c) == element(map, at, memory);
            }
        }
        CHECK(same);
    }
}

TEST_CASE("Modes along W stay in their row, and load halos", "[tensor]") {
    // NHWC of 4 x 3 x 20 x 8 elements of 2 bytes
    Random random(3);
    Memory const memory = noise(random);
    TensorMap map;
    map.element = Element::f16;
    map.rank = 4;
    map.address = base;
    map.dims = {8, 20, 3, 4, 1};
    map.strides = {16, 320, 960, 0};
    map.swizzle = Swizzle::bytes_64;
    map.channels = 8;
    map.pixels = 30;
    for (Mode const mode : {Mode::im2col_w, Mode::im2col_w_128}) {
        for (std::uint32_t const stride : {1u, 2u}) {
            map.mode = mode;
            map.element_strides[1] = stride;
            map.lower[0] = -1;
            map.upper[0] = stride == 1 ? -1 : 0;
            REQUIRE(!check(map));
            Request request = request_of(map);
            request.at = {0, 3, 2, 1, 0};
            request.offsets = {2, 1, 0};
            // The positions in order: W from -1 to 18 or 19, then the next image.
            std::vector<std::array<std::int64_t, 5>> want;
            std::int64_t w = 3, n = 1;
            std::uint32_t const pixels = mode == Mode::im2col_w ? 30 : 128;
            for (std::uint32_t p = 0; p < pixels; ++p) {
                want.push_back({0, w + 1, 2, n, 0});
                bool const ends = mode == Mode::im2col_w ? p == 29 : p % 32 == 31;
                for (std::uint32_t h = 1; ends && h <= 2; ++h) want.push_back({0, w + 1 + h * stride, 2, n, 0});
                w += stride;
                if (w > (stride == 1 ? 18 : 19)) {
                    w = -1;
                    ++n;
                }
            }
            Memory const shared = loaded(map, request, memory);
            REQUIRE(shared.size() == want.size() * 16);
            for (std::size_t p = 0; p < want.size(); ++p) {
                for (std::uint32_t c = 0; c < 8; ++c) {
                    want[p][0] = c;
                    CHECK(got_at(map, shared, p * 8 + c) == element(map, want[p], memory));
                }
            }
        }
    }
}

TEST_CASE("Gathered rows are those that the coordinates name", "[tensor]") {
    Random random(4);
    Memory const memory = noise(random);
    TensorMap map;
    map.element = Element::u32;
    map.rank = 2;
    map.address = base;
    map.dims = {20, 12, 1, 1, 1};
    map.strides[0] = 96;
    map.box = {16, 1, 1, 1, 1};
    Request request = request_of(map);
    request.is_gather = true;
    request.at = {6, 2, 11, 12, -1};
    REQUIRE(check(map, request).empty());
    Memory const shared = loaded(map, request, memory);
    REQUIRE(shared.size() == 4 * 64);
    for (std::uint32_t i = 0; i < 64; ++i)
        CHECK(got_at(map, shared, i) == element(map, {6 + i % 16, request.at[1 + i / 16], 0, 0, 0}, memory));
    map.box[1] = 2;
    CHECK(check(map, request) == "tile::gather4 and tile::scatter4 take boxes of one row");
}

TEST_CASE("Swizzles have the manual's patterns", "[tensor]") {
    // Units of 16 bytes; "Swizzling Modes".
    auto const row = [](TensorMap const& map, std::uint64_t line) {
        std::string text;
        for (std::uint64_t unit = 0; unit < 8; ++unit) {
            // Which unit of the source is there: a swizzle is its own inverse.
            text += std::to_string(swizzled(map, line * 128 + unit * 16) % 128 / 16);
            CHECK(swizzled(map, line * 128 + unit * 16) / 128 == line);
        }
        return text;
    };
    auto const check_rows = [&](Swizzle swizzle, Atomicity atomicity, std::vector<std::string> const& rows) {
        TensorMap map;
        map.swizzle = swizzle;
        map.atomicity = atomicity;
        for (std::uint64_t line = 0; line < 16; ++line) CHECK(row(map, line) == rows[line % rows.size()]);
    };
    check_rows(Swizzle::none, Atomicity::bytes_16, {"01234567"});
    check_rows(Swizzle::bytes_32, Atomicity::bytes_16, {"01234567", "10325476"});
    check_rows(Swizzle::bytes_96, Atomicity::bytes_16, {"01234567", "10325476"});
    check_rows(Swizzle::bytes_64, Atomicity::bytes_16, {"01234567", "10325476", "23016745", "32107654"});
    check_rows(Swizzle::bytes_128, Atomicity::bytes_16,
               {"01234567", "10325476", "23016745", "32107654", "45670123", "54761032", "67452301", "76543210"});
    check_rows(Swizzle::bytes_128, Atomicity::bytes_32, {"01234567", "23016745", "45670123", "67452301"});
    check_rows(Swizzle::bytes_128, Atomicity::bytes_64, {"01234567", "45670123"});
    TensorMap flips;
    flips.swizzle = Swizzle::bytes_128;
    flips.atomicity = Atomicity::bytes_32_flip_8;
    CHECK(swizzled(flips, 0) == 0);
    CHECK(swizzled(flips, 128) == 128 + 32 + 8);
    CHECK(swizzled(flips, 128 + 8) == 128 + 32);
    CHECK(swizzled(flips, 256) == 256 + 64);
}

TEST_CASE("Elements are rounded, flushed and padded as their types say", "[tensor]") {
    TensorMap map;
    auto const converted = [&](Element type, std::uint32_t bits) {
        map.element = type;
        std::uint32_t to = 0;
        expand(map, reinterpret_cast<std::byte const*>(&bits), 4, reinterpret_cast<std::byte*>(&to));
        return to;
    };
    CHECK(converted(Element::f32, 0x00000123) == 0x00000123);
    CHECK(converted(Element::f32_ftz, 0x80000123) == 0x80000000);
    CHECK(converted(Element::f32_ftz, 0x3f801234) == 0x3f801234);
    CHECK(converted(Element::tf32, 0x3f800fff) == 0x3f800000);
    CHECK(converted(Element::tf32, 0x3f801000) == 0x3f802000);
    CHECK(converted(Element::tf32, 0x7f7fffff) == 0x7f800000);
    CHECK(converted(Element::tf32, 0x7f800001) == 0x7f800001);
    CHECK(converted(Element::tf32_ftz, 0x00700000) == 0);
    // Bytes of 6 bits come back as they were loaded.
    map.element = Element::b6x16_p32;
    std::byte bytes[16], packed[12], loaded[16];
    for (std::uint32_t i = 0; i < 16; ++i) bytes[i] = static_cast<std::byte>(0xc0 | (i * 4 + 1));
    pack(map, bytes, 12, packed);
    expand(map, packed, 12, loaded);
    for (std::uint32_t i = 0; i < 16; ++i) {
        std::uint64_t bits = 0;
        for (std::uint32_t b = 0; b < 6; ++b)
            bits |= (static_cast<std::uint64_t>(loaded[(6 * i + b) / 8]) >> (6 * i + b) % 8 & 1) << b;
        CHECK(bits == i * 4 + 1);
    }
}

}  // namespace box_walk_test
