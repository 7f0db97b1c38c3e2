// Which of our functions a program has called, with what, and from where, for those who look for its mistakes.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

namespace warpsim::cuda {

struct SourcePlace {
    std::string file;
    int line = 0;

    explicit operator bool() const { return line != 0; }
};

/// Where a program launches a kernel by `<<<>>>`: there it says what with (__cudaPushCallConfiguration), and then calls the
/// kernel's own function on the host, out of which comes the launch.
struct LaunchSite {
    std::uintptr_t code = 0;   // 0: nowhere
    std::uintptr_t stack = 0;  // of the function that launches; what it calls is below

    /// What has called the function of ours that this stands in.
    [[gnu::always_inline]] static LaunchSite caller() {
        return {reinterpret_cast<std::uintptr_t>(__builtin_return_address(0)) - 1,
                reinterpret_cast<std::uintptr_t>(__builtin_frame_address(0)) + 2 * sizeof(void*)};
    }
};

struct CallSite {
    std::string function;     // "cudaMalloc"; empty: none, the calling thread is our own
    std::string arguments;    // as Arguments has them
    std::string from;         // "main+0x1f in app", or "app+0x1139" where the program has no name for it
    std::uintptr_t code = 0;  // in the program
    /// The same, and what called that, as CUDA's headers and libraries of templates wrap some functions.
    std::array<std::uintptr_t, 24> callers{};

    /// Of the call that the thread is in. Takes some microseconds.
    static CallSite present();
    /// Of an instruction of the program, `code`, that a signal of the present thread has interrupted. Of the C library it is that
    /// of what has called it.
    static CallSite interrupted(std::uintptr_t code);
    /// From where the thread launches the kernel that its call launches.
    static LaunchSite& launch();
    /// Whether what a program makes is to remember by which call.
    static std::atomic<bool> is_wanted;
    /// By the program's debugging information; none if it has none. Takes long for the first one.
    SourcePlace source() const;
    /// "cudaMalloc(0x7ffd1c, 4096) at app.cu:12", or "cudaMalloc(0x7ffd1c, 4096), called from main+0x1f in app"
    std::string text() const;
    /// Only " at app.cu:12" or ", called from main+0x1f in app".
    std::string place_text() const;
};

}  // namespace warpsim::cuda
