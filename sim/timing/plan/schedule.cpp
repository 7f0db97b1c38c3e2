#include "sim/timing/plan/schedule.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/compiler_model.hpp"
#include "sim/timing/plan/dependences.hpp"
#include "sim/timing/plan/lane_checks.hpp"
#include "sim/timing/plan/predicates.hpp"

#include <algorithm>
#include <array>
#include <climits>
#include <utility>

namespace warpsim::timing {

/// Orders one block after the other.
class Scheduler::OfBlock {
public:
    OfBlock(MachineFunction const& m, ir::BlockLiveness const& live, CompilerModel const& model)
        : m_(m),
          live_(live),
          model_(model),
          dependences_(m),
          remaining_(m.function->registers.size(), 0),
          is_live_(m.function->registers.size(), 0),
          leaves_(m.function->registers.size(), 0) {
        std::size_t const count = m.instructions.size();
        height_.assign(count, 0);
        ready_.assign(count, 0);
        waits_for_.assign(count, 0);
        is_done_.assign(count, false);
        for (std::uint32_t reg = 0; reg < m.function->registers.size(); ++reg) units_.push_back(of_file(reg));
    }

    std::vector<std::uint32_t> run(std::uint32_t b, RegisterTargets const& targets) {
        ir::Block const& block = m_.function->blocks[b];
        begin_block(b);
        branch_guard_ = is_scheduling_barrier(m_, block.last) ? m_.ir(block.last).guard : ir::none;
        for (std::uint32_t i = block.first; i <= block.last;) {
            if (is_scheduling_barrier(m_, i)) {
                emit(i++);
                continue;
            }
            std::uint32_t last = i;
            // Pieces of bounded size, so that the time grows only linearly with the length of the program. Nothing moves across the
            // branch to the code that collects lanes.
            while (last < block.last && last - i < 2000 && !is_scheduling_barrier(m_, last + 1) &&
                   !lane_check(m_.instructions[last + 1].lane_check).branches())
                ++last;
            targets_ = targets;
            barriers_ = 0;
            for (std::uint32_t k = i; k <= last; ++k) {
                if (is_barrier(k)) ++barriers_;
            }
            piece(i, last);
            i = last + 1;
        }
        for (std::uint32_t const reg : live_.out[b]) leaves_[reg] = 0;
        for (std::uint32_t const reg : touched_) is_live_[reg] = 0;
        return std::exchange(order_, {});
    }

private:
    // How many candidates are considered, so that the time grows only linearly with the length of the program.
    static constexpr std::size_t window = 64;
    // What takes registers waits until its path to the end is at most so many cycles shorter than the longest one.
    static constexpr std::uint32_t ahead = 16;
    // Everything else but accesses to shared memory: while loads from global memory are still to be asked for, only what leads to
    // them.
    static constexpr std::uint32_t far_ahead = 200;
    // One is left for what the code around needs.
    static constexpr int most_predicates = static_cast<int>(predicates_of_thread) - 1;

    template <class T> static void insert(std::vector<T>& sorted, T const& value) {
        auto const at = std::lower_bound(sorted.begin(), sorted.end(), value);
        if (at == sorted.end() || *at != value) sorted.insert(at, value);
    }
    template <class T> static bool erase(std::vector<T>& sorted, T const& value) {
        auto const at = std::lower_bound(sorted.begin(), sorted.end(), value);
        if (at == sorted.end() || *at != value) return false;
        sorted.erase(at);
        return true;
    }

    /// Registers of either file.
    struct Units {
        int vector = 0, predicates = 0;

        Units& operator+=(Units const& o) {
            vector += o.vector;
            predicates += o.predicates;
            return *this;
        }
        Units& operator-=(Units const& o) {
            vector -= o.vector;
            predicates -= o.predicates;
            return *this;
        }
    };
    Units of_file(std::uint32_t reg) const {
        bool const is_predicate = m_.function->registers[reg].type == ir::Type::pred && !m_.in_uniform_file(reg);
        return {static_cast<int>(m_.units(reg)), is_predicate ? 1 : 0};
    }

    /// What takes so long that it is asked for as early as possible.
    bool comes_late(std::uint32_t i) const {
        return !m_.instructions[i].is_constant &&
               m_.uses(i, {MicroUnit::lsu, MicroUnit::texture, MicroUnit::special});
    }
    bool is_barrier(std::uint32_t i) const { return ir::effect(*m_.module, m_.ir(i)) == isa::Effect::barrier; }
    int target() const { return static_cast<int>(barriers_ != 0 ? targets_.before_barriers : targets_.usual); }
    bool is_free(std::uint32_t i) const { return m_.instructions[i].micros == 0; }

