// Launches that were rejected and that nobody looked at: <<<>>> throws the error away, and a program that does not
// ask for the last error computes with what the kernel never wrote.
#pragma once

#include "runtime/cuda/core/errors.hpp"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace warpsim::cuda {

class RejectedLaunches {
public:
    void add(std::uint64_t thread, std::string const& kernel, Failure const& why);
    /// The thread has asked for its last error.
    void look(std::uint64_t thread);
    /// Prints the others, a line each.
    void tell() const;

private:
    mutable std::mutex mutex_;
    std::multimap<std::uint64_t, std::string> by_thread_;
};

}  // namespace warpsim::cuda
