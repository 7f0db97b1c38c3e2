// How programs under `warpsim exec`, and `warpsim run`, come to their modules: from the cache, or all at once.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <filesystem>

namespace module_loading_test {

// A sanitizer's runtime must be loaded before all others, which it is not in programs that exec starts.
#ifndef WARPSIM_SANITIZED

namespace {

namespace fs = std::filesystem;
using warpsim::test::contains;
using warpsim::test::Ended;
using warpsim::test::TemporaryFolder;

/// `environment` stands before the command, "A=1 B=2"; HOME is in the folder, and the tests' folder for modules is
/// not set.
Ended command(TemporaryFolder const& folder, std::string const& environment, std::string const& arguments) {
    return warpsim::test::run_command(folder, arguments,
                                      "-u WARPSIM_CACHE_DIR -u XDG_CACHE_HOME HOME='" + (folder / "home") +
                                          "' env " + environment);
}

Ended exec(TemporaryFolder const& folder, std::string const& environment, std::string const& file,
           std::string const& kernel) {
    return command(folder, environment,
                   "exec -vv -- " WARPSIM_BINARY_DIR "/bin/recorded-containers " WARPSIM_BINARY_DIR
                   "/lib/cuda " WARPSIM_SOURCE_DIR "/tests/fatbin/data module '" +
                       file + "' " + kernel);
}

std::size_t modules_in(std::string const& folder) {
    if (!fs::exists(folder)) return 0;
    return static_cast<std::size_t>(
        std::count_if(fs::directory_iterator(folder), fs::directory_iterator(),
                      [](auto const& entry) { return entry.path().extension() == ".module"; }));
}

/// 200 kernels, k0 to k199, in about 60 KiB.
std::string many_kernels() {
    std::string text = ".version 7.0\n.target sm_70\n.address_size 64\n";
    for (int k = 0; k < 200; ++k) {
        text += ".visible .entry k" + std::to_string(k) + "() {\n    .reg .b32 %r<10>;\n    mov.u32 %r0, " +
                std::to_string(k) + ";\n";
        for (int i = 1; i < 9; ++i)
            text += "    add.u32 %r" + std::to_string(i) + ", %r0, " + std::to_string(i) + ";\n";
        text += "    ret;\n}\n";
    }
    return text;
}

constexpr char with_unsupported[] = R"(.version 8.0
.target sm_80
.address_size 64
.visible .entry good() { ret; }
.visible .entry unsupported() {
    .reg .b32 %r<3>;
    wmma.mma.sync.aligned.row.col.m8n8k4.s32.u4.u4.s32 {%r1, %r2}, {%r0}, {%r0}, {%r1, %r2};
    ret;
}
)";

constexpr char all_well[] = "function 0\nlaunch 0\nsynchronize 0\nwell\n";

}  // namespace

TEST_CASE("exec keeps modules in the user's cache, and takes them from there", "[command][cache]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("big.ptx", many_kernels()), own = (folder / "home") + "/.cache/warpsim";
    Ended const first = exec(folder, "", file, "k7"), second = exec(folder, "", file, "k8");
    INFO(first.err << second.err);
    CHECK(first.status == 0);
    CHECK(second.status == 0);
    CHECK(first.out == std::string("lazy\nload 0\n") + all_well);
    CHECK(second.out == first.out);
    CHECK(contains(first.err, "debug: module kept as " + own + "/"));
    CHECK(contains(second.err, "debug: module from " + own + "/"));
    CHECK_FALSE(contains(second.err, "kept"));
    CHECK(modules_in(own) == 1);

    CHECK(contains(exec(folder, "XDG_CACHE_HOME='" + (folder / "xdg") + "'", file, "k7").err,
                   "kept as " + (folder / "xdg/warpsim/")));
    CHECK(contains(exec(folder, "WARPSIM_CACHE_DIR='" + (folder / "own") + "'", file, "k7").err,
                   "kept as " + (folder / "own/")));
    CHECK(modules_in(own) == 1);
}

