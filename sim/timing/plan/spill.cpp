#include "sim/timing/plan/spill.hpp"

#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"
#include "sim/timing/plan/live_ranges.hpp"

#include <algorithm>
#include <set>

namespace warpsim::timing {

namespace {

using isa::Effect;
using isa::StateSpace;
using isa::Type;

/// The form of a plain load or store of local memory, made once for each width and direction.
std::uint32_t local_form(ir::Module& module, Effect effect, Type type, std::uint32_t source) {
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    isa::Operation const operation = effect == Effect::load ? isa::Operation::ld : isa::Operation::st;
    std::uint32_t row = 0;  // the first row of an operation is its plain form
    while (isa::operation_of(row) != operation) ++row;
    for (std::uint32_t f = 0; f < module.forms.size(); ++f) {
        ir::Form const& known = module.forms[f];
        if (known.row == row && known.space == StateSpace::local && known.types[0] == type && known.vector == 1 &&
            known.modifiers.size() == 1 && known.source == source && known.order == isa::Order::weak) {
            return f;
        }
    }
    ir::Form form;
    form.row = row;
    auto const variants = rows[row].variants;
    for (std::uint32_t v = 0; v < variants.size(); ++v) {
        if (variants[v].types[0] == type) form.variant = v;
    }
    form.source = source;
    form.operation = operation;
    form.text = isa::name(form.operation);
    form.modifiers = {isa::Modifier::local};
    form.types[0] = type;
    form.space = StateSpace::local;
    module.forms.push_back(form);
    return static_cast<std::uint32_t>(module.forms.size() - 1);
}

Type memory_type(Type type) {
    int const bits = isa::width(type);
    return bits == 0    ? Type::b64
           : bits <= 16 ? Type::b16
           : bits <= 32 ? Type::b32
           : bits <= 64 ? Type::b64
                        : Type::b128;
}

class Spiller {
public:
    Spiller(MachineFunction& m, ir::Module& module, ir::Function& function, std::vector<std::uint32_t>& original)
        : m_(m),
          module_(module),
          function_(function),
          original_(original),
          is_spilled_(function.registers.size(), false) {}

    /// Chooses what to spill so that never more than `most` 32-bit registers are live: long live ranges with few
    /// uses go first. False when nothing can be spilled.
    bool choose(std::uint32_t most) {
        LiveRanges const ranges(m_);
        std::vector<std::uint32_t> pressure = find_pressure(m_, ranges);
        std::vector<std::pair<ir::LiveInterval, std::uint32_t>> pieces;
        std::vector<double> merit(m_.function->registers.size(), 0);
        std::vector<double> const uses = count_uses();
        for (std::uint32_t r = 0; r < merit.size(); ++r) {
            std::uint32_t length = 0;
            for (ir::LiveInterval const& piece : ranges.of(r)) {
                pieces.emplace_back(piece, r);
                length += piece.end - piece.begin;
            }
            // A short live range is not worth a slot, and a value that was loaded for one use cannot be spilled again.
            bool const is_half = r < m_.is_half.size() && m_.is_half[r];
            bool const is_candidate = m_.units(r) != 0 && !is_spilled_[r] && !is_half && length > 8;
            merit[r] = is_candidate ? length * m_.units(r) / (uses[r] + 1) : 0;
        }
        std::sort(pieces.begin(), pieces.end(), [](auto const& a, auto const& b) {
            return a.first.begin != b.first.begin ? a.first.begin < b.first.begin : a.second < b.second;
        });
        chosen_.clear();
        std::vector<bool> is_out(merit.size(), false);
        std::set<std::pair<ir::ProgramPoint, std::uint32_t>> ends;  // of candidates that are live now
        std::set<std::pair<double, std::uint32_t>> live;            // by merit
        std::size_t next = 0;
        for (ir::ProgramPoint point = 0; point < pressure.size(); ++point) {
            for (; !ends.empty() && ends.begin()->first < point; ends.erase(ends.begin()))
                live.erase({merit[ends.begin()->second], ends.begin()->second});
            for (; next < pieces.size() && pieces[next].first.begin <= point; ++next) {
                auto const& [piece, r] = pieces[next];
                if (merit[r] == 0 || is_out[r]) continue;
                ends.insert({piece.end, r});
                live.insert({merit[r], r});
            }
            while (pressure[point] > most && !live.empty()) {
                std::uint32_t const out = live.rbegin()->second;
                live.erase(std::prev(live.end()));
                is_out[out] = true;
                chosen_.push_back(out);
                relieve(pressure, ranges, out);
            }
        }
        find_slots(ranges);
        return !chosen_.empty();
    }

