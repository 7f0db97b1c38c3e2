#include "sim/timing/plan/schedule.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/piece_graph.hpp"
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
        : m_(m), live_(live), dependences_(m), graph_(m, model, true), registers_(m.function->registers.size()) {
        for (std::uint32_t reg = 0; reg < registers_.size(); ++reg) registers_[reg].units = of_file(reg);
    }

    std::vector<std::uint32_t> run(std::uint32_t b, RegisterTargets const& targets) {
        begin_block(b);
        targets_ = targets;
        for (Piece const& piece : pieces_of(m_, m_.function->blocks[b])) {
            barriers_ = 0;
            for (std::uint32_t i = piece.first; i <= piece.last; ++i)
                if (is_barrier(i)) ++barriers_;
            order(piece);
        }
        end_block(b);
        return std::exchange(order_, {});
    }

private:
    // How many candidates are considered, so that the time grows only linearly with the length of the program.
    static constexpr std::size_t window = 64;
    // One is left for what the code around needs.
    static constexpr int most_predicates = static_cast<int>(predicates_of_thread) - 1;

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
    struct Register {
        Units units;
        std::vector<std::uint32_t> reads{0};  // that are still to come, of each of its values in the block
        std::uint32_t current = 0;            // value
        bool leaves = false;                  // the last one is needed behind the block
        bool is_live = false, is_touched = false;

        bool stays() const { return leaves && current + 1 == reads.size(); }
        bool is_needed() const { return reads[current] != 0 || stays(); }
    };
    Units of_file(std::uint32_t reg) const {
        bool const is_predicate = m_.function->registers[reg].type == ir::Type::pred && !m_.in_uniform_file(reg);
        return {static_cast<int>(m_.units(reg)), is_predicate ? 1 : 0};
    }

    bool is_barrier(std::uint32_t i) const { return ir::effect(*m_.module, m_.ir(i)) == isa::Effect::barrier; }
    int target() const { return static_cast<int>(barriers_ != 0 ? targets_.before_barriers : targets_.usual); }

    void begin_block(std::uint32_t b) {
        ir::Block const& block = m_.function->blocks[b];
        live_units_ = {};
        for (std::uint32_t const reg : live_.out[b]) registers_[reg].leaves = true;
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            for (std::uint32_t const reg : m_.machine_reads[i]) ++touched(reg).reads.back();
            for (std::uint32_t const reg : m_.machine_writes[i])
                if (!m_.keeps_old(i)) touched(reg).reads.push_back(0);
        }
        for (std::uint32_t const reg : live_.in[b]) make_live(reg);
    }
    void end_block(std::uint32_t b) {
        for (std::uint32_t const reg : live_.out[b]) registers_[reg].leaves = false;
        for (std::uint32_t const reg : touched_) {
            Register& r = registers_[reg];
            r.reads.assign(1, 0);
            r.current = 0;
            r.is_live = r.is_touched = false;
        }
        touched_.clear();
    }
    Register& touched(std::uint32_t reg) {
        Register& r = registers_[reg];
        if (!std::exchange(r.is_touched, true)) touched_.push_back(reg);
        return r;
    }
    void make_live(std::uint32_t reg) {
        Register& r = touched(reg);
        if (!std::exchange(r.is_live, true)) live_units_ += r.units;
    }

    /// Appends an instruction to the order.
    void emit(std::uint32_t i) {
        order_.push_back(i);
        for (std::uint32_t const reg : m_.machine_reads[i]) {
            Register& r = registers_[reg];
            --r.reads[r.current];
            if (r.is_needed() || !std::exchange(r.is_live, false)) continue;
            live_units_ -= r.units;
        }
        for (std::uint32_t const reg : m_.machine_writes[i]) {
            Register& r = registers_[reg];
            if (!m_.keeps_old(i)) ++r.current;
            if (r.is_needed()) make_live(reg);
        }
    }

    /// How many more registers are live after the instruction than before.
    Units growth(std::uint32_t i) const {
        Units change;
        auto const reads = m_.machine_reads[i], writes = m_.machine_writes[i];
        for (auto reg = reads.begin(); reg != reads.end(); ++reg) {
            // It may read one several times.
            if (std::find(reads.begin(), reg, *reg) != reg) continue;
            if (ends_at(*reg, static_cast<std::uint32_t>(std::count(reg, reads.end(), *reg))))
                change -= registers_[*reg].units;
        }
        for (std::uint32_t const reg : writes) {
            auto const count = static_cast<std::uint32_t>(std::count(reads.begin(), reads.end(), reg));
            if (!registers_[reg].is_live || ends_at(reg, count)) change += registers_[reg].units;
        }
        return change;
    }
    /// The value in the register is not needed after so many reads.
    bool ends_at(std::uint32_t reg, std::uint32_t reads) const {
        Register const& r = registers_[reg];
        return reads != 0 && r.is_live && !r.stays() && r.reads[r.current] == reads;
    }

    bool fits(Units const& growth) const {
        return (growth.vector <= 0 || live_units_.vector + growth.vector <= target()) && has_predicates(growth);
    }
    bool has_predicates(Units const& growth) const {
        return growth.predicates <= 0 || live_units_.predicates + growth.predicates <= most_predicates;
    }
    static bool takes_none(Units const& growth) { return growth.vector <= 0 && growth.predicates <= 0; }
    /// How many fewer. Of those that take more the first in the program is the best, whatever it takes: what it leads to
    /// frees registers sooner than what stands behind it.
    static int saving(Units const& growth) { return std::max(-growth.vector, -1); }

    void order(Piece const& piece) {
        graph_.build(piece, dependences_.find(piece.first, piece.last));
        available_.clear();
        for (std::uint32_t const i : graph_.ready()) make_available(i);
        while (!available_.empty()) {
            std::uint32_t const next = choose();
            available_.erase(std::lower_bound(available_.begin(), available_.end(), next));
            emit_with_free(next);
            if (is_barrier(next)) --barriers_;
            for (std::uint32_t const i : graph_.issue(next)) make_available(i);
        }
        // Instructions without cost that nothing in the piece uses.
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) emit_with_free(i);
    }
    void make_available(std::uint32_t i) {
        available_.insert(std::lower_bound(available_.begin(), available_.end(), i), i);
    }
    void emit_with_free(std::uint32_t i) {
        for (std::uint32_t const k : graph_.with_free(i)) emit(k);
    }

    /// The longest path to the end first, and of several that with the shortest way to it, of what registers are left for; what
    /// would have come before it, but has too few left, keeps others from taking more. Where that is nothing, the instruction that
    /// frees most.
    std::uint32_t choose() const {
        std::uint32_t best = ir::none, kept_for = 0;
        std::array<Units, window> growths;
        std::span const candidates(available_.data(), std::min(available_.size(), window));
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            growths[k] = growth(candidates[k]);
            if (!fits(growths[k])) kept_for = std::max(kept_for, graph_.height(candidates[k]));
        }
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            std::uint32_t const i = candidates[k];
            bool const may = fits(growths[k]) && (graph_.height(i) > kept_for || takes_none(growths[k]));
            if (may && (best == ir::none || is_before(i, best))) best = i;
        }
        if (best != ir::none) return best;
        int best_rank = INT_MIN;
        for (std::size_t k = 0; k < candidates.size(); ++k) {
            int const rank = has_predicates(growths[k]) ? saving(growths[k]) : std::min(saving(growths[k]), -1);
            if (rank <= best_rank) continue;
            best = candidates[k];
            best_rank = rank;
        }
        return best;
    }
    bool is_before(std::uint32_t a, std::uint32_t b) const {
        if (graph_.height(a) != graph_.height(b)) return graph_.height(a) > graph_.height(b);
        if (graph_.depth(a) != graph_.depth(b)) return graph_.depth(a) < graph_.depth(b);
        return graph_.comes_before(a, b);
    }

    MachineFunction const& m_;
    ir::BlockLiveness const& live_;
    Dependences dependences_;
    PieceGraph graph_;
    std::vector<std::uint32_t> order_;      // of the block
    std::vector<std::uint32_t> available_;  // in the piece, in ascending order
    std::vector<Register> registers_;
    std::vector<std::uint32_t> touched_;  // in the block
    Units live_units_;
    RegisterTargets targets_;
    std::uint32_t barriers_ = 0;  // that are still to come in the piece
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