TEST_CASE("exec keeps nothing where that is not wanted or not possible", "[command][cache]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("big.ptx", many_kernels()), own = (folder / "home") + "/.cache/warpsim";
    for (std::string const& environment :
         {std::string("WARPSIM_CACHE=off"), std::string("WARPSIM_CACHE_SIZE=0"), std::string("env -u HOME"),
          std::string("HOME=/proc/none"), std::string("WARPSIM_CACHE_DIR='" + file + "'")}) {
        Ended const ended = exec(folder, environment, file, "k7");
        INFO(environment << "\n" << ended.err);
        CHECK(ended.status == 0);
        CHECK(ended.out == std::string("lazy\nload 0\n") + all_well);
        CHECK_FALSE(contains(ended.err, "module kept"));
        CHECK_FALSE(contains(ended.err, "warning"));
        CHECK_FALSE(contains(ended.err, "error"));
    }
    CHECK(modules_in(own) == 0);
    CHECK(contains(exec(folder, "WARPSIM_CACHE_SIZE=1K", file, "k7").err,
                   "modules are not kept: it is larger than the whole cache may be"));
    Ended const wrong = exec(folder, "WARPSIM_CACHE=maybe", file, "k7");
    CHECK(wrong.status != 0);
    CHECK(contains(wrong.err, "error: WARPSIM_CACHE=maybe: on or off is wanted"));
}

TEST_CASE("run takes modules from the cache too", "[command][cache]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("big.ptx", many_kernels());
    std::string const line = "run -vv '" + file + "' --kernel k3";
    Ended const first = command(folder, "", line), second = command(folder, "", line);
    CHECK(first.status == 0);
    CHECK(second.status == 0);
    CHECK(contains(first.err, "module kept as "));
    CHECK(contains(second.err, "module from "));
    CHECK(first.out == second.out);
}

TEST_CASE("Four programs at once share a cache", "[command][cache]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("big.ptx", many_kernels());
    std::string const one = WARPSIM_COMMAND " run '" + file + "' --kernel k3";
    std::string const all = "for i in 1 2 3 4; do " + one + " & done; wait";
    std::string const line =
        "env WARPSIM_CACHE_DIR='" + (folder / "c") + "' sh -c \"" + all + "\" 2>'" + (folder / "err.txt") + "'";
    CHECK(std::system(line.c_str()) == 0);
    CHECK(folder.read("err.txt").empty());
    CHECK(modules_in((folder / "c")) == 1);
}

TEST_CASE("With CUDA_MODULE_LOADING=EAGER a module fails as a whole, else by kernel", "[command]") {
    TemporaryFolder const folder;
    std::string const file = folder.write("unsupported.ptx", with_unsupported);
    Ended const good = exec(folder, "", file, "good");
    CHECK(good.out == std::string("lazy\nload 0\n") + all_well);
    Ended const lazy = exec(folder, "CUDA_MODULE_LOADING=LAZY", file, "unsupported");
    CHECK(contains(lazy.out, "lazy\nload 0\nfunction 0\nlaunch 801\n"));
    CHECK(contains(lazy.err, "wmma.mma"));
    Ended const eager = exec(folder, "CUDA_MODULE_LOADING=EAGER", file, "good");
    CHECK(eager.out == "eager\nload 801\nwell\n");
    CHECK(contains(eager.err, "wmma.mma"));
    std::string const many = folder.write("big.ptx", many_kernels());
    for (int i = 0; i < 2; ++i)
        CHECK(exec(folder, "CUDA_MODULE_LOADING=EAGER", many, "k199").out ==
              std::string("eager\nload 0\n") + all_well);
}

TEST_CASE("A program's registered code may be loaded at once", "[command]") {
    TemporaryFolder const folder;
    Ended const ended =
        command(folder, "CUDA_MODULE_LOADING=EAGER", "exec -- " WARPSIM_BINARY_DIR "/bin/cuda-program count");
    CHECK(ended.status == 0);
    CHECK(ended.out == "counted 192\n");
}

#endif

}  // namespace module_loading_test
