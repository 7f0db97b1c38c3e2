// Tensor maps as bytes, and the rules that they have to follow.
#include "sim/tensor/tensor_map.hpp"
#include "tests/support/catch.hpp"

#include <random>

namespace tensor_map_test {

using namespace warpsim::sim::tensor;

namespace {

TensorMap good() {
    TensorMap map;
    map.element = Element::f16;
    map.rank = 3;
    map.address = 0x10000;
    map.dims = {64, 32, 5, 1, 1};
    map.strides = {128, 4096, 0, 0};
    map.box = {32, 8, 2, 1, 1};
    return map;
}
TensorMap columns() {
    TensorMap map = good();
    map.mode = Mode::im2col;
    map.box = {1, 1, 1, 1, 1};
    map.channels = 64;
    map.pixels = 100;
    map.lower[0] = -1;
    map.upper[0] = -2;
    return map;
}

template <class Change> std::string field(TensorMap map, Change const& change) {
    change(map);
    auto const problem = check(map);
    return problem ? problem->field : "";
}
template <class Change> std::string wrong(Change const& change) { return field(good(), change); }
template <class Change> std::string wrong_column(Change const& change) { return field(columns(), change); }

}  // namespace

TEST_CASE("A tensor map is the same after it was bytes", "[tensor]") {
    for (TensorMap const& map : {good(), columns()}) {
        MapBytes const bytes = encode(map);
        auto const back = decode(bytes.data());
        REQUIRE(back);
        CHECK(*back == map);
        CHECK(encode(*back) == bytes);
    }
}

TEST_CASE("Any other bytes are no tensor map", "[tensor]") {
    MapBytes const bytes = encode(good());
    for (std::size_t i = 0; i < map_bytes; ++i) {
        for (int bit = 0; bit < 8; ++bit) {
            MapBytes changed = bytes;
            changed[i] ^= static_cast<std::byte>(1 << bit);
            CHECK(!decode(changed.data()));
        }
    }
    CHECK(!decode(MapBytes{}.data()));
    std::mt19937 random(1);
    for (int round = 0; round < 1000; ++round) {
        MapBytes noise;
        for (std::byte& b : noise) b = static_cast<std::byte>(random());
        CHECK(!decode(noise.data()));
    }
}

TEST_CASE("128 zeros can become a tensor map, field by field", "[tensor]") {
    CHECK(!decode(MapBytes{}.data()));
    auto map = decode_for_change(MapBytes{}.data());
    REQUIRE(map);
    CHECK(check(*map));
    // What remains zeros because nobody has replaced it is found, also once it is no longer bytes of zeros.
    map->rank = 2;
    auto const later = decode_for_change(encode(*map).data());
    REQUIRE(later);
    CHECK(*later == *map);
    CHECK(check(*later)->field == "dims[0]");
    map->dims = {64, 4};
    map->strides[0] = 64;
    CHECK(check(*map)->field == "element_strides[1]");
    map->element_strides = {1, 1};
    CHECK(check(*map)->field == "box[0]");
    map->box = {16, 2};
    CHECK(!check(*map));
    CHECK(!decode_for_change(MapBytes{std::byte{1}}.data()));
}

TEST_CASE("Tensor maps follow the rules of the driver API", "[tensor]") {
    CHECK(!check(good()));
    CHECK(!check(columns()));
    CHECK(wrong([](TensorMap& m) { m.rank = 0; }) == "rank");
    CHECK(wrong([](TensorMap& m) { m.rank = 6; }) == "rank");
    CHECK(wrong([](TensorMap& m) { m.rank = 2, m.interleave = Interleave::bytes_16; }) == "rank");
    CHECK(wrong([](TensorMap& m) { m.address += 8; }) == "address");
    CHECK(wrong([](TensorMap& m) {
              m.address += 16, m.interleave = Interleave::bytes_32, m.swizzle = Swizzle::bytes_32;
          }) == "address");
    CHECK(wrong([](TensorMap& m) { m.dims[2] = 0; }) == "dims[2]");
    CHECK(wrong([](TensorMap& m) { m.dims[1] = (1ull << 32) + 1; }) == "dims[1]");
    CHECK(wrong([](TensorMap& m) { m.dims[1] = 1ull << 32; }) == "");
    CHECK(wrong([](TensorMap& m) { m.dims[3] = 0; }) == "");
    CHECK(wrong([](TensorMap& m) { m.strides[0] = 136; }) == "strides[0]");
    CHECK(wrong([](TensorMap& m) { m.strides[1] = 1ull << 40; }) == "strides[1]");
    CHECK(wrong([](TensorMap& m) { m.strides[1] = 0; }) == "");
    CHECK(wrong([](TensorMap& m) { m.box[1] = 257; }) == "box[1]");
    CHECK(wrong([](TensorMap& m) { m.box[2] = 0; }) == "box[2]");
    CHECK(wrong([](TensorMap& m) { m.box[0] = 12; }) == "box[0]");
    CHECK(wrong([](TensorMap& m) { m.swizzle = Swizzle::bytes_32; }) == "box[0]");
    CHECK(wrong([](TensorMap& m) { m.swizzle = Swizzle::bytes_64; }) == "");
    CHECK(wrong([](TensorMap& m) { m.element_strides[1] = 9; }) == "element_strides[1]");
    CHECK(wrong([](TensorMap& m) { m.element_strides[0] = 0; }) == "");
    CHECK(wrong([](TensorMap& m) { m.element_strides[0] = 0, m.interleave = Interleave::bytes_16; }) ==
          "element_strides[0]");
    CHECK(wrong([](TensorMap& m) { m.interleave = Interleave::bytes_32; }) == "swizzle");
    CHECK(wrong([](TensorMap& m) { m.swizzle = Swizzle::bytes_64, m.atomicity = Atomicity::bytes_32; }) ==
          "swizzle");
    CHECK(wrong([](TensorMap& m) { m.element = Element::u16, m.fill = Fill::nan; }) == "fill");
    CHECK(wrong([](TensorMap& m) { m.fill = Fill::nan; }) == "");
    CHECK(wrong([](TensorMap& m) { m.element = Element::b4x16, m.dims[0] = 63; }) == "dims[0]");
    auto const padded = [](TensorMap& m) {
        m.element = Element::b6x16_p32, m.dims[0] = 256, m.box[0] = 128, m.strides = {192, 192 * 32, 0, 0};
    };
    CHECK(wrong([&](TensorMap& m) { padded(m); }) == "");
    CHECK(wrong([&](TensorMap& m) { padded(m), m.dims[0] = 192; }) == "dims[0]");
    CHECK(wrong([&](TensorMap& m) { padded(m), m.box[0] = 64; }) == "box[0]");
    CHECK(wrong([&](TensorMap& m) { padded(m), m.swizzle = Swizzle::bytes_64; }) == "box[0]");
    CHECK(wrong([&](TensorMap& m) { padded(m), m.swizzle = Swizzle::bytes_128; }) == "");
    CHECK(wrong([&](TensorMap& m) {
              padded(m), m.swizzle = Swizzle::bytes_128, m.atomicity = Atomicity::bytes_32_flip_8;
          }) == "swizzle");
}

TEST_CASE("Maps of columns follow the rules of the driver API", "[tensor]") {
    CHECK(wrong_column([](TensorMap& m) { m.rank = 2; }) == "rank");
    CHECK(wrong_column([](TensorMap& m) { m.channels = 257; }) == "channels");
    CHECK(wrong_column([](TensorMap& m) { m.channels = 4; }) == "channels");
    CHECK(wrong_column([](TensorMap& m) { m.pixels = 1025; }) == "pixels");
    CHECK(wrong_column([](TensorMap& m) { m.upper[0] = -33; }) == "upper[0]");
    CHECK(wrong_column([](TensorMap& m) { m.upper[0] = -32; }) == "");
    CHECK(wrong_column([](TensorMap& m) { m.lower[0] = -32769; }) == "lower[0]");
    CHECK(wrong_column([](TensorMap& m) { m.rank = 4, m.strides[2] = 20480, m.upper[1] = 128; }) == "upper[1]");
    CHECK(wrong_column([](TensorMap& m) { m.rank = 5, m.strides[2] = 20480, m.lower[2] = -17; }) == "lower[2]");
    auto const wide = [](TensorMap& m) { m.mode = Mode::im2col_w, m.swizzle = Swizzle::bytes_128; };
    CHECK(wrong_column([&](TensorMap& m) { wide(m); }) == "");
    CHECK(wrong_column([&](TensorMap& m) { wide(m), m.swizzle = Swizzle::none; }) == "swizzle");
    CHECK(wrong_column([&](TensorMap& m) { wide(m), m.atomicity = Atomicity::bytes_64; }) == "swizzle");
    CHECK(wrong_column([&](TensorMap& m) { wide(m), m.interleave = Interleave::bytes_16; }) == "interleave");
    CHECK(wrong_column([&](TensorMap& m) { wide(m), m.mode = Mode::im2col_w_128, m.pixels = 0; }) == "");
}

}  // namespace tensor_map_test
