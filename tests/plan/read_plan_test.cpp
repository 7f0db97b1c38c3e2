#include "runtime/plan/plan.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

namespace read_plan_test {

using namespace warpsim;

namespace {

plan::LaunchPlan parse(std::string const& text) { return plan::parse_plan("saxpy.json", text); }

std::string complaint(std::string const& text) {
    try {
        parse(text);
    } catch (Error const& e) {
        CHECK(e.kind() == ErrorKind::plan);
        return e.what();
    }
    return "";
}

std::string with_buffers(std::string const& buffers) {
    return "{\"module\": \"a.ptx\", \"launches\": [], \"buffers\": {" + buffers + "}}";
}

std::string with_launch(std::string const& launch) {
    return "{\"module\": \"a.ptx\", \"buffers\": {\"x\": {\"type\": \"f32\", \"count\": 4}}, \"launches\": [{" +
           launch + "}]}";
}

}  // namespace

TEST_CASE("A plan with everything in it is read", "[plan]") {
    auto const p = plan::parse_plan("dir/p.json", R"({
        "schema": "warpsim-plan/1",   // a comment
        "modules": ["a.ptx", "/b.ptx"], "config": "a100", "mode": "functional", "set": {"sm.count": 4, "a": [1, "b"], "c": "d"},
        "buffers": {
            "x": {"type": "f32", "count": 8, "init": {"uniform": {"seed": 1, "low": -1, "high": 1}}},
            "n": {"type": "u64", "init": {"values": ["x", {"buffer": "n", "offset": 8}, "0x10"]}},
            "c": {"type": "bf16", "count": 2, "space": "const", "init": {"fill": "-inf"}} },
        "symbols": {"coef": {"type": "f32", "init": {"values": [1, 2]}}, "late": {"type": "u8"}},
        "launches": [{"kernel": "k", "grid": [4, 2], "block": 32, "cluster": [2], "shared": 64, "repeat": 3,
                      "cooperative": true,
                      "args": [1, 2.0, "x", "nan", {"buffer": "n", "offset": 8},
                               {"fields": [{"type": "u8", "value": 5}, {"buffer": "x"}, {"type": "u16", "value": 1}]},
                               {"hex": "00 Ff"}, {"type": "f16", "value": 1}]}],
        "save": {"x": "out.npy"},
        "expect": {"x": {"fill": 0, "abs": 2, "rel": 1e-6}, "c": "zero"} })");
    CHECK(p.modules == std::vector<std::string>{"dir/a.ptx", "/b.ptx"});
    CHECK(p.overrides == std::vector<std::string>{"sm.count=4", "a=[1,\"b\"]", "c=d"});
    CHECK(p.arrays.size() == 5);
    CHECK(p.array("n")->count == 3);
    CHECK(p.array("n")->init.references.size() == 2);
    CHECK(p.array("coef")->is_symbol);
    CHECK(p.array("late")->count == 0);
    auto const& launch = p.launches.at(0);
    CHECK(launch.shape.grid == std::array<std::uint32_t, 3>{4, 2, 1});
    CHECK(launch.shape.block == std::array<std::uint32_t, 3>{32, 1, 1});
    CHECK(launch.shape.cluster == std::array<std::uint32_t, 3>{2, 1, 1});
    CHECK(launch.shape.cooperative);
    CHECK(launch.repeat == 3);
    CHECK(launch.arguments.size() == 8);
    auto const& fields = std::get<plan::ArgumentBytes>(launch.arguments[5]);
    CHECK(fields.bytes.size() == 24);
    CHECK(fields.references.at(0).at == 8);
    CHECK(std::to_integer<int>(fields.bytes[16]) == 1);
    CHECK(std::get<plan::ArgumentBytes>(launch.arguments[6]).bytes ==
          std::vector<std::byte>{std::byte{0}, std::byte{255}});
    CHECK(p.expectations.at(0).absolute == 2);
}

TEST_CASE("An unknown key names the file, the JSON path and the nearest key", "[plan]") {
    CHECK(complaint(with_launch(R"("kernel": "k", "gird": 1)")) ==
          "saxpy.json: launches[0].gird: unknown key; did you mean 'grid'?");
    CHECK(complaint(R"({"module": "a", "launches": [], "bufers": {}})") ==
          "saxpy.json: bufers: unknown key; did you mean 'buffers'?");
    CHECK(complaint(with_buffers(R"("x": {"type": "f32", "count": 1, "init": {"fil": 1}})")) ==
          "saxpy.json: buffers.x.init.fil: unknown key; did you mean 'fill'?");
}

TEST_CASE("A slip in JSON is told with its line and column", "[plan]") {
    auto const text = complaint("{\n  \"module\": \"a\",,\n}");
    CHECK(text.rfind("saxpy.json:2:17: ", 0) == 0);
    CHECK(complaint("").rfind("saxpy.json:1:1: ", 0) == 0);
    CHECK(complaint("{\"module\": 1e999}").rfind("saxpy.json:1:", 0) == 0);
    CHECK(complaint(R"({"module": "a", "module": "b"})") ==
          "saxpy.json: the key 'module' stands twice in one object");
    CHECK(complaint(std::string(100000, '[')) == "saxpy.json: nested deeper than 64 levels");
    CHECK(complaint("[]") == "saxpy.json: an object is wanted, not an array");
}

