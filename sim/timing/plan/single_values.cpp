#include "sim/timing/plan/single_values.hpp"

#include "frontend/ir/analysis/liveness.hpp"
#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace warpsim::timing {

namespace {

using Kind = ir::Operand::Kind;

class Namer {
public:
    Namer(ir::Module const& module, ir::Function& function)
        : module_(module),
          function_(function),
          lists_(ir::list_registers(module, function)),
          values_of_(function.registers.size(), 0),
          writer_(function.registers.size(), ir::none),
          open_(function.registers.size(), ir::none) {
        for (std::uint32_t i = 0; i < function.instructions.size(); ++i) {
            for (std::uint32_t const reg : lists_.writes[i])
                if (!goes_on(i, reg)) ++values_of_[reg];
        }
        std::fill(writer_.begin(), writer_.end(), ir::none);
        for (std::size_t p = 0; p < function.parameters.size(); ++p)
            if (p < function.parameter_in_register.size() && function.parameter_in_register[p])
                values_of_[function.parameters[p]] = 0;
        // `ret` reads these without naming them.
        for (std::size_t r = 0; r < function.returns.size(); ++r)
            if (r < function.return_in_register.size() && function.return_in_register[r])
                values_of_[function.returns[r]] = 0;
    }

    void run() {
        if (std::none_of(values_of_.begin(), values_of_.end(), [](std::uint32_t n) { return n > 1; })) return;
        std::vector<bool> keeps_old(function_.instructions.size());
        for (std::size_t i = 0; i < keeps_old.size(); ++i)
            keeps_old[i] = function_.instructions[i].guard != ir::none;
        ir::BlockLiveness const live =
            ir::find_block_liveness({function_, lists_.reads, lists_.writes, std::move(keeps_old)});
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            for (std::uint32_t i = function_.blocks[b].first; i <= function_.blocks[b].last; ++i) look_at(i);
            for (std::uint32_t const reg : live.out[b]) open_[reg] = ir::none;
            for (std::uint32_t const reg : touched_) close(reg);
            touched_.clear();
            values_.clear();
        }
    }

private:
    /// Where a value is named.
    using Value = std::vector<std::uint32_t*>;

    bool is_split(std::uint32_t reg) const { return values_of_[reg] > 1 && reg != function_.carry; }
    void name(std::uint32_t& place) {
        if (open_[place] != ir::none) values_[open_[place]].push_back(&place);
    }
    void look_at(std::uint32_t i) {
        ir::Instruction& instruction = function_.instructions[i];
        std::size_t const written = written_places(instruction);
        auto const operands =
            std::span(function_.operands).subspan(instruction.first_operand, instruction.operand_count);
        for (std::size_t k = written; k < operands.size(); ++k) {
            ir::Operand& o = operands[k];
            if (o.kind == Kind::reg || (o.kind == Kind::address && o.base == ir::Operand::AddressBase::reg))
                name(o.index);
        }
        if (instruction.guard != ir::none) name(instruction.guard);
        for (std::size_t k = 0; k < written; ++k) {
            ir::Operand& o = operands[k];
            if (o.kind != Kind::reg) continue;
            if (!is_split(o.index) || goes_on(i, o.index)) {
                name(o.index);
                continue;
            }
            close(o.index);
            touched_.push_back(o.index);
            open_[o.index] = static_cast<std::uint32_t>(values_.size());
            values_.push_back({&o.index});
        }
    }
    /// Nothing new begins: some lanes keep the old value, or the same operation is done to it once more.
    bool goes_on(std::uint32_t i, std::uint32_t reg) {
        std::uint32_t const before = std::exchange(writer_[reg], i);
        ir::Instruction const& instruction = function_.instructions[i];
        if (instruction.guard != ir::none || ir::accumulates(module_, instruction)) return true;
        auto const reads = lists_.reads[i];
        if (std::find(reads.begin(), reads.end(), reg) == reads.end()) return false;
        return before == ir::none || function_.block_of[before] != function_.block_of[i] ||
               module_.forms[function_.instructions[before].form].operation ==
                   module_.forms[instruction.form].operation;
    }
    /// Of the operands, elements included.
    std::size_t written_places(ir::Instruction const& instruction) const {
        auto const operands = function_.operands_of(instruction);
        std::size_t end = 0;
        for (int left = ir::written_operands(module_, function_, instruction); left > 0 && end < operands.size();
             --left) {
            bool const has_elements = operands[end].kind == Kind::vector || operands[end].kind == Kind::list;
            end += 1 + (has_elements ? std::size_t{operands[end].count} : 0);
        }
        return end;
    }
    void close(std::uint32_t reg) {
        if (open_[reg] == ir::none) return;
        auto const fresh = static_cast<std::uint32_t>(function_.registers.size());
        ir::Register same = function_.registers[reg];
        function_.registers.push_back(std::move(same));
        for (std::uint32_t* const place : values_[open_[reg]]) *place = fresh;
        open_[reg] = ir::none;
    }

    ir::Module const& module_;
    ir::Function& function_;
    ir::RegisterLists const lists_;
    std::vector<std::uint32_t> values_of_;  // per register: how many are begun in it
    std::vector<std::uint32_t> writer_;     // per register: the latest instruction
    std::vector<std::uint32_t> open_;       // per register: its value at this place, if this block has made it
    std::vector<std::uint32_t> touched_;
    std::vector<Value> values_;
};

}  // namespace

void name_single_values(ir::Module const& module, ir::Function& function) { Namer(module, function).run(); }

}  // namespace warpsim::timing
