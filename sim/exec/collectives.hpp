// Operations of a warp as a whole: shuffles, votes, matches, reductions, bar.warp.sync.
#pragma once

#include "sim/exec/divergence.hpp"

namespace warpsim::sim {

enum class VoteMode : std::uint8_t { all, any, uni, ballot };
enum class ReduceOperation : std::uint8_t { add, min, max, bit_and, bit_or, bit_xor };

/// What a collective needs beside its columns.
struct Collective {
    ShuffleMode shuffle = ShuffleMode::idx;
    VoteMode vote = VoteMode::all;
    ReduceOperation reduce = ReduceOperation::add;
    bool is_signed = false;
    bool source_negated = false;  // !p
    bool is_sync = true;          // waits for its member mask
    bool match_all = false;
    bool is_float = false;  // of a reduction; the next two members also
    bool takes_absolute = false;
    bool gives_nan = false;  // if any lane has one
    std::uint8_t log2 = 2;   // of the value
    std::uint32_t key = 0;   // in KernelPlan::collective_identities: lanes with equal keys may meet
    Slot result = discard;
    Slot predicate = discard;  // p of d|p
    Slot a = 0, b = 0, c = 0;
    Slot members = 0;           // column of member masks
    bool has_one_mask = false;  // all lanes have the same member mask
};

class Collectives : public Component {
public:
    Collectives(Execution& execution, Divergence& divergence) : Component(execution), divergence_(divergence) {}

    /// Performs the op when all its members are in `mask`; false when it must wait for some.
    bool perform_at_once(Cta const& cta, Warp& warp, Op const& op, Collective const& c, LaneMask mask);
    /// The lanes of `mask` wait for the other members.
    void wait(Cta& cta, Warp& warp, Op const& op, LaneMask mask);
    /// Performs collectives whose missing members have arrived or exited in the meantime.
    void check(Cta& cta, Warp& warp);
    static void give_active_mask(Warp& warp, Collective const& c, LaneMask mask);

private:
    /// Performs the most frequent kinds without copying operands; all members are in `mask`. False for another
    /// kind.
    bool perform_simple(Cta const& cta, Warp& warp, Op const& op, Collective const& c, LaneMask mask);
    void check_members(Cta const& cta, Warp const& warp, Op const& op, LaneMask lanes, LaneMask members) const;
    void note_undefined(Cta const& cta, Warp const& warp, std::uint32_t function, Op const& op,
                        LaneMask lanes) const;
    void tell_collective(Cta const& cta, Warp const& warp, Op const& op, Collective const& c, LaneMask mask) const;

    Divergence& divergence_;
};

}  // namespace warpsim::sim
