#include "sim/timing/plan/piece_graph.hpp"

#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/lane_checks.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

// So that the time grows only linearly with the length of the program.
constexpr std::uint32_t longest_piece = 2000;

/// What takes so long that it is asked for as early as possible.
bool comes_late(MachineFunction const& m, std::uint32_t i) {
    return !m.instructions[i].is_constant && m.uses(i, {MicroUnit::lsu, MicroUnit::texture, MicroUnit::special});
}

/// A move of zero into the upper half.
bool extends_by_zeros(MachineFunction const& m, std::uint32_t i) {
    ir::Form const& f = m.form(i);
    return f.operation == Operation::cvt && isa::width(f.types[0]) == 64 && isa::width(f.types[1]) == 32 &&
           !isa::is_float(f.types[0]) && !isa::is_float(f.types[1]) && !isa::is_signed(f.types[1]) &&
           m.instructions[i].micros == 1 && !m.instructions[i].is_uniform;
}

}  // namespace

std::vector<Piece> pieces_of(MachineFunction const& m, ir::Block const& block) {
    std::vector<Piece> pieces;
    for (std::uint32_t i = block.first; i <= block.last;) {
        std::uint32_t last = i;
        // Nothing moves across the branch to the code that collects lanes.
        while (!is_scheduling_barrier(m, i) && last < block.last && last - i < longest_piece &&
               !is_scheduling_barrier(m, last + 1) && !lane_check(m.instructions[last + 1].lane_check).branches())
            ++last;
        pieces.push_back({i, last});
        i = last + 1;
    }
    return pieces;
}

PieceGraph::PieceGraph(MachineFunction const& m, CompilerModel const& model, bool zeros_wait)
    : m_(m), model_(model), zeros_wait_(zeros_wait) {}

void PieceGraph::build(Piece const& piece, std::span<Dependence const> found) {
    piece_ = piece;
    std::size_t const count = piece.last - piece.first + 1;
    successor_begin_.assign(count + 1, 0);
    predecessor_begin_.assign(count + 1, 0);
    for (Dependence const& d : found) {
        ++successor_begin_[d.from - piece.first + 1];
        ++predecessor_begin_[d.to - piece.first + 1];
    }
    for (std::size_t k = 0; k < count; ++k) {
        successor_begin_[k + 1] += successor_begin_[k];
        predecessor_begin_[k + 1] += predecessor_begin_[k];
    }
    successors_.resize(found.size());
    predecessors_.resize(found.size());
    std::vector<std::uint32_t> s(successor_begin_.begin(), successor_begin_.end()),
        p(predecessor_begin_.begin(), predecessor_begin_.end());
    for (Dependence const& d : found) {
        successors_[s[d.from - piece.first]++] = d;
        predecessors_[p[d.to - piece.first]++] = d.from;
    }
    waits_for_.resize(count);
    for (std::size_t k = 0; k < count; ++k) waits_for_[k] = predecessor_begin_[k + 1] - predecessor_begin_[k];
    ready_cycle_.assign(count, 0);
    is_placed_.assign(count, false);
    find_heights();
    find_depths();
    find_last_users();
}

std::span<Dependence const> PieceGraph::successors(std::uint32_t i) const {
    std::uint32_t const k = i - piece_.first;
    return {successors_.data() + successor_begin_[k], successor_begin_[k + 1] - successor_begin_[k]};
}
std::span<std::uint32_t const> PieceGraph::predecessors(std::uint32_t i) const {
    std::uint32_t const k = i - piece_.first;
    return {predecessors_.data() + predecessor_begin_[k], predecessor_begin_[k + 1] - predecessor_begin_[k]};
}

std::uint32_t PieceGraph::distance(Dependence const& d) const {
    if (d.carries_value) return latency_[d.from - piece_.first] + model_.way(m_, d.from, d.to);
    bool const is_barrier = ir::effect(*m_.module, m_.ir(d.from)) == isa::Effect::barrier;
    return is_barrier ? CompilerModel::barrier_latency : 0;
}

void PieceGraph::find_heights() {
    std::uint32_t const jump = m_.function->blocks[m_.function->block_of[piece_.first]].last;
    std::uint32_t const guard = is_scheduling_barrier(m_, jump) ? m_.ir(jump).guard : ir::none;
    height_.resize(waits_for_.size());
    latency_.resize(waits_for_.size());
    for (std::uint32_t i = piece_.last + 1; i-- > piece_.first;) {
        std::uint32_t const own = latency_[i - piece_.first] = model_.latency(m_, i);
        // What comes late is needed soon behind the block, too.
        bool const is_late = comes_late(m_, i) && !m_.machine_writes[i].empty();
        std::uint32_t longest = is_late ? own : m_.instructions[i].micros;
        for (std::uint32_t const reg : m_.machine_writes[i])
            if (reg == guard) longest = own + model_.way_to_branch(m_, i);
        for (Dependence const& d : successors(i)) longest = std::max(longest, height(d.to) + distance(d));
        height_[i - piece_.first] = longest;
    }
}

