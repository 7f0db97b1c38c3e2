#include "runtime/replay/program.hpp"

#include "runtime/device_state.hpp"
#include "runtime/replay/effect.hpp"
#include "runtime/replay/line_reader.hpp"
#include "runtime/replay/sass_table.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace warpsim::replay {

namespace {

int target_of(KernelTrace const& trace) {
    static constexpr std::array known{70, 72, 75, 80, 86, 87, 89, 90};
    if (std::find(known.begin(), known.end(), trace.binary_version) != known.end()) return trace.binary_version;
    fail_at(*trace.source, trace.source->text().substr(0, 1),
            "the binary version " + std::to_string(trace.binary_version) +
                " is not one of those that can be timed: 70, 72, 75, 80, 86, 87, 89 and 90");
}

/// Those that have the address of a row.
std::uint32_t matrix_lanes(std::string_view opcode) {
    constexpr std::uint32_t rows = 8;
    std::uint32_t const count = matrices_of(opcode) * rows;
    return count == 32 ? UINT32_MAX : (1u << count) - 1;
}

/// Which barrier of the CTA it is. The immediate that the trace has is the last operand: the number, or how many threads the
/// barrier is for, which is a multiple of 32.
std::uint32_t number_of_barrier(KernelTrace const& trace, SassInstruction const& sass) {
    constexpr std::int64_t barriers = 16, warp = 32;
    auto const fail = [&](std::string const& why) {
        fail_at(*trace.source, sass.opcode, "this barrier is not timed: " + why);
    };
    if (sass.sources.size() > 1) fail("a register says for how many threads it is");
    std::int64_t const given = sass.sources.empty() ? sass.immediate.value_or(0) : 0;
    if (given >= 0 && given < barriers) return static_cast<std::uint32_t>(given);
    std::int64_t const threads = std::int64_t{trace.block[0]} * trace.block[1] * trace.block[2];
    if (given != (threads + warp - 1) / warp * warp)
        fail("it is for " + std::to_string(given) + " threads, and the trace does not say which barrier it is");
    return 0;
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
        std::string text = lines[i].row != nullptr ? text_of(*lines[i].row) : "mov.b32 %r0, %r1;";
        if (lines[i].row != nullptr && lines[i].row->is(SassRow::is_barrier))
            text = "bar.sync " + std::to_string(number_of_barrier(trace_, *lines[i].sass)) + ";";
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
        if (line.row != nullptr && line.row->is(SassRow::sleeps))
            traced->nanoseconds =
                static_cast<std::uint32_t>(std::max<std::int64_t>(line.sass->immediate.value_or(0), 0));
        bool const is_access =
            op.kind == sim::OpKind::load || op.kind == sim::OpKind::store || op.kind == sim::OpKind::atomic;
        if (is_access) {
            traced->access = function.accesses[op.target];
            traced->is_generic = line.row->is(SassRow::generic);
            if (line.sass->opcode.starts_with("LDSM") || line.sass->opcode.starts_with("STSM"))
                traced->lanes = matrix_lanes(line.sass->opcode);
        }
        op.kind = sim::OpKind::effect;
        op.carry_out = follow_trace;
        op.target = static_cast<std::uint32_t>(function.details.size());
        function.details.push_back(std::move(traced));
    }
}

/// Older tracers write a copy twice, and the first time where it goes to.
bool Program::is_of_shared_memory(Record const& record) const {
    if (record.mask == 0 || trace_.shared_base == 0) return false;
    std::uint64_t const address = trace_.addresses[record.first_address];
    return address >= trace_.shared_base && address - trace_.shared_base < window_bytes;
}

void Program::follow_warps(std::vector<Line> const& lines) {
    auto const last = static_cast<std::uint32_t>(lines.size() - 1);
    nothing_ = {{0, 0, 0}, {last, 0, 0}};
    std::uint64_t const ctas = std::uint64_t{trace_.grid[0]} * trace_.grid[1] * trace_.grid[2];
    missing_ctas_ = static_cast<std::uint32_t>(ctas - trace_.ctas.size());
    for (TracedCta const& cta : trace_.ctas) {
        std::uint64_t const linear =
            (std::uint64_t{cta.id[2]} * trace_.grid[1] + cta.id[1]) * trace_.grid[0] + cta.id[0];
        place_.resize(std::max<std::size_t>(place_.size(), linear + 1));
        place_[linear] = static_cast<std::uint32_t>(steps_.size() / warps_ + 1);
        steps_.resize(steps_.size() + warps_);
        for (std::uint32_t w = 0; w < warps_; ++w) {
            std::vector<Record> const& records = cta.warps[w].records;
            std::vector<Step>& steps = steps_[steps_.size() - warps_ + w];
            steps.push_back({});
            for (std::size_t i = 0; i < records.size(); ++i) {
                std::uint32_t const line = line_of_[records[i].instruction];
                SassRow const& row = *lines[line].row;
                // The exit with which the trace of the warp ends is that of all its threads.
                if (i + 1 == records.size() && row.is(SassRow::leaves)) break;
                if (row.is(SassRow::copies) && is_of_shared_memory(records[i])) continue;
                bool const is_barrier = row.is(SassRow::is_barrier);
                // A barrier that the guard switches off is none.
                if (!is_barrier || records[i].mask != 0)
                    steps.push_back({line, records[i].mask, records[i].first_address});
                if (is_barrier) steps.push_back({line + 1, 0, 0});
            }
            steps.push_back({last, 0, 0});
        }
    }
}

}  // namespace warpsim::replay
