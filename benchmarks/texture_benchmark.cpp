// Fetches from textures: 32 lanes of a linear fetch (or by texel) by kind and host instruction set, one lane of it, and a kernel of bilinear
// fetches on one host thread.
// `items_per_second` is fetches of a thread per second. WARPSIM_HOST_ISA chooses the instruction set of the kernel.
#include "runtime/device.hpp"
#include "sim/texture/planes.hpp"
#include "sim/texture/sample.hpp"
#include "sim/texture/table.hpp"

#include <benchmark/benchmark.h>

#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace {

using namespace warpsim;
using namespace warpsim::sim::texture;

constexpr std::uint32_t size = 256;
constexpr char const* formats[] = {"f32x4", "f32", "unorm8x4", "f16x4", "srgb8x4", "snorm16x2"};

struct Case {
    char const* name;
    FetchKind kind;
    Extent extent{size, size, 1};
    std::uint32_t slices = 1;
    std::uint32_t levels = 1;
    bool has_offset = false;
};
constexpr Case plain{"", {}};
constexpr Case cases[] = {
    plain,
    {"/3d", {.geometry = Geometry::d3}, {64, 64, 32}},
    {"/layered", {.geometry = Geometry::layered_d2}, {128, 128, 1}, 8},
    {"/cube", {.geometry = Geometry::cubemap}, {128, 128, 1}, 6},
    {"/level", {.geometry = Geometry::d2, .levels = LevelChoice::given}, {size, size, 1}, 1, 4},
    {"/gather", {.geometry = Geometry::d2, .gathers = true}},
    {"/compare", {.geometry = Geometry::d2, .compares = true}},
    {"/texel", {.geometry = Geometry::d2, .counts_texels = true}},
    {"/offset", {.geometry = Geometry::d2}, {size, size, 1}, 1, 1, true},
};

/// Its bytes are those of 1.5 in every channel of 32 bits.
Image image_of(Format format, Case const& c, std::vector<std::uint32_t>& memory) {
    ArrayShape shape;
    shape.texel_bytes = format.bytes();
    shape.extent = c.extent;
    shape.slices = c.slices;
    shape.levels = c.levels;
    ArrayLayout const layout(shape);
    memory.assign(layout.bytes() / 4 + 4, 0x3fc00000);
    auto const address = reinterpret_cast<std::uint64_t>(memory.data());
    return image_of_array(address + (-address & 15), format, c.kind.geometry, layout);
}

Sampler bilinear() {
    Sampler sampler;
    sampler.filter = Filter::linear;
    sampler.level_filter = Filter::linear;
    sampler.address = {Address::wrap, Address::wrap, Address::wrap};
    sampler.is_normalized = true;
    return sampler;
}

struct Coordinates {
    alignas(64) float at[3][32], level[32], reference[32];
    std::int32_t texel[3][32] = {}, offset[3][32] = {};
    std::uint32_t layer[32];

    explicit Coordinates(std::mt19937& random) {
        auto const begin = [&] { return static_cast<float>(random() % 1000) / 1000; };
        float const x = begin(), y = begin(), z = begin();
        for (int lane = 0; lane < 32; ++lane) {
            at[0][lane] = x + static_cast<float>(lane) * 0.7f / size;
            at[1][lane] = y + static_cast<float>(lane) * 0.3f / size;
            at[2][lane] = z;
            level[lane] = 3 * z;
            layer[lane] = static_cast<std::uint32_t>(8 * z);
            reference[lane] = 2 * y;
            for (std::size_t d = 0; d < 2; ++d) {
                texel[d][lane] = static_cast<std::int32_t>(at[d][lane] * size);
                offset[d][lane] = static_cast<std::int32_t>(8 * x) - 4;
            }
        }
    }
};

void fetch_32(benchmark::State& state, isa::HostIsa host, Case const& c, char const* format) {
    std::vector<std::uint32_t> memory;
    Image const image = image_of(*format_named(format), c, memory);
    Sampler const sampler = bilinear();
    std::mt19937 random(1);
    std::vector<Coordinates> all;
    while (all.size() < 64) all.emplace_back(random);
    alignas(64) std::uint32_t results[4][32];
    std::size_t next = 0;
    for ([[maybe_unused]] auto const& step : state) {
        Coordinates const& from = all[next++ % all.size()];
        FetchColumns columns;
        for (std::size_t d = 0; d < 3; ++d) {
            columns.at[d] = from.at[d];
            if (c.kind.counts_texels) columns.at[d] = from.texel[d];
            if (c.has_offset) columns.offset[d] = from.offset[d];
        }
        columns.reference = from.reference;
        columns.layer = from.layer;
        columns.level = from.level;
        for (std::size_t i = 0; i < 4; ++i) columns.results[i] = results[i];
        benchmark::DoNotOptimize(fetch_planes(plane_functions(host), image, sampler, c.kind, columns, 0xffffffff));
        benchmark::DoNotOptimize(results);
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * 32);
}

