// `info`, `set` and `help`.
#include "frontend/ir/registers.hpp"
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/exec/barriers.hpp"
#include "sim/exec/faults.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <map>

namespace warpsim::debug {

namespace {

std::string block_text(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

std::string mask_text(sim::LaneMask mask) {
    char text[12];
    std::snprintf(text, sizeof text, "%08x", mask);
    return text;
}

}  // namespace

std::string Console::registers_text(std::string const& which) {
    Thread const of = thread();
    sim::Frame const& frame = *selected().frame;
    ir::Function const& function = *frame.function->function;
    ThreadScope scope = scope_of(of);
    std::vector<bool> used(function.registers.size());
    for (ir::Instruction const& i : function.instructions)
        ir::for_each_register(*debugger_.module(), function, i, [&](std::uint32_t r, bool) { used[r] = true; });
    std::string text;
    for (std::size_t i = 0; i < function.registers.size(); ++i) {
        ir::Register const& r = function.registers[i];
        bool const is_wanted =
            which.empty() || r.name == which || "%" + which == r.name || "$" + r.name.substr(1) == which;
        if (!is_wanted) continue;
        if (!used[i]) continue;
        Value const value = scope.named(r.name);
        std::string const natural = text_of(value), raw = text_of(value, Format::hexadecimal);
        text += (text.empty() ? "" : "\n") + r.name + "\t." + std::string(isa::name(r.type)) + "\t" + raw +
                (r.type == isa::Type::pred ? "" : "\t" + natural);
    }
    if (text.empty())
        throw Error(ErrorKind::usage,
                    which.empty() ? "there are no registers" : "there is no register '" + which + "'");
    return text;
}

/// Of the kernel's parameters, or of everything that has a name and an address.
std::string Console::variables_text(bool of_function, bool wants_all) {
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    std::string text;
    auto const add = [&](ir::Variable const& v) {
        std::string value;
        try {
            value = text_of(scope.named(v.name), Format::natural, 8);
        } catch (Error const& error) {
            value = std::string("<") + error.what() + ">";
        }
        text += (text.empty() ? "" : "\n") + sim::demangled(v.name) + " = " + value;
    };
    ir::Function const& function = *selected().frame->function->function;
    std::vector<SourceVariable const*> const known = scope.in_scope();
    for (SourceVariable const* const v : known) {
        bool const is_global = v->high == UINT64_MAX;
        if (v->is_parameter != of_function || (is_global && !wants_all)) continue;
        std::string value;
        try {
            value = text_of(scope.load_source(*v), Format::natural, 8);
        } catch (Error const&) {
            value = "<optimized out>";
        }
        text += (text.empty() ? "" : "\n") + v->name + " = " + value;
    }
    if (!known.empty()) return text.empty() ? (of_function ? "No arguments." : "No locals.") : text;
    if (of_function) {
        for (std::uint32_t const p : function.parameters)
            if (function.is_entry) add(function.variables[p]);
        return text.empty() ? "No arguments." : text;
    }
    for (ir::Variable const& v : function.variables)
        if (v.space != isa::StateSpace::param) add(v);
    for (ir::Variable const& v : debugger_.module()->variables) add(v);
    return text.empty() ? "There are no variables of functions or of the module here." : text;
}

/// Those with code, kernels first.
std::string Console::functions_text() {
    if (debugger_.module() == nullptr) throw Error(ErrorKind::usage, "no code is there yet");
    ir::Module const& module = *debugger_.module();
    std::string text;
    for (bool const is_entry : {true, false})
        for (ir::Function const& f : module.functions) {
            if (!f.has_body || f.is_entry != is_entry) continue;
            Line const line = f.instructions.empty() ? Line() : line_of(module, f.instructions.front());
            text += (text.empty() ? "" : "\n") + std::string(is_entry ? "kernel    " : "function  ") +
                    sim::demangled(f.name) +
                    (line.number != 0 ? " at " + line.file + ":" + std::to_string(line.number) : "");
        }
    return text.empty() ? "There are no functions." : text;
}

std::string Console::position_text() {
    return "instruction " + std::to_string(debugger_.count()) + " of the launch" +
           (debugger_.gpu() != nullptr ? ", cycle " + std::to_string(debugger_.cycle()) : "");
}

/// The one that is looked at with its star, where several are under way.
std::string Console::kernels_text() {
    machine();
    std::vector<Debugger::Launch> const all = debugger_.running();
    std::string text;
    for (Debugger::Launch const& one : all) {
        bool const is_this = one.number == debugger_.launches();
        if (all.size() > 1) text += is_this ? "* " : "  ";
        sim::LaunchContext const& launch = *one.launch;
        text += "kernel " + std::to_string(one.number) + ": " + sim::demangled(one.kernel) + ", grid " +
                block_text(launch.grid) + ", block " + block_text(launch.block) +
                (launch.explicit_cluster ? ", cluster " + block_text(launch.cluster) : "") + ", " +
                std::to_string(launch.shared_bytes) + " bytes of shared memory" +
                (all.size() > 1
                     ? ", " + std::to_string(one.blocks) + (one.blocks == 1 ? " block" : " blocks") + " on the GPU"
                     : "") +
                "\n";
    }
    return text + position_text();
}

std::string Console::blocks_text() {
    std::string text;
    for (sim::Cta const* const cta : machine().ctas()) {
        std::uint32_t live = 0, waiting = 0;
        for (sim::Warp const& warp : cta->warps) {
            live += static_cast<std::uint32_t>(std::popcount(warp.live()));
            for (sim::WarpSplit const& split : warp.splits)
                if (split.state == sim::WarpSplit::State::in_barrier)
                    waiting += static_cast<std::uint32_t>(std::popcount(split.lanes));
        }
        text += (text.empty() ? "" : "\n") + std::string(cta->id == debugger_.focus().block ? "* " : "  ") +
                block_text(cta->id) + "  " + std::to_string(live) + " threads" +
                (waiting != 0 ? ", " + std::to_string(waiting) + " of them in barriers" : "");
    }
    return text;
}

std::string Console::warps_text() {
    Thread const of = thread();
    std::string text;
    for (sim::Warp const& warp : of.cta->warps) {
        std::map<std::string, sim::LaneMask> groups;
        for (Thread t{of.cta, &warp, 0}; t.lane < 32; ++t.lane) {
            Position const at = machine().position(t);
            if (at.state == LaneState::absent || at.state == LaneState::exited) continue;
            Line const line = line_of(*debugger_.module(), machine().instruction(at));
            groups[state_text(at) + " at " + line.file + ":" + std::to_string(line.number)] |= t.bit();
        }
        text += (text.empty() ? "" : "\n") + std::string(&warp == of.warp ? "* " : "  ") + "warp " +
                std::to_string(warp.index) + "  live " + mask_text(warp.live()) + stall_text(warp);
        for (auto const& [what, lanes] : groups) text += "\n      " + mask_text(lanes) + "  " + what;
    }
    return text;
}

std::string Console::lanes_state_text() {
    Thread of = thread();
    int const in_focus = of.lane;
    std::string text;
    for (of.lane = 0; of.lane < 32; ++of.lane) {
        Position const at = machine().position(of);
        if (at.state == LaneState::absent) continue;
        text += (text.empty() ? "" : "\n") + std::string(of.lane == in_focus ? "* " : "  ") +
                std::to_string(of.lane) + "\tthread " + block_text(machine().index_of(of)) + "\t";
        if (at.frame != nullptr) {
            Line const line = line_of(*debugger_.module(), machine().instruction(at));
            text += line.file + ":" + std::to_string(line.number) + "\t";
        }
        text += state_text(at);
    }
    return text;
}

std::string Console::barriers_text() {
    Thread const of = thread();
    std::string text;
    for (std::size_t id = 0; id < of.cta->barriers.size(); ++id) {
        if ((of.cta->barriers_in_use >> id & 1) == 0) continue;
        sim::BarrierState const& b = of.cta->barriers[id];
        std::uint32_t const arrived = sim::Barriers::arrived_threads(*of.cta, b);
        if (arrived == 0) continue;
        std::uint32_t const expected = b.count != 0 ? b.count : sim::Barriers::live_threads(*of.cta);
        text += (text.empty() ? "" : "\n") + std::string("barrier ") + std::to_string(id) + ": " +
                std::to_string(arrived) + " of " + std::to_string(expected) + " threads have come; by warp:";
        for (std::size_t w = 0; w < b.arrived.size(); ++w)
            if (b.arrived[w] != 0) text += " " + std::to_string(w) + ":" + mask_text(b.arrived[w]);
    }
    return text.empty() ? "Nobody waits in a barrier of this block." : text;
}

Console::Answer Console::info(std::string const& arguments) {
    std::string rest = arguments;
    std::string const what = take_word(rest);
    auto const is = [&](std::string_view name) { return !what.empty() && name.starts_with(what); };
    if (what == "b" || is("breakpoints")) write(breakpoints_text());
    else if (what == "r" || is("registers")) write(registers_text(rest));
    else if (is("args")) write(variables_text(true, false));
    else if (is("variables")) write(variables_text(false, true));
    else if (is("locals")) write(variables_text(false, false));
    else if (is("frame") || is("line")) frame("");
    else if (is("stack")) backtrace("");
    else if (is("position")) write(position_text());
    else if (is("sms")) write(sms_text());
    else if (is("stalls")) write(stalls_text());
    else if (is("scoreboard")) write(scoreboard_text());
    else if (is("queues")) write(queues_text(rest));
    else if (is("cache")) write(cache_text(rest));
    else if (is("kernels")) write(kernels_text());
    else if (is("threads")) write(lanes_state_text());
    else if (is("watchpoints")) write(breakpoints_text());
    else if (is("functions")) write(functions_text());
    else if (what == "cuda") {
        std::string const which = take_word(rest);
        if (which == "kernels" || which == "kernel" || which == "devices") write(kernels_text());
        else if (which == "sms" || which == "sm") write(sms_text());
        else if (which == "blocks") write(blocks_text());
        else if (which == "warps") write(warps_text());
        else if (which == "lanes" || which == "threads") write(lanes_state_text());
        else if (which == "barriers") write(barriers_text());
        else throw Error(ErrorKind::usage, "info cuda kernels, blocks, warps, lanes, barriers or sms");
    } else {
        throw Error(ErrorKind::usage,
                    "info breakpoints, registers, args, locals, variables, functions, frame, "
                    "line, position, threads, cuda kernels|blocks|warps|lanes|barriers|sms; in timing mode "
                    "stalls, scoreboard, queues, cache");
    }
    return std::nullopt;
}

bool Console::set_as_gdb(std::string const& what, std::string const& value) {
    // There are no pages and no questions here: scripts turn off what is not there.
    constexpr std::array never{"pagination", "confirm", "height", "width"};
    if (std::find(never.begin(), never.end(), what) != never.end()) return true;
    std::string rest = value;
    if (what != "cuda" || take_word(rest) != "break_on_launch") {
        constexpr std::array known{
            "cuda", "print", "style", "logging", "listsize", "language", "scheduler-locking"};
        if (std::find(known.begin(), known.end(), what) == known.end()) return false;
        throw Error(ErrorKind::usage,
                    "'" + what + "' cannot be set here: step, history, cuda break_on_launch, var");
    }
    if (rest == "none") {
        std::vector<int> numbers;
        for (Breakpoint const& b : debugger_.breakpoints.all())
            if (b.kind == Breakpoint::Kind::catching && b.caught == Caught::launch) numbers.push_back(b.number);
        for (int const number : numbers) debugger_.breakpoints.remove(number);
    } else if (rest == "application" || rest == "all") {
        catch_event("launch");
    } else {
        throw Error(ErrorKind::usage, "set cuda break_on_launch application, all or none");
    }
    return true;
}

Console::Answer Console::set(std::string const& arguments) {
    std::string rest = arguments;
    std::string const what = take_word(rest);
    if (what == "step") {
        if (rest == "lane") debugger_.unit = StepUnit::lane;
        else if (rest == "warp") debugger_.unit = StepUnit::warp;
        else if (rest == "block") debugger_.unit = StepUnit::block;
        else throw Error(ErrorKind::usage, "set step lane, warp or block");
        return std::nullopt;
    }
    if (what == "history") {
        if (rest != "on" && rest != "off") throw Error(ErrorKind::usage, "set history on or off");
        debugger_.keeps_history = rest == "on";
        return std::nullopt;
    }
    if (arguments.find('=') == std::string::npos && set_as_gdb(what, rest)) return std::nullopt;
    std::string const text = what == "var" || what == "variable" ? rest : arguments;
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    Expression const expression(text, scope);
    if (text.find('=') == std::string::npos) throw Error(ErrorKind::usage, "set var PLACE = VALUE");
    expression.evaluate(scope);
    return std::nullopt;
}

Console::Answer Console::help(std::string const& arguments) {
    for (Command const& c : commands()) {
        bool const is_wanted =
            arguments.empty() || std::find(c.names.begin(), c.names.end(), arguments) != c.names.end();
        if (!is_wanted) continue;
        std::string names;
        for (std::string_view const name : c.names) names += (names.empty() ? "" : ", ") + std::string(name);
        std::string const head = names + (c.arguments.empty() ? "" : " " + std::string(c.arguments));
        write(head.size() < 34 ? head + std::string(34 - head.size(), ' ') + std::string(c.help)
                               : head + "\n" + std::string(34, ' ') + std::string(c.help));
    }
    return std::nullopt;
}

}  // namespace warpsim::debug
