#include "runtime/sweep/worker.hpp"

#include "sim/error.hpp"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <string_view>
#include <utility>

namespace warpsim::sweep {

namespace {

std::vector<char*> pointers(std::vector<std::string> const& texts) {
    std::vector<char*> all;
    for (std::string const& text : texts) all.push_back(const_cast<char*>(text.c_str()));
    all.push_back(nullptr);
    return all;
}

/// A result depends on what a sweep is told, and on no variables.
std::vector<std::string> environment() {
    std::vector<std::string> kept;
    for (char** entry = environ; *entry != nullptr; ++entry) {
        std::string_view const text = *entry;
        if (!text.starts_with("WARPSIM_") || text.starts_with("WARPSIM_CACHE")) kept.emplace_back(text);
    }
    return kept;
}

/// In the new process: only what may be done between fork() and exec().
[[noreturn]] void become(char* const* words, char* const* variables, int input, int messages, pid_t parent) {
    // Ctrl-C is for the sweep, which ends its workers.
    ::setpgid(0, 0);
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (::getppid() != parent) ::_exit(127);
    sigset_t none;
    sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::dup2(input, STDIN_FILENO);
    ::dup2(input, STDOUT_FILENO);
    ::dup2(messages, STDERR_FILENO);
    ::execve(words[0], words, variables);
    ::_exit(127);
}

/// The number of bytes in a file of the system's; empty: there is none, or it says "max".
std::optional<std::uint64_t> bytes_in(std::string const& path) {
    std::ifstream file(path);
    std::uint64_t bytes = 0;
    if (file >> bytes) return bytes;
    return std::nullopt;
}

/// What is left to the control group at this folder.
std::optional<std::uint64_t> left_in(std::string const& folder, char const* limit, char const* used) {
    auto const most = bytes_in(folder + "/" + limit), taken = bytes_in(folder + "/" + used);
    if (!most || !taken) return std::nullopt;
    return *most - std::min(*most, *taken);
}

}  // namespace

Worker::Worker(std::vector<std::string> const& command, std::string const& messages) {
    int const input = ::open("/dev/null", O_RDWR | O_CLOEXEC);
    int const file = ::open(messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    std::vector<std::string> const variables = environment();
    std::vector<char*> const words = pointers(command), values = pointers(variables);
    pid_t const parent = ::getpid();
    process_ = input < 0 || file < 0 ? -1 : ::fork();
    if (process_ == 0) become(words.data(), values.data(), input, file, parent);
    int const error = errno;
    // Whichever of the two is first.
    if (process_ > 0) ::setpgid(process_, process_);
    if (input >= 0) ::close(input);
    if (file >= 0) ::close(file);
    if (process_ < 0)
        throw Error(ErrorKind::usage, std::string("cannot start a process: ") + std::strerror(error));
}

Worker::~Worker() {
    if (process_ < 0) return;
    end();
    ::waitpid(process_, nullptr, 0);
}

Worker::Worker(Worker&& other) noexcept : process_(std::exchange(other.process_, -1)) {}

Worker& Worker::operator=(Worker&& other) noexcept {
    std::swap(process_, other.process_);
    return *this;
}

std::optional<ProcessEnd> Worker::ended() {
    int raw = 0;
    rusage usage{};
    if (process_ < 0 || ::wait4(process_, &raw, WNOHANG, &usage) != process_) return std::nullopt;
    process_ = -1;
    ProcessEnd end;
    if (WIFSIGNALED(raw)) end.signal = WTERMSIG(raw);
    else end.status = WEXITSTATUS(raw);
    end.peak_bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;
    return end;
}

std::uint64_t Worker::resident_bytes() const {
    std::ifstream file("/proc/" + std::to_string(process_) + "/statm");
    std::uint64_t size = 0, resident = 0;
    file >> size >> resident;
    return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

void Worker::end() const {
    if (process_ > 0) ::kill(-process_, SIGKILL);
}

std::uint64_t available_memory() {
    std::uint64_t available = UINT64_MAX;
    std::ifstream file("/proc/meminfo");
    for (std::string word; file >> word;) {
        if (word != "MemAvailable:") continue;
        file >> available;
        available *= 1024;
        break;
    }
    // A container sees its own group at the root of these.
    for (auto const& left : {left_in("/sys/fs/cgroup", "memory.max", "memory.current"),
                             left_in("/sys/fs/cgroup/memory", "memory.limit_in_bytes", "memory.usage_in_bytes")})
        if (left) available = std::min(available, *left);
    return available;
}

}  // namespace warpsim::sweep