void fetch_one(benchmark::State& state, Case const& c, char const* format) {
    std::vector<std::uint32_t> memory;
    Image const image = image_of(*format_named(format), c, memory);
    Sampler const sampler = bilinear();
    std::mt19937 random(1);
    Coordinates const from(random);
    std::size_t next = 0;
    for ([[maybe_unused]] auto const& step : state) {
        std::size_t const lane = next++ % 32;
        Fetch fetch;
        for (std::size_t d = 0; d < 3; ++d) {
            fetch.at[d] = from.at[d][lane];
            fetch.texel[d] = from.texel[d][lane];
            if (c.has_offset) fetch.offset[d] = from.offset[d][lane];
        }
        fetch.reference = from.reference[lane];
        fetch.layer = from.layer[lane];
        fetch.level = from.level[lane];
        benchmark::DoNotOptimize(sample(image, sampler, c.kind, fetch, nullptr));
    }
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()));
}

/// Every thread makes 64 fetches at places that depend on its number, and stores their sum.
std::string const kernel = R"(.version 8.7
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out, .param .u64 texture)
{
.reg .pred %p; .reg .b32 %i, %n, %m; .reg .b64 %o, %t; .reg .f32 %x, %y, %s, %a, %b, %c, %d;
ld.param.u64 %o, [out];
ld.param.u64 %t, [texture];
mov.u32 %i, %ctaid.x; mov.u32 %n, %ntid.x; mov.u32 %m, %tid.x; mad.lo.u32 %i, %i, %n, %m;
cvt.rn.f32.u32 %x, %i; mul.f32 %x, %x, 0f3B000000; mul.f32 %y, %x, 0f3C800000; mov.f32 %s, 0f00000000;
mov.u32 %n, 16;
loop:
tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}]; add.f32 %s, %s, %a; add.f32 %x, %x, 0f3C000000;
tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}]; add.f32 %s, %s, %b; add.f32 %y, %y, 0f3C000000;
tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}]; add.f32 %s, %s, %c; add.f32 %x, %x, 0f3C000000;
tex.2d.v4.f32.f32 {%a, %b, %c, %d}, [%t, {%x, %y}]; add.f32 %s, %s, %d; add.f32 %y, %y, 0f3C000000;
sub.u32 %n, %n, 1; setp.ne.u32 %p, %n, 0; @%p bra loop;
mad.wide.u32 %o, %i, 4, %o; st.global.f32 [%o], %s;
ret;
}
)";

void run_kernel(benchmark::State& state, char const* name) {
    constexpr std::uint32_t ctas = 64, threads = 256;
    runtime::DeviceOptions options;
    options.threads = 1;
    runtime::Device device(sim::load_config("h100", {}), options);
    auto const module = device.load_text("fetches.ptx", kernel);
    std::vector<std::uint32_t> memory;
    Image image = image_of(*format_named(name), plain, memory);
    image.address = device.allocate(image.bytes());
    device.write(image.address, memory.data(), image.bytes());
    Handle const handle = device.textures().add(Texture{image, bilinear()});
    runtime::DevicePointer const out = device.allocate(std::uint64_t{ctas} * threads * 4);
    runtime::LaunchShape shape;
    shape.grid = {ctas, 1, 1};
    shape.block = {threads, 1, 1};
    for ([[maybe_unused]] auto const& step : state)
        device.launch(*module, "k", shape, runtime::Arguments::of(out, handle));
    state.SetItemsProcessed(static_cast<std::int64_t>(state.iterations()) * ctas * threads * 64);
}

[[maybe_unused]] bool const registered = [] {
    std::pair<char const*, isa::HostIsa> const hosts[] = {
        {"baseline", isa::HostIsa::baseline}, {"avx2", isa::HostIsa::avx2}, {"avx512", isa::HostIsa::avx512}};
    for (char const* const format : formats) {
        for (Case const& c : cases) {
            std::string const what = format + std::string(c.name);
            for (auto const& [name, host] : hosts) {
                if (host > isa::host_isa()) continue;
                benchmark::RegisterBenchmark(("texture/lanes/" + what + "/" + name).c_str(), fetch_32, host, c,
                                             format);
            }
            benchmark::RegisterBenchmark(("texture/single/" + what).c_str(), fetch_one, c, format);
        }
        benchmark::RegisterBenchmark(("texture/kernel/" + std::string(format)).c_str(), run_kernel, format);
    }
    return true;
}();

}  // namespace