    void begin_block(std::uint32_t b) {
        ir::Block const& block = m_.function->blocks[b];
        touched_.clear();
        live_units_ = {};
        for (std::uint32_t i = block.first; i <= block.last; ++i) is_done_[i] = false;
        for (std::uint32_t const reg : live_.out[b]) leaves_[reg] = 1;
        for (std::uint32_t const reg : live_.in[b]) make_live(reg);
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            for (std::uint32_t const reg : m_.machine_reads[i]) ++remaining_[reg];
        }
    }
    void make_live(std::uint32_t reg) {
        if (is_live_[reg] != 0) return;
        is_live_[reg] = 1;
        touched_.push_back(reg);
        live_units_ += units_[reg];
    }

    /// Of what is done before the first micro-op of another instruction may go to the same pipe.
    std::uint32_t pipe_is_free(std::uint32_t i) const {
        return pipe_is_free_[static_cast<std::size_t>(CompilerModel::pipe(m_.micros_of(i).front()))];
    }

    /// Appends an instruction to the order.
    void emit(std::uint32_t i) {
        order_.push_back(i);
        is_done_[i] = true;
        for (std::uint32_t const reg : m_.machine_reads[i]) {
            if (--remaining_[reg] != 0 || leaves_[reg] != 0 || is_live_[reg] == 0) continue;
            is_live_[reg] = 0;
            live_units_ -= units_[reg];
        }
        for (std::uint32_t const reg : m_.machine_writes[i]) {
            if (remaining_[reg] != 0 || leaves_[reg] != 0) make_live(reg);
        }
    }

    /// How many more registers are live after the instruction than before.
    Units growth(std::uint32_t i) const {
        Units change;
        for (std::uint32_t const reg : m_.machine_reads[i]) {
            if (remaining_[reg] == 1 && leaves_[reg] == 0 && is_live_[reg] != 0) change -= units_[reg];
        }
        for (std::uint32_t const reg : m_.machine_writes[i]) {
            if (is_live_[reg] == 0) change += units_[reg];
        }
        return change;
    }

    bool fits(Units const& growth) const {
        return (growth.vector <= 0 || live_units_.vector + growth.vector <= target()) &&
               (growth.predicates <= 0 || live_units_.predicates + growth.predicates <= most_predicates);
    }
    static bool takes_none(Units const& growth) { return growth.vector <= 0 && growth.predicates <= 0; }
    /// How many fewer. Of those that take more the first in the program is the best, whatever it takes: what it leads to
    /// frees registers sooner than what stands behind it.
    static int saving(Units const& growth) { return std::max(-growth.vector, -1); }

    void piece(std::uint32_t first, std::uint32_t last) {
        if (first == last) return emit(first);
        auto const& found = dependences_.find(first, last);
        link(found, first, last);
        find_heights(first, last);
        now_ = 0;
        pipe_is_free_.fill(0);
        pending_.clear();
        available_.clear();
        for (std::uint32_t i = first; i <= last; ++i) {
            if (waits_for_[i] == 0) release(i);
        }
        while (!pending_.empty() || !available_.empty()) {
            auto due = pending_.begin();
            for (; due != pending_.end() && due->first <= now_; ++due) insert(available_, due->second);
            pending_.erase(pending_.begin(), due);
            std::uint32_t const next = choose();
            if (next == ir::none) {
                wait();
                continue;
            }
            take(next);
        }
        for (std::uint32_t i = first; i <= last; ++i)
            emit_with_free(i);  // instructions without cost that nothing in the piece uses
    }

    /// Until an instruction is ready, or the pipe of one that is.
    void wait() {
        std::uint32_t until = pending_.empty() ? UINT32_MAX : pending_.front().first;
        for (std::uint32_t const i : available_) {
            if (pipe_is_free(i) > now_) until = std::min(until, pipe_is_free(i));
        }
        now_ = until;
    }

