#include "sim/timing/plan/constant_pieces.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

/// What happens to one constant in a block.
struct InBlock {
    std::uint32_t first_reader = ir::none, last_reader = ir::none;
    bool is_made_here = false, is_made_at_end = false;
    bool is_live_in = false, is_live_out = false;

    bool reads() const { return first_reader != ir::none; }
};

bool is_read_behind(std::vector<InBlock> const& blocks, ir::Block const& block) {
    return std::any_of(block.successors.begin(), block.successors.end(),
                       [&](std::uint32_t s) { return blocks[s].is_live_in; });
}

/// Backwards, until nothing changes.
void find_where_live(ir::Function const& function, std::vector<InBlock>& blocks) {
    for (bool changes = true; changes;) {
        changes = false;
        for (std::size_t b = blocks.size(); b-- > 0;) {
            InBlock& at = blocks[b];
            at.is_live_out = is_read_behind(blocks, function.blocks[b]);
            bool const passes = at.is_live_out && !at.is_made_at_end;
            bool const is_live_in = !at.is_made_here && (at.reads() || passes);
            changes = changes || is_live_in != at.is_live_in;
            at.is_live_in = is_live_in;
        }
    }
}

void add_piece(std::vector<ir::LiveInterval>& pieces, ir::ProgramPoint begin, ir::ProgramPoint end) {
    if (!pieces.empty() && pieces.back().end + 1 >= begin) pieces.back().extend(begin, end);
    else pieces.push_back({begin, end});
}

}  // namespace

std::vector<ir::LiveInterval> find_pieces(MachineFunction const& m, std::span<MadeConstant const> made,
                                          std::uint16_t number, std::span<std::uint32_t const> readers) {
    ir::Function const& function = *m.function;
    std::vector<InBlock> blocks(function.blocks.size());
    for (std::uint32_t const i : readers) {
        InBlock& at = blocks[function.block_of[i]];
        if (!at.reads()) at.first_reader = i;
        at.last_reader = i;
    }
    for (MadeConstant const& c : made) {
        if (c.number != number) continue;
        (c.at_end ? blocks[c.block].is_made_at_end : blocks[c.block].is_made_here) = true;
    }
    find_where_live(function, blocks);
    std::vector<ir::LiveInterval> pieces;
    for (std::uint32_t b = 0; b < blocks.size(); ++b) {
        InBlock const& at = blocks[b];
        ir::Block const& block = function.blocks[b];
        ir::ProgramPoint const front = b == 0 ? ir::entry_point : ir::read_point(block.first);
        ir::ProgramPoint const end = ir::write_point(block.last);
        bool const passes = at.is_live_out && !at.is_made_at_end;
        if (at.reads() || (at.is_live_in && passes)) {
            ir::ProgramPoint const begin = at.is_live_in ? front : ir::read_point(at.first_reader);
            add_piece(pieces, begin, passes ? end : ir::read_point(at.last_reader));
        }
        if (at.is_live_out && at.is_made_at_end) add_piece(pieces, ir::read_point(block.last), end);
    }
    return pieces;
}

}  // namespace warpsim::timing
