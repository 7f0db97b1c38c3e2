// Native code against the interpreter: the same bytes, the same counts, the same reports.
#include "sim/compiled/compile.hpp"
#include "tests/compiled/random_kernel.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <utility>

namespace compiled_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

namespace fs = std::filesystem;

runtime::DeviceOptions with_engine(runtime::Engine engine) {
    runtime::DeviceOptions options;
    options.threads = 1;
    options.engine = engine;
    return options;
}

struct Outcome {
    std::vector<std::uint32_t> out, in;
    sim::InstructionCounts instructions;
    std::uint64_t branches = 0, divergent = 0;
    std::string error;
};

Outcome outcome(std::string const& text, std::string const& control_flow, runtime::DeviceOptions const& options,
                Threads const& threads, std::size_t words) {
    Program program(text, control_flow, options);
    Outcome result;
    std::vector<std::uint32_t> in(1024);
    for (std::uint32_t i = 0; i < in.size(); ++i) in[i] = i * 2654435761u;
    program.in = program.device.upload(in);
    runtime::DevicePointer const out = program.device.allocate(4 * words);
    try {
        program.launch(out, threads);
    } catch (Error const& error) {
        result.error = error.what();
        return result;
    }
    result.out = program.device.download<std::uint32_t>(out, words);
    result.in = program.device.download<std::uint32_t>(program.in, in.size());
    result.instructions = program.result.instructions;
    result.branches = program.result.branches.total;
    result.divergent = program.result.branches.divergent;
    return result;
}

enum class Ends { well, in_error };

void check_same(std::string const& text, Threads const& threads, std::size_t words, Ends ends,
                runtime::DeviceOptions options = {}) {
    for (std::string const& control_flow : control_flows()) {
        options.threads = 1;
        options.engine = runtime::Engine::interpreted;
        Outcome const expected = outcome(text, control_flow, options, threads, words);
        options.engine = runtime::Engine::compiled;
        Outcome const got = outcome(text, control_flow, options, threads, words);
        INFO(control_flow << "\n" << text);
        REQUIRE(expected.error.empty() == (ends == Ends::well));
        CHECK(got.error == expected.error);
        CHECK(got.out == expected.out);
        CHECK(got.in == expected.in);
        CHECK(got.instructions.warp == expected.instructions.warp);
        CHECK(got.instructions.thread == expected.instructions.thread);
        CHECK(got.instructions.thread_guarded == expected.instructions.thread_guarded);
        CHECK(got.instructions.by_class == expected.instructions.by_class);
        CHECK(got.branches == expected.branches);
        CHECK(got.divergent == expected.divergent);
    }
}

std::uint32_t random_kernels() { return std::getenv("WARPSIM_NIGHTLY") != nullptr ? 800 : 3; }

}  // namespace

TEST_CASE("Random kernels do the same compiled") {
    Threads threads;
    threads.block = {RandomKernel::threads, 1, 1};
    threads.grid = {RandomKernel::ctas, 1, 1};
    for (std::uint32_t seed = 1; seed <= random_kernels(); ++seed) {
        CAPTURE(seed);
        check_same(RandomKernel(seed).text(), threads, RandomKernel::out_words, Ends::well);
    }
}

TEST_CASE("Faults of compiled code are reported as the interpreter reports them") {
    Threads threads;
    threads.block = {64, 1, 1};
    char const* const bodies[] = {
        "st.global.u32 [%o4+4096], %i;",
        "add.u64 %o4, %o4, 2;\nst.global.u32 [%o4], %i;",
        "and.b32 %r1, %i, 31;\nsetp.eq.u32 %p1, %r1, 7;\nmov.u64 %d1, 0;\n@%p1 ld.global.u32 %r2, [%d1+64];",
        "mov.u64 %d1, 64;\nld.u32 %r1, [%d1];\nst.global.u32 [%o4], %r1;",
        "shl.b32 %r1, %i, 8;\nld.shared.u32 %r2, [%r1];\nst.global.u32 [%o4], %r2;",
        "L: add.u32 %r1, %r1, 1;\nld.global.u32 %r2, [%o4];\nadd.u64 %o4, %o4, 128;\nbra L;",
        "trap;",
    };
    for (char const* const body : bodies) check_same(kernel(body), threads, 64, Ends::in_error);
}

TEST_CASE("Limits and deadlocks are those of the interpreter") {
    Threads threads;
    threads.block = {64, 1, 1};
    runtime::DeviceOptions options;
    options.max_instructions = 100000;
    check_same(kernel("L: add.u32 %r1, %r1, 1;\nbra L;"), threads, 64, Ends::in_error, options);
    check_same(kernel("L: ld.global.u32 %r1, [%out];\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;"), threads, 64,
               Ends::in_error);
    check_same(kernel("setp.lt.u32 %p1, %i, 32;\n@%p1 bra E;\nbar.sync 0;\nL: ld.global.u32 %r1, [%out];\n"
                      "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra L;\nE:"),
               threads, 64, Ends::in_error);
}

TEST_CASE("Code of an earlier run is used and damaged files of it are not") {
    if (sim::compiler_version().empty()) return;
    TemporaryFolder const folder;
    // Executes enough that somebody looks into the cache.
    std::string const text = kernel("mov.u32 %r1, 0;\nL: mad.lo.u32 %r2, %r2, 1664525, %i;\nadd.u32 %r1, %r1, 1;\n"
                                    "setp.lt.u32 %p1, %r1, 100000;\n@%p1 bra L;\nst.global.u32 [%o4], %r2;");
    auto const run = [&](runtime::Engine engine) {
        runtime::DeviceOptions options = with_engine(engine);
        options.cache_folder = folder / "c";
        Program program(text, "independent", options);
        program.run<std::uint32_t>(128);
        return std::pair(program.run<std::uint32_t>(128), program.result.instructions.warp);
    };
    auto const files = [&] {
        std::vector<fs::path> found;
        for (auto const& file : fs::directory_iterator(folder / "c")) found.push_back(file.path());
        return found;
    };
    auto const expected = run(runtime::Engine::interpreted);
    CHECK(run(runtime::Engine::compiled) == expected);
    REQUIRE(files().size() == 2);
    CHECK(run(runtime::Engine::automatic) == expected);
    CHECK(run(runtime::Engine::compiled) == expected);
    for (fs::path const& file : files()) {
        CHECK(file.extension() == ".code");
        std::fstream(file, std::ios::in | std::ios::out | std::ios::binary).seekp(300).write("damaged", 7);
    }
    CHECK(run(runtime::Engine::automatic) == expected);
    for (fs::path const& file : files()) fs::resize_file(file, 200);
    CHECK(run(runtime::Engine::automatic) == expected);
    CHECK(run(runtime::Engine::compiled) == expected);
    CHECK(files().size() == 2);
    for (fs::path const& file : files()) CHECK(fs::file_size(file) > 300);
}

TEST_CASE("Kernels are compiled where there is a compiler") {
    Program program(kernel("st.global.u32 [%o4], %i;"), "independent", with_engine(runtime::Engine::compiled));
    CHECK(program.run<std::uint32_t>(32)[31] == 31);
    if (sim::compiler_version().empty()) return;
    CHECK(sim::compiler_version().starts_with("LLVM 16"));
}

}  // namespace compiled_test
