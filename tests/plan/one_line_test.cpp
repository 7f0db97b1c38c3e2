#include "runtime/plan/one_line.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

namespace one_line_test {

using namespace warpsim;

namespace {

plan::LaunchPlan with(std::initializer_list<char const*> arguments) {
    plan::LaunchPlan p;
    p.launches.emplace_back();
    for (char const* const a : arguments) plan::add_argument(p, a);
    return p;
}

std::string complaint(char const* argument) {
    try {
        with({argument});
    } catch (Error const& e) {
        CHECK(e.kind() == ErrorKind::usage);
        return e.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Arguments of the command line are numbers, typed numbers and arrays", "[plan]") {
    auto const p = with({"1024", "-2.5", "f32[16]=uniform:1:-1:1", "u8[]=values:1,2,0x3", "f16=1.5", "s32[4]"});
    auto const& arguments = p.launches[0].arguments;
    REQUIRE(arguments.size() == 6);
    CHECK(std::get<plan::Number>(arguments[0]).magnitude == 1024);
    CHECK(std::get<plan::Number>(arguments[1]).real == -2.5);
    CHECK(std::get<plan::Address>(arguments[2]).buffer == "arg2");
    CHECK(std::get<plan::ArgumentBytes>(arguments[4]).bytes.size() == 2);
    REQUIRE(p.arrays.size() == 3);
    CHECK(p.array("arg3")->count == 3);
    CHECK(p.array("arg5")->init.kind == plan::Init::Kind::zero);
}

TEST_CASE("A bad argument is quoted with what is wrong", "[plan]") {
    CHECK(complaint("f32[4]=unifrom:1") ==
          "--arg 'f32[4]=unifrom:1': unknown init 'unifrom'; did you mean 'uniform'?");
    CHECK(complaint("f23[4]") == "--arg 'f23[4]': unknown type 'f23'; did you mean 'f32'?");
    CHECK(complaint("u8[2]=values:1,256") == "--arg 'u8[2]=values:1,256': 256 is out of range for u8 (0 to 255)");
    CHECK(complaint("u8[3]=values:1,2") ==
          "--arg 'u8[3]=values:1,2': wrong count: 2 elements are given, 3 are wanted");
    CHECK(complaint("u8[0]") != "");
    CHECK(complaint("u8[99999999999999999999]") != "");
    CHECK(complaint("u8[4") == "--arg 'u8[4': ']' is missing");
    CHECK(complaint("hello") != "");
    CHECK(complaint("u8[4]=file:none.bin") == "--arg 'u8[4]=file:none.bin': 'none.bin': no such file");
    CHECK(complaint("u8[4]=fill") != "");
    CHECK(complaint("u8[4]=fill:") != "");
}

TEST_CASE("An extent is one to three whole numbers", "[plan]") {
    CHECK(plan::parse_extent("--grid", "4,2") == std::array<std::uint32_t, 3>{4, 2, 1});
    for (char const* const bad : {"", "0", "1,2,3,4", "1,", "x", "-1", "4294967296"})
        CHECK_THROWS_AS(plan::parse_extent("--grid", bad), Error);
}

}  // namespace one_line_test
