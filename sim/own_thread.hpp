// The threads that this library starts and that the program does not know.
#pragma once

#include <atomic>

namespace warpsim::sim {

/// Stands at the beginning of what such a thread runs.
class OwnThread {
public:
    OwnThread() {
        ++begun_;
        is_present_ = true;
    }
    ~OwnThread() {
        ++ended_;
        is_present_ = false;
    }
    OwnThread(OwnThread const&) = delete;
    OwnThread& operator=(OwnThread const&) = delete;

    /// How many have begun and ended so far: while neither changes, the same ones are there.
    struct Counts {
        int begun = 0;
        int ended = 0;

        int living() const { return begun - ended; }
        bool operator==(Counts const&) const = default;
    };
    static Counts counts() { return {begun_, ended_}; }
    /// Whether the calling thread is one.
    static bool is_present() { return is_present_; }

private:
    static inline std::atomic<int> begun_{0};
    static inline std::atomic<int> ended_{0};
    static inline thread_local bool is_present_ = false;
};

/// The calling thread is one of them until it ends.
inline void keep_own_thread() {
    thread_local OwnThread const own;
    static_cast<void>(own);
}

}  // namespace warpsim::sim
