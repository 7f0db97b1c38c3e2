// Runs in timing mode that are kept and go on: nothing of them differs from one that was never interrupted.
#include "runtime/device.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/fault_kind.hpp"
#include "sim/stop_request.hpp"
#include "tests/kernels/matrices.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/textures.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace checkpoint_test {

using namespace warpsim;

namespace {

/// What a program left behind: bytes of memory, and all statistics as text.
struct Outcome {
    std::vector<std::uint32_t> words;
    std::string statistics, printed;
    bool operator==(Outcome const&) const = default;
};

/// One device with one module of tests/kernels, and the launches made on it.
class Bench {
public:
    Bench(std::string const& file, std::string const& config, std::vector<std::string> const& overrides,
          runtime::DeviceOptions options)
        : device_(sim::load_config(config, overrides), with_print(std::move(options))),
          module_(file.ends_with("\n") ? device_.load_text("k.ptx", file)
                                       : device_.load_file(WARPSIM_SOURCE_DIR "/tests/" + file + ".ptx")) {}

    runtime::DevicePointer words(std::size_t n, std::uint32_t factor = 0) {
        std::vector<std::uint32_t> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<std::uint32_t>(i) * factor;
        return device_.upload(values);
    }
    runtime::DevicePointer floats(std::size_t n) {
        std::vector<float> values(n);
        for (std::size_t i = 0; i < n; ++i) values[i] = static_cast<float>(i * 37 % 101) - 50.0f;
        return device_.upload(values);
    }
    template <class... T>
    void launch(std::string const& kernel, std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                std::uint32_t shared, T const&... arguments) {
        runtime::LaunchShape shape;
        shape.grid = grid;
        shape.block = block;
        shape.dynamic_shared = shared;
        shape.cluster = cluster;
        shape.cooperative = cooperative;
        sim::LaunchStatistics statistics =
            device_.launch(*module_, kernel, shape, runtime::Arguments::of(arguments...));
        statistics.host_seconds = 0;
        outcome_.statistics += statistics::to_json(statistics) + "\n";
    }
    Outcome take(runtime::DevicePointer out, std::size_t n) {
        outcome_.words = device_.download<std::uint32_t>(out, n);
        return outcome_;
    }

    runtime::Device& device() { return device_; }

    std::array<std::uint32_t, 3> cluster{0, 0, 0};
    bool cooperative = false;

private:
    runtime::DeviceOptions with_print(runtime::DeviceOptions options) {
        options.print = [this](std::string_view text) { outcome_.printed += text; };
        return options;
    }

