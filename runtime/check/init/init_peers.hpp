// The checkers of all devices of a process, which tell each other of undefined bytes that are copied from one to the other.
#pragma once

#include <memory>
#include <mutex>
#include <vector>

namespace warpsim::check {

class InitCheck;

struct InitPeers {
    std::recursive_mutex mutex;  // held while any of them hears of the host: one of them then tells another
    std::vector<InitCheck*> all;
};

}  // namespace warpsim::check
