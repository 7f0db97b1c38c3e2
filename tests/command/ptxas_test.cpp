// `warpsim ptxas` and the toolkit's folder: ptxas's command line, its messages, and files that are loaded.
#include "runtime/fatbin/fatbin.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <span>

namespace ptxas_test {

using namespace warpsim;

namespace {

using Folder = test::TemporaryFolder;
using test::contains;
using test::Ended;
using test::run_command;

std::string ptx(std::string const& instruction, std::string const& target = "sm_80") {
    return ".version 8.0\n.target " + target + "\n.address_size 64\n" +
           ".visible .entry k(.param .u64 p) {\n  .reg .b64 %a;\n  .reg .b32 %v;\n  ld.param.u64 %a, [p];\n  " +
           instruction + "\n  st.global.u32 [%a], %v;\n  ret;\n}\n";
}

std::vector<fatbin::Entry> entries_of(std::string const& file) {
    return fatbin::entries(std::as_bytes(std::span(file)));
}

}  // namespace

TEST_CASE("ptxas writes a fat binary that holds the PTX", "[command][ptxas]") {
    Folder const folder;
    std::string const text = ptx("mov.u32 %v, 1;", "sm_90a");
    folder.write("k.ptx", text);
    Ended const ended = run_command(
        folder, "ptxas -lineinfo -v --gpu-name=sm_90a -O3 --fmad=false -maxrregcount 32 k.ptx -o k.cubin");
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "ptxas info    : Compiling entry function 'k' for 'sm_90a'\n"));
    CHECK(contains(ended.err, "ptxas info    : Used "));
    CHECK(contains(ended.err, " registers, 8 bytes cmem[0]\n"));
    std::string const file = folder.read("k.cubin");
    auto const list = entries_of(file);
    REQUIRE(list.size() == 1);
    CHECK(list[0].kind == fatbin::Kind::ptx);
    CHECK(fatbin::architecture_name(list[0]) == "sm_90a");
    CHECK(list[0].isa_major == 8);
    CHECK(list[0].options == "-maxrregcount=32");
    CHECK(fatbin::contents(list[0]) == text);
}

TEST_CASE("ptxas reports errors in its own form and writes nothing", "[command][ptxas]") {
    Folder const folder;
    folder.write("bad.ptx", ptx("movv.u32 %v, 1;"));
    folder.write("good.ptx", ptx("mov.u32 %v, 1;"));
    folder.write("calls.ptx", ".version 8.0\n.target sm_80\n.address_size 64\n.extern .func f;\n"
                              ".visible .entry k() { call f; ret; }\n");
    auto const fails = [&](std::string const& line, std::string const& message) {
        INFO(line);
        Ended const ended = run_command(folder, "ptxas " + line + " -o x.cubin");
        CHECK(ended.status == 255);
        INFO(ended.err);
        CHECK(contains(ended.err, message));
        CHECK_FALSE(std::filesystem::exists(folder / "x.cubin"));
    };
    fails("-arch sm_80 bad.ptx", "ptxas bad.ptx, line 8; error   : unknown instruction 'movv.u32'");
    fails("-arch sm_80 bad.ptx", "\nptxas fatal   : Ptx assembly aborted due to errors\n");
    fails("-arch sm_75 good.ptx", "ptxas fatal   : SM version specified by .target is higher");
    fails("-arch sm_81 good.ptx", "ptxas fatal   : Value 'sm_81' is not defined for option 'gpu-name'\n");
    fails("-arch sm_80 --loud good.ptx", "ptxas fatal   : Unknown option '-loud'\n");
    fails("-arch sm_80 none.ptx", "ptxas fatal   : Input file 'none.ptx' could not be opened\n");
    fails("-arch sm_80 -e other good.ptx", "ptxas fatal   : Unknown function other\n");
    fails("-arch sm_80 calls.ptx", "'f'");
    CHECK(run_command(folder, "ptxas -c -arch sm_80 calls.ptx -o calls.o").status == 0);
    CHECK(run_command(folder, "ptxas -arch compute_80 good.ptx -o x.cubin").status == 0);
    CHECK_FALSE(std::filesystem::exists(folder / "x.cubin"));
}

TEST_CASE("ptxas names a release that clients read, and itself", "[command][ptxas]") {
    Folder const folder;
    Ended const version = run_command(folder, "ptxas --version");
    CHECK(version.status == 0);
    CHECK(contains(version.out, "warpsim"));
    CHECK(contains(version.out, "release 13.0, V13.0.0\n"));
    Ended const older = run_command(folder, "ptxas --version", "WARPSIM_PTXAS_RELEASE=12.8");
    CHECK(older.status == 0);
    CHECK(contains(older.out, "release 12.8, V12.8.0\n"));
    Ended const none = run_command(folder, "ptxas --version", "WARPSIM_PTXAS_RELEASE=11");
    CHECK(none.status == 255);
    CHECK(contains(none.err, "WARPSIM_PTXAS_RELEASE"));
    CHECK(contains(run_command(folder, "ptxas -h").out, "--gpu-name <name>"));
    CHECK(contains(run_command(folder, "ptxas --list-version").out, "\n9.0\n"));
}

