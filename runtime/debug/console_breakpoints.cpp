// The commands about what stops a launch.
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <array>

namespace warpsim::debug {

namespace {

/// Takes "if EXPRESSION" off the end.
std::string take_condition(std::string& text) {
    for (std::size_t at = text.find("if"); at != std::string::npos; at = text.find("if", at + 1)) {
        bool const begins = at == 0 || text[at - 1] == ' ';
        bool const ends = at + 2 < text.size() && (text[at + 2] == ' ' || text[at + 2] == '(');
        if (!begins || !ends) continue;
        std::string condition = text.substr(at + 2);
        text.erase(at);
        return condition;
    }
    return "";
}

std::string triple_text(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

}  // namespace

Console::Answer Console::add_breakpoint(std::string const& arguments, bool is_temporary) {
    std::string rest = arguments;
    Breakpoint b;
    b.condition = condition_of(take_condition(rest));
    std::string place = take_word(rest);
    if (place == "cycle" && !rest.empty() && !b.condition) return add_cycle(rest, is_temporary);
    while (!rest.empty()) {
        std::string const which = take_word(rest);
        std::string const value = take_word(rest);
        if (which == "block") b.block = triple_of(value);
        else if (which == "thread") b.thread = triple_of(value);
        else if (which == "warp") b.warp = static_cast<std::uint32_t>(number_of(value));
        else
            throw Error(ErrorKind::usage,
                        "'" + which +
                            "' was not expected: block (X,Y,Z), thread (X,Y,Z), warp N, or if EXPRESSION");
    }
    std::string const file = stack_.empty() || debugger_.machine() == nullptr ? "" : stack_.front().line.file;
    if (place.empty() && debugger_.machine() != nullptr) {
        StackFrame const& at = selected();
        place = "*" + at.frame->function->function->name + "+" + std::to_string(at.instruction);
    }
    bool const is_line = !place.empty() && std::all_of(place.begin(), place.end(),
                                                       [](unsigned char c) { return std::isdigit(c) != 0; });
    if (is_line && !file.empty()) place = file + ":" + place;
    Location found;
    if (ir::Module const* const module = debugger_.module()) found = find_location(*module, place, file);
    b.kind = Breakpoint::Kind::code;
    b.is_temporary = is_temporary;
    b.what = place;
    Breakpoint const& added = debugger_.breakpoints.add(std::move(b));
    debugger_.breakpoints_changed();
    std::string const head =
        (is_temporary ? "Temporary breakpoint " : "Breakpoint ") + std::to_string(added.number);
    if (found.places.empty()) {
        write(head + ": there is no code at '" + place + "' yet; it stops in modules that have some.");
    } else {
        write(head + " at " + found.line.file + ":" + std::to_string(found.line.number) +
              (found.places.size() > 1 ? ", " + std::to_string(found.places.size()) + " places" : ""));
    }
    return std::nullopt;
}

Console::Answer Console::add_log(std::string const& arguments) {
    std::string message = arguments;
    std::string const place = take_word(message);
    if (message.empty()) throw Error(ErrorKind::usage, "log PLACE MESSAGE, such as: log saxpy.cu:5 i is {i}");
    add_breakpoint(place, false);
    debugger_.breakpoints.all().back().log = message;
    return std::nullopt;
}

Console::Answer Console::add_cycle(std::string const& arguments, bool is_temporary) {
    Breakpoint b;
    b.kind = Breakpoint::Kind::cycle;
    b.cycle = number_of(arguments);
    b.is_temporary = is_temporary;
    b.what = "cycle " + std::to_string(b.cycle);
    Breakpoint const& added = debugger_.breakpoints.add(std::move(b));
    write((is_temporary ? "Temporary breakpoint " : "Breakpoint ") + std::to_string(added.number) + " at " +
          added.what);
    return std::nullopt;
}

/// REASON [for CYCLES] [sm N] [block (X,Y,Z)] [warp N]
void Console::add_stall(Breakpoint& b, std::string rest) {
    std::string const name = take_word(rest);
    std::string known;
    std::optional<sim::StallReason> found;
    for (std::size_t i = 0; i < sim::stall_reasons; ++i) {
        known += (known.empty() ? "" : ", ") + std::string(sim::stall_name(i));
        if (sim::stall_name(i) == name) found = static_cast<sim::StallReason>(i);
    }
    if (!found) throw Error(ErrorKind::usage, "'" + name + "' is no reason to wait: " + known);
    b.stall = *found;
    b.what += " " + name;
    while (!rest.empty()) {
        std::string const which = take_word(rest);
        std::string const value = take_word(rest);
        if (which == "block") b.block = triple_of(value);
        else if (which == "warp") b.warp = static_cast<std::uint32_t>(number_of(value));
        else if (which == "sm") b.sm = static_cast<std::uint32_t>(number_of(value));
        else if (which == "for") b.stall_cycles = number_of(value);
        else
            throw Error(ErrorKind::usage,
                        "'" + which + "' was not expected: for CYCLES, sm N, block (X,Y,Z) or warp N");
        if (which == "for" || which == "sm") b.what += " " + which + " " + value;
    }
}

Console::Answer Console::watch(std::string const& arguments, bool reads, bool writes) {
    std::string text = arguments;
    Breakpoint b;
    b.condition = condition_of(take_condition(text));
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    Value const value = Expression(text, scope).evaluate(scope);
    auto const* const place = std::get_if<MemoryPlace>(&value.place);
    if (place == nullptr)
        throw Error(ErrorKind::usage,
                    "'" + text + "' is nowhere in memory; of an address, *(int *)ADDRESS can be watched");
    b.kind = Breakpoint::Kind::watch;
    b.what = text.substr(0, text.find_last_not_of(' ') + 1);
    b.memory = machine().resolved(*place);
    b.bytes = value.type->bytes;
    b.type = value.type;
    b.stops_at_reads = reads;
    b.stops_at_writes = writes;
    using sim::SpaceKind;
    if (b.memory.space != SpaceKind::global) b.cta = of.cta->linear;
    if (b.memory.space == SpaceKind::local) b.linear = of.linear();
    Breakpoint const& added = debugger_.breakpoints.add(std::move(b));
    debugger_.breakpoints_changed();
    write("Watchpoint " + std::to_string(added.number) + ": " + added.what + ", " + std::to_string(added.bytes) +
          " bytes at " + sim::hexadecimal(added.memory.address));
    return std::nullopt;
}

Console::Answer Console::catch_event(std::string const& arguments) {
    std::string rest = arguments;
    Breakpoint b;
    b.condition = condition_of(take_condition(rest));
    std::string const name = take_word(rest);
    std::optional<Caught> const what = caught_named(name);
    if (!what)
        throw Error(ErrorKind::usage,
                    "'" + name + "' cannot be caught: launch, divergence, barrier, exit, fault, stall or finding");
    b.kind = Breakpoint::Kind::catching;
    b.caught = *what;
    b.what = name;
    if (*what == Caught::stall) add_stall(b, rest);
    if (*what == Caught::finding) {
        if (!debugger_.has_checkers)
            throw Error(ErrorKind::usage,
                        "nothing is looked for: `warpsim debug --check` does, or --check=race,memory");
        b.checker = take_word(rest);
        constexpr std::array known{"memory", "race", "init", "sync"};
        if (!b.checker.empty() && std::find(known.begin(), known.end(), b.checker) == known.end())
            throw Error(ErrorKind::usage,
                        "'" + b.checker + "' is no checker of kernels: memory, race, init or sync");
        if (!b.checker.empty()) b.what += " " + b.checker;
    }
    Breakpoint const& added = debugger_.breakpoints.add(std::move(b));
    write("Catchpoint " + std::to_string(added.number) + " (" + added.what + ")");
    return std::nullopt;
}

Console::Answer Console::remove(std::string const& arguments) {
    std::string rest = arguments;
    if (rest.empty()) debugger_.breakpoints.clear();
    while (!rest.empty()) {
        std::string const word = take_word(rest);
        if (!debugger_.breakpoints.remove(static_cast<int>(number_of(word))))
            throw Error(ErrorKind::usage, "there is no breakpoint " + word);
    }
    debugger_.breakpoints_changed();
    return std::nullopt;
}

Console::Answer Console::enable(std::string const& arguments, bool is_enabled) {
    std::string rest = arguments;
    if (rest.empty())
        for (Breakpoint& b : debugger_.breakpoints.all()) b.is_enabled = is_enabled;
    while (!rest.empty()) {
        std::string const word = take_word(rest);
        Breakpoint* const b = debugger_.breakpoints.find(static_cast<int>(number_of(word)));
        if (b == nullptr) throw Error(ErrorKind::usage, "there is no breakpoint " + word);
        b->is_enabled = is_enabled;
    }
    debugger_.breakpoints_changed();
    return std::nullopt;
}

Console::Answer Console::set_condition(std::string const& arguments) {
    std::string rest = arguments;
    std::string const word = take_word(rest);
    Breakpoint* const b = debugger_.breakpoints.find(static_cast<int>(number_of(word)));
    if (b == nullptr) throw Error(ErrorKind::usage, "there is no breakpoint " + word);
    b->condition = condition_of(rest);
    return std::nullopt;
}

Console::Answer Console::ignore(std::string const& arguments) {
    std::string rest = arguments;
    std::string const word = take_word(rest);
    Breakpoint* const b = debugger_.breakpoints.find(static_cast<int>(number_of(word)));
    if (b == nullptr) throw Error(ErrorKind::usage, "there is no breakpoint " + word);
    b->ignored = number_of(take_word(rest));
    write("Breakpoint " + word + " is passed " + std::to_string(b->ignored) + " times.");
    return std::nullopt;
}

std::string Console::breakpoints_text() {
    std::string text;
    for (Breakpoint const& b : debugger_.breakpoints.all()) {
        bool const is_place = b.kind == Breakpoint::Kind::code || b.kind == Breakpoint::Kind::cycle;
        char const* const kind = is_place                            ? "breakpoint"
                                 : b.kind == Breakpoint::Kind::watch ? "watchpoint"
                                                                     : "catchpoint";
        text += (text.empty() ? "" : "\n") + std::to_string(b.number) + "  " + kind + "  " + b.what;
        if (!b.is_enabled) text += "  (disabled)";
        if (b.is_temporary) text += "  (once)";
        if (b.kind == Breakpoint::Kind::code && b.places.empty()) text += "  (no code of it yet)";
        if (b.block) text += "  block " + triple_text(*b.block);
        if (b.thread) text += "  thread " + triple_text(*b.thread);
        if (b.warp) text += "  warp " + std::to_string(*b.warp);
        if (!b.log.empty()) text += "\n     says: " + b.log;
        if (b.condition) text += "\n     only if " + b.condition->text();
        if (b.hits > 0) text += "\n     hit " + std::to_string(b.hits) + (b.hits == 1 ? " time" : " times");
    }
    return text.empty() ? "There are no breakpoints." : text;
}

}  // namespace warpsim::debug
