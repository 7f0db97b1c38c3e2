// Any tensor map and any request to it: either a rule says what is wrong, or all bytes of the box that are read or written
// belong to the tensor, and to the box.
#include "sim/tensor/box_walk.hpp"
#include "tests/fuzz/input.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace {

using namespace warpsim::sim::tensor;

TensorMap map_of(Input& input) {
    TensorMap map;
    map.mode = input.choice<Mode>();
    map.element = input.choice<Element>();
    map.interleave = input.choice<Interleave>();
    map.swizzle = input.choice<Swizzle>();
    map.atomicity = input.choice<Atomicity>();
    map.fill = input.choice<Fill>();
    map.rank = input.take<std::uint8_t>() % 7;
    map.address = std::uint64_t{input.take<std::uint32_t>()} << 4;
    for (std::uint64_t& dim : map.dims) dim = input.take<std::uint16_t>();
    for (std::uint64_t& stride : map.strides) stride = std::uint64_t{input.take<std::uint16_t>()} << 4;
    for (std::uint32_t& step : map.element_strides) step = input.take<std::uint8_t>() % 10;
    for (std::uint32_t& size : map.box) size = input.take<std::uint8_t>();
    map.channels = input.take<std::uint8_t>();
    map.pixels = input.take<std::uint8_t>();
    for (std::int32_t& corner : map.lower) corner = input.take<std::int8_t>();
    for (std::int32_t& corner : map.upper) corner = input.take<std::int8_t>();
    return map;
}

Request request_of(Input& input, TensorMap const& map) {
    Request request;
    request.mode = map.mode;
    request.is_gather = input.take<std::uint8_t>() % 4 == 0;
    request.is_store = input.take<std::uint8_t>() % 2 == 0;
    request.rank = map.rank;
    for (std::int32_t& coordinate : request.at) coordinate = input.take<std::int16_t>();
    for (std::uint32_t& offset : request.offsets) offset = input.take<std::uint8_t>();
    return request;
}

/// One past the last byte of the tensor.
std::uint64_t end_of(TensorMap const& map) {
    std::uint64_t end = map.address;
    for (std::size_t i = 0; i + 1 < map.rank; ++i) end += (map.dims[i + 1] - 1) * map.strides[i];
    if (map.interleave == Interleave::none) return end + (map.dims[0] * global_bits(map.element) + 7) / 8;
    // Channels are in slices, of which the first stride leads from one to the next.
    return UINT64_MAX;
}

void require(bool holds) {
    if (!holds) __builtin_trap();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(std::uint8_t const* data, std::size_t size) {
    Input input(data, size);
    TensorMap const map = map_of(input);
    MapBytes const bytes = encode(map);
    auto const again = decode(bytes.data());
    require(again.has_value() && encode(*again) == bytes);
    if (check(map)) return 0;
    Request const request = request_of(input, map);
    if (!check(map, request).empty()) return 0;
    BoxSize const box = size_of(map, request);
    if (box.global_bytes() > 1 << 16) return 0;
    std::uint64_t const end = end_of(map);
    for (Run const& run : walk(map, request)) {
        require(run.bytes > 0 && std::uint64_t{run.offset} + run.bytes <= box.global_bytes());
        require(run.address >= map.address && run.bytes <= end - run.address);
    }
    return 0;
}
