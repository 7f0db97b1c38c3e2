#include "sim/timing_statistics.hpp"

namespace warpsim::sim {

std::string_view name(StallReason reason) {
    static constexpr std::string_view names[] = {
        "wait", "long_scoreboard", "short_scoreboard", "barrier", "membar", "math_pipe_throttle", "lg_throttle", "mio_throttle", "tex_throttle",
        "dispatch_stall", "imc_miss", "no_instruction", "branch_resolving", "sleeping", "drain", "not_selected"};
    return names[static_cast<std::size_t>(reason)];
}

namespace {

template <class Each>
void for_each_count(IntervalSample& a, IntervalSample const& b, Each&& each) {
    each(a.micro_ops, b.micro_ops);
    each(a.resident_warp_cycles, b.resident_warp_cycles);
    for (std::size_t i = 0; i < a.stalls.size(); ++i) each(a.stalls[i], b.stalls[i]);
    each(a.l1_load_sectors, b.l1_load_sectors);
    each(a.l1_tag_hits, b.l1_tag_hits);
    each(a.l1_store_sectors, b.l1_store_sectors);
    each(a.l1_atomic_sectors, b.l1_atomic_sectors);
    each(a.shared_requests, b.shared_requests);
    each(a.l2_read_sectors, b.l2_read_sectors);
    each(a.l2_write_sectors, b.l2_write_sectors);
    each(a.l2_atomic_sectors, b.l2_atomic_sectors);
    each(a.l2_tag_hits, b.l2_tag_hits);
    each(a.dram_read_sectors, b.dram_read_sectors);
    each(a.dram_written_sectors, b.dram_written_sectors);
    each(a.noc_request_bytes, b.noc_request_bytes);
    each(a.noc_reply_bytes, b.noc_reply_bytes);
}

}  // namespace

IntervalSample& IntervalSample::operator+=(IntervalSample const& o) {
    for_each_count(*this, o, [](std::uint64_t& mine, std::uint64_t other) { mine += other; });
    return *this;
}

IntervalSample& IntervalSample::operator-=(IntervalSample const& o) {
    for_each_count(*this, o, [](std::uint64_t& mine, std::uint64_t other) { mine -= other; });
    return *this;
}

}  // namespace warpsim::sim
