#include "runtime/trace.hpp"

#include "runtime/lane_values.hpp"
#include "sim/exec/warp.hpp"

#include <algorithm>
#include <cstdio>
#include <unordered_map>
#include <utility>

namespace warpsim::runtime {

class Trace::Part : public sim::EventSink {
public:
    explicit Part(Trace& trace) : trace_(trace), filter_(trace.filter_) {}

    sim::EventMask wants() const override {
        using enum sim::EventKind;
        sim::EventMask const always = sim::event_mask(instruction, divergence, reconvergence);
        return filter_.values ? always | sim::event_mask(access, call, cta) : always;
    }
    void instruction(sim::InstructionEvent const& event) override;
    void access(sim::AccessEvent const& event) override;
    void diverges(sim::DivergenceEvent const& event) override;
    void reconverges(sim::ReconvergenceEvent const& event) override;
    void exits(sim::ExitEvent const& event) override;
    void cta_starts(sim::CtaStart const& event) override;
    /// Results that were not known when their instructions issued.
    void write_late_results();
    void begin_epoch() {
        lines.clear();
        ++epoch_;
    }

    std::vector<Line> lines;  // of the epoch

private:
    /// Lanes that have executed an instruction whose results are to be told: before their next one in its
    /// activation, when it is over for them.
    struct Executed {
        sim::Warp const* warp;
        sim::Frame const* frame;
        std::uint32_t instruction;
        isa::LaneMask lanes;
        std::uint64_t number;    // of the instruction's line among those of instructions
        std::uint64_t epoch;     // in which it was printed
        std::size_t first_line;  // of `lines`, kept free for its results
    };

    static constexpr std::size_t taken = SIZE_MAX;

    bool lets(sim::Site const& site, isa::LaneMask lanes) const;
    ir::Instruction const& instruction_of(sim::Site const& site) const {
        return site.frame.function->function->instructions[site.op.instruction];
    }
    void print(std::uint64_t cycle, std::string text);
    void write_operands(sim::Site const& site, isa::LaneMask lanes);
    void write_results(Executed& executed, isa::LaneMask lanes, std::uint64_t cycle);
    void write_results_before(sim::Site const& site, isa::LaneMask lanes);

