#include "runtime/debug/console.hpp"

#include "runtime/debug/command_table.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <utility>

namespace warpsim::debug {

namespace {

/// Where the list of types of a demangled name begins: that of its last parenthesis.
std::size_t opening_of(std::string const& name) {
    int depth = 0;
    for (std::size_t i = name.find_last_of(')') + 1; i-- > 0;) {
        depth += name[i] == ')' ? 1 : name[i] == '(' ? -1 : 0;
        if (depth == 0) return i;
    }
    return std::string::npos;
}

/// As gdb shows an argument: a pointer without its type, and of what has parts only that it has.
std::string brief_text(ThreadScope& scope, SourceVariable const& variable) {
    try {
        Value const value = scope.load_source(variable);
        using Kind = ValueType::Kind;
        if (value.type->kind == Kind::structure || value.type->kind == Kind::array) return "...";
        return text_of(value, value.type->kind == Kind::pointer ? Format::hexadecimal : Format::natural);
    } catch (Error const&) {
        return "<optimized out>";
    }
}

}  // namespace

namespace {

std::string trimmed(std::string const& text) {
    std::size_t const first = text.find_first_not_of(" \t");
    if (first == std::string::npos) return "";
    return text.substr(first, text.find_last_not_of(" \t") - first + 1);
}

/// "print/x value" is "print" and "/x value".
std::pair<std::string, std::string> split_command(std::string const& line) {
    std::size_t const end = line.find_first_of(" \t/(");
    if (end == std::string::npos) return {line, ""};
    return {line.substr(0, end), trimmed(line.substr(end))};
}

}  // namespace

Machine& Console::machine() {
    Machine* const machine = debugger_.machine();
    if (machine == nullptr)
        throw Error(ErrorKind::usage, "no kernel runs: `run` begins, `break KERNEL` stops there");
    return *machine;
}

Thread Console::thread() {
    machine();
    std::optional<Thread> const thread = debugger_.focused();
    if (!thread)
        throw Error(ErrorKind::usage,
                    "the focus is gone: `cuda block (X,Y,Z) thread (X,Y,Z)` chooses another thread");
    return *thread;
}

StackFrame const& Console::selected() {
    thread();
    if (stack_.empty()) throw Error(ErrorKind::usage, "the thread has ended");
    return stack_[std::min(frame_, stack_.size() - 1)];
}

ThreadScope Console::scope_of(Thread const& of) {
    std::vector<StackFrame> const stack = machine().stack(of);
    StackFrame const at = stack.empty() ? StackFrame() : stack[std::min(frame_, stack.size() - 1)];
    return {machine(), of, at.frame, at.instruction, debugger_.symbols(), values_};
}

void Console::note(std::string const& text) { write(text); }

std::string Console::focus_text() {
    Thread const of = thread();
    auto const text = [](std::array<std::uint32_t, 3> const& v) {
        return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
    };
    return "kernel " + std::to_string(debugger_.launches()) + ", block " + text(of.cta->id) + ", thread " +
           text(machine().index_of(of)) + ", warp " + std::to_string(of.warp->index) + ", lane " +
           std::to_string(of.lane);
}

std::string Console::frame_text(StackFrame const& frame) {
    std::string text = frame.function;
    if (!frame.is_inlined && frame.frame != nullptr) {
        ThreadScope scope{machine(), thread(), frame.frame, frame.instruction, debugger_.symbols(), values_};
        std::string values;
        for (SourceVariable const* const v : scope.in_scope()) {
            if (!v->is_parameter) continue;
            values += (values.empty() ? "" : ", ") + v->name + "=" + brief_text(scope, *v);
        }
        std::size_t const types =
            text.find_last_of(')') == std::string::npos ? std::string::npos : opening_of(text);
        if (!values.empty()) text = text.substr(0, types) + " (" + values + ")";
    }
    return text + (frame.is_inlined ? " (inlined)" : "") + " at " + frame.line.file + ":" +
           std::to_string(frame.line.number);
}

/// "saxpy at saxpy.cu:5" and the line, as gdb has it.
void Console::show_place(bool with_ptx) {
    if (stack_.empty())
        return write(machine().ctas().empty() ? "No block is on the GPU." : "The thread has ended.");
    StackFrame const& at = selected();
    ir::Instruction const& i = at.frame->function->function->instructions[at.instruction];
    std::string const text = text_of(*debugger_.module(), at.line);
    Line const ptx = ptx_line(*debugger_.module(), i);
    bool const is_ptx = ptx == at.line;
    if (!is_ptx && at.line.number != 0) write(std::to_string(at.line.number) + "\t" + text);
    if (with_ptx || is_ptx || text.empty())
        write("=> " + debugger_.module()->place(i) + "\t" + debugger_.module()->written(i));
}

void Console::show_displays() {
    for (Display const& d : displays_) {
        std::string text;
        try {
            text = evaluate(thread(), d.expression, d.format);
        } catch (Error const& error) {
            text = std::string("<") + error.what() + ">";
        }
        write(std::to_string(d.number) + ": " + d.expression.text() + " = " + text);
    }
}

Resume Console::stopped(Stop const& stop) {
    frame_ = 0;
    listed_ = {};
    if (stop.reason == StopReason::module && std::exchange(runs_at_once_, false)) return {};
    if (stop.reason == StopReason::module) {
        ir::Module const& module = *debugger_.module();
        std::string kernels;
        int count = 0;
        for (ir::Function const& f : module.functions)
            if (f.is_entry && f.has_body && ++count <= 8)
                kernels += (kernels.empty() ? "" : ", ") + sim::demangled(f.name);
        write("Code is there of " + std::to_string(count) + (count == 1 ? " kernel: " : " kernels: ") + kernels +
              (count > 8 ? " ..." : "") + ". `break` and `run`, or `start`; `help` lists all commands.");
        return ask();
    }
    std::optional<Thread> const of = debugger_.focused();
    stack_ = of ? machine().stack(*of) : std::vector<StackFrame>();
    if (stop.has_moved && of) write("[focus: " + focus_text() + "]");
    // A step has nothing to tell, nor has a place that the user has named.
    bool const is_step = stop.reason == StopReason::step && stop.text.empty();
    std::string const place = stack_.empty() ? "" : frame_text(stack_.front());
    if (!is_step)
        write(stop.text +
              (place.empty()
                   ? ""
                   : (stop.text.find('\n') == std::string::npos && stop.text.size() < 60 ? ", " : "\n") + place));
    shows_ptx_ = shows_ptx_ || stop.reason == StopReason::fault || stop.reason == StopReason::watchpoint;
    if (debugger_.gpu() != nullptr) write(where_text());
    show_place(shows_ptx_);
    show_displays();
    return ask();
}

Resume Console::ask() {
    while (true) {
        std::optional<std::string> line = channel_.read_line("(warpsim) ");
        if (!line) {
            // The end of the input: of a script, to which the rest of the run belongs; of a terminal, Ctrl-D.
            return {.how = channel_.is_terminal() ? Resume::How::quit : Resume::How::detach};
        }
        std::string command = trimmed(*line);
        if (command.empty() && channel_.is_terminal()) command = last_;
        if (command.empty() || command.front() == '#') continue;
        last_ = command;
        try {
            if (Answer const answer = obey(command)) {
                bool const by_instruction =
                    answer->how == Resume::How::step_instruction || answer->how == Resume::How::next_instruction;
                shows_ptx_ = by_instruction;
                return *answer;
            }
        } catch (Error const& error) {
            write(error.what());
        }
    }
}

Console::Answer Console::obey(std::string const& line) {
    auto const [word, arguments] = split_command(line);
    std::vector<Command const*> candidates;
    for (Command const& c : commands()) {
        if (std::find(c.names.begin(), c.names.end(), word) != c.names.end()) return c.obey(*this, arguments);
        if (std::any_of(c.names.begin(), c.names.end(),
                        [&start = word](auto name) { return name.starts_with(start); }))
            candidates.push_back(&c);
    }
    if (candidates.size() == 1) return candidates.front()->obey(*this, arguments);
    std::string known;
    for (Command const* c : candidates) known += (known.empty() ? "" : ", ") + std::string(c->names.front());
    throw Error(ErrorKind::usage, candidates.empty() ? "there is no command '" + word + "'; `help` lists them"
                                                     : "'" + word + "' may be " + known);
}

std::optional<Resume> Console::obey(std::string const& command, std::size_t frame) {
    std::optional<Thread> const of = debugger_.focused();
    stack_ = of ? machine().stack(*of) : std::vector<StackFrame>();
    frame_ = frame;
    return obey(trimmed(command));
}

bool Console::ended(std::string const& how) {
    write(how);
    stack_.clear();
    while (true) {
        std::optional<std::string> const line = channel_.read_line("(warpsim) ");
        if (!line) return true;
        std::string const command = trimmed(*line);
        if (command.empty() || command.front() == '#') continue;
        if (command == "run" || command == "r") {
            debugger_.begin_again();
            runs_at_once_ = true;
            return false;
        }
        try {
            Answer const answer = obey(command);
            if (answer && answer->how == Resume::How::quit) return true;
            if (answer) write("It has ended: `run` begins once more, `quit` leaves.");
        } catch (Error const& error) {
            write(error.what());
        }
    }
}

}  // namespace warpsim::debug
