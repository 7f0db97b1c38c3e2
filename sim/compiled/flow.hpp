// Which columns of a frame the ops of a function read and write, where its straight-line code begins and ends, and what
// is live there. Knows no LLVM.
#pragma once

#include "sim/compiled/lane_calls.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace warpsim::sim {

/// A set of columns.
class ColumnSet {
public:
    explicit ColumnSet(std::size_t columns = 0) : words_((columns + 63) / 64) {}
    void insert(std::uint32_t i) { words_[i / 64] |= std::uint64_t{1} << i % 64; }
    void erase(std::uint32_t i) { words_[i / 64] &= ~(std::uint64_t{1} << i % 64); }
    bool contains(std::uint32_t i) const { return (words_[i / 64] >> i % 64 & 1) != 0; }
    /// True if that adds any.
    bool add(ColumnSet const& other) {
        bool grows = false;
        for (std::size_t w = 0; w < words_.size(); ++w) {
            grows |= (other.words_[w] & ~words_[w]) != 0;
            words_[w] |= other.words_[w];
        }
        return grows;
    }

private:
    std::vector<std::uint64_t> words_;
};

/// Columns of atomics have the width of memory.
inline LaneOperand atomic_column(Access const& access, Slot slot) {
    return {slot, std::max<std::uint8_t>(access.memory_log2, 1)};
}

struct CompiledOp {
    bool is_compiled = false;
    std::optional<LaneCall> lanes;  // of a lanes op
    std::vector<std::uint32_t> reads,
        writes;                     // columns of the frame; of one that is interpreted: what it may touch
    bool writes_all_lanes = false;  // that execute it: the columns' former values are gone
};

/// Straight-line code, or one op that is interpreted.
struct CodeBlock {
    std::uint32_t begin = 0, end = 0;  // ops
    bool is_compiled = false;
    std::vector<std::uint32_t> successors;  // blocks that compiled code goes on in
    ColumnSet live_in, live_out;
    ColumnSet dirty_in, dirty_out;  // written since the last entry
};

struct CodeFlow {
    std::vector<LaneOperand> columns;  // of the frame
    std::map<Slot, std::uint32_t> column_of;
    std::vector<CompiledOp> ops;
    std::vector<CodeBlock> blocks;
    std::vector<std::uint32_t> block_of;  // per op that begins one; else none

    static constexpr std::uint32_t none = UINT32_MAX;
    std::uint32_t column(LaneOperand const& operand) const { return column_of.at(operand.slot); }
    /// What is live before an op, if that is live behind it.
    ColumnSet live_before(std::uint32_t op, ColumnSet live) const {
        CompiledOp const& described = ops[op];
        for (std::uint32_t const column : described.writes) {
            // Lanes that do not execute it keep what they have.
            if (described.writes_all_lanes) live.erase(column);
            else live.insert(column);
        }
        for (std::uint32_t const column : described.reads) live.insert(column);
        return live;
    }
};

/// None if columns overlap, as no plan that this room knows makes them do.
std::optional<CodeFlow> find_flow(KernelPlan const& plan, FunctionPlan const& function, isa::HostIsa host);

}  // namespace warpsim::sim
