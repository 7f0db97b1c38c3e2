#include "sim/timing/plan/issue_order.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/piece_graph.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpsim::timing {

namespace {

/// Which instructions read and write each hardware register, in an order in which no value is overwritten before it has been read.
class RegisterUse {
public:
    RegisterUse(MachineFunction const& m, Allocation const& allocation) : m_(m), allocation_(allocation) {}

    /// Dependences between those of the piece that have to do with one register.
    void find(Piece const& piece, std::vector<Dependence>& found) {
        for (auto& file : files_) file.clear();
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) {
            for (std::uint32_t const reg : m_.machine_reads[i]) {
                for (Use& use : uses_of(reg, ir::read_point(i))) {
                    if (use.writer != ir::none) found.push_back({use.writer, i, false});
                    use.readers.push_back(i);
                }
            }
            for (std::uint32_t const reg : m_.machine_writes[i]) {
                for (Use& use : uses_of(reg, ir::write_point(i))) {
                    if (use.writer != ir::none && use.writer != i) found.push_back({use.writer, i, false});
                    for (std::uint32_t const reader : use.readers)
                        if (reader != i) found.push_back({reader, i, false});
                    use.readers.clear();
                    use.writer = i;
                }
            }
        }
    }

private:
    struct Use {
        std::uint32_t writer = ir::none;
        std::vector<std::uint32_t> readers{};  // since then
    };
    enum File : std::uint8_t { vector, predicates, uniform, files };

    std::span<Use> uses_of(std::uint32_t reg, ir::ProgramPoint point) {
        bool const is_kept = reg < m_.is_kept.size() && m_.is_kept[reg];
        std::uint16_t const place = allocation_.at(reg, point);
        if (is_kept || place == no_register) return {};
        ir::Type const type = m_.function->registers[reg].type;
        File const file = m_.in_uniform_file(reg) ? uniform : type == ir::Type::pred ? predicates : vector;
        bool const is_uniform_pair = file == uniform && isa::width(type) > 32;
        std::size_t const units = file == vector ? m_.units(reg) : is_uniform_pair ? 2 : 1;
        if (files_[file].size() < place + units) files_[file].resize(place + units);
        return std::span(files_[file]).subspan(place, units);
    }

    MachineFunction const& m_;
    Allocation const& allocation_;
    std::array<std::vector<Use>, files> files_;
};

class IssueOrder {
public:
    IssueOrder(MachineFunction const& m, Allocation const& allocation, CompilerModel const& model)
        : m_(m), model_(model), dependences_(m), registers_(m, allocation), graph_(m, model) {}

    std::vector<std::uint32_t> run() {
        for (ir::Block const& block : m_.function->blocks)
            for (Piece const& piece : pieces_of(m_, block)) order(piece);
        return std::move(order_);
    }

private:
    // While loads from global memory are still to be asked for, what does not lead to them stays behind.
    static constexpr std::uint32_t far_ahead = 200;

    void order(Piece const& piece) {
        std::vector<Dependence> found = dependences_.find(piece.first, piece.last);
        registers_.find(piece, found);
        graph_.build(piece, found);
        waiting_ = graph_.ready();
        now_ = 0;
        pipe_is_free_.fill(0);
        while (!waiting_.empty()) {
            std::uint32_t const next = choose();
            if (next == ir::none) {
                wait();
                continue;
            }
            waiting_.erase(std::find(waiting_.begin(), waiting_.end(), next));
            place(next);
            issue(next);
        }
        // Instructions without cost that nothing in the piece uses.
        for (std::uint32_t i = piece.first; i <= piece.last; ++i) place(i);
    }
    void place(std::uint32_t i) {
        auto const& placed = graph_.with_free(i);
        order_.insert(order_.end(), placed.begin(), placed.end());
    }

    /// The cycle from which on an instruction can issue: its operands are there, and its pipe is free.
    std::uint32_t earliest(std::uint32_t i) const {
        auto const pipe = static_cast<std::size_t>(CompilerModel::pipe(m_.own_micros_of(i).front()));
        return std::max(graph_.ready_cycle(i), pipe_is_free_[pipe]);
    }
    /// Of those that can issue now, that with the longest path to the end.
    std::uint32_t choose() const {
        std::uint32_t best = ir::none, longest = 0;
        for (std::uint32_t const i : waiting_) longest = std::max(longest, graph_.height(i));
        for (std::uint32_t const i : waiting_) {
            bool const stays_behind = graph_.height(i) + far_ahead < longest && !accesses_shared(i);
            if (stays_behind || earliest(i) > now_) continue;
            bool const is_higher = best == ir::none || graph_.height(i) > graph_.height(best);
            if (is_higher || (graph_.height(i) == graph_.height(best) && graph_.comes_before(i, best))) best = i;
        }
        return best;
    }
    bool accesses_shared(std::uint32_t i) const {
        return m_.form(i).space == isa::StateSpace::shared && m_.uses(i, {MicroUnit::lsu});
    }
    void wait() {
        std::uint32_t until = UINT32_MAX;
        for (std::uint32_t const i : waiting_)
            if (earliest(i) > now_) until = std::min(until, earliest(i));
        now_ = until;
    }
    void issue(std::uint32_t i) {
        std::uint32_t const first = now_;
        for (MicroOp const& op : m_.own_micros_of(i)) {
            std::uint32_t& free = pipe_is_free_[static_cast<std::size_t>(CompilerModel::pipe(op))];
            free = std::max(free, now_) + model_.interval(m_, i, op);
            ++now_;
        }
        auto const& released = graph_.issue(i, first, now_ - 1);
        waiting_.insert(waiting_.end(), released.begin(), released.end());
    }

    MachineFunction const& m_;
    CompilerModel const& model_;
    Dependences dependences_;
    RegisterUse registers_;
    PieceGraph graph_;
    std::vector<std::uint32_t> order_;
    // Of the piece.
    std::vector<std::uint32_t> waiting_;  // for nothing but cycles
    std::uint32_t now_ = 0;
    std::array<std::uint32_t, CompilerModel::pipes> pipe_is_free_{};  // cycle from which on
};

}  // namespace

std::vector<std::uint32_t> find_issue_order(MachineFunction const& m, Allocation const& allocation,
                                            CompilerModel const& model) {
    return IssueOrder(m, allocation, model).run();
}

void reorder(Allocation& allocation, std::vector<std::uint32_t> const& order) {
    std::vector<std::uint32_t> place(order.size());
    for (std::uint32_t k = 0; k < order.size(); ++k) place[order[k]] = k;
    for (Allocation::Moved& moved : allocation.moved) {
        // Others are at the beginning of a block.
        bool const is_written = moved.from != ir::entry_point && moved.from % 2 == 0;
        if (is_written) moved.from = ir::write_point(place[(moved.from - 1) / 2]);
    }
}

}  // namespace warpsim::timing
