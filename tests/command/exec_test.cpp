// `warpsim exec` with programs made for it (tests/cuda/exec): what it says, what it leaves behind and how it ends.
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <nlohmann/json.hpp>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>

namespace exec_test {

// A sanitizer's runtime must be loaded before all others, which it is not in programs that exec starts.
#ifndef WARPSIM_SANITIZED

using namespace warpsim;

namespace {

namespace fs = std::filesystem;

std::string const programs = WARPSIM_BINARY_DIR "/bin/";

using Folder = test::TemporaryFolder;
using test::contains;
using test::Ended;

Ended exec(Folder const& folder, std::string const& arguments) {
    return test::run_command(folder, "exec " + arguments);
}

std::size_t lines_of(std::string const& text) {
    return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

}  // namespace

TEST_CASE("exec runs device code, and with -v sums up the kernels at the end", "[command]") {
    Folder const folder;
    Ended const quiet = exec(folder, "-- " + programs + "cuda-program count");
    CHECK(quiet.status == 0);
    CHECK(quiet.out == "counted 192\n");
    CHECK(quiet.err.empty());
    Ended const told = exec(folder, "-v -- " + programs + "cuda-program count");
    CHECK(told.status == 0);
    CHECK(told.out == "counted 192\n");
    INFO(told.err);
    CHECK(lines_of(told.err) == 3);  // a head and two kernels
    CHECK(contains(told.err, "launches"));
    CHECK(contains(told.err, "wait(unsigned int*)"));  // as the program's author wrote it
    bool found = false;
    std::istringstream text(told.err);
    for (std::string line; std::getline(text, line);) {
        std::istringstream words(line);
        std::uint64_t launches = 0, instructions = 0;
        if (!contains(line, "count")) continue;
        words >> launches >> instructions;
        found = found || (launches == 3 && instructions == 3 * 6);  // three instructions of each of six warps
    }
    CHECK(found);
    CHECK(contains(exec(folder, "-v --mode timing --config v100 -- " + programs + "cuda-program count").err,
                   "GPU time"));
}

TEST_CASE("exec keeps the statistics of a program that was killed", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "--stats s.json -- " + programs + "cuda-program killed");
    CHECK(ended.status == 128 + SIGKILL);
    auto const j = nlohmann::json::parse(folder.read("s.json"));
    REQUIRE(j["launches"].size() == 2);
    CHECK(j["launches"][1]["grid"][0] == 2);
}

TEST_CASE("exec prints statistics to standard output when the program ends", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "--stats - -- " + programs + "cuda-program count");
    CHECK(ended.status == 0);
    REQUIRE(ended.out.starts_with("counted 192\n"));
    auto const j = nlohmann::json::parse(ended.out.substr(ended.out.find('\n')));
    CHECK(j["launches"].size() == 4);
}

TEST_CASE("exec puts the process's number into the name of a file", "[command]") {
    Folder const folder;
    CHECK(exec(folder, "--stats s-%p.json -- sh -c '" + programs + "cuda-program count; " + programs +
                           "cuda-program count'")
              .status == 0);
    int files = 0;
    for (auto const& entry : fs::directory_iterator(folder / "")) files += entry.path().extension() == ".json";
    CHECK(files == 2);
}

TEST_CASE("exec tells a program that faulted and took no notice by its exit status", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- " + programs + "cuda-program fault");
    CHECK(ended.status == 0);
    CHECK(contains(ended.err, "illegal address: 4-byte atomic on global"));
    CHECK(contains(ended.err, "kernel count, grid (1,1,1), block (0,0,0), thread (0,0,0)"));
    CHECK(exec(folder, "--error-exitcode 42 -- " + programs + "cuda-program fault").status == 42);
    CHECK(exec(folder, "--error-exitcode 42 -- " + programs + "cuda-program count").status == 0);
}

TEST_CASE("A program may end while a kernel runs", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- timeout 20 " + programs + "cuda-program abandon");
    CHECK(ended.status == 0);
    CHECK(ended.out == "ended\n");
    for (int i = 0; i < 5; ++i) CHECK(exec(folder, "-- timeout 20 " + programs + "cuda-program busy").status == 6);
}

TEST_CASE("A program whose main thread ends goes on until its last thread ends", "[command]") {
    Folder const folder;
    for (std::string const options : {"", "--mode timing ", "--threads 1 "}) {
        Ended const ended = exec(folder, options + "-- timeout 60 " + programs + "cuda-program threads");
        INFO(options << ended.err);
        CHECK(ended.status == 0);
        CHECK(ended.out == "counted 64\nslept\nended\n");
    }
}

TEST_CASE("exec gives the program as many devices as are asked for", "[command]") {
    Folder const folder;
    CHECK(exec(folder, "--devices 3 -- " + programs + "cuda-program devices").out == "3 devices\n");
    CHECK(exec(folder, "-- " + programs + "cuda-program devices").out == "1 devices\n");
    CHECK(exec(folder, "--devices 99 -- " + programs + "cuda-program devices").status == 2);
    auto const visible = [&](std::string const& list) {
        return exec(folder,
                    "--devices 3 -- env CUDA_VISIBLE_DEVICES=" + list + " " + programs + "cuda-program devices")
            .out;
    };
    CHECK(visible("2") == "1 devices\n");
    CHECK(visible("2,0,7,1") == "2 devices\n");
}

