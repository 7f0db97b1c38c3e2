// What `warpsim exec` puts in place of NVIDIA's compilers and libraries, as clients use them (tests/cuda/clients).
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

namespace clients_test {

#ifndef WARPSIM_SANITIZED

using namespace warpsim;

namespace {

using Folder = test::TemporaryFolder;
using test::contains;
using test::Ended;

/// The client, with the folder of the libraries that stand for NVIDIA's.
Ended client(std::string const& options, std::string const& what) {
    Folder const folder;
    return test::run_command(folder, "exec " + options + " -- " WARPSIM_BINARY_DIR "/bin/cuda-client " + what +
                                         " " WARPSIM_BINARY_DIR "/tests/cuda/clients");
}

void check_well(Ended const& ended, std::string const& what) {
    INFO(ended.out + ended.err);
    CHECK(ended.status == 0);
    CHECK(contains(ended.out, what + ": all is so\n"));
}

}  // namespace

TEST_CASE("NVRTC hands out a fat binary where it is asked for machine code", "[command][clients]") {
    Ended const quiet = client("", "nvrtc");
    check_well(quiet, "nvrtc");
    CHECK(quiet.err.empty());
    CHECK(contains(client("-v", "nvrtc").err,
                   "info: nvrtc: asked for machine code, hands out a fat binary with PTX\n"));
}

TEST_CASE("nvJitLink links PTX", "[command][clients]") { check_well(client("", "nvjitlink"), "nvjitlink"); }

TEST_CASE("nvJitLink links LTO-IR that NVIDIA's own has made PTX of", "[command][clients]") {
    check_well(client("", "lto"), "lto");
}

TEST_CASE("cuRAND's numbers for the device are made on the host and copied", "[command][clients]") {
    for (std::string const options : {"", "--mode timing "}) {
        Ended const ended = client(options, "curand");
        check_well(ended, "curand");
        CHECK(contains(ended.err, "error: curandGenerate: memory of the device must be at 0x"));
        CHECK(contains(ended.err, "error: curandCreatePoissonDistribution: not supported"));
    }
    CHECK(contains(client("-v", "curand").err,
                   "tests/cuda/clients/libcurand.so.10 makes random numbers on the host, which are copied"));
}

TEST_CASE("A library that is linked with cuRAND gets ours, in front of the one that it would get",
          "[command][clients]") {
    Ended const ended = client("", "curand-user");
    check_well(ended, "curand-user");
    CHECK(ended.err.empty());
}

TEST_CASE("Without NVIDIA's cuRAND one line says so", "[command][clients]") {
    Folder const folder;
    std::string const path = folder.write("libcurand.so.10", "no library\n");
    Ended const ended = test::run_command(folder, "exec -- " WARPSIM_BINARY_DIR "/bin/cuda-client curand-broken " +
                                                      path.substr(0, path.rfind('/')));
    check_well(ended, "curand-broken");
    CHECK(ended.err ==
          "error: the program gets random numbers from cuRAND, and NVIDIA's libcurand.so.10 is no library: " +
              path + "\n");
}

TEST_CASE("The management library tells of the simulated devices", "[command][clients]") {
    Ended const ended = client("--devices 2 --config a100", "nvml");
    check_well(ended, "nvml");
    CHECK(contains(ended.out, ", 8.0, GPU-77617270-7369-6d31-0000-000000000000\n"));
}

TEST_CASE("Machine code is refused with a line on how its client is asked for PTX", "[command][clients]") {
    Ended const ended = client("", "machine-code");
    check_well(ended, "machine-code");
    std::string const head =
        "error: this program hands over machine code of a GPU, which holds no PTX: it cannot run here; ";
    CHECK(contains(ended.err,
                   head + "have it compiled for a virtual architecture, such as nvcc -arch=compute_90\n"));
    CHECK(contains(ended.err, head + "of NVRTC: take nvrtcGetPTX"));
}

TEST_CASE("Libraries are found by the run path of who opens them", "[command][clients]") {
    check_well(client("", "run-path"), "run-path");
}

#endif

}  // namespace clients_test
