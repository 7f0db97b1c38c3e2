#include "sim/exec/clock.hpp"

#include "sim/exec/warp_instruction.hpp"

#include <bit>
#include <chrono>
#include <cstring>

namespace warpsim::sim {

namespace {

std::uint64_t host_nanoseconds() {
    auto const elapsed = std::chrono::steady_clock::now().time_since_epoch();
    return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(elapsed).count());
}

}  // namespace

Flow read_clock(WarpInstruction& i) {
    // Functional mode has no cycles: the clock counts the warp instructions that the SM has executed. What its
    // other CTAs execute becomes visible when a turn begins.
    using ir::SpecialRegister;
    i.stop_here();
    MemoryModel const* const model = i.parts.execution.model;
    std::uint64_t const cycles = model != nullptr ? model->cycle() : i.cta.clock_offset + i.cta.sum_executed();
    std::uint64_t const nanoseconds = model != nullptr ? model->nanoseconds() : host_nanoseconds();
    std::uint64_t value = 0;
    switch (static_cast<SpecialRegister>(i.op.operands.immediate)) {
        case SpecialRegister::clock:
        case SpecialRegister::clock64: value = cycles; break;
        case SpecialRegister::clock_hi: value = cycles >> 32; break;
        case SpecialRegister::globaltimer:
        case SpecialRegister::globaltimer_lo: value = nanoseconds; break;
        case SpecialRegister::globaltimer_hi: value = nanoseconds >> 32; break;
        default: break;  // %pm counters count nothing
    }
    ++i.cta.changes;
    ++i.cta.looked_at_time;
    std::byte* const d = isa::column<std::byte>(i.warp.bases, i.op.operands.slot[0]);
    std::size_t const size = std::size_t{1} << i.op.target;
    for (LaneMask m = i.mask; m != 0; m &= m - 1)
        std::memcpy(d + static_cast<std::size_t>(std::countr_zero(m)) * size, &value, size);
    return Flow::next;
}

}  // namespace warpsim::sim
