#include "runtime/replay/program.hpp"

#include "frontend/ir/registers.hpp"
#include "runtime/device_state.hpp"
#include "runtime/replay/effect.hpp"
#include "runtime/replay/line_reader.hpp"
#include "runtime/replay/sass_table.hpp"
#include "sim/timing/plan/effect_timing.hpp"
#include "sim/timing/plan/expansion.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpsim::replay {

using timing::MicroUnit;
using timing::TimedKind;

/// A stand-in. The first of all, and one behind each barrier, cost nothing: they only bring a warp to its next record.
struct Program::Line {
    SassInstruction const* sass = nullptr;  // null: it only leads on, or is the last exit
    SassRow const* row = nullptr;
};

namespace {

std::uint32_t part_scope(std::string_view opcode) {
    auto const has = [&](std::string_view part) { return opcode.find(part) != std::string_view::npos; };
    return has(".SYS") ? 2 : has(".CTA") ? 0 : 1;
}

int target_of(KernelTrace const& trace) {
    static constexpr std::array known{70, 72, 75, 80, 86, 87, 89, 90};
    if (std::find(known.begin(), known.end(), trace.binary_version) != known.end()) return trace.binary_version;
    fail_at(*trace.source, trace.source->text().substr(0, 1),
            "the binary version " + std::to_string(trace.binary_version) +
                " is not one of those that can be timed: 70, 72, 75, 80, 86, 87, 89 and 90");
}

}  // namespace

Program::Program(KernelTrace const& trace, runtime::Device& device)
    : trace_(trace), warps_((trace.block[0] * trace.block[1] * trace.block[2] + 31) / 32) {
    std::vector<Line> lines{{}};
    for (SassInstruction const& sass : trace.instructions) {
        SassRow const* const row = sass_row(sass.opcode);
        if (std::string_view const why = why_not_timed(sass.opcode); !why.empty())
            fail_at(*trace.source, sass.opcode, std::string(sass.opcode) + " is not timed: " + std::string(why));
        if (row == nullptr)
            fail_at(*trace.source, sass.opcode, "unknown opcode '" + std::string(sass.opcode) + "'");
        line_of_.push_back(static_cast<std::uint32_t>(lines.size()));
        lines.push_back({&sass, row});
        if (row->is(SassRow::is_barrier)) lines.push_back({});
    }
    lines.push_back({});
    write_text(lines);
    module_ = device.load_text(trace.source->name(), text_);
    runtime::Module::State& loaded = module_->state();
    plan_ = loaded.plan(loaded.kernel("k"));
    replace_ops(lines);
    time(lines, device.config());
    follow_warps(lines);
}

void Program::write_text(std::vector<Line> const& lines) {
    int const target = target_of(trace_);
    text_ = ".version 8.7\n.target sm_" + std::to_string(target) +
            "\n.address_size 64\n.const .b32 bank;\n.visible .entry k() {\n.local .b32 kept;\n.reg .b32 "
            "%r<16>;\n.reg .b64 "
            "%d<4>;\n.reg .f32 %f<8>;\n.reg .f64 %g<8>;\n.reg .pred %p<4>;\n";
    for (std::size_t i = 0; i + 1 < lines.size(); ++i) {
        std::string text(lines[i].row != nullptr ? lines[i].row->stand_in : "mov.b32 %r0, %r1;");
        if (std::size_t const next = text.find("NEXT"); next != std::string::npos) {
            std::string const label = "L" + std::to_string(i);
            text.replace(next, 4, label);
            text += "\n" + label + ":";
        }
        text_ += text + "\n";
    }
    text_ += "exit;\n}\n";
}