    Outcome outcome_;
    runtime::Device device_;
    std::shared_ptr<runtime::Module> module_;
};

struct Program {
    std::string file;  // or the text itself
    std::string config;
    std::uint64_t every;  // cycles
    std::function<Outcome(Bench&)> run;
    std::vector<std::string> overrides = {};
};

/// Memory of words, of 1, 2, 3 ... times a factor, and then a launch with the address and `arguments` behind it.
template <class... T>
std::function<Outcome(Bench&)> one(std::string const& kernel, std::uint32_t ctas, std::uint32_t threads,
                                   std::uint32_t words, T... arguments) {
    return [=](Bench& b) {
        auto const out = b.words(words);
        b.launch(kernel, {ctas, 1, 1}, {threads, 1, 1}, 0, out, arguments...);
        return b.take(out, words);
    };
}

/// Streams, tiles, barriers, divergence, atomics, calls, local memory, spins; several launches.
std::vector<Program> plain_programs() {
    return {
        {"kernels/saxpy", "teaching", 5000,
         [](Bench& b) {
             auto const y = b.floats(20000);
             b.launch("saxpy", {79, 1, 1}, {256, 1, 1}, 0, 20000, 2.0f, b.floats(20000), y);
             return b.take(y, 20000);
         }},
        {"kernels/reduce", "teaching", 20000,
         [](Bench& b) {
             auto const sum = b.words(1);
             b.launch("reduce", {64, 1, 1}, {256, 1, 1}, 0, 50000, b.words(50000, 2654435761u), sum);
             return b.take(sum, 1);
         }},
        {"kernels/matmul", "v100", 2000,
         [](Bench& b) {
             auto const c = b.words(48 * 48);
             b.launch("matmul", {3, 3, 1}, {16, 16, 1}, 0, 48, b.floats(48 * 48), b.floats(48 * 48), c);
             return b.take(c, 48 * 48);
         }},
        {"kernels/mandelbrot", "teaching", 20000,
         [](Bench& b) {
             auto const out = b.words(64 * 64);
             b.launch("mandelbrot", {4, 4, 1}, {16, 16, 1}, 0, out, 64, 64, -2.0f, -1.0f, 3.0f / 64, 2.0f / 64,
                      100);
             return b.take(out, 64 * 64);
         }},
        {"kernels/histogram", "a100", 2500,
         [](Bench& b) {
             auto const bins = b.words(256);
             b.launch("histogram", {24, 1, 1}, {128, 1, 1}, 0, 40000, b.words(10000, 2654435761u), bins);
             return b.take(bins, 256);
         }},
        {"kernels/bitonic", "teaching", 3000,
         [](Bench& b) {
             auto const keys = b.words(2048, 2654435761u);
             b.launch("bitonic_shared", {8, 1, 1}, {128, 1, 1}, 1024, keys, 2u, 256u);
             b.launch("bitonic_global", {8, 1, 1}, {128, 1, 1}, 0, keys, 512u, 256u);
             b.launch("bitonic_shared", {8, 1, 1}, {128, 1, 1}, 1024, keys, 512u, 512u);
             return b.take(keys, 2048);
         }},
        {"kernels/transpose", "h100", 1000,
         [](Bench& b) {
             auto const out = b.words(96 * 160);
             b.launch("transpose", {3, 5, 1}, {32, 8, 1}, 0, 96, 160, b.floats(96 * 160), out);
             return b.take(out, 96 * 160);
         }},
        {"kernels/recursion", "teaching", 5000,
         [](Bench& b) {
             auto const out = b.words(1024);
             b.launch("recursion", {8, 1, 1}, {128, 1, 1}, 0, 5u, out);
             return b.take(out, 1024);
         }},
        {"kernels/functions", "v100", 3000, one("recursion", 2, 40, 80)},
        {"kernels/functions", "v100", 1000,
         [](Bench& b) {
             auto const out = b.words(128);
             b.launch("digits", {2, 1, 1}, {64, 1, 1}, 0, b.words(128, 2654435761u), 3u, out);
             return b.take(out, 128);
         }},
        {"kernels/functions", "teaching", 250, one("indirect", 1, 50, 50)},
        {"kernels/synchronization", "teaching", 3000,
         [](Bench& b) {
             auto const order = b.words(120);
             b.launch("ticket_lock", {12, 1, 1}, {32, 1, 1}, 0, b.words(2), b.words(1), order, 10);
             return b.take(order, 120);
         }},
        {"kernels/synchronization", "h100", 50000,
         [](Bench& b) {
             auto const u = b.words(8);
             b.launch("every_operation", {20, 1, 1}, {100, 1, 1}, 0, u, b.words(44), b.words(2), b.words(2),
                      b.words(1), 1000u);
             return b.take(u, 8);
         }},
        {"kernels/cooperative", "v100", 2000,
         [](Bench& b) {
             auto const out = b.words(512, 7);
             b.cooperative = true;
             b.launch("grid_rounds", {8, 1, 1}, {64, 1, 1}, 0, out, b.words(512, 3), 3);
             b.launch("grid_rounds", {8, 1, 1}, {64, 1, 1}, 0, b.words(512, 5), out, 2);
             return b.take(out, 512);
         }},
    };
}

/// Clusters, copies of all kinds, mbarriers, products of warpgroups and of tcgen05.
std::vector<Program> asynchronous_programs() {
    using sim::tensor::Element;
    return {
        {"kernels/cooperative", "h100", 1000,
         [](Bench& b) {
             auto const bins = b.words(256);
             b.launch("cluster_histogram", {16, 1, 1}, {96, 1, 1}, 0, b.words(5000, 2654435761u), bins, 5000);
             return b.take(bins, 256);
         }},
        {"kernels/cooperative", "h100", 2500, one("produce_consume", 2, 128, 128, 10)},
        {"kernels/cooperative", "a100", 1000,
         [](Bench& b) {
             auto const out = b.words(64);
             b.launch("pipelined", {1, 1, 1}, {64, 1, 1}, 0, b.words(7 * 64, 2654435761u), out, 7);
             return b.take(out, 64);
         }},
        {"kernels/hopper_gemm", "h100", 4000,
         [](Bench& b) {
             auto const a = b.words(512 * 320 / 2, 77), m = b.words(256 * 320 / 2, 99), c = b.words(512 * 256 / 2);
             std::uint32_t const stage = 128 * 128 + 128 * 128;
             b.launch("hopper_gemm", {4, 1, 1}, {384, 1, 1}, 6 * stage + 2 * 8192 + 96, 512, 256, 320,
                      test::map_of(Element::f16, a, 320, 512, 64, 128),
                      test::map_of(Element::f16, m, 320, 256, 64, 64),
                      test::map_of(Element::f16, c, 256, 512, 64, 64));
             return b.take(c, 512 * 256 / 2);
         }},
        {"kernels/blackwell_gemm", "b200", 9000,
         [](Bench& b) {
             auto const a = b.words(256 * 192 / 2, 77), m = b.words(128 * 192 / 2, 99), c = b.words(256 * 128 / 2);
             b.launch("blackwell_pair_gemm", {2, 1, 1}, {192, 1, 1}, 3 * (16384 + 8192 + 2048) + 64, 128, 192,
                      test::map_of(Element::f16, a, 192, 256, 64, 128),
                      test::map_of(Element::f16, m, 192, 128, 64, 64), c);
             return b.take(c, 256 * 128 / 2);
         }},
    };
}

char const* const prints_and_allocates =
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n"
    ".global .align 1 .b8 text[] = {98, 108, 111, 99, 107, 32, 37, 100, 10, 0};\n";

/// CTAs take different times; a thread of each prints, and all have memory of their own from the heap.
std::string const printing = test::kernel(R"(
    .local .align 8 .b8 buffer[8]; mov.u32 %r0, %ctaid.x; and.b32 %r1, %r0, 7; mul.lo.u32 %r1, %r1, 5;
    LOOP: setp.eq.u32 %p0, %r1, 0; @%p0 bra ON; sub.u32 %r1, %r1, 1; bra LOOP; ON:
    mov.u64 %d0, buffer; cvta.local.u64 %d1, %d0; st.local.u32 [%d0], %r0; mov.u64 %d2, text; cvta.global.u64 %d2, %d2;
    { .param .b64 n; .param .b64 r; st.param.b64 [n], 16; call.uni (r), malloc, (n); ld.param.b64 %d3, [r]; }
    st.u32 [%d3], %i; ld.u32 %r2, [%d3]; st.global.u32 [%o4], %r2;
    mov.u32 %r5, %tid.x; setp.ne.u32 %p1, %r5, 0; @%p1 bra END;
    { .param .b64 f; .param .b64 a; .param .b32 r; st.param.b64 [f], %d2; st.param.b64 [a], %d1; call.uni (r), vprintf, (f, a); ld.param.b32 %r3, [r]; }
    END:)",
                                          prints_and_allocates);