    void insert() {
        place_variable();
        std::vector<std::uint32_t> new_first(function_.instructions.size() + 1);
        MachineFunction result;
        result.module = m_.module;
        result.program_registers = m_.program_registers;
        result.is_uniform = std::move(m_.is_uniform);
        result.is_kept = std::move(m_.is_kept);
        result.is_half = std::move(m_.is_half);
        result.root = std::move(m_.root);
        result.beyond_root = std::move(m_.beyond_root);
        result.only_definition.assign(m_.only_definition.size(), ir::none);
        result.micros = std::move(m_.micros);
        std::vector<ir::Instruction> instructions;
        std::vector<std::uint32_t> original;
        out_ = &result;
        instructions_ = &instructions;
        new_original_ = &original;
        for (std::uint32_t i = 0; i < m_.instructions.size(); ++i) {
            new_first[i] = static_cast<std::uint32_t>(instructions.size());
            loads_before(i);
            copy(i);
            stores_behind(i);
        }
        new_first[m_.instructions.size()] = static_cast<std::uint32_t>(instructions.size());
        function_.instructions = std::move(instructions);
        original_ = std::move(original);
        move_places(function_, new_first);
        result.function = &function_;
        // Registers that were added are their own roots.
        for (auto r = static_cast<std::uint32_t>(result.root.size()); r < function_.registers.size(); ++r) {
            result.root.push_back(r);
            result.only_definition.push_back(ir::none);
        }
        result.beyond_root.resize(result.root.size(), 0);
        m_ = std::move(result);
        is_spilled_.resize(function_.registers.size(), true);  // reloaded values are not spilled again
        for (std::uint32_t const reg : chosen_) is_spilled_[reg] = true;
    }

    std::uint64_t bytes = 0;

private:
    /// A value that is spilled is in a register only where it is read or written.
    void relieve(std::vector<std::uint32_t>& pressure, LiveRanges const& ranges, std::uint32_t reg) const {
        auto const mentions = [&](Lists const& lists, std::size_t i) {
            auto const list = lists[i];
            return std::find(list.begin(), list.end(), reg) != list.end();
        };
        for (ir::LiveInterval const& piece : ranges.of(reg)) {
            for (ir::ProgramPoint point = std::max(piece.begin, ir::read_point(0)); point <= piece.end; ++point) {
                std::size_t const i = (point - 1) / 2;
                bool const is_there = mentions(
                    point == ir::write_point(static_cast<std::uint32_t>(i)) ? m_.machine_writes : m_.machine_reads,
                    i);
                if (!is_there) pressure[point] -= m_.units(reg);
            }
        }
    }

    /// Reads and writes, those in loops with more weight: a block that control comes back to from below counts
    /// tenfold.
    std::vector<double> count_uses() const {
        std::vector<int> depth(function_.blocks.size() + 1, 0);
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            for (std::uint32_t const s : function_.blocks[b].successors) {
                if (s > b) continue;
                ++depth[s];
                --depth[b + 1];
            }
        }
        std::vector<double> uses(function_.registers.size(), 0);
        int now = 0;
        for (std::uint32_t b = 0; b < function_.blocks.size(); ++b) {
            now += depth[b];
            double weight = 1;
            for (int d = 0; d < std::min(now, 4); ++d) weight *= 10;
            for (std::uint32_t i = function_.blocks[b].first; i <= function_.blocks[b].last; ++i) {
                for (std::uint32_t const reg : m_.machine_reads[i]) uses[reg] += weight;
                for (std::uint32_t const reg : m_.machine_writes[i]) uses[reg] += weight;
            }
        }
        return uses;
    }

    /// Values that are not live at the same time share the words of local memory.
    void find_slots(LiveRanges const& ranges) {
        slot_.resize(function_.registers.size(), 0);
        std::sort(chosen_.begin(), chosen_.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair(ranges.of(a).front().begin, a) < std::pair(ranges.of(b).front().begin, b);
        });
        std::vector<Occupied> words;  // of this attempt; those of earlier ones stay as they are
        std::uint64_t const first = (bytes + 15) / 16 * 16;
        for (std::uint32_t const reg : chosen_) {
            auto const size =
                static_cast<std::size_t>(std::max(isa::width(memory_type(function_.registers[reg].type)) / 32, 1));
            auto const meets = [&](Occupied const& word) { return word.meets(ranges.of(reg)); };
            std::size_t at = 0;
            for (;; at += size) {
                if (words.size() < at + size) words.resize(at + size);
                auto const begin = words.begin() + static_cast<std::ptrdiff_t>(at);
                if (std::none_of(begin, begin + static_cast<std::ptrdiff_t>(size), meets)) break;
            }
            for (std::size_t w = 0; w < size; ++w) words[at + w].add(ranges.of(reg));
            slot_[reg] = first + at * 4;
        }
        if (!words.empty()) bytes = first + words.size() * 4;
    }

    void place_variable() {
        if (variable_ == ir::none) {
            variable_ = static_cast<std::uint32_t>(function_.variables.size());
            ir::Variable v;
            v.name = "spilled";
            v.space = StateSpace::local;
            v.align = 16;
            v.is_array = true;
            v.offset = (function_.local_bytes + 15) / 16 * 16;
            v.source = function_.source;
            v.span = function_.span;
            function_.variables.push_back(v);
        }
        ir::Variable& v = function_.variables[variable_];
        v.size = (bytes + 15) / 16 * 16;
        function_.local_bytes = v.offset + v.size;
        is_chosen_.assign(function_.registers.size(), false);
        for (std::uint32_t const reg : chosen_) is_chosen_[reg] = true;
    }