void Program::replace_ops(std::vector<Line> const& lines) {
    sim::FunctionPlan& function = plan_.functions[0];
    first_op_.assign(lines.size(), UINT32_MAX);
    is_for_all_.assign(lines.size(), false);
    for (std::size_t i = 0; i < function.ops.size(); ++i) {
        sim::Op& op = function.ops[i];
        if (!op.is_primary || op.kind == sim::OpKind::converge || first_op_[op.instruction] != UINT32_MAX)
            continue;
        first_op_[op.instruction] = static_cast<std::uint32_t>(i);
        Line const& line = lines[op.instruction];
        bool const is_last = op.instruction + 1 == lines.size();
        is_for_all_[op.instruction] = is_last || (line.row != nullptr && line.row->is(SassRow::is_barrier));
        if (is_for_all_[op.instruction]) continue;
        auto traced = std::make_shared<TracedOp>();
        traced->program = this;
        traced->planned = op;
        if (line.sass != nullptr) traced->bytes = line.sass->bytes;
        bool const is_access =
            op.kind == sim::OpKind::load || op.kind == sim::OpKind::store || op.kind == sim::OpKind::atomic;
        if (is_access) {
            traced->access = function.accesses[op.target];
            traced->is_generic = line.row->is(SassRow::generic);
        }
        op.kind = sim::OpKind::effect;
        op.carry_out = follow_trace;
        op.target = static_cast<std::uint32_t>(function.details.size());
        function.details.push_back(std::move(traced));
    }
}

void Program::time(std::vector<Line> const& lines, sim::Config const& config) {
    ir::Module const& module = *plan_.module;
    ir::Function const& function = *plan_.functions[0].function;
    timing_.banks = std::max(config.sm.register_file->banks, 1u);
    timing_.functions.emplace_back();
    timing::FunctionTiming& f = timing_.functions[0];
    f.bank_reads = timing::BankReads(timing_.banks);
    std::vector<std::uint32_t> copies;  // slots that stand for what is on its way to shared memory
    std::uint32_t slots = zero_register + 1;
    for (Line const& line : lines)
        if (line.row != nullptr && line.row->is(SassRow::asynchronous)) copies.push_back(slots++);
    std::uint32_t next_copy = zero_register + 1;
    std::uint64_t const first_pc = trace_.instructions.empty() ? 0 : trace_.instructions[0].pc;
    std::uint32_t address = 0;
    for (std::uint32_t i = 0; i < lines.size(); ++i) {
        Line const& line = lines[i];
        timing::TimedInstruction timed;
        timed.first_micro = static_cast<std::uint32_t>(f.micros.size());
        timed.first_source = static_cast<std::uint32_t>(f.sources.size());
        timed.first_result = static_cast<std::uint32_t>(f.results.size());
        bool const is_last = i + 1 == lines.size();
        if (line.sass != nullptr) address = static_cast<std::uint32_t>((line.sass->pc - first_pc) / 16);
        if (line.sass == nullptr && !is_last) {
            timed.ends_block = true;
            timed.weight = 0;
        } else {
            timing::MicroOp micro{is_last ? MicroUnit::branch : line.row->unit};
            std::vector<timing::MicroOp> expanded;
            timing::expand(module, function, function.instructions[i], config, expanded);
            for (timing::MicroOp const& one : expanded) {
                if (one.unit != micro.unit) continue;
                micro = one;
                micro.chained = false;
                break;
            }
            f.micros.push_back(micro);
            timed.micros = 1;
            timed.kind = timing::timing_of(ir::effect(module, function.instructions[i])).kind;
            if (timed.kind == TimedKind::plain && micro.unit == MicroUnit::lsu) timed.kind = TimedKind::memory;
            if (timed.kind == TimedKind::plain && micro.unit == MicroUnit::constant)
                timed.kind = TimedKind::constant;
        }
        f.bank_reads.resize(f.micros.size());
        if (line.sass != nullptr) {
            std::string_view const opcode = line.sass->opcode;
            timed.is_shared_memory = line.row->stand_in.find(".shared") != std::string_view::npos;
            timed.fence_scope = static_cast<std::uint8_t>(part_scope(opcode));
            timed.passes_l1 = opcode.find(".STRONG") != std::string_view::npos && part_scope(opcode) != 0;
            bool const is_copy = line.row->is(SassRow::asynchronous);
            add_registers(line, copies, is_copy ? next_copy++ : UINT32_MAX);
        }
        timed.sources =
            static_cast<std::uint8_t>(std::min<std::size_t>(f.sources.size() - timed.first_source, 255));
        timed.results =
            static_cast<std::uint8_t>(std::min<std::size_t>(f.results.size() - timed.first_result, 255));
        f.code_address.push_back(address);
        f.original.push_back(i);
        f.instructions.push_back(timed);
    }
    f.slots = timing_.most_slots = slots;
    timing_.code_size = address + 1;
}

