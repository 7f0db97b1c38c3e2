// The threads that this library starts and that the program does not know.
#pragma once

#include <atomic>

namespace warpsim::sim {

/// Stands at the beginning of what such a thread runs.
class OwnThread {
public:
    OwnThread() { ++count_; }
    ~OwnThread() { --count_; }
    OwnThread(OwnThread const&) = delete;
    OwnThread& operator=(OwnThread const&) = delete;

    static int count() { return count_; }

private:
    static inline std::atomic<int> count_{0};
};

/// The calling thread is one of them until it ends.
inline void keep_own_thread() {
    thread_local OwnThread const own;
    static_cast<void>(own);
}

}  // namespace warpsim::sim