void PieceGraph::find_depths() {
    depth_.assign(waits_for_.size(), 0);
    for (std::uint32_t i = piece_.first; i <= piece_.last; ++i) {
        for (Dependence const& d : successors(i)) {
            std::uint32_t& depth = depth_[d.to - piece_.first];
            bool const goes_ahead = m_.instructions[i].is_constant;
            depth = std::max(depth, depth_[i - piece_.first] + (goes_ahead ? 0 : distance(d)));
        }
    }
}

void PieceGraph::find_last_users() {
    std::size_t const count = waits_for_.size();
    last_user_.assign(count, ir::none);
    generation_.assign(count, 0);
    for (std::uint32_t i = piece_.last + 1; i-- > piece_.first;) {
        std::uint32_t& last = last_user_[i - piece_.first];
        for (Dependence const& d : successors(i))
            if (d.carries_value && (last == ir::none || comes_before(last, d.to))) last = d.to;
        generation_[i - piece_.first] = last == ir::none ? 0 : generation_[last - piece_.first] + 1;
    }
}

bool PieceGraph::comes_before(std::uint32_t a, std::uint32_t b) const {
    auto const generation = [&](std::uint32_t i) { return generation_[i - piece_.first]; };
    auto const user = [&](std::uint32_t i) { return last_user_[i - piece_.first]; };
    bool const a_is_deeper = generation(a) > generation(b);
    while (generation(a) > generation(b)) a = user(a);
    while (generation(b) > generation(a)) b = user(b);
    // What leads to the other one.
    if (a == b) return a_is_deeper;
    while (user(a) != user(b)) {
        a = user(a);
        b = user(b);
    }
    return a < b;
}

std::vector<std::uint32_t> PieceGraph::ready() {
    std::vector<std::uint32_t> waiting_for_none, found;
    for (std::uint32_t i = piece_.first; i <= piece_.last; ++i)
        if (waits_for_[i - piece_.first] == 0) waiting_for_none.push_back(i);
    for (std::uint32_t const i : waiting_for_none) release(i, found);
    return found;
}

bool PieceGraph::is_put_off(std::uint32_t i) const {
    bool const is_free = m_.instructions[i].micros == 0 && !m_.instructions[i].is_beside;
    return is_free || (zeros_wait_ && extends_by_zeros(m_, i));
}

/// What is put off releases its users at once.
void PieceGraph::release(std::uint32_t i, std::vector<std::uint32_t>& found) {
    free_.push_back(i);
    while (!free_.empty()) {
        std::uint32_t const k = free_.back();
        free_.pop_back();
        if (!is_put_off(k)) {
            found.push_back(k);
            continue;
        }
        for (Dependence const& d : successors(k)) {
            std::uint32_t& cycle = ready_cycle_[d.to - piece_.first];
            cycle = std::max(cycle, ready_cycle(k));
            if (--waits_for_[d.to - piece_.first] == 0) free_.push_back(d.to);
        }
    }
}

std::vector<std::uint32_t> const& PieceGraph::issue(std::uint32_t i, std::uint32_t first_cycle,
                                                    std::uint32_t last_cycle) {
    found_.clear();
    for (Dependence const& d : successors(i)) {
        // The micro-ops of an instruction stay together: what it leaves is counted from the last one.
        std::uint32_t const from = d.carries_value ? last_cycle : first_cycle;
        std::uint32_t& cycle = ready_cycle_[d.to - piece_.first];
        cycle = std::max({cycle, last_cycle + 1, from + distance(d)});
        if (--waits_for_[d.to - piece_.first] == 0) release(d.to, found_);
    }
    return found_;
}

std::vector<std::uint32_t> const& PieceGraph::with_free(std::uint32_t i) {
    placed_.clear();
    if (!is_placed_[i - piece_.first]) stack_.push_back(i);
    // Predecessors that were put off come before it, and theirs before them: no deeper than chains of copies.
    while (!stack_.empty()) {
        std::uint32_t const k = stack_.back();
        std::size_t const before = stack_.size();
        for (std::uint32_t const p : predecessors(k))
            if (!is_placed_[p - piece_.first]) stack_.push_back(p);
        if (stack_.size() != before) continue;
        stack_.pop_back();
        if (is_placed_[k - piece_.first]) continue;
        is_placed_[k - piece_.first] = true;
        placed_.push_back(k);
    }
    return placed_;
}

}  // namespace warpsim::timing