TEST_CASE("A program is told when no device is left to it", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- env CUDA_VISIBLE_DEVICES=-1 " + programs + "cuda-program count");
    CHECK(ended.status == 9);
    CHECK(lines_of(ended.err) == 1);
    CHECK(contains(ended.err, "CUDA_VISIBLE_DEVICES"));
}

TEST_CASE("With CUDA_LAUNCH_BLOCKING=1 the launch of a kernel that faults fails itself", "[command]") {
    Folder const folder;
    CHECK(exec(folder, "-- env CUDA_LAUNCH_BLOCKING=1 " + programs + "cuda-program fault").out == "launch: 700\n");
    CHECK(exec(folder, "-- env CUDA_LAUNCH_BLOCKING=1 " + programs + "cuda-program count").out == "counted 192\n");
}

TEST_CASE("exec hands signals on to the program, with and without a status to keep", "[command]") {
    for (std::string const options : {"", "--error-exitcode 3 "}) {
        Folder const folder;
        std::string const command = "exec " WARPSIM_COMMAND " exec " + options + "-- " + programs +
                                    "cuda-program signal >" + (folder / "out.txt") + " 2>" + (folder / "err.txt");
        pid_t const pid = fork();
        if (pid == 0) {
            execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
            _exit(99);
        }
        for (int i = 0; i < 1000 && !contains(folder.read("out.txt"), "ready"); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        kill(pid, SIGTERM);
        int status = 0;
        REQUIRE(waitpid(pid, &status, 0) == pid);
        INFO(options);
        CHECK(WIFEXITED(status));
        CHECK(WEXITSTATUS(status) == 7);
        CHECK(folder.read("out.txt") == "ready\nsignal 15\n");
        CHECK(folder.read("err.txt").empty());  // the kernel waited until the program wrote to its memory
    }
}

TEST_CASE("exec says in one line how to build a program with the runtime linked in", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- " + programs + "static-runtime");
    CHECK(ended.status == 2);
    CHECK(ended.out.empty());
    CHECK(lines_of(ended.err) == 1);
    for (char const* const way :
         {"NVCC_APPEND_FLAGS=\"-cudart shared\"", "-DCMAKE_CUDA_RUNTIME_LIBRARY=Shared", "link"}) {
        CHECK(contains(ended.err, way));
    }
}

TEST_CASE("NVIDIA's runtime in what a script starts is told of by the driver, once", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- sh -c " + programs + "static-runtime");
    CHECK(ended.status == 0);
    CHECK(ended.out == "500\n500\n");  // it finds no table
    CHECK(lines_of(ended.err) == 1);
    CHECK(contains(ended.err, "NVCC_APPEND_FLAGS=\"-cudart shared\""));
}

TEST_CASE("A library that asks the driver for other tables is not taken for NVIDIA's runtime", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- sh -c '" + programs + "static-runtime compiler'");
    CHECK(ended.status == 0);
    CHECK(ended.out == "500\n500\n");
    CHECK(ended.err.empty());
}

TEST_CASE("Device code that is unloaded makes place for other code at its addresses", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- " + programs + "cuda-program reload");
    CHECK(ended.out == "launch: 98\ncounted 192\n");  // 32 threads count by 1, then by 5
    CHECK(ended.err.empty());
}

TEST_CASE("A process that was forked too late is told so, and its parent goes on", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- timeout 20 " + programs + "cuda-program fork");
    CHECK(ended.status == 0);
    CHECK(ended.out == "child: 3 3\nended 0, counted 32\n");
    CHECK(lines_of(ended.err) == 1);
    CHECK(contains(ended.err, "fork before the first call"));
}

TEST_CASE("Machine code without PTX is answered with what to compile for", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- " + programs + "cuda-program cubin");
    CHECK(ended.out == "launch: 209\n");
    CHECK(contains(ended.err, "-gencode"));
}

TEST_CASE("exec says in one line that a library's kernels cannot run", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-- " + programs + "uses-cublas");
    CHECK(ended.status == 0);  // the program itself decides
    CHECK(lines_of(ended.err) == 1);
    CHECK(contains(ended.err, "libcublas.so.13"));
    CHECK(contains(ended.err, "PTX"));
    CHECK(exec(folder, "-q -- " + programs + "uses-cublas").err.empty());
}

TEST_CASE("exec says what is wrong with a program or an option", "[command]") {
    Folder const folder;
    std::string const plain = folder.write("plain", "echo a script without its first line, $1\n");
    CHECK(contains(exec(folder, "-- " + plain).err, "no program that you may run"));
    CHECK(contains(exec(folder, "-- " + plain + ".not").err, "no such program"));
    fs::permissions(plain, fs::perms::owner_all);
    for (std::string const options : {"", "--error-exitcode 3 "}) {
        CHECK(exec(folder, options + "-- " + plain + " one").out == "a script without its first line, one\n");
    }
    Ended const ended = exec(folder, "--devices 99 -- sh -c true");
    CHECK(ended.status == 2);
    CHECK(contains(ended.err, "--devices"));
    CHECK(contains(ended.err, "16"));
}

TEST_CASE("A program without CUDA just runs", "[command]") {
    Folder const folder;
    Ended const ended = exec(folder, "-v -- sh -c 'echo hello; exit 5'");
    CHECK(ended.status == 5);
    CHECK(ended.out == "hello\n");
    CHECK(ended.err.empty());
}

#endif

}  // namespace exec_test
