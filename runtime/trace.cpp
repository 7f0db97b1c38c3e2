#include "runtime/trace.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace warpsim::runtime {

namespace {

std::optional<std::uint32_t> number(std::string_view text) {
    std::uint32_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return value;
}

}  // namespace

TraceFilter TraceFilter::parse(std::string_view text) {
    TraceFilter filter;
    std::size_t components = 0;  // of the cta read so far, while numbers follow
    auto const bad = [&](std::string_view word) {
        throw Error(ErrorKind::usage,
                    "--trace-filter: '" + std::string(word) + "' is not cta=X[,Y,Z], warp=N or kernel=NAME");
    };
    while (!text.empty()) {
        std::size_t const end = text.find_first_of(",;");
        std::string_view const word = text.substr(0, end);
        text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
        std::size_t const equals = word.find('=');
        if (equals == std::string_view::npos) {
            auto const n = number(word);
            if (components == 0 || components > 2 || !n) bad(word);
            (*filter.cta)[components++] = *n;
            continue;
        }
        std::string_view const key = word.substr(0, equals), value = word.substr(equals + 1);
        components = 0;
        if (key == "kernel") {
            filter.kernel = value;
            continue;
        }
        auto const n = number(value);
        if (!n) bad(word);
        if (key == "cta") {
            filter.cta = {*n, 0, 0};
            components = 1;
        } else if (key == "warp") {
            filter.warp = *n;
        } else {
            bad(word);
        }
    }
    return filter;
}

bool TraceFilter::lets(sim::Cta const& in, sim::Warp const& of) const {
    return (!cta || *cta == in.id) && (!warp || *warp == of.index);
}

Trace::Trace(std::function<void(std::string_view)> print, TraceFilter filter, ir::Module const& module,
             std::string_view kernel, std::uint64_t const* clock)
    : print_(std::move(print)),
      filter_(std::move(filter)),
      module_(module),
      enabled_(filter_.kernel.empty() || filter_.kernel == kernel),
      clock_(clock) {}

std::string Trace::line(ir::Function const& function, std::uint32_t index) const {
    ir::Instruction const& instruction =
        function.instructions[std::min<std::size_t>(index, function.instructions.size() - 1)];
    return module_.place(instruction);
}

void Trace::instruction(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame, sim::Op const& op,
                        isa::LaneMask active, isa::LaneMask mask) {
    ++sequence_;
    if (!enabled_ || !filter_.lets(cta, warp)) return;
    ir::Function const& function = *frame.function->function;
    char head[128];
    std::snprintf(head, sizeof head, "%8llu  sm %-3u cta %u,%u,%u  warp %-2u  %08x  ",
                  static_cast<unsigned long long>(clock_ != nullptr ? *clock_ : sequence_), cta.sm, cta.id[0],
                  cta.id[1], cta.id[2], warp.index, active);
    std::string text =
        head + line(function, op.instruction) + "  " + module_.written(function.instructions[op.instruction]);
    if (mask != active) {
        char guarded[40];
        std::snprintf(guarded, sizeof guarded, "   guard lets %08x", mask);
        text += guarded;
    }
    print_(text);
}

void Trace::diverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame, sim::Op const& op,
                     isa::LaneMask taken, isa::LaneMask not_taken) {
    if (!enabled_ || !filter_.lets(cta, warp)) return;
    char head[128];
    std::snprintf(head, sizeof head, "          -- warp %u diverges: %08x branch, %08x fall through", warp.index,
                  taken, not_taken);
    std::string text = head;
    sim::FunctionPlan const& function = *frame.function;
    if (op.reconverge != UINT32_MAX) {
        text += "; they meet at " + line(*function.function, function.ops[op.reconverge].instruction);
    }
    print_(text);
}

void Trace::reconverged(sim::Cta const& cta, sim::Warp const& warp, sim::Frame const& frame, std::uint32_t pc,
                        isa::LaneMask lanes) {
    if (!enabled_ || !filter_.lets(cta, warp)) return;
    sim::FunctionPlan const& function = *frame.function;
    char head[96];
    std::snprintf(head, sizeof head, "          -- warp %u reconverges: %08x at ", warp.index, lanes);
    print_(head +
           line(*function.function, function.ops[std::min<std::size_t>(pc, function.ops.size() - 1)].instruction));
}

}  // namespace warpsim::runtime
