#include "runtime/cuda/devices/captures.hpp"

namespace warpsim::cuda {

void Captures::begin(std::shared_ptr<Capture> const& capture) {
    std::lock_guard const lock(mutex_);
    capture->id = ++last_id_;
    list_.push_back(capture);
    count_ = list_.size();
}

void Captures::end(Capture& capture) {
    std::lock_guard const lock(mutex_);
    capture.is_over = true;
    std::erase_if(list_, [&](std::weak_ptr<Capture> const& weak) {
        auto const one = weak.lock();
        return !one || one.get() == &capture;
    });
    count_ = list_.size();
}

}  // namespace warpsim::cuda
