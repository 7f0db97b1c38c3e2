#include "frontend/ir/analysis/global_registers.hpp"

namespace warpsim::ir {
namespace {

/// callback(block, register, is_written, keeps_old_value), the reads of an instruction before its writes.
template <class Callback> void for_each_access(RegisterUses const& uses, Callback&& callback) {
    for (std::uint32_t b = 0; b < uses.function.blocks.size(); ++b) {
        Block const& block = uses.function.blocks[b];
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            bool const keeps_old = uses.keeps_old[i];
            for (std::uint32_t const reg : uses.reads[i]) callback(b, reg, false, keeps_old);
            for (std::uint32_t const reg : uses.writes[i]) callback(b, reg, true, keeps_old);
        }
    }
}

}  // namespace

GlobalRegisters::GlobalRegisters(RegisterUses const& uses) : function_(uses.function) {
    collect_mentions(uses);
    divide();
}

void GlobalRegisters::collect_mentions(RegisterUses const& uses) {
    std::size_t const count = function_.registers.size();
    std::vector<bool> is_global(count, false);
    std::vector<std::uint32_t> replaced_in(count, none);
    for_each_access(uses, [&](std::uint32_t b, std::uint32_t reg, bool is_written, bool keeps_old) {
        if (!is_written) {
            is_global[reg] = is_global[reg] || replaced_in[reg] != b;
        } else if (!keeps_old) {
            replaced_in[reg] = b;
        }
    });
    // The same walk again, now that it is known which registers are global.
    std::vector<std::uint32_t> mention_of(count, none);
    first_mention_.assign(function_.blocks.size() + 1, 0);
    for_each_access(uses, [&](std::uint32_t b, std::uint32_t reg, bool is_written, bool keeps_old) {
        if (!is_global[reg]) {
            return;
        }
        std::uint32_t& index = mention_of[reg];
        if (index == none || mentions_[index].block != b) {
            index = static_cast<std::uint32_t>(mentions_.size());
            mentions_.push_back(Mention{.block = b, .reg = reg});
            ++first_mention_[b + 1];
        }
        Mention& mention = mentions_[index];
        if (!is_written) {
            mention.needed_before = mention.needed_before || !mention.replaced;
        } else if (!keeps_old) {
            mention.replaced = true;
        }
    });
    for (std::size_t b = 0; b < function_.blocks.size(); ++b) {
        first_mention_[b + 1] += first_mention_[b];
    }
}

void GlobalRegisters::divide() {
    position_.assign(function_.registers.size(), none);
    for (Mention const& mention : mentions_) {
        if (position_[mention.reg] == none) {
            position_[mention.reg] = static_cast<std::uint32_t>(registers_.size());
            registers_.push_back(mention.reg);
        }
    }
    groups_.resize((registers_.size() + RegisterGroup::size - 1) / RegisterGroup::size);
    for (std::uint32_t m = 0; m < mentions_.size(); ++m) {
        groups_[position_[mentions_[m].reg] / RegisterGroup::size].push_back(m);
    }
}

void GlobalRegisters::solve_group(BackwardFlow& flow, std::vector<std::uint32_t> const& group) {
    auto const place_of = [&](Mention const& mention) { return position_[mention.reg] % RegisterGroup::size; };
    flow.clear();
    for (std::uint32_t const m : group) {
        Mention const& mention = mentions_[m];
        if (mention.needed_before) flow.needs(mention.block, place_of(mention));
        if (mention.replaced) flow.replaces(mention.block, place_of(mention));
    }
    flow.solve();
    for (std::uint32_t const m : group) {
        mentions_[m].live_out = flow.live_out(mentions_[m].block).contains(place_of(mentions_[m]));
    }
}

}  // namespace warpsim::ir
