#include "sim/timing/plan/parameters.hpp"

#include "frontend/ir/analysis/dominators.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "sim/timing/plan/machine_function.hpp"
#include "sim/timing/plan/operations.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

bool is_register(ir::Operand const& o) {
    return o.kind == Kind::reg || (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg);
}

class Placer {
public:
    Placer(ir::Module const& module, ir::Function& function, GuardedPaths& paths, Unrolled& unrolled,
           Rereading rereading)
        : module_(module),
          function_(function),
          paths_(paths),
          unrolled_(unrolled),
          rereading_(rereading),
          dominators_(function),
          maker_(function.registers.size(), ir::none) {}

    std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> before(function_.registers.size());
        for (std::uint32_t reg = 0; reg < before.size(); ++reg) before[reg] = reg;
        if (!function_.is_entry) return before;
        find_makers();
        find_depths();
        find_places();
        if (reads_.empty()) return before;
        insert();
        for (auto const& [place, reg] : reads_) before.push_back(place.second);
        return before;
    }

private:
    using Place = std::pair<std::uint32_t, std::uint32_t>;  // block, register

    /// The instructions that read a parameter, or take a copy of one, into a register that nothing else writes.
    void find_makers() {
        ir::RegisterLists const lists = ir::list_registers(module_, function_);
        std::vector<std::uint32_t> writers(function_.registers.size(), 0);
        for (std::uint32_t const reg : lists.writes.items) ++writers[reg];
        for (std::uint32_t i = 0; i < function_.instructions.size(); ++i) {
            auto const o = function_.operands_of(function_.instructions[i]);
            bool const is_plain =
                function_.instructions[i].guard == ir::none && o.size() == 2 && o[0].kind == Kind::reg;
            if (is_plain && writers[o[0].index] == 1 && (reads(i) || copies_parameter(i))) maker_[o[0].index] = i;
        }
    }
    bool reads_parameter(std::uint32_t i) const {
        ir::Instruction const& instruction = function_.instructions[i];
        ir::Operand const& from = function_.operands_of(instruction)[1];
        auto const& parameters = function_.parameters;
        return module_.forms[instruction.form].operation == Operation::ld && from.kind == Kind::address &&
               from.base == ir::Operand::AddressBase::function_variable &&
               std::find(parameters.begin(), parameters.end(), from.index) != parameters.end();
    }
    /// Where registers are scarce, numbers of threads and CTAs are read again, too.
    bool reads_number(std::uint32_t i) const {
        if (rereading_ != Rereading::in_loops) return false;
        ir::Instruction const& instruction = function_.instructions[i];
        ir::Operand const& from = function_.operands_of(instruction)[1];
        auto const which = static_cast<ir::SpecialRegister>(from.index);
        return module_.forms[instruction.form].operation == Operation::mov && from.kind == Kind::special &&
               (which == ir::SpecialRegister::tid || which == ir::SpecialRegister::ctaid);
    }
    bool reads(std::uint32_t i) const { return reads_parameter(i) || reads_number(i); }
    /// cvta, which changes nothing of an address in global memory.
    bool copies_parameter(std::uint32_t i) const {
        ir::Instruction const& instruction = function_.instructions[i];
        ir::Operand const& from = function_.operands_of(instruction)[1];
        return ir::effect(module_, instruction) == isa::Effect::convert_address &&
               module_.forms[instruction.form].space == ir::StateSpace::global && from.kind == Kind::reg &&
               maker_[from.index] != ir::none;
    }

    void find_depths() {
        depth_.assign(function_.blocks.size(), 0);
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b)
            for (std::uint32_t const s : function_.blocks[b].successors)
                if (s <= b && dominators_.is_reached(b) && dominators_.dominates(s, b))
                    for (std::uint32_t inside = s; inside <= b; ++inside) ++depth_[inside];
    }

    /// Where each block that uses a parameter finds it.
    void find_places() {
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            if (!dominators_.is_reached(b)) continue;
            for (std::uint32_t i = function_.blocks[b].first; i <= function_.blocks[b].last; ++i) {
                auto const operands = function_.operands_of(function_.instructions[i]);
                for (ir::Operand const& o : operands)
                    if (is_register(o) && maker_[o.index] != ir::none && maker_[o.index] != i &&
                        copy_of(i) == ir::none)
                        find_place(b, o.index);
            }
        }
        for (auto& [place, reg] : reads_) {
            reg = static_cast<std::uint32_t>(function_.registers.size());
            ir::Register const same = function_.registers[place.second];
            function_.registers.push_back({same.name + "@" + std::to_string(place.first), same.type});
        }
    }
    /// The register that instruction `i` makes, if it is a maker.
    std::uint32_t copy_of(std::uint32_t i) const {
        auto const o = function_.operands_of(function_.instructions[i]);
        return !o.empty() && o[0].kind == Kind::reg && maker_[o[0].index] == i ? o[0].index : ir::none;
    }
    bool has_loop_between(std::uint32_t first, std::uint32_t last) const {
        for (std::uint32_t b = first + 1; b < last; ++b)
            if (depth_[b] > std::max(depth_[first], depth_[last])) return true;
        return false;
    }
    void find_place(std::uint32_t b, std::uint32_t used) {
        std::uint32_t const read = read_of(used), reg = read_into(used), home = function_.block_of[read];
        // What the first block needs in a register stays there while there are enough.
        if (b == home) used_at_home_.insert(read);
        if (rereading_ == Rereading::before_loops && used_at_home_.contains(read)) return;
        bool const is_number = reads_number(read);
        if (is_number && !has_loop_between(home, b)) return;
        bool const goes_before_loops = is_number || rereading_ == Rereading::before_loops;
        std::uint32_t place = b;
        if (goes_before_loops)
            while (place != home && depth_[place] > depth_[home]) place = dominators_.immediate(place);
        if (place == home) return;
        if (goes_before_loops) {
            for (auto const& [other, known] : reads_)
                if (other.second == reg && dominators_.dominates(other.first, place)) place = other.first;
        }
        reads_.try_emplace({place, reg}, ir::none);
        found_[{b, reg}] = place;
    }

    void insert() {
        std::vector<ir::Instruction> instructions;
        std::vector<std::uint32_t> original, new_first(function_.instructions.size() + 1);
        std::vector<std::uint16_t> weight;
        std::vector<GuardedPlace> places;
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            ir::Block const& block = function_.blocks[b];
            for (std::uint32_t i = block.first; i <= block.last; ++i) {
                new_first[i] = static_cast<std::uint32_t>(instructions.size());
                if (i == block.first) {
                    for (auto it = reads_.lower_bound({b, 0}); it != reads_.end() && it->first.first == b; ++it) {
                        std::uint32_t const maker = read_of(it->first.second);
                        instructions.push_back(read(maker, it->second));
                        original.push_back(unrolled_.original[maker]);
                        weight.push_back(0);
                        if (!paths_.places.empty()) places.emplace_back();
                    }
                }
                use(b, i);
                instructions.push_back(function_.instructions[i]);
                original.push_back(unrolled_.original[i]);
                weight.push_back(unrolled_.weight[i]);
                if (!paths_.places.empty()) places.push_back(paths_.places[i]);
            }
        }
        new_first.back() = static_cast<std::uint32_t>(instructions.size());
        // A loop that was unrolled begins behind what was added to its block.
        for (UnrolledLoop& loop : unrolled_.loops) {
            std::uint32_t const b = function_.block_of[loop.first];
            bool const is_first = function_.blocks[b].first == loop.first;
            std::uint32_t const added = is_first ? added_to(b) : 0;
            loop.first = new_first[loop.first] + added;
        }
        function_.instructions = std::move(instructions);
        move_places(function_, new_first);
        unrolled_.original = std::move(original);
        unrolled_.weight = std::move(weight);
        paths_.places = std::move(places);
    }
    std::uint32_t added_to(std::uint32_t b) const {
        auto const first = reads_.lower_bound({b, 0}), past = reads_.lower_bound({b + 1, 0});
        return static_cast<std::uint32_t>(std::distance(first, past));
    }

    /// The instruction that reads what `reg` holds.
    std::uint32_t read_of(std::uint32_t reg) const {
        std::uint32_t i = maker_[reg];
        while (!reads(i)) i = maker_[function_.operands_of(function_.instructions[i])[1].index];
        return i;
    }
    /// The register that it is read into. Copies of it are not read again beside it.
    std::uint32_t read_into(std::uint32_t reg) const {
        return function_.operands_of(function_.instructions[read_of(reg)])[0].index;
    }
    /// The same read into another register.
    ir::Instruction read(std::uint32_t maker, std::uint32_t into) {
        ir::Instruction instruction = function_.instructions[maker];
        own_operands(instruction);
        function_.operands[instruction.first_operand].index = into;
        instruction.is_added = true;
        return instruction;
    }
    void own_operands(ir::Instruction& instruction) {
        auto const first = static_cast<std::uint32_t>(function_.operands.size());
        for (std::uint32_t k = 0; k < instruction.operand_count; ++k)
            function_.operands.push_back(ir::Operand(function_.operands[instruction.first_operand + k]));
        instruction.first_operand = first;
    }
    void use(std::uint32_t b, std::uint32_t i) {
        if (copy_of(i) != ir::none) return;
        ir::Instruction& instruction = function_.instructions[i];
        bool has_own = false;
        for (std::uint32_t k = 0; k < instruction.operand_count; ++k) {
            ir::Operand const& o = function_.operands[instruction.first_operand + k];
            if (!is_register(o) || maker_[o.index] == ir::none) continue;
            auto const found = found_.find({b, read_into(o.index)});
            if (found == found_.end()) continue;
            if (!has_own) own_operands(instruction);
            has_own = true;
            ir::Operand& own = function_.operands[instruction.first_operand + k];
            own.index = reads_.at({found->second, read_into(own.index)});
        }
    }

    ir::Module const& module_;
    ir::Function& function_;
    GuardedPaths& paths_;
    Unrolled& unrolled_;
    Rereading const rereading_;
    ir::DominatorTree const dominators_;
    std::vector<std::uint32_t> maker_;      // per register that holds a parameter: what makes it
    std::vector<std::uint32_t> depth_;      // of loops, per block
    std::map<Place, std::uint32_t> reads_;  // where a parameter is read again: the new register
    std::set<std::uint32_t> used_at_home_;  // reads of parameters
    std::map<Place, std::uint32_t> found_;  // where a block finds it: the block that reads it
};

}  // namespace

std::vector<std::uint32_t> reread_parameters(ir::Module const& module, ir::Function& function, GuardedPaths& paths,
                                             Unrolled& unrolled, Rereading rereading) {
    return Placer(module, function, paths, unrolled, rereading).run();
}

}  // namespace warpsim::timing
