// {"tensormap": {...}} as an argument: what it becomes, and what is wrong with it by its JSON path.
#include "runtime/plan/arguments.hpp"
#include "runtime/plan/plan.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <cstring>

namespace tensormap_test {

using namespace warpsim;
namespace tensor = sim::tensor;

namespace {

plan::LaunchPlan with(std::string const& map) {
    return plan::parse_plan("p.json", R"({"module": "a.ptx", "buffers": {"x": {"type": "u8", "count": 65536}},
        "launches": [{"kernel": "k", "args": [{"tensormap": )" +
                                          map + "}]}]}");
}
std::string wrong(std::string const& map) {
    try {
        with(map);
    } catch (Error const& error) {
        return error.what();
    }
    return {};
}

std::string const tile =
    R"({"address": {"buffer": "x", "offset": 64}, "type": "f16", "dims": [64, 32], "strides": [128],
    "box": [32, 8], "element_strides": [1, 2], "swizzle": "64B", "fill": "nan", "l2_promotion": "128B"})";

}  // namespace

TEST_CASE("A plan's tensor map becomes the bytes that the driver would make", "[plan]") {
    plan::LaunchPlan const launches = with(tile);
    runtime::Module::Parameter parameter;
    parameter.name = "map";
    parameter.type = "b8";
    parameter.size = 128;
    auto const resolve = [](plan::Reference const& to) { return 0x10000 + std::get<plan::Address>(to).offset; };
    runtime::Arguments const arguments =
        plan::make_arguments(launches.launches[0].arguments, "k", {parameter}, "p.json", false, resolve);
    REQUIRE(arguments.bytes().size() == 128);
    auto const map = tensor::decode(arguments.bytes().data());
    REQUIRE(map);
    tensor::TensorMap want;
    want.element = tensor::Element::f16;
    want.rank = 2;
    want.address = 0x10040;
    want.dims = {64, 32, 1, 1, 1};
    want.strides[0] = 128;
    want.box = {32, 8, 1, 1, 1};
    want.element_strides[1] = 2;
    want.swizzle = tensor::Swizzle::bytes_64;
    want.fill = tensor::Fill::nan;
    want.promotion = tensor::Promotion::bytes_128;
    CHECK(*map == want);
    parameter.size = 64;
    std::string what;
    try {
        plan::make_arguments(launches.launches[0].arguments, "k", {parameter}, "p.json", false, resolve);
    } catch (Error const& error) {
        what = error.what();
    }
    CHECK(what.find("a tensor map has 128") != std::string::npos);
}

TEST_CASE("A plan may have maps of columns and all swizzles", "[plan]") {
    CHECK(
        wrong(
            R"({"address": "x", "type": "f16", "mode": "im2col", "dims": [16, 9, 9, 2], "strides": [32, 288, 2592],
        "channels": 16, "pixels": 64, "lower": [-1, -1], "upper": [-1, -1]})")
            .empty());
    CHECK(
        wrong(
            R"({"address": "x", "type": "f16", "mode": "im2col_w", "dims": [16, 9, 9, 2], "strides": [32, 288, 2592],
        "channels": 16, "pixels": 64, "lower": [-1], "upper": [1], "swizzle": "128B_atom_32B"})")
            .empty());
    CHECK(wrong(R"({"address": "x", "type": "u8", "dims": [64], "box": [64]})").empty());
}

TEST_CASE("Errors of a plan's tensor map have their JSON path", "[plan]") {
    std::string const at = "p.json: launches[0].args[0].tensormap";
    auto const changed = [&](std::string const& from, std::string const& to) {
        std::string text = tile;
        text.replace(text.find(from), from.size(), to);
        return wrong(text);
    };
    CHECK(wrong("{}") == at + ": the key 'address' is missing");
    CHECK(changed("\"dims\": [64, 32]", "\"dims\": [64, 0]") ==
          at + ".dims[1]: a dimension must be from 1 to 2^32; it is 0");
    CHECK(changed("[128]", "[100]") == at + ".strides[0]: a stride must be a multiple of 16; it is 100");
    CHECK(changed("[128]", "[128, 128]") ==
          at + ".strides: 1 numbers are wanted: one for each dimension but the first");
    CHECK(changed("\"box\": [32, 8]", "\"box\": [64, 8]") ==
          at + ".box[0]: the innermost bytes of the box must be at most the 64 of the swizzle; it is 128");
    CHECK(changed("\"offset\": 64", "\"offset\": 8") ==
          at + ".address: the address must be a multiple of 16; it is 8");
    CHECK(changed("\"f16\"", "\"f61\"").rfind(at + ".type: 'f61' is not known", 0) == 0);
    CHECK(changed("\"f16\"", "\"u16\"") ==
          at + ".fill: only tensors of floating-point numbers can be filled with NaN");
    CHECK(changed("\"fill\"", "\"fills\"").find("did you mean 'fill'?") != std::string::npos);
    CHECK(changed("\"buffer\": \"x\"", "\"buffer\": \"y\"").rfind(at + ".address", 0) == 0);
}

}  // namespace tensormap_test