/// Reads a texture at places that depend on what it has read, and stores to a surface.
std::string const texturing = test::kernel(R"(
    ld.global.u64 %d0, [%in]; ld.global.u64 %d1, [%in+8];
    and.b32 %r0, %i, 7; cvt.rn.f32.u32 %f4, %r0; shr.u32 %r0, %i, 3; and.b32 %r0, %r0, 31; cvt.rn.f32.u32 %f5, %r0;
    mov.u32 %r3, 0;
    LOOP: tex.2d.v4.f32.f32 {%f4, %f6, %f7, %f8}, [%d0, {%f4, %f5}]; add.f32 %f4, %f4, %f5; add.u32 %r3, %r3, 1;
    setp.lt.u32 %p0, %r3, 12; @%p0 bra LOOP;
    and.b32 %r0, %i, 31; mul.lo.u32 %r0, %r0, 4; shr.u32 %r1, %i, 5; sust.b.2d.b32.trap [%d1, {%r0, %r1}], %i;
    suld.b.2d.b32.trap %r2, [%d1, {%r0, %r1}]; cvt.rzi.u32.f32 %r4, %f4; add.u32 %r2, %r2, %r4; st.global.u32 [%o4], %r2;)");

Outcome run_textures(Bench& b) {
    using namespace sim::texture;
    using test::array_layout;
    Format const floats{Channel::f32, 4}, words{Channel::u32, 1};
    Texture texture;
    texture.image =
        test::device_array(b.device(), floats, Geometry::d2, array_layout(floats, Geometry::d2, {64, 64, 1}));
    test::for_texels(texture.image, [&](std::uint32_t x, std::uint32_t y, std::uint32_t, std::uint32_t) {
        test::set_texel(texture.image, std::array<float, 4>{static_cast<float>((x * 7 + y * 13) % 50)}, x, y);
    });
    texture.sampler.filter = Filter::linear;
    texture.sampler.is_normalized = false;
    Surface const surface{
        test::device_array(b.device(), words, Geometry::d2, array_layout(words, Geometry::d2, {32, 32, 1}))};
    std::vector<std::uint64_t> const handles{b.device().textures().add(texture),
                                             b.device().textures().add(surface)};
    auto const out = b.words(512), in = b.device().upload(handles);
    b.launch("k", {8, 1, 1}, {64, 1, 1}, 0, out, in);
    return b.take(out, 512);
}

