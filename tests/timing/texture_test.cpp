// Textures and surfaces in time: latency of a hit, rates by format and filter, sectors, and what warps wait for.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

#include <algorithm>

namespace texture_test {

using namespace warpsim;
using namespace warpsim::test;
using texture::Channel;
using texture::Format;
using texture::Geometry;

namespace {

runtime::DeviceOptions timed() {
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = runtime::Mode::timing;
    return options;
}

/// 64 x 64 zeros.
std::uint64_t zeros(Program& program, Format format, texture::Filter filter) {
    texture::Texture t;
    t.image = device_array(program.device, format, Geometry::d2, array_layout(format, Geometry::d2, {64, 64, 1}));
    t.sampler.filter = filter;
    t.sampler.is_normalized = false;
    return program.device.textures().add(t);
}

/// Cycles of a kernel with this body; `%d0` is the texture, %f4 and %f5 are coordinates.
struct Timed {
    std::uint64_t cycles = 0;
    sim::TimingCounts counts;
};
Timed run(std::string const& body, Format format, texture::Filter filter, std::uint32_t threads,
          std::vector<std::string> overrides = {}) {
    Program program(kernel("ld.global.u64 %d0, [%in]; and.b32 %r0, %i, 7; cvt.rn.f32.u32 %f4, %r0;\n"
                           "shr.u32 %r0, %i, 3; and.b32 %r0, %r0, 31; cvt.rn.f32.u32 %f5, %r0;\n" +
                           body + "\nst.global.f32 [%o4], %f4;"),
                    "independent", timed(), std::move(overrides));
    program.in = program.device.upload(std::vector<std::uint64_t>{zeros(program, format, filter)});
    program.launch(program.device.allocate(std::uint64_t{4} * threads), {{threads, 1, 1}});
    return {program.result.timing->cycles, *program.result.timing};
}

std::string repeated(std::string const& text, int count) {
    std::string all;
    for (int i = 0; i < count; ++i) all += text;
    return all;
}

constexpr Format f32x1{Channel::f32, 1}, f32x4{Channel::f32, 4};
std::string const chained = "tex.2d.v4.f32.f32 {%f4, %f6, %f7, %f8}, [%d0, {%f4, %f5}];\n";
std::string const independent =
    "tex.2d.v4.f32.f32 {%f6, %f7, %f8, %f9}, [%d0, {%f4, %f5}]; add.f32 %f10, %f10, %f6;\n";

/// Cycles that one of many repetitions takes.
double cycles_of(std::string const& text, Format format, texture::Filter filter, std::uint32_t threads,
                 std::vector<std::string> const& overrides = {}) {
    auto const few = run(repeated(text, 10), format, filter, threads, overrides).cycles;
    auto const many = run(repeated(text, 30), format, filter, threads, overrides).cycles;
    return static_cast<double>(many - few) / 20;
}

}  // namespace

TEST_CASE("A fetch of one thread that hits takes the configured latency", "[timing][texture]") {
    double const latency = cycles_of(chained, f32x1, texture::Filter::point, 1);
    CHECK(latency >= 86);
    CHECK(latency < 92);
    double const longer =
        cycles_of(chained, f32x1, texture::Filter::point, 1, {"sm.texture.hit_latency_cycles=186"});
    CHECK(longer == Approx(latency + 100));
}

TEST_CASE("A fetch that misses takes as much longer as a load that misses", "[timing][texture]") {
    std::string const fetch = "tex.1d.v4.s32.s32 {%r4, %r5, %r6, %r7}, [%d0, {%r4}];\n";
    std::string const load = "mad.wide.u32 %d2, %r4, 4, %d1; ld.global.u32 %r4, [%d2];\n";
    // A chain through memory that nobody has read yet: each step goes `step` words on.
    auto const cycles = [](std::string const& text, std::uint32_t step) {
        auto const of = [&](int count) {
            Program program(kernel("ld.global.v2.u64 {%d0, %d1}, [%in]; mov.u32 %r4, 0;\n" +
                                   repeated(text, count) + "st.global.u32 [%o4], %r4;"),
                            "independent", timed());
            std::vector<std::uint32_t> chain(4096);
            for (std::uint32_t i = 0; i < chain.size(); ++i) chain[i] = i + step;
            std::uint64_t const memory = program.device.upload(chain);
            texture::Texture t;
            t.image = texture::image_of_line(memory, {Channel::u32, 1}, 4096);
            program.in =
                program.device.upload(std::vector<std::uint64_t>{program.device.textures().add(t), memory});
            program.launch(program.device.allocate(4), {{1, 1, 1}});
            return static_cast<double>(program.result.timing->cycles);
        };
        return (of(60) - of(20)) / 40;
    };
    double const fetched = cycles(fetch, 32) - cycles(fetch, 0), loaded = cycles(load, 32) - cycles(load, 0);
    CHECK(loaded > 200);
    CHECK(fetched == Approx(loaded).epsilon(0.1));
}

TEST_CASE("Texture units filter a quad a cycle and wide texels more slowly", "[timing][texture]") {
    // 32 warps: the units are what limits.
    auto const warp_cycles = [](Format format, texture::Filter filter,
                                std::vector<std::string> const& overrides = {}) {
        return cycles_of(independent, format, filter, 1024, overrides) / 32;
    };
    CHECK(warp_cycles(f32x1, texture::Filter::point) == Approx(8).margin(1));
    CHECK(warp_cycles(f32x1, texture::Filter::linear) == Approx(8).margin(1));
    CHECK(warp_cycles(f32x4, texture::Filter::linear) == Approx(32).margin(2));
    CHECK(warp_cycles({Channel::f32, 2}, texture::Filter::linear) == Approx(16).margin(1));
    CHECK(warp_cycles({Channel::f16, 4}, texture::Filter::linear) == Approx(8).margin(1));
    CHECK(warp_cycles({Channel::f32, 2}, texture::Filter::point) == Approx(8).margin(1));
    CHECK(warp_cycles(f32x4, texture::Filter::point) == Approx(16).margin(1));
    CHECK(warp_cycles(f32x4, texture::Filter::point, {"sm.texture.fetch_bytes_per_cycle=16"}) ==
          Approx(8).margin(1));
    CHECK(warp_cycles(f32x4, texture::Filter::linear, {"sm.texture.filter_bytes_per_cycle=32"}) ==
          Approx(16).margin(1));
    CHECK(warp_cycles(f32x1, texture::Filter::linear, {"sm.texture.units=2"}) == Approx(16).margin(1));
}

TEST_CASE("Warps that find the texture queue full are in tex_throttle", "[timing][texture]") {
    Timed const t = run(repeated(independent, 40), f32x4, texture::Filter::linear, 1024);
    auto const stalls = [&](sim::StallReason reason) { return t.counts.stalls[static_cast<std::size_t>(reason)]; };
    CHECK(stalls(sim::StallReason::tex_throttle) > stalls(sim::StallReason::lg_throttle));
    CHECK(stalls(sim::StallReason::tex_throttle) > stalls(sim::StallReason::math_pipe_throttle));
    Timed const one = run(repeated(chained, 10), f32x1, texture::Filter::point, 32);
    CHECK(one.counts.stalls[static_cast<std::size_t>(sim::StallReason::tex_throttle)] == 0);
    CHECK(one.counts.stalls[static_cast<std::size_t>(sim::StallReason::long_scoreboard)] > 0);
}

TEST_CASE("A tile of an array is four lines of the cache", "[timing][texture]") {
    // A warp reads 8 x 4 texels of 4 bytes: half of the width of four rows of a tile, a sector each.
    Timed const t = run(chained, f32x1, texture::Filter::point, 32);
    Timed const none = run("", f32x1, texture::Filter::point, 32);
    CHECK(t.counts.l1.load_sectors - none.counts.l1.load_sectors == 4);
}

TEST_CASE("Surface stores go through the cache to L2", "[timing][texture]") {
    Program program(kernel("ld.global.u64 %d0, [%in]; mul.lo.u32 %r0, %i, 4; mov.u32 %r1, 0;\n"
                           "sust.b.2d.b32.trap [%d0, {%r0, %r1}], %i;\n"
                           "suld.b.2d.b32.trap %r2, [%d0, {%r0, %r1}]; st.global.u32 [%o4], %r2;"),
                    "independent", timed());
    Format const words{Channel::u32, 1};
    texture::Image const image =
        device_array(program.device, words, Geometry::d2, array_layout(words, Geometry::d2, {32, 8, 1}));
    program.in =
        program.device.upload(std::vector<std::uint64_t>{program.device.textures().add(texture::Surface{image})});
    CHECK(program.run<std::uint32_t>(32) == each<std::uint32_t>(32, [](std::uint32_t i) { return i; }));
    CHECK(program.result.timing->l1.store_sectors == 4 + 4);
    auto const& units = program.result.timing->units;
    auto const unit = std::find_if(units.begin(), units.end(), [](auto const& u) { return u.name == "texture"; });
    REQUIRE(unit != units.end());
    CHECK(unit->micro_ops == 2);
}

}  // namespace texture_test