TEST_CASE("A value that does not fit its type is an error with its place", "[plan]") {
    CHECK(complaint(with_buffers(R"("x": {"type": "u8", "count": 2, "init": {"values": [1, 256]}})")) ==
          "saxpy.json: buffers.x.init.values[1]: 256 is out of range for u8 (0 to 255)");
    CHECK(complaint(with_buffers(R"("x": {"type": "s32", "count": 1, "init": {"fill": 1.5}})")) ==
          "saxpy.json: buffers.x.init.fill: 1.5 is not an integer, as s32 wants");
    CHECK(complaint(with_launch(R"("kernel": "k", "args": [{"fields": [{"type": "u8", "value": -1}]}])")) ==
          "saxpy.json: launches[0].args[0].fields[0].value: -1 is out of range for u8 (0 to 255)");
    CHECK(complaint(with_launch(R"("kernel": "k", "grid": [1, 0])")) ==
          "saxpy.json: launches[0].grid[1]: an integer from 1 to 4294967295 is wanted, not 0");
}

TEST_CASE("Wrong counts, types and names are errors", "[plan]") {
    CHECK(complaint(with_buffers(R"("x": {"type": "f32", "count": 3, "init": {"values": [1, 2]}})")) ==
          "saxpy.json: buffers.x.init: wrong count: 2 elements are given, 3 are wanted");
    CHECK(complaint(with_buffers(R"("x": {"type": "f32"})")) ==
          "saxpy.json: buffers.x: the key 'count' is missing");
    CHECK(complaint(with_buffers(R"("x": {"type": "f23", "count": 1})")) ==
          "saxpy.json: buffers.x.type: unknown type 'f23'; did you mean 'f32'?");
    CHECK(complaint(with_buffers(R"("x": {"type": "f32", "count": 1, "init": {"values": ["y"]}})")) ==
          "saxpy.json: buffers.x.init.values[0]: the string 'y' cannot be a f32; addresses and handles are u64");
    CHECK(complaint(with_launch(R"("kernel": "k", "args": ["outputs"])")) ==
          "saxpy.json: launches[0].args[0]: there is no buffer 'outputs'; known: x");
    CHECK(complaint(with_launch(R"("kernel": "k", "args": [{"buffer": "x", "offset": 17}])")) ==
          "saxpy.json: launches[0].args[0]: offset 17 is past the end of buffer 'x' of 16 bytes");
    CHECK(complaint(with_launch(R"("kernel": "k", "args": [{"hex": "123"}])")) ==
          "saxpy.json: launches[0].args[0].hex: an odd number of hexadecimal digits");
    CHECK(complaint(with_buffers(R"("inf": {"type": "f32", "count": 1})")) != "");
    CHECK(complaint(with_buffers(R"("x": {"type": "f32", "count": 1, "init": {"file": "none.npy"}})")) ==
          "saxpy.json: buffers.x.init.file: 'none.npy': no such file");
    CHECK(complaint(R"({"launches": []})") == "saxpy.json: the key 'module' is missing");
    CHECK(complaint(R"({"module": "a", "launches": [], "mode": "timig"})") ==
          "saxpy.json: mode: unknown mode 'timig'; did you mean 'timing'?");
    CHECK(
        complaint(
            R"({"module": "a", "launches": [], "buffers": {"yy": {"type": "u8", "count": 1}}, "save": {"y": "o.txt"}})")
            .rfind("saxpy.json: save.y: there is no buffer or symbol 'y'", 0) == 0);
}

TEST_CASE("Registers of a kernel are the same in all of its launches", "[plan]") {
    auto const launches = [](std::string const& second) {
        return R"({"module": "a.ptx", "launches": [{"kernel": "k", "registers": 40, "max_registers": 64}, {)" +
               second + "}]}";
    };
    plan::LaunchPlan const plan = parse(launches(R"("kernel": "j", "max_registers": 64)"));
    CHECK(plan.launches[0].registers == 40);
    CHECK(plan.launches[0].max_registers == 64);
    CHECK(plan.launches[1].registers == 0);
    CHECK(complaint(launches(R"("kernel": "k", "registers": 41, "max_registers": 64)")) ==
          "saxpy.json: launches[1]: the kernel's 'registers' is not what launches[0] says");
    CHECK(complaint(launches(R"("kernel": "j")")) ==
          "saxpy.json: launches[1]: 'max_registers', which is of all kernels, is not what launches[0] says");
    CHECK(complaint(with_launch(R"("kernel": "k", "registers": 0)")) != "");
}

TEST_CASE("A suggestion is the nearest word, or else all of them", "[plan]") {
    CHECK(plan::suggestion("zzz", {"alpha", "beta"}) == "; known: alpha, beta");
    CHECK(plan::suggestion("alpa", {"alpha", "beta"}) == "; did you mean 'alpha'?");
}

}  // namespace read_plan_test
