// For handlers of signals that may be another's.
#pragma once

#include <csignal>

namespace warpsim::sim {

inline bool is_handled(struct sigaction const& action) {
    return (action.sa_flags & SA_SIGINFO) != 0 || (action.sa_handler != SIG_DFL && action.sa_handler != SIG_IGN);
}

/// To the action of before. If there was none, the instruction is tried again, and ends the process as it would have without a
/// handler; a signal that somebody has sent, or `is_of_past`, one of an instruction that is over, is sent again.
inline void pass_signal_on(struct sigaction const& before, int signal, siginfo_t* info, void* context,
                           bool is_of_past = false) {
    if ((before.sa_flags & SA_SIGINFO) != 0) {
        before.sa_sigaction(signal, info, context);
    } else if (is_handled(before)) {
        before.sa_handler(signal);
    } else {
        ::signal(signal, SIG_DFL);
        if (info->si_code <= 0 || is_of_past) raise(signal);
    }
}

}  // namespace warpsim::sim