    void link(std::vector<Dependence> const& found, std::uint32_t first, std::uint32_t last) {
        std::size_t const count = last - first + 1;
        successor_begin_.assign(count + 1, 0);
        predecessor_begin_.assign(count + 1, 0);
        for (Dependence const& d : found) {
            ++successor_begin_[d.from - first + 1];
            ++predecessor_begin_[d.to - first + 1];
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
            successors_[s[d.from - first]++] = d;
            predecessors_[p[d.to - first]++] = d.from;
        }
        base_ = first;
        for (std::uint32_t i = first; i <= last; ++i) {
            waits_for_[i] = predecessor_begin_[i - first + 1] - predecessor_begin_[i - first];
            ready_[i] = 0;
        }
    }
    std::span<Dependence const> successors(std::uint32_t i) const {
        return {successors_.data() + successor_begin_[i - base_],
                successor_begin_[i - base_ + 1] - successor_begin_[i - base_]};
    }
    std::span<std::uint32_t const> predecessors(std::uint32_t i) const {
        return {predecessors_.data() + predecessor_begin_[i - base_],
                predecessor_begin_[i - base_ + 1] - predecessor_begin_[i - base_]};
    }

    void find_heights(std::uint32_t first, std::uint32_t last) {
        for (std::uint32_t i = last + 1; i-- > first;) {
            std::uint32_t const own = model_.latency(m_, i);
            // What comes late is needed soon behind the block, too.
            std::uint32_t height =
                comes_late(i) && !m_.machine_writes[i].empty() ? own : m_.instructions[i].micros;
            for (std::uint32_t const reg : m_.machine_writes[i]) {
                if (reg == branch_guard_) height = own + model_.way_to_branch(m_, i);
            }
            for (Dependence const& d : successors(i))
                height = std::max(height, height_[d.to] + distance(i, d, own));
            height_[i] = height;
        }
    }
    /// Cycles from the issue of an instruction to that of one that depends on it.
    std::uint32_t distance(std::uint32_t i, Dependence const& d, std::uint32_t latency) const {
        if (d.carries_value) return latency + model_.way(m_, i, d.to);
        return is_barrier(i) ? CompilerModel::barrier_latency : 0;
    }

    /// All predecessors have been chosen. An instruction without cost releases its users at once, and is placed
    /// before the first of them.
    void release(std::uint32_t i) {
        free_.push_back(i);
        while (!free_.empty()) {
            std::uint32_t const k = free_.back();
            free_.pop_back();
            if (!is_free(k)) {
                insert(pending_, std::pair(ready_[k], k));
                continue;
            }
            for (Dependence const& d : successors(k)) {
                ready_[d.to] = std::max(ready_[d.to], ready_[k]);
                if (--waits_for_[d.to] == 0) free_.push_back(d.to);
            }
        }
    }

