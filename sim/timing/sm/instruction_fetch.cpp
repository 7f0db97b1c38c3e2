// Lines of code that no cache of the SM has. Where they come from L2 (sm.front_end.fetch_from_l2), their requests take the
// way of those for data, and warps that need them sleep until they are there.
#include "sim/timing/sm/sm.hpp"

#include <algorithm>

namespace warpsim::timing {

using engine::never;

/// When the warp's next instruction, which is in another line than its last one, is there; never: it has been asked for.
Cycle Sm::fetch(std::uint32_t w, std::uint64_t line) {
    WarpState& s = warps_[w];
    s.line = line;
    Cycle const ready = instructions_.fetch(sub_core_of_[w], line, now_);
    for (std::uint64_t const wanted : instructions_.wanted())
        data_path_.fetch_code(now_ + config_.sm.front_end->l0_miss_cycles / 2, wanted,
                              instructions_.address_of(wanted), s.grid->number);
    instructions_.wanted().clear();
    return ready;
}

/// Lines that have come, for all warps that wait for them.
void Sm::take_code() {
    for (DataPath::CodeLine const& come : data_path_.code_lines()) {
        instructions_.filled(come.line, come.ready);
        for (std::uint32_t w = 0; w < most_warps; ++w) {
            WarpState& s = warps_[w];
            if (s.warp == nullptr || s.line != come.line || s.line_ready != never) continue;
            s.line_ready = instructions_.ready(sub_core_of_[w], come.line, come.ready);
            if (wake(w) == never && s.reason == sim::StallReason::no_instruction && s.micro == 0)
                update_wake(w, std::max(now_, s.earliest), s.reason);
        }
    }
    data_path_.code_lines().clear();
}

}  // namespace warpsim::timing
