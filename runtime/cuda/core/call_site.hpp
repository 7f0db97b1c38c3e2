// Which of our functions a program has called, and from where, for those who look for its mistakes.
#pragma once

#include <atomic>
#include <string>

namespace warpsim::cuda {

struct CallSite {
    std::string function;  // "cudaMalloc"; empty: none, the calling thread is our own
    std::string from;      // "main+0x1f in app", or "app+0x1139" where the program has no name for it

    /// Of the call that the thread is in. Takes some microseconds.
    static CallSite present();
    /// Whether what a program makes is to remember by which call.
    static std::atomic<bool> is_wanted;
    /// "cudaMalloc, called from main+0x1f in app"
    std::string text() const;
};

}  // namespace warpsim::cuda
