#include "runtime/cuda/devices/last_thread.hpp"

#include "sim/host_arena.hpp"
#include "sim/own_thread.hpp"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <thread>
#include <unistd.h>

namespace warpsim::cuda {

namespace {

namespace fs = std::filesystem;

constexpr std::chrono::milliseconds between_looks{20};
constexpr int most_looks_until_count = 50;  // a second: a program's threads may well run for hours

/// A main thread that has ended remains as a zombie until its process ends.
bool has_ended(fs::path const& task) {
    std::ifstream file(task / "stat");
    // A thread may end between the opening of its file and the reading, which then fails: getline() takes that for
    // the end of the file, the stream's buffer throws.
    std::string text;
    std::getline(file, text, '\0');
    std::size_t const behind_name = text.rfind(')');
    if (behind_name == std::string::npos || behind_name + 2 >= text.size()) return true;
    char const state = text[behind_name + 2];
    return state == 'Z' || state == 'X';
}

fs::path task_of(pid_t thread) { return "/proc/self/task/" + std::to_string(thread); }

void watch() {
    sim::OwnThread const own;
    // A thread that begins another and ends may hide both from one look.
    constexpr int looks_needed = 2;
    int looks_since_count = 0;
    int looks_until_count = 1;
    for (int alone = 0; alone < looks_needed;) {
        std::this_thread::sleep_for(between_looks);
        alone = threads_of_program() == 0 ? alone + 1 : 0;
        if (alone > 0 || ++looks_since_count < looks_until_count) continue;
        sim::count_workers();
        looks_since_count = 0;
        looks_until_count = std::min(2 * looks_until_count, most_looks_until_count);
    }
    std::exit(0);
}

}  // namespace

int threads_of_program() {
    sim::OwnThread::Counts const before = sim::OwnThread::counts();
    int living = 0;
    std::error_code error;
    for (fs::directory_iterator at("/proc/self/task", error), end; !error && at != end; at.increment(error))
        living += has_ended(at->path()) ? 0 : 1;
    bool const are_known = !error && sim::OwnThread::counts() == before;
    return are_known ? std::max(living - before.living(), 0) : -1;
}

void end_with_last_thread() {
    bool const is_main = ::gettid() == ::getpid();
    if (!is_main && !has_ended(task_of(::getpid()))) return;
    static std::atomic<bool> has_begun{false};
    if (has_begun.exchange(true)) return;
    // Signals are for the program's threads.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    try {
        std::thread(watch).detach();
    } catch (std::system_error const&) {}  // the process stays
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

}  // namespace warpsim::cuda
