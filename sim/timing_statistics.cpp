#include "sim/timing_statistics.hpp"

#include <functional>

namespace warpsim::sim {

std::string_view name(StallReason reason) {
    // clang-format off
    static constexpr std::string_view names[] = {
        "wait", "long_scoreboard", "short_scoreboard", "barrier", "membar", "math_pipe_throttle", "lg_throttle", "mio_throttle", "tex_throttle",
        "dispatch_stall", "imc_miss", "no_instruction", "branch_resolving", "sleeping", "drain", "not_selected"};
    // clang-format on
    return names[static_cast<std::size_t>(reason)];
}

namespace {

constexpr std::uint64_t IntervalSample::*counts[] = {&IntervalSample::micro_ops,
                                                     &IntervalSample::resident_warp_cycles,
                                                     &IntervalSample::l1_load_sectors,
                                                     &IntervalSample::l1_tag_hits,
                                                     &IntervalSample::l1_store_sectors,
                                                     &IntervalSample::l1_atomic_sectors,
                                                     &IntervalSample::shared_requests,
                                                     &IntervalSample::l2_read_sectors,
                                                     &IntervalSample::l2_write_sectors,
                                                     &IntervalSample::l2_atomic_sectors,
                                                     &IntervalSample::l2_tag_hits,
                                                     &IntervalSample::dram_read_sectors,
                                                     &IntervalSample::dram_written_sectors,
                                                     &IntervalSample::noc_request_bytes,
                                                     &IntervalSample::noc_reply_bytes};

/// a = operation(a, b) for each count of the samples.
template <class Operation>
IntervalSample& combine(IntervalSample& a, IntervalSample const& b, Operation operation) {
    for (auto const count : counts) a.*count = operation(a.*count, b.*count);
    for (std::size_t i = 0; i < a.stalls.size(); ++i) a.stalls[i] = operation(a.stalls[i], b.stalls[i]);
    return a;
}

}  // namespace

IntervalSample& IntervalSample::operator+=(IntervalSample const& o) { return combine(*this, o, std::plus<>()); }
IntervalSample& IntervalSample::operator-=(IntervalSample const& o) { return combine(*this, o, std::minus<>()); }

}  // namespace warpsim::sim