    void copy(std::uint32_t i) {
        instructions_->push_back(function_.instructions[i]);
        new_original_->push_back(original_[i]);
        out_->instructions.push_back(m_.instructions[i]);
        out_->reads.items.insert(out_->reads.items.end(), m_.reads[i].begin(), m_.reads[i].end());
        out_->writes.items.insert(out_->writes.items.end(), m_.writes[i].begin(), m_.writes[i].end());
        for (std::uint32_t const reg : m_.machine_reads[i])
            out_->machine_reads.items.push_back(is_chosen(reg) ? loaded_for(reg) : reg);
        out_->machine_writes.items.insert(out_->machine_writes.items.end(), m_.machine_writes[i].begin(),
                                          m_.machine_writes[i].end());
        end_lists();
    }
    bool is_chosen(std::uint32_t reg) const { return reg < is_chosen_.size() && is_chosen_[reg]; }
    std::uint32_t loaded_for(std::uint32_t reg) const {
        return std::find_if(loaded_.begin(), loaded_.end(), [&](auto const& l) { return l.first == reg; })->second;
    }
    void end_lists() {
        out_->reads.end_list();
        out_->writes.end_list();
        out_->machine_reads.end_list();
        out_->machine_writes.end_list();
    }

    void loads_before(std::uint32_t i) {
        loaded_.clear();
        for (std::uint32_t const reg : m_.machine_reads[i]) {
            if (!is_chosen(reg)) continue;
            auto const temporary = static_cast<std::uint32_t>(function_.registers.size());
            function_.registers.push_back({"%spilled" + std::to_string(temporary), function_.registers[reg].type});
            loaded_.push_back({reg, temporary});
            add(i, Effect::load, reg, temporary);
            out_->writes.items.push_back(temporary);
            out_->machine_writes.items.push_back(temporary);
            end_lists();
        }
    }
    void stores_behind(std::uint32_t i) {
        for (std::uint32_t const reg : m_.machine_writes[i]) {
            if (!is_chosen(reg)) continue;
            add(i, Effect::store, reg, reg);
            if (function_.instructions[i].guard != ir::none)
                out_->reads.items.push_back(function_.instructions[i].guard);
            out_->reads.items.push_back(reg);
            out_->machine_reads.items.push_back(reg);
            end_lists();
        }
    }

    /// A load or store of the slot of `slot_of`, with register `data`, at instruction i.
    void add(std::uint32_t i, Effect effect, std::uint32_t slot_of, std::uint32_t data) {
        ir::Instruction const& at = function_.instructions[i];
        Type const type = memory_type(function_.registers[data].type);
        ir::Instruction instruction;
        instruction.form = local_form(module_, effect, type, module_.forms[at.form].source);
        instruction.first_operand = static_cast<std::uint32_t>(function_.operands.size());
        instruction.operand_count = 2;
        instruction.span = at.span;
        instruction.location = at.location;
        instruction.is_added = true;
        if (effect == Effect::store) {
            instruction.guard = at.guard;
            instruction.guard_negated = at.guard_negated;
        }
        ir::Operand reg, address;
        reg.kind = ir::Operand::Kind::reg;
        reg.type = type;
        reg.index = data;
        address.kind = ir::Operand::Kind::address;
        address.base = ir::Operand::AddressBase::function_variable;
        address.type = Type::u64;
        address.index = variable_;
        address.value = static_cast<std::int64_t>(slot_[slot_of]);
        function_.operands.push_back(effect == Effect::load ? reg : address);
        function_.operands.push_back(effect == Effect::load ? address : reg);
        instructions_->push_back(instruction);
        new_original_->push_back(ir::none);
        MachineInstruction machine;
        machine.first_micro = static_cast<std::uint32_t>(out_->micros.size());
        machine.micros = 1;
        machine.weight = 0;
        out_->micros.push_back({MicroUnit::lsu, false, 0});
        out_->instructions.push_back(machine);
    }

    MachineFunction& m_;
    ir::Module& module_;
    ir::Function& function_;
    std::vector<std::uint32_t>& original_;
    std::vector<bool> is_spilled_, is_chosen_;
    std::vector<std::uint32_t> chosen_;
    std::vector<std::uint64_t> slot_;
    std::uint32_t variable_ = ir::none;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> loaded_;
    // of the function that is being built
    MachineFunction* out_ = nullptr;
    std::vector<ir::Instruction>* instructions_ = nullptr;
    std::vector<std::uint32_t>* new_original_ = nullptr;
};

}  // namespace

std::uint64_t spill(MachineFunction& m, ir::Module& module, ir::Function& function,
                    std::vector<std::uint32_t>& original, Allocation& allocation, std::uint32_t limit) {
    Spiller spiller(m, module, function, original);
    // Registers that the allocation adds to the values; more in every attempt, since pairs leave gaps.
    std::uint32_t kept_free = 3;
    for (; allocation.registers > limit && kept_free + 4 < limit; ++kept_free) {
        if (!spiller.choose(limit - kept_free)) continue;
        spiller.insert();
        allocation = allocate(m);
    }
    return spiller.bytes;
}

}  // namespace warpsim::timing
