// The timing plan of a trace: its instructions are the hardware's, so each is one micro-op.
#include "frontend/ir/registers.hpp"
#include "runtime/replay/program.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/expansion.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::replay {

using timing::MicroUnit;
using timing::TimedKind;

namespace {

/// As the model counts scopes: the CTA, the GPU, the system.
std::uint8_t scope_of(std::string_view opcode) {
    auto const has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
    return has(".SYS") ? 2 : has(".CTA") ? 0 : 1;
}

bool passes_l1(std::string_view opcode) {
    bool const is_strong = opcode.find(".STRONG") != std::string_view::npos && scope_of(opcode) != 0;
    return is_strong || opcode.find(".BYPASS") != std::string_view::npos;
}

TimedKind kind_of(SassRow const& row, TimedKind stand_in, MicroUnit unit) {
    if (row.is(SassRow::copies)) return TimedKind::copy;
    if (row.is(SassRow::commits_copies)) return TimedKind::commit_copies;
    if (row.is(SassRow::awaits_copies)) return TimedKind::await_copies;
    if (stand_in != TimedKind::plain) return stand_in;
    return unit == MicroUnit::lsu        ? TimedKind::memory
           : unit == MicroUnit::constant ? TimedKind::constant
                                         : stand_in;
}

/// The part of a product that one of several steps is.
void take_step(timing::MicroOp& micro, std::uint8_t steps) {
    std::uint16_t const all = micro.interval;
    micro.interval = static_cast<std::uint16_t>(std::max(all / steps, 1));
    micro.latency = static_cast<std::uint16_t>(std::max(micro.latency - (all - micro.interval), 1));
}

/// The registers that an access moves.
std::uint32_t data_registers(SassInstruction const& sass) {
    if (sass.opcode.starts_with("LDSM") || sass.opcode.starts_with("STSM")) return matrices_of(sass.opcode);
    return std::max(bytes_of(sass.opcode) / 4, 1u);
}

}  // namespace

void Program::time(std::vector<Line> const& lines, sim::Config const& config) {
    timing_.banks = std::max(config.sm.register_file->banks, 1u);
    timing_.functions.emplace_back();
    timing::FunctionTiming& f = timing_.functions[0];
    f.bank_reads = timing::BankReads(timing_.banks);
    std::uint64_t const first_pc = trace_.instructions.empty() ? 0 : trace_.instructions[0].pc;
    std::uint32_t address = 0;
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
        if (lines[i].sass != nullptr) address = static_cast<std::uint32_t>((lines[i].sass->pc - first_pc) / 16);
        f.original.push_back(i);
        f.add(timed(lines[i], i, address, i + 1 == lines.size(), config));
    }
    f.finish();
    f.slots = timing_.most_slots = zero_register + 1;
    timing_.code_size = address + 1;
}

timing::TimedInstruction Program::timed(Line const& line, std::uint32_t number, std::uint32_t code_address,
                                        bool is_last, sim::Config const& config) {
    timing::FunctionTiming& f = timing_.functions[0];
    timing::TimedInstruction timed = f.begin(code_address);
    if (line.sass == nullptr && !is_last) {
        timed.ends_block = true;
        timed.weight = 0;
        return timed;
    }
    ir::Module const& module = *plan_.module;
    ir::Function const& function = *plan_.functions[0].function;
    timing::MicroOp micro{is_last ? MicroUnit::branch : line.row->unit};
    std::vector<timing::MicroOp> expanded;
    timing::expand(module, function, function.instructions[number], config, expanded);
    auto const is_own = [&](timing::MicroOp const& one) { return one.unit == micro.unit; };
    auto const own = std::find_if(expanded.begin(), expanded.end(), is_own);
    auto const parts = std::count_if(expanded.begin(), expanded.end(), is_own);
    if (own != expanded.end()) micro = *own;
    micro.chained = false;
    // Where this hardware has the steps as well, the stand-in is made of them.
    if (line.row != nullptr && line.row->steps > parts) take_step(micro, line.row->steps);
    f.micros.push_back(micro);
    f.bank_reads.resize(f.micros.size());
    timed.kind = timing::timing_of(ir::effect(module, function.instructions[number])).kind;
    if (is_last) return timed;
    timed.kind = kind_of(*line.row, timed.kind, micro.unit);
    timed.groups_left =
        static_cast<std::uint8_t>(std::clamp<std::int64_t>(line.sass->immediate.value_or(0), 0, UINT8_MAX));
    timed.is_shared_memory = line.row->stand_in.find(".shared") != std::string_view::npos;
    timed.fence_scope = scope_of(line.sass->opcode);
    timed.passes_l1 = passes_l1(line.sass->opcode);
    add_registers(line);
    return timed;
}

/// The trace names the first register of each operand; how many follow is a matter of the opcode.
void Program::add_registers(Line const& line) {
    timing::FunctionTiming& f = timing_.functions[0];
    SassInstruction const& sass = *line.sass;
    SassRow const& row = *line.row;
    auto const slot = [](std::uint32_t reg) { return static_cast<timing::BoardSlot>(reg); };
    std::uint32_t const moved = data_registers(sass);
    auto const add_result = [&](std::uint32_t first) {
        std::uint32_t const count = row.is_access() || row.unit == MicroUnit::constant ? moved : row.results;
        for (std::uint32_t reg = first; reg < std::min(first + count, zero_register); ++reg)
            f.results.push_back(slot(reg));
    };
    std::span<std::uint32_t const> sources = sass.sources;
    if (row.is(SassRow::result_follows) && sass.destinations.empty() && !sources.empty()) {
        add_result(sources.front());
        sources = sources.subspan(1);
    }
    for (std::uint32_t const first : sass.destinations) add_result(first);
    for (std::size_t k = 0; k < sources.size(); ++k) {
        bool const is_target = row.is(SassRow::copies) && k == 0;  // in shared memory
        bool const is_address = row.is_access() && (k == 0 || (row.is(SassRow::copies) && k == 1));
        std::uint32_t const count = is_address        ? (is_target || row.is_narrow_access() ? 1 : 2)
                                    : row.is_access() ? moved
                                                      : row.sources[std::min(k, row.sources.size() - 1)];
        for (std::uint32_t reg = sources[k]; reg < std::min(sources[k] + count, zero_register); ++reg) {
            f.operands.push_back({slot(reg), is_address ? timing::Role::address : timing::Role::value});
            if (row.unit <= MicroUnit::fp64) f.bank_reads.add(f.micros.size() - 1, reg % timing_.banks);
        }
    }
}

}  // namespace warpsim::replay