    /// The longest path to the end first, of what registers are left for; what would have come before it, but has too few
    /// left, keeps others from taking more. Where that is nothing, the instruction that frees most, even if it must be
    /// waited for.
    std::uint32_t choose() const {
        std::uint32_t best = ir::none, kept_for = 0;
        std::array<Units, window> growths;
        std::span const candidates(available_.data(), std::min(available_.size(), window));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            growths[k] = growth(candidates[k]);
            if (!fits(growths[k])) kept_for = std::max(kept_for, height_[candidates[k]]);
        }
        std::uint32_t longest = 0;
        for (std::uint32_t const i : available_) longest = std::max(longest, height_[i]);
        for (auto const& [ready, i] : pending_) longest = std::max(longest, height_[i]);
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            std::uint32_t const i = candidates[k];
            bool const waits = !takes_none(growths[k]) && !comes_late(i);
            bool const is_shared = comes_late(i) && m_.form(i).space == isa::StateSpace::shared;
            if (!is_shared && height_[i] + (waits ? ahead : far_ahead) < longest) continue;
            bool const may =
                pipe_is_free(i) <= now_ && fits(growths[k]) && (best == ir::none || height_[i] > height_[best]);
            if (may && (height_[i] > kept_for || takes_none(growths[k]))) best = i;
        }
        if (best != ir::none || (!pending_.empty() && live_units_.vector < target())) return best;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (pipe_is_free(candidates[k]) > now_ && fits(growths[k]) && height_[candidates[k]] > kept_for)
                return ir::none;
        }
        int best_rank = INT_MIN;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            if (saving(growths[k]) <= best_rank) continue;
            best = candidates[k];
            best_rank = saving(growths[k]);
        }
        for (std::size_t k = 0; k < std::min(pending_.size(), window); ++k) {
            std::uint32_t const i = pending_[k].second;
            int const rank = saving(growth(i));
            if (rank > best_rank || (rank == best_rank && best_rank < 0 && i < best)) {
                best = i;
                best_rank = rank;
            }
        }
        return best;
    }

    void take(std::uint32_t i) {
        if (!erase(available_, i)) {
            erase(pending_, std::pair(ready_[i], i));
            now_ = std::max(now_, ready_[i]);
        }
        emit_with_free(i);
        if (is_barrier(i)) --barriers_;
        std::uint32_t const begin = now_;
        for (MicroOp const& op : m_.micros_of(i)) {
            std::uint32_t& free = pipe_is_free_[static_cast<std::size_t>(CompilerModel::pipe(op))];
            free = std::max(free, now_) + model_.interval(m_, i, op);
            ++now_;
        }
        // The micro-ops of an instruction stay together: what it leaves is counted from the last one.
        std::uint32_t const latency = model_.latency(m_, i);
        for (Dependence const& d : successors(i)) {
            std::uint32_t const result = (d.carries_value ? now_ - 1 : begin) + distance(i, d, latency);
            ready_[d.to] = std::max(ready_[d.to], std::max(now_, result));
            if (--waits_for_[d.to] == 0) release(d.to);
        }
    }

    void emit_with_free(std::uint32_t i) {
        if (is_done_[i]) return;
        // Predecessors without cost come before it, and theirs before them: no deeper than chains of copies.
        stack_.push_back(i);
        while (!stack_.empty()) {
            std::uint32_t const k = stack_.back();
            std::size_t const before = stack_.size();
            for (std::uint32_t const p : predecessors(k)) {
                if (!is_done_[p]) stack_.push_back(p);
            }
            if (stack_.size() != before) continue;
            stack_.pop_back();
            if (!is_done_[k]) emit(k);
        }
    }

    MachineFunction const& m_;
    ir::BlockLiveness const& live_;
    CompilerModel const& model_;
    Dependences dependences_;
    std::vector<std::uint32_t> order_;  // of the block
    // per register
    std::vector<std::uint32_t> remaining_;  // reads that are still to come in the block
    std::vector<Units> units_;
    std::vector<std::uint8_t> is_live_, leaves_;
    std::vector<std::uint32_t> touched_;
    Units live_units_;
    // per instruction
    std::vector<std::uint32_t> height_, ready_, waits_for_;
    std::vector<bool> is_done_;
    // of the piece
    std::uint32_t base_ = 0;
    std::uint32_t now_ = 0;
    std::uint32_t branch_guard_ = ir::none;                           // of the jump at the end of the block
    std::array<std::uint32_t, CompilerModel::pipes> pipe_is_free_{};  // cycle from which on
    RegisterTargets targets_;
    std::uint32_t barriers_ = 0;  // that are still to come
    std::vector<std::uint32_t> successor_begin_, predecessor_begin_, predecessors_, free_, stack_;
    std::vector<Dependence> successors_;
    // In ascending order.
    std::vector<std::pair<std::uint32_t, std::uint32_t>>
        pending_;  // cycle from which on it may issue, instruction
    std::vector<std::uint32_t> available_;
};

namespace {

template <class T> void permute(std::vector<T>& list, std::vector<std::uint32_t> const& order) {
    std::vector<T> result;
    result.reserve(order.size());
    for (std::uint32_t const i : order) result.push_back(list[i]);
    list = std::move(result);
}

void permute(Lists& lists, std::vector<std::uint32_t> const& order) {
    Lists result;
    result.items.reserve(lists.items.size());
    for (std::uint32_t const i : order) {
        auto const list = lists[i];
        result.items.insert(result.items.end(), list.begin(), list.end());
        result.end_list();
    }
    lists = std::move(result);
}

}  // namespace

Scheduler::Scheduler(MachineFunction const& m, ir::BlockLiveness const& live, CompilerModel const& model)
    : of_block_(std::make_unique<OfBlock>(m, live, model)), blocks_(m.function->blocks.size()) {}

Scheduler::~Scheduler() = default;

std::vector<std::uint32_t> Scheduler::order(std::span<RegisterTargets const> targets) {
    std::vector<std::uint32_t> order;
    for (std::uint32_t b = 0; b < blocks_.size(); ++b) {
        Ordered& block = blocks_[b];
        if (block.order.empty() || block.targets != targets[b])
            block = {targets[b], of_block_->run(b, targets[b])};
        order.insert(order.end(), block.order.begin(), block.order.end());
    }
    return order;
}

void reorder(MachineFunction& m, ir::Function& function, std::vector<std::uint32_t> const& order) {
    permute(function.instructions, order);
    permute(m.instructions, order);
    permute(m.reads, order);
    permute(m.writes, order);
    permute(m.machine_reads, order);
    permute(m.machine_writes, order);
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t i = 0; i < order.size(); ++i) place[order[i]] = i;
    for (std::uint32_t& maker : m.only_definition) {
        if (maker != ir::none) maker = place[maker];
    }
    m.function = &function;
}

}  // namespace warpsim::timing