    Trace& trace_;
    TraceFilter const& filter_;
    std::uint64_t sequence_ = 0;  // of all instructions
    std::uint64_t printed_ = 0;   // instructions with a line
    std::uint64_t epoch_ = 0;
    std::unordered_map<sim::Warp const*, std::vector<Executed>> executed_;
    std::vector<Executed> late_;
};

bool Trace::Part::lets(sim::Site const& site, isa::LaneMask lanes) const {
    if ((filter_.cta && *filter_.cta != site.cta.id) || (filter_.warp && *filter_.warp != site.warp.index))
        return false;
    if ((lanes & filter_.lanes) == 0) return false;
    if (filter_.lines.is_all()) return true;
    ir::Instruction const& instruction = instruction_of(site);
    return filter_.lines.has(trace_.module_.source_of(instruction).position(instruction.span.offset).line);
}

void Trace::Part::print(std::uint64_t cycle, std::string text) {
    if (trace_.has_clock_) lines.push_back({cycle, std::move(text)});
    else trace_.print_(text);
}

void Trace::Part::instruction(sim::InstructionEvent const& event) {
    ++sequence_;
    sim::Site const& site = event.site;
    if (filter_.values) write_results_before(site, event.active);
    if (!lets(site, event.active)) return;
    ir::Instruction const& instruction = instruction_of(site);
    char head[128];
    std::snprintf(head, sizeof head, "%8llu  sm %-3u cta %u,%u,%u  warp %-2u  %08x  ",
                  static_cast<unsigned long long>(trace_.has_clock_ ? site.cycle : sequence_), site.cta.sm,
                  site.cta.id[0], site.cta.id[1], site.cta.id[2], site.warp.index, event.active);
    std::string text = head + trace_.module_.place(instruction) + "  " + trace_.module_.written(instruction);
    if (event.mask != event.active) {
        char guarded[40];
        std::snprintf(guarded, sizeof guarded, "   guard lets %08x", event.mask);
        text += guarded;
    }
    print(site.cycle, std::move(text));
    ++printed_;
    isa::LaneMask const told = event.mask & filter_.lanes;
    if (filter_.values && told != 0) write_operands(site, told);
}

void Trace::Part::write_operands(sim::Site const& site, isa::LaneMask lanes) {
    ir::Function const& function = *site.frame.function->function;
    UsedRegisters const used = used_registers(trace_.module_, function, instruction_of(site));
    for (UsedRegister const& each : used.read) {
        print(site.cycle, "          in   " + function.registers[each.index].name + "  " +
                              lane_values(site.warp, site.frame, each, lanes));
    }
    if (used.written.empty()) return;
    executed_[&site.warp].push_back(
        {&site.warp, &site.frame, site.op.instruction, lanes, printed_, epoch_, lines.size()});
    if (trace_.has_clock_) lines.resize(lines.size() + used.written.size(), {site.cycle, {}});
}

/// Below the instruction, or where the trace has got to, with the place of the instruction, once other lines are
/// between.
void Trace::Part::write_results(Executed& executed, isa::LaneMask lanes, std::uint64_t cycle) {
    ir::Function const& function = *executed.frame->function->function;
    ir::Instruction const& instruction = function.instructions[executed.instruction];
    bool const has_lines = trace_.has_clock_ && executed.epoch == epoch_ && executed.first_line != taken;
    bool const is_last = !trace_.has_clock_ && executed.number == printed_;
    std::size_t line = std::exchange(executed.first_line, taken);
    for (UsedRegister const& each : used_registers(trace_.module_, function, instruction).written) {
        std::string text = "          out  " + function.registers[each.index].name + "  " +
                           lane_values(*executed.warp, *executed.frame, each, lanes);
        if (has_lines) {
            lines[line++].text = std::move(text);
            continue;
        }
        if (!is_last) {
            text += "   (warp " + std::to_string(executed.warp->index) + ", " + trace_.module_.place(instruction) +
                    ")";
        }
        print(cycle, std::move(text));
    }
}

void Trace::Part::write_results_before(sim::Site const& site, isa::LaneMask lanes) {
    auto const known = executed_.find(&site.warp);
    if (known == executed_.end()) return;
    for (Executed& e : known->second) {
        if (e.frame != &site.frame || (e.lanes & lanes) == 0) continue;
        write_results(e, e.lanes & lanes, site.cycle);
        e.lanes &= ~lanes;
    }
    std::erase_if(known->second, [](Executed const& e) { return e.lanes == 0; });
}

void Trace::Part::access(sim::AccessEvent const& event) {
    if (!event.is_late) return;
    auto const known = executed_.find(&event.site.warp);
    if (known == executed_.end() || known->second.empty()) return;
    Executed& last = known->second.back();
    if (last.frame != &event.site.frame || last.instruction != event.site.op.instruction) return;
    // Until then no instruction can write there: they wait for the result.
    late_.push_back(last);
    known->second.pop_back();
}

void Trace::Part::write_late_results() {
    for (Executed& e : std::exchange(late_, {})) write_results(e, e.lanes, 0);
}

void Trace::Part::exits(sim::ExitEvent const& event) {
    auto const known = executed_.find(&event.site.warp);
    if (known == executed_.end()) return;
    for (Executed& e : known->second) e.lanes &= ~event.lanes;
    std::erase_if(known->second, [](Executed const& e) { return e.lanes == 0; });
}

void Trace::Part::cta_starts(sim::CtaStart const& event) {
    for (sim::Warp const& warp : event.cta.warps) executed_.erase(&warp);
}

void Trace::Part::diverges(sim::DivergenceEvent const& event) {
    sim::Site const& site = event.site;
    if (!lets(site, event.taken | event.not_taken)) return;
    char head[128];
    std::snprintf(head, sizeof head, "          -- warp %u diverges: %08x branch, %08x fall through",
                  site.warp.index, event.taken, event.not_taken);
    std::string text = head;
    if (site.op.reconverge != UINT32_MAX) {
        sim::FunctionPlan const& function = *site.frame.function;
        ir::Instruction const& meet =
            function.function->instructions[function.ops[site.op.reconverge].instruction];
        text += "; they meet at " + trace_.module_.place(meet);
    }
    print(site.cycle, std::move(text));
}

void Trace::Part::reconverges(sim::ReconvergenceEvent const& event) {
    if (filter_.values) write_results_before(event.site, event.lanes);
    if (!lets(event.site, event.lanes)) return;
    char head[96];
    std::snprintf(head, sizeof head, "          -- warp %u reconverges: %08x at ", event.site.warp.index,
                  event.lanes);
    print(event.site.cycle, head + trace_.module_.place(instruction_of(event.site)));
}

Trace::Trace(std::function<void(std::string_view)> print, TraceFilter filter, ir::Module const& module,
             bool has_clock)
    : print_(std::move(print)), filter_(std::move(filter)), module_(module), has_clock_(has_clock) {}

Trace::~Trace() = default;

sim::EventSink& Trace::add_part() { return *parts_.emplace_back(std::make_unique<Part>(*this)); }

void Trace::epoch_ended() {
    for (auto const& part : parts_) part->write_late_results();
    print_in_order();
}

void Trace::print_in_order() {
    std::vector<Line const*> lines;
    for (auto const& part : parts_) {
        for (Line const& line : part->lines) lines.push_back(&line);
    }
    std::stable_sort(lines.begin(), lines.end(), [](Line const* a, Line const* b) { return a->cycle < b->cycle; });
    for (Line const* line : lines) {
        if (!line->text.empty()) print_(line->text);
    }
    for (auto const& part : parts_) part->begin_epoch();
}

}  // namespace warpsim::runtime