/// Output of kernels, their heap, textures; and every part of the model that configurations mostly leave out.
std::vector<Program> other_programs() {
    std::vector<Program> programs{
        {printing, "v100", 4000,
         [](Bench& b) {
             auto const out = b.words(1024);
             b.launch("k", {32, 1, 1}, {32, 1, 1}, 0, out, out);
             b.launch("k", {32, 1, 1}, {32, 1, 1}, 0, out, out);
             return b.take(out, 1024);
         }},
        {texturing, "v100", 1500, run_textures},
    };
    std::vector<std::string> deep{"sm.tlb.enabled=true",
                                  "sm.tlb.entries=2",
                                  "sm.tlb.page_kib=4",
                                  "sm.tlb.miss_latency_cycles=60",
                                  "mmu.entries=8",
                                  "mmu.ways=2",
                                  "mmu.walkers=1",
                                  "mmu.walk_cycles=150",
                                  "sm.front_end.fetch_from_l2=true",
                                  "sm.dependences.counters=2",
                                  "dram.channels.bank_groups=4",
                                  "dram.channels.same_group_cycles=9",
                                  "dram.channels.four_activates_cycles=40",
                                  "dram.channels.refresh_interval_cycles=3000",
                                  "interconnect.link_bytes_per_cycle=8",
                                  "interconnect.hop_cycles=3",
                                  "sm.l1.prefetcher=stride",
                                  "sm.l1.replacement=fifo",
                                  "l2.slices.replacement=random",
                                  "sm.schedulers.policy=two_level",
                                  "launch.placement=round_robin"};
    for (char const* const topology : {"mesh", "ring", "gpcs"}) {
        std::vector<std::string> settings = deep;
        settings.push_back(std::string("interconnect.topology=") + topology);
        programs.push_back(
            {"kernels/reduce", "v100", 12000,
             [](Bench& b) {
                 auto const sum = b.words(1);
                 b.launch("reduce", {64, 1, 1}, {256, 1, 1}, 0, 50000, b.words(50000, 2654435761u), sum);
                 return b.take(sum, 1);
             },
             settings});
    }
    return programs;
}

/// Keeps a run every so many cycles; `kept` gets what was written, each time.
runtime::DeviceOptions kept_options(Program const& program, int threads, std::string const& file,
                                    std::string const& resume, std::vector<std::string>* kept) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = threads;
    options.checkpoint.file = file;
    options.checkpoint.every_cycles = program.every;
    options.checkpoint.resume = resume;
    options.checkpoint.written = [kept](std::string const& name) {
        if (kept == nullptr) return;
        std::ifstream stream(name, std::ios::binary);
        kept->emplace_back(std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>());
    };
    return options;
}