/// The trace names the first register of each operand; how many follow is a matter of the opcode.
void Program::add_registers(Line const& line, std::vector<std::uint32_t> const& copies, std::uint32_t own_slot) {
    timing::FunctionTiming& f = timing_.functions[0];
    SassInstruction const& sass = *line.sass;
    auto const slot = [](std::uint32_t reg) { return static_cast<timing::BoardSlot>(reg); };
    bool const is_access = line.row->unit == MicroUnit::lsu;
    std::uint32_t const units = is_access && sass.bytes > 4 ? sass.bytes / 4 : line.row->results;
    for (std::size_t k = 0; k < sass.sources.size(); ++k) {
        std::uint32_t const first = sass.sources[k];
        std::uint32_t const count = line.row->is(SassRow::wide) || (is_access && k == 0) ? 2
                                    : is_access                                          ? std::max(units, 1u)
                                                                                         : 1;
        for (std::uint32_t reg = first; reg < std::min(first + count, zero_register); ++reg) {
            f.sources.push_back({slot(reg), is_access && k == 0 ? timing::Role::address : timing::Role::value});
            if (line.row->unit <= MicroUnit::fp64) f.bank_reads.add(f.micros.size() - 1, reg % timing_.banks);
        }
    }
    for (std::uint32_t const first : sass.destinations)
        for (std::uint32_t reg = first; reg < std::min(first + units, zero_register); ++reg)
            f.results.push_back(slot(reg));
    if (own_slot != UINT32_MAX) f.results.push_back(slot(own_slot));
    if (line.row->is(SassRow::awaits_copies))
        for (std::uint32_t const copy : copies) f.sources.push_back({slot(copy), timing::Role::value});
}

void Program::follow_warps(std::vector<Line> const& lines) {
    auto const last = static_cast<std::uint32_t>(lines.size() - 1);
    nothing_ = {{0, 0, 0}, {last, 0, 0}};
    std::uint64_t const ctas = std::uint64_t{trace_.grid[0]} * trace_.grid[1] * trace_.grid[2];
    missing_ctas_ = static_cast<std::uint32_t>(ctas - trace_.ctas.size());
    for (TracedCta const& cta : trace_.ctas) {
        std::uint64_t const linear =
            (std::uint64_t{cta.id[2]} * trace_.grid[1] + cta.id[1]) * trace_.grid[0] + cta.id[0];
        steps_.resize(std::max<std::size_t>(steps_.size(), (linear + 1) * warps_));
        for (std::uint32_t w = 0; w < warps_; ++w) {
            std::vector<Record> const& records = cta.warps[w].records;
            std::vector<Step>& steps = steps_[linear * warps_ + w];
            steps.push_back({});
            for (std::size_t i = 0; i < records.size(); ++i) {
                std::uint32_t const line = line_of_[records[i].instruction];
                // The exit with which the trace of the warp ends is that of all its threads.
                if (i + 1 == records.size() && lines[line].row->is(SassRow::leaves)) break;
                steps.push_back({line, records[i].mask, records[i].first_address});
                if (lines[line].row->is(SassRow::is_barrier)) steps.push_back({line + 1, 0, 0});
            }
            steps.push_back({last, 0, 0});
        }
    }
}

}  // namespace warpsim::replay
