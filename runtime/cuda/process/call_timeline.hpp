// The calls of a program in the timeline of its run.
#pragma once

#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/devices/gpu.hpp"
#include "runtime/timeline/timeline.hpp"

#include <cstdint>

namespace warpsim::cuda {

class CallTimeline final : public CallObserver {
public:
    CallTimeline(timeline::Timeline& timeline, Gpus const& gpus) : timeline_(timeline), gpus_(gpus) {}

    std::uint64_t begins() override;
    void called(char const* function, std::string const& arguments, std::uint64_t from) override;

private:
    std::uint64_t now() const;

    timeline::Timeline& timeline_;
    Gpus const& gpus_;
};

}  // namespace warpsim::cuda