/// SMs and L2 are kept whole: large ones take time, and show no more.
std::vector<std::string> of_small_gpu(Program const& program) {
    std::vector<std::string> overrides = program.overrides;
    auto const add = [&](std::initializer_list<char const*> more) {
        overrides.insert(overrides.end(), more.begin(), more.end());
    };
    if (program.config == "v100") add({"sm.count=16", "l2.size_kib=1536"});
    if (program.config == "a100") add({"l2.size_kib=5120"});
    if (program.config == "h100") add({"l2.size_kib=5120"});
    if (program.config == "b200") add({"l2.size_kib=7680", "l2.slices.ways=4"});
    return overrides;
}

Outcome run(Program const& program, int threads, std::string const& file, std::string const& resume,
            std::vector<std::string>* kept, bool is_stopped = false) {
    runtime::DeviceOptions options = kept_options(program, threads, file, resume, kept);
    if (is_stopped) {
        auto const stop = std::make_shared<sim::StopRequest>();
        stop->is_made = true;
        options.stop = stop;
    }
    Bench bench(program.file, program.config, of_small_gpu(program), options);
    return program.run(bench);
}

void write(std::string const& name, std::string const& bytes) {
    std::ofstream(name, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Goes on from each of `kept` (from some of many) in a device of its own: the outcome is the same, and so is whatever is
/// kept behind it. A run that is stopped at once is kept as it was.
void go_on_from_each(Program const& program, Outcome const& want, std::vector<std::string> const& kept,
                     std::string const& folder) {
    std::size_t const step = kept.size() / 2 + 1;
    for (std::size_t i = 0; i < kept.size(); i += step) {
        INFO("checkpoint " << i << " of " << kept.size());
        write(folder + "/from", kept[i]);
        std::vector<std::string> later;
        Outcome const got = run(program, i % 2 == 0 ? 3 : 1, folder + "/again", folder + "/from", &later);
        CHECK(got.words == want.words);
        CHECK(want.printed.ends_with(got.printed));  // what launches printed that had ended was printed then
        CHECK(got.statistics == want.statistics);
        std::size_t const first = kept.size() - later.size();
        REQUIRE(first <= i + 1);  // where nothing happens, the same is kept several times
        for (std::size_t k = 0; k < later.size(); ++k) {
            INFO("written " << k << " behind it");
            CHECK((later[k] == kept[first + k]));
        }
        if (i + 1 == kept.size()) continue;  // all CTAs may have ended, and nothing is left to be stopped
        std::vector<std::string> same;
        CHECK_THROWS_AS(run(program, 2, folder + "/again", folder + "/from", &same, true), FaultError);
        REQUIRE(same.size() == 1);
        CHECK((same.front() == kept[i]));
    }
}

void is_kept(Program const& program) {
    INFO(program.file.substr(0, 100) << " on " << program.config);
    test::TemporaryFolder const folder;
    Outcome const want = run(program, 1, "", "", nullptr);
    std::vector<std::string> kept;
    Outcome const whole = run(program, 2, folder / "kept", "", &kept);
    CHECK(whole == want);
    CHECK(kept.size() >= 3);
    go_on_from_each(program, want, kept, folder / ".");
}

}  // namespace

TEST_CASE("A run that goes on ends like one that was never interrupted, and is kept in the same bytes",
          "[checkpoint]") {
    for (Program const& program : plain_programs()) is_kept(program);
}

TEST_CASE("What proceeds beside the warps is kept, too", "[checkpoint]") {
    for (Program const& program : asynchronous_programs()) is_kept(program);
}

TEST_CASE("Output, heap, textures and all parts of the model are kept", "[checkpoint]") {
    for (Program const& program : other_programs()) is_kept(program);
}

TEST_CASE("Samples and counts of instructions go on where they were", "[checkpoint]") {
    test::TemporaryFolder const folder;
    Program const program = plain_programs()[1];
    auto const outcome = [&](std::string const& resume, std::vector<std::string>* kept) {
        runtime::DeviceOptions options = kept_options(program, 1, folder / "kept", resume, kept);
        options.profile = true;
        options.interval_cycles = 700;
        Bench bench(program.file, program.config, program.overrides, options);
        return program.run(bench);
    };
    std::vector<std::string> kept;
    Outcome const want = outcome("", &kept);
    CHECK(test::contains(want.statistics, "intervals"));
    for (std::size_t const i : {std::size_t{1}, kept.size() - 1}) {
        write(folder / "from", kept.at(i));
        CHECK(outcome(folder / "from", nullptr) == want);
    }
}

TEST_CASE("A file that is damaged, cut off or something else is refused", "[checkpoint]") {
    test::TemporaryFolder const folder;
    Program const program = plain_programs()[0];
    std::vector<std::string> kept;
    run(program, 1, folder / "kept", "", &kept);
    std::string const whole = kept.at(1);
    auto const refusal = [&](std::string const& bytes) {
        write(folder / "from", bytes);
        try {
            run(program, 1, "", folder / "from", nullptr);
        } catch (Error const& error) {
            CHECK(error.kind() == ErrorKind::usage);
            return std::string(error.what());
        }
        return std::string();
    };
    std::mt19937 random(1);
    for (int i = 0; i < 900; ++i) {
        std::string bytes = whole;
        switch (i % 3) {
            case 0: bytes[random() % bytes.size()] ^= static_cast<char>(1u << random() % 8); break;
            case 1: bytes.resize(random() % bytes.size()); break;
            default: bytes.erase(random() % bytes.size(), 1 + random() % 100); break;
        }
        std::string const text = refusal(bytes);
        INFO(text);
        CHECK((test::contains(text, "damaged") || test::contains(text, "too early") ||
               test::contains(text, "no checkpoint")));
    }
    CHECK(test::contains(refusal(""), "it is no checkpoint of warpsim"));
    CHECK(test::contains(refusal("something else, and long enough to be one"), "it is no checkpoint of warpsim"));
    CHECK_THROWS_WITH(run(program, 1, "", folder / "nowhere", nullptr), Catch::Contains("No such file"));
    CHECK_THROWS_WITH(run(program, 1, folder / "no/folder", "", nullptr), Catch::Contains("cannot be written"));
}

TEST_CASE("A file of another run says what is different", "[checkpoint]") {
    test::TemporaryFolder const folder;
    Program const program = plain_programs()[0];
    std::vector<std::string> kept;
    run(program, 1, folder / "kept", "", &kept);
    write(folder / "from", kept.front());
    auto const refusal = [&](Program const& other) {
        try {
            run(other, 1, "", folder / "from", nullptr);
        } catch (Error const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    Program other = program;
    other.config = "v100";
    CHECK(test::contains(refusal(other), "it is of another run: the configuration there is teaching, here v100"));
    other = program;
    other.run = [](Bench& b) {
        auto const y = b.floats(20000);
        b.launch("saxpy", {79, 1, 1}, {128, 1, 1}, 0, 20000, 2.0f, b.floats(20000), y);
        return b.take(y, 20000);
    };
    CHECK(test::contains(refusal(other), "it was written in launch 0, saxpy of (79,1,1) x (256,1,1)"));
    other.run = [](Bench& b) {
        b.words(3);
        auto const y = b.floats(20000);
        b.launch("saxpy", {79, 1, 1}, {256, 1, 1}, 0, 20000, 2.0f, b.floats(20000), y);
        return b.take(y, 20000);
    };
    CHECK(test::contains(refusal(other), "it is of another run"));
    CHECK(refusal(program).empty());
}

TEST_CASE("What cannot be kept is refused before it runs", "[checkpoint]") {
    test::TemporaryFolder const folder;
    Program const program = plain_programs()[0];
    auto const refusal = [&](auto const& change) {
        runtime::DeviceOptions options = kept_options(program, 1, folder / "kept", "", nullptr);
        change(options);
        try {
            Bench bench(program.file, program.config, {}, options);
            program.run(bench);
        } catch (Error const& error) {
            return std::string(error.what());
        }
        return std::string();
    };
    using Options = runtime::DeviceOptions;
    CHECK(test::contains(refusal([](Options& o) { o.trace = [](std::string_view) {}; }), "listen"));
    CHECK(test::contains(refusal([](Options& o) { o.sample_error = 0.05; }), "a sample"));
    CHECK(test::contains(refusal([](Options& o) { o.warms_caches = true; }), "caches"));
    CHECK(refusal([](Options&) {}).empty());
}

}  // namespace checkpoint_test
