// Keeps what it takes to repeat a launch elsewhere: its module, its arguments, and the memory that it touches.
#pragma once

#include "runtime/device_state.hpp"
#include "sim/events.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/statistics.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::runtime {

struct CapturedLaunch {
    /// Bytes of a region, from its beginning.
    struct Part {
        std::uint64_t at = 0, bytes = 0;
    };
    /// An allocation that the launch has touched: of its device, a variable's, or of the host's memory.
    struct Region {
        std::uint64_t address = 0, bytes = 0;
        std::vector<Part> touched, written;  // in order, apart from each other
        std::vector<std::byte> before,
            after;  // what the touched ones held before, and the written ones afterwards
    };
    std::string why_not;  // in words, why it cannot be repeated; then the rest is not there
    std::string kernel;   // as in PTX
    LaunchShape shape;
    std::uint32_t registers = 0;      // of a thread, if they are those of machine code
    std::uint32_t max_registers = 0;  // as .maxnreg; 0: no limit
    std::vector<Module::Parameter> parameters;
    std::span<std::byte const> arguments;  // the parameter block
    std::vector<PtxText> texts;            // linked together
    std::vector<std::uint64_t> placement;  // of the module's variables
    std::vector<Region> regions;
    sim::LaunchStatus status = sim::LaunchStatus::ok;  // `after` is of one that was ok only
};

/// Listens to one launch, in timing mode to all SMs at once. Bytes are kept in blocks of 256.
class LaunchCapture final : public sim::EventSink {
public:
    LaunchCapture(sim::LaunchContext const& launch, Module::State& module, std::string kernel,
                  LaunchShape const& shape, std::vector<std::byte> arguments,
                  std::function<void(CapturedLaunch const&)> done);
    ~LaunchCapture() override;

    /// Before anything happens: takes the contents of all memory.
    void begin();
    void end(sim::LaunchStatus status);

    sim::EventMask wants() const override;
    void access(sim::AccessEvent const& e) override;
    void runtime_access(sim::RuntimeAccessEvent const& e) override;
    void bulk_copies(sim::BulkCopyIssue const& e) override;
    void warp_copies(sim::WarpCopyIssue const& e) override;

private:
    class Snapshot;
    void touch(std::uint64_t address, std::uint64_t bytes, bool is_write);
    void touch(sim::MemoryPlace const& place, std::uint64_t bytes, bool is_write);
    std::string why_not() const;
    CapturedLaunch::Region region_of(Snapshot const& snapshot) const;

    sim::LaunchContext const& launch_;
    Module::State& module_;
    CapturedLaunch captured_;
    std::vector<std::byte> const arguments_;
    std::function<void(CapturedLaunch const&)> const done_;
    std::vector<std::unique_ptr<Snapshot>> snapshots_;  // by address
};

}  // namespace warpsim::runtime
