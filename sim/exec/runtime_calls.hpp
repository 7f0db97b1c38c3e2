// Functions that PTX calls and no module defines: the simulator performs printf, assert, malloc and free itself;
// the others go to the DeviceRuntime of the launch.
#pragma once

#include "sim/exec/component.hpp"

#include <string>

namespace warpsim::sim {

class RuntimeCalls : public Component {
public:
    explicit RuntimeCalls(Execution& execution) : Component(execution) {}

    /// Carries out the ops that call one.
    static Flow carry_out(WarpInstruction& i);
    /// malloc, free or another function of the runtime for one lane, when the time has come to which a memory
    /// model has deferred it.
    void call_heap(Cta& cta, Warp& warp, Op const& op, Frame& frame, int lane, std::uint64_t argument);

private:
    void refuse_free(Cta const& cta, Warp const& warp, Op const& op, int lane, std::string what) const;
    void call(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    void call_device_runtime(Cta& cta, Warp& warp, Op const& op, CallPlan const& call, int lane);
    void write_byte(Cta& cta, Warp& warp, Op const& op, std::size_t lane, std::uint64_t address, std::byte value);
    bool read_byte(Cta const& cta, Warp const& warp, std::size_t lane, std::uint64_t address,
                   std::byte& value) const;
    std::string read_text(Cta const& cta, Warp const& warp, Op const& op, int lane, std::uint64_t address,
                          char const* what) const;
    std::uint64_t print(Cta const& cta, Warp const& warp, Op const& op, int lane, std::uint64_t format,
                        std::uint64_t buffer);
    [[noreturn]] void fail_assertion(Cta const& cta, Warp const& warp, Op const& op, CallPlan const& call,
                                     LaneMask mask) const;
};

}  // namespace warpsim::sim