#ifndef WARPSIM_SANITIZED
TEST_CASE("exec puts the toolkit first and leaves what the user has set", "[command][ptxas]") {
    Folder const folder;
    folder.write("k.ptx", ptx("mov.u32 %v, 1;"));
    std::string const told = run_command(folder, "exec -vv -- env", "TRITON_PTXAS_PATH=mine XLA_FLAGS=--x").out;
    CHECK(contains(told, "TRITON_PTXAS_PATH=mine\n"));
    CHECK(contains(told, "/lib/cuda/toolkit/bin/ptxas\n"));
    CHECK(contains(told, "XLA_FLAGS=--x --xla_gpu_cuda_data_dir="));
    CHECK(contains(told, "CUPY_COMPILE_WITH_PTX=1\n"));
    CHECK(contains(folder.read("err.txt"),
                   "debug: for programs that compile kernels: TRITON_PTXAS_BLACKWELL_PATH="));
    Ended const ended = run_command(folder, "exec -v -- env ptxas -arch=sm_80 k.ptx -o k.cubin");
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "info: ptxas: k.cubin holds the PTX of k.ptx\n"));
    CHECK(entries_of(folder.read("k.cubin")).size() == 1);
}

TEST_CASE("Programs find headers and libraries beside the real nvcc", "[command][ptxas]") {
    Folder const folder;
    std::filesystem::create_directories(folder / "real/bin");
    folder.write("real/bin/nvcc", "#!/bin/sh\n");
    std::filesystem::permissions(folder / "real/bin/nvcc", std::filesystem::perms::owner_all);
    std::string const path = "-u CUDA_PATH PATH=" + (folder / "real/bin") + ":/bin:/usr/bin";
    // A compiler that stands alone, as in the toolkit here, has none.
    CHECK_FALSE(contains(run_command(folder, "exec -- env", path).out, "CUDA_PATH="));
    std::filesystem::create_directory(folder / "real/include");
    folder.write("real/include/cuda.h", "");
    std::string const root = std::filesystem::canonical(folder / "real").string();
    std::string const told = run_command(folder, "exec -- env", path).out;
    CHECK(contains(told, "/lib/cuda/toolkit/bin/nvcc\n"));
    CHECK(contains(run_command(folder, "exec -- env", path + " NVCC=mine").out, "NVCC=mine\n"));
    // JAX takes ptxas from there.
    std::size_t const line = told.find("CUDA_ROOT=");
    REQUIRE(line != std::string::npos);
    CHECK(told.substr(line, told.find('\n', line) - line).ends_with("/cuda/toolkit"));
    CHECK(contains(told, "CUDA_PATH=" + root + "\n"));
    CHECK(contains(run_command(folder, "exec -- env", path + " CUDA_ROOT=/mine").out, "CUDA_ROOT=/mine\n"));
}

TEST_CASE("The toolkit's nvcc asks the real one for fat binaries with PTX", "[command][ptxas]") {
    Folder const folder;
    std::filesystem::create_directory(folder / "real");
    folder.write("real/nvcc", "#!/bin/sh\nfor word; do echo \"$word\"; done\n");
    std::filesystem::permissions(folder / "real/nvcc", std::filesystem::perms::owner_all);
    auto const nvcc = [&](std::string const& words) {
        return run_command(folder, "exec -- env nvcc " + words, "PATH=" + (folder / "real") + ":/bin:/usr/bin")
            .out;
    };
    CHECK(nvcc("--cubin -arch sm_90 -I 'a b' d/k.cu") == "-fatbin\n-arch\nsm_90\n-I\na b\nd/k.cu\n-o\nk.cubin\n");
    CHECK(nvcc("-cubin -o x k.cu") == "-fatbin\n-o\nx\nk.cu\n");
    CHECK(nvcc("-gencode arch=compute_75,code=sm_75") == "-gencode\narch=compute_75,code=[compute_75,sm_75]\n");
    CHECK(nvcc("-gencode=arch=compute_80,code=compute_80") == "-gencode=arch=compute_80,code=compute_80\n");
    CHECK(nvcc("'-code=[sm_80,sm_90]'") == "-code=[sm_80,sm_90,compute_90]\n");
    CHECK(nvcc("-arch=native -c k.cu") == "-arch=sm_90\n-c\nk.cu\n");
    Ended const none = run_command(folder, "exec -- /usr/bin/env nvcc k.cu", "PATH=/nowhere");
    CHECK(none.status == 127);
    CHECK(contains(none.err, "found no nvcc in PATH"));
}
#endif

}  // namespace ptxas_test
