// Plans bind textures and samplers to variables that say in PTX how they are sampled.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

namespace texture_plan_test {

using namespace warpsim::test;

namespace {

constexpr char const* between = R"(.version 8.0
.target sm_80
.address_size 64
.global .texref t = { filter_mode = linear, addr_mode_0 = clamp_to_border };
.entry k(.param .u64 out)
{
    .reg .b32 %r<2>;
    .reg .b64 %d<3>;
    .reg .f32 %f<6>;
    ld.param.u64 %d1, [out];
    mov.u32 %r1, %tid.x;
    mad.wide.u32 %d2, %r1, 4, %d1;
    cvt.rn.f32.u32 %f0, %r1;
    tex.1d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [t, {%f0}];
    st.global.f32 [%d2], %f2;
    ret;
}
)";

/// With `keys` in the texture.
Ended run_with(TemporaryFolder const& folder, std::string const& keys, std::string const& expected) {
    folder.write("between.ptx", between);
    folder.write("plan.json", R"({"module": "between.ptx",
        "buffers": {"x": {"type": "f32", "init": {"values": [2, 4, 6]}}, "y": {"type": "f32", "count": 4}},
        "symbols": {"t": {"texture": {"buffer": "x", "format": "f32", "size": [3])" +
                                  keys + R"(}}},
        "launches": [{"kernel": "k", "block": [4], "args": ["y"]}], "expect": {"y": {"values": [)" +
                                  expected + "]}}}");
    return run_command(folder, "run plan.json");
}

}  // namespace

TEST_CASE("A plan's texture is sampled as its variable is declared", "[command]") {
    TemporaryFolder const folder;
    // Between two texels, and halfway into the border.
    CHECK(run_with(folder, "", "1, 3, 5, 3").status == 0);
    CHECK(run_with(folder, R"(, "address": "clamp")", "2, 3, 5, 6").status == 0);
    CHECK(run_with(folder, R"(, "filter": "point")", "2, 4, 6, 0").status == 0);
    CHECK(run_with(folder, R"(, "normalized": true)", "1, 3, 0, 0").status == 0);
}

TEST_CASE("Buffers and structs of a plan hold handles of textures and surfaces", "[command]") {
    TemporaryFolder const folder;
    // Thread i adds 100 to texel i of the texture with number i % 2, and stores the sum to the struct's surface.
    folder.write("table.ptx", R"(.version 8.0
.target sm_80
.address_size 64
.entry k(.param .align 8 .b8 s[16])
{
    .reg .b32 %r<4>;
    .reg .b64 %d<6>;
    .reg .f32 %f<6>;
    ld.param.u64 %d0, [s];
    ld.param.u64 %d1, [s+8];
    mov.u32 %r0, %tid.x;
    and.b32 %r1, %r0, 1;
    mad.wide.u32 %d2, %r1, 8, %d0;
    ld.global.u64 %d3, [%d2];
    tex.1d.v4.f32.s32 {%f0, %f1, %f2, %f3}, [%d3, {%r0}];
    add.f32 %f0, %f0, 0f42C80000;
    shl.b32 %r2, %r0, 2;
    sust.b.1d.b32.trap [%d1, {%r2}], {%f0};
    ret;
}
)");
    folder.write("plan.json", R"({"module": "table.ptx",
        "buffers": {"x": {"type": "f32", "init": {"values": [1, 2, 3, 4]}},
                    "y": {"type": "f32", "init": {"values": [10, 20, 30, 40]}},
                    "out": {"type": "f32", "count": 4},
                    "table": {"type": "u64", "init": {"values": [
                        {"texture": {"buffer": "x", "format": "f32", "size": [4]}},
                        {"texture": {"buffer": "y", "format": "f32", "size": [4], "layout": "line"}}]}}},
        "launches": [{"kernel": "k", "block": [4], "args": [{"fields": [
            {"buffer": "table"}, {"surface": {"buffer": "out", "format": "f32", "size": [4]}}]}]}],
        "expect": {"out": {"values": [101, 120, 103, 140]}}})");
    CHECK(run_command(folder, "run plan.json").status == 0);
    CHECK(run_command(folder, "run plan.json --mode timing").status == 0);
}

}  // namespace texture_plan_test
