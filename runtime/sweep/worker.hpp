// A run in a process of its own, so that whatever ends it ends nothing else.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sweep {

/// How a process ended: by itself, or by a signal.
struct ProcessEnd {
    int status = 0;  // of exit
    int signal = 0;  // 0: none
    std::uint64_t peak_bytes = 0;
};

class Worker {
public:
    /// Starts it: nothing comes in, standard output goes nowhere, and messages into the file. It does not outlive the thread
    /// that starts it, and sees of this program's own variables only those that say where modules are kept. Throws Error(usage).
    Worker(std::vector<std::string> const& command, std::string const& messages);
    /// Ends it, if it is still there.
    ~Worker();
    Worker(Worker&& other) noexcept;
    Worker& operator=(Worker&& other) noexcept;

    /// Its end, once.
    std::optional<ProcessEnd> ended();
    std::uint64_t resident_bytes() const;
    /// With all that it has started.
    void end() const;

private:
    pid_t process_ = -1;
};

/// What processes can take of this machine's memory now, as far as they may.
std::uint64_t available_memory();

}  // namespace warpsim::sweep
