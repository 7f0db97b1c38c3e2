// The commands that show values, memory, code and calls.
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>

namespace warpsim::debug {

namespace {

std::string padded(std::string text, std::size_t width) {
    if (text.size() < width) text.append(width - text.size(), ' ');
    return text;
}

/// Takes "/x" off the beginning.
Format take_format(std::string& text) {
    if (text.empty() || text.front() != '/') return Format::natural;
    std::string rest = text.substr(1);
    std::string const letters = take_word(rest);
    std::optional<Format> const format = letters.size() == 1 ? format_of(letters.front()) : std::nullopt;
    if (!format) throw Error(ErrorKind::usage, "'/" + letters + "' is no format: /x /d /u /t /c /f");
    text = rest;
    return *format;
}

}  // namespace

std::string Console::evaluate(Thread const& of, Expression const& expression, Format format) {
    ThreadScope scope = scope_of(of);
    return text_of(expression.evaluate(scope), format);
}

Console::Answer Console::print(std::string const& arguments) {
    std::string text = arguments;
    Format const format = take_format(text);
    if (text.empty()) throw Error(ErrorKind::usage, "print what? A name, $r1, *p@10, (@shared float *)0");
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    Value value = Expression(text, scope).evaluate(scope);
    write("$" + std::to_string(values_.size() + 1) + " = " + text_of(value, format));
    values_.push_back(std::move(value));
    return std::nullopt;
}

Console::Answer Console::output(std::string const& arguments) {
    std::string text = arguments;
    Format const format = take_format(text);
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    channel_.write(evaluate(of, Expression(text, scope), format));
    return std::nullopt;
}

Console::Answer Console::echo(std::string const& arguments) {
    std::string text;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        bool const is_escaped = arguments[i] == '\\' && i + 1 < arguments.size();
        if (is_escaped) ++i;
        text += is_escaped && arguments[i] == 'n' ? '\n' : is_escaped && arguments[i] == 't' ? '\t' : arguments[i];
    }
    channel_.write(text);
    return std::nullopt;
}

namespace {

/// "float *next", "float m[2][3]".
std::string declaration_text(TypePointer const& type, std::string const& name) {
    std::string const text = name_of(type);
    std::size_t const counts = type->kind == ValueType::Kind::array ? text.rfind(" [") : std::string::npos;
    if (counts != std::string::npos) return text.substr(0, counts) + " " + name + text.substr(counts + 1);
    return text + (text.ends_with('*') ? "" : " ") + name;
}

/// What the type is made of, where its name does not say it.
std::string definition_text(ValueType const& type) {
    std::string text;
    if (type.kind == ValueType::Kind::structure) {
        text = "struct " + type.name + " {\n";
        for (ValueType::Member const& m : type.members)
            text += "    " + declaration_text(m.type, m.name) + ";  // at " + std::to_string(m.offset) + "\n";
        return text + "}";
    }
    for (ValueType::Enumerator const& e : type.enumerators)
        text += (text.empty() ? "" : ", ") + e.name + " = " + std::to_string(e.value);
    return text.empty() ? type.name : "enum " + type.name + " {" + text + "}";
}

}  // namespace

Console::Answer Console::type(std::string const& arguments, bool is_whole) {
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    TypePointer type = scope.type(arguments);
    if (!type) type = Expression(arguments, scope).evaluate(scope).type;
    std::string const name = name_of(type);
    ValueType const* inner = type.get();
    while (inner->element != nullptr) inner = inner->element.get();
    std::size_t const at = name.find(inner->name);
    bool const is_told = !is_whole || inner->name.empty() || at == std::string::npos;
    write("type = " +
          (is_told ? name : name.substr(0, at) + definition_text(*inner) + name.substr(at + inner->name.size())));
    return std::nullopt;
}

Console::Answer Console::lanes(std::string const& arguments) {
    std::string text = arguments;
    Format const format = take_format(text);
    Thread of = thread();
    ThreadScope types = scope_of(of);
    Expression const expression(text, types);
    std::string row, rows;
    std::optional<Error> failure;
    bool has_value = false;
    for (of.lane = 0; of.lane < 32; ++of.lane) {
        LaneState const state = machine().position(of).state;
        if (state == LaneState::absent) continue;
        std::string value = "exited";
        if (state != LaneState::exited) {
            try {
                value = evaluate(of, expression, format);
                has_value = true;
            } catch (Error const& error) {
                value = std::string("<") + error.what() + ">";
                if (!failure) failure = error;
            }
        }
        std::string const cell =
            (state == LaneState::executing ? "*" : " ") + std::to_string(of.lane) + ": " + value;
        row += cell + std::string(cell.size() < 20 ? 20 - cell.size() : 1, ' ');
        if (of.lane % 4 == 3) rows += std::exchange(row, "") + "\n";
    }
    // Not one after the other what none of them has.
    if (failure && !has_value) throw *failure;
    rows += row;
    if (rows.ends_with('\n')) rows.pop_back();
    write(rows);
    return std::nullopt;
}

Console::Answer Console::display(std::string const& arguments) {
    if (arguments.empty()) {
        show_displays();
        return std::nullopt;
    }
    std::string text = arguments;
    Format const format = take_format(text);
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    displays_.push_back({next_display_++, Expression(text, scope), format});
    write(std::to_string(displays_.back().number) + ": " + text + " = " +
          evaluate(of, displays_.back().expression, format));
    return std::nullopt;
}

Console::Answer Console::undisplay(std::string const& arguments) {
    if (arguments.empty()) displays_.clear();
    else {
        auto const number = static_cast<int>(number_of(arguments));
        std::erase_if(displays_, [&](Display const& d) { return d.number == number; });
    }
    return std::nullopt;
}

/// x/4fw ADDRESS
Console::Answer Console::examine(std::string const& arguments) {
    std::string text = arguments;
    std::uint64_t count = 1, unit = 4;
    char letter = 'x';
    if (!text.empty() && text.front() == '/') {
        std::string rest = text.substr(1);
        std::string letters = take_word(rest);
        std::size_t const digits = letters.find_first_not_of("0123456789");
        if (digits != 0) count = number_of(letters.substr(0, digits));
        letters = digits == std::string::npos ? "" : letters.substr(digits);
        for (char const c : letters) {
            if (c == 'b' || c == 'h' || c == 'w' || c == 'g')
                unit = c == 'b' ? 1 : c == 'h' ? 2 : c == 'w' ? 4 : 8;
            else if (format_of(c) || c == 's' || c == 'i') letter = c;
            else
                throw Error(ErrorKind::usage,
                            std::string("'") + c + "' is no format or unit: x d u t c f s i; b h w g");
        }
        text = rest;
    }
    if (letter == 'i') {
        write(code_text(0, static_cast<std::uint32_t>(std::min<std::uint64_t>(count, 1000)) - 1));
        return std::nullopt;
    }
    if (letter == 's' || letter == 'c') unit = 1;
    if (letter == 's') count = std::max<std::uint64_t>(count, 200);
    if (count == 0 || count > 100'000) throw Error(ErrorKind::usage, "x shows 1 to 100000 units");
    Thread const of = thread();
    ThreadScope scope = scope_of(of);
    Value const at = Expression(text, scope).evaluate(scope);
    MemoryPlace place{sim::SpaceKind::generic, 0};
    if (at.type->kind == ValueType::Kind::array && std::holds_alternative<MemoryPlace>(at.place))
        place = std::get<MemoryPlace>(at.place);
    else if (at.is_number())
        place = {at.type->kind == ValueType::Kind::pointer ? at.type->space : sim::SpaceKind::generic, at.bits()};
    TypePointer const element =
        letter == 'c' || letter == 's' ? type_named("char") : integer_type(unit, letter != 'u');
    if (letter == 's') {
        std::string string;
        for (std::uint64_t i = 0; i < count; ++i) {
            Value const c = scope.load(element, {place.space, place.address + i});
            if (c.bits() == 0) break;
            string += static_cast<char>(c.bits());
        }
        write(sim::hexadecimal(place.address) + ": \"" + string + "\"");
        return std::nullopt;
    }
    std::uint64_t const in_row = unit == 8 ? 2 : unit == 1 ? 8 : 4;
    Format const format = *format_of(letter);
    for (std::uint64_t i = 0; i < count; i += in_row) {
        std::string row = sim::hexadecimal(place.address + i * unit) + ":";
        for (std::uint64_t j = i; j < std::min(count, i + in_row); ++j)
            row += "\t" + text_of(scope.load(element, {place.space, place.address + j * unit}), format);
        write(row);
    }
    return std::nullopt;
}

Console::Answer Console::list(std::string const& arguments) {
    ir::Module const* const module = debugger_.module();
    if (module == nullptr) throw Error(ErrorKind::usage, "there is no code yet");
    std::string const file = stack_.empty() ? "" : stack_.front().line.file;
    Line first;
    if (!arguments.empty() && arguments != "-") {
        Location const found = find_location(*module, arguments, file);
        if (found.places.empty()) throw Error(ErrorKind::usage, "there is no code at '" + arguments + "'");
        ir::Function const& function = module->functions[found.places.front().function];
        first = line_of(*module, function.instructions[found.places.front().instruction]);
        first.number = first.number > 5 ? first.number - 5 : 1;
    } else if (arguments == "-") {
        first = {listed_.file, listed_.number > 20 ? listed_.number - 19 : 1};
    } else if (listed_.number != 0) {
        first = {listed_.file, listed_.number + 1};
    } else {
        first = selected().line;
        first.number = first.number > 5 ? first.number - 5 : 1;
    }
    std::vector<std::string> const& lines = lines_of(*module, first.file);
    if (lines.empty())
        throw Error(ErrorKind::usage, "the source '" + first.file + "' is not here; `disassemble` shows PTX");
    if (first.number > lines.size())
        throw Error(ErrorKind::usage, "line " + std::to_string(lines.size()) + " is the last of " + first.file);
    std::uint32_t const here = stack_.empty() || selected().line.file != first.file ? 0 : selected().line.number;
    std::uint32_t number = first.number;
    for (; number < first.number + 10 && number <= lines.size(); ++number)
        write((number == here ? "> " : "  ") + std::to_string(number) + "\t" + lines[number - 1]);
    listed_ = {first.file, number - 1};
    return std::nullopt;
}

std::string Console::code_text(std::uint32_t before, std::uint32_t after) {
    StackFrame const& at = selected();
    ir::Function const& function = *at.frame->function->function;
    std::uint32_t const first = at.instruction > before ? at.instruction - before : 0;
    std::uint32_t const last = std::min<std::uint32_t>(
        at.instruction + after, static_cast<std::uint32_t>(function.instructions.size()) - 1);
    std::string text;
    Line shown;
    for (std::uint32_t i = first; i <= last; ++i) {
        ir::Instruction const& instruction = function.instructions[i];
        Line const line = line_of(*debugger_.module(), instruction);
        std::string const source = text_of(*debugger_.module(), line);
        if (line != shown && line != ptx_line(*debugger_.module(), instruction) && line.number != 0)
            text += line.file + ":" + std::to_string(line.number) + (source.empty() ? "" : "\t" + source) + "\n";
        shown = line;
        std::string machine;
        if (debugger_.gpu() != nullptr) {
            timing::MachineText const made = debugger_.gpu()->machine_text(*at.frame->function, i);
            machine = padded(made.micro_ops, 13) + " " + padded(made.registers, 24) + " ";
        }
        text += (i == at.instruction ? "=> " : "   ") + std::string("<+") + std::to_string(i) + ">\t" + machine +
                debugger_.module()->written(instruction) + (i == last ? "" : "\n");
    }
    return text;
}

Console::Answer Console::backtrace(std::string const&) {
    selected();
    for (std::size_t i = 0; i < stack_.size(); ++i) {
        write("#" + std::to_string(i) + "  " + frame_text(stack_[i]));
    }
    return std::nullopt;
}

Console::Answer Console::frame(std::string const& arguments) {
    selected();
    std::size_t const wanted = arguments.empty() ? frame_ : number_of(arguments);
    if (wanted >= stack_.size())
        throw Error(ErrorKind::usage, "there are " + std::to_string(stack_.size()) + " frames: 0 to " +
                                          std::to_string(stack_.size() - 1));
    frame_ = wanted;
    listed_ = {};
    write("#" + std::to_string(frame_) + "  " + frame_text(stack_[frame_]));
    show_place(false);
    return std::nullopt;
}

Console::Answer Console::move_frame(int by) {
    selected();
    if (by < 0 && frame_ == 0) throw Error(ErrorKind::usage, "this is the innermost frame");
    if (by > 0 && frame_ + 1 >= stack_.size())
        throw Error(ErrorKind::usage, "this is the outermost frame: the kernel");
    return frame(std::to_string(by > 0 ? frame_ + 1 : frame_ - 1));
}

void Console::turn_to_kernel(std::uint64_t number) {
    if (number == debugger_.launches() || debugger_.look_at(number)) return;
    std::string others;
    for (Debugger::Launch const& one : debugger_.running()) {
        if (one.number == number)
            throw Error(ErrorKind::usage, "no block of kernel " + std::to_string(number) + " is on the GPU");
        others += (others.empty() ? "" : ", ") + std::to_string(one.number);
    }
    bool const is_one = others.find(',') == std::string::npos;
    throw Error(ErrorKind::usage,
                (is_one ? "only kernel " : "only kernels ") + others + (is_one ? " runs" : " run"));
}

Console::Answer Console::focus(std::string const& arguments) {
    // "cuda kernel block thread" asks, and "cuda kernel 0 thread 5" chooses.
    if (std::none_of(arguments.begin(), arguments.end(), [](char c) { return c >= '0' && c <= '9'; })) {
        write(focus_text());
        return std::nullopt;
    }
    machine();
    Focus wanted = debugger_.focus();
    std::optional<std::array<std::uint32_t, 3>> index;
    std::string rest = arguments;
    bool is_first_lane = false;
    while (!rest.empty()) {
        std::string const what = take_word(rest);
        std::string const value = take_word(rest);
        if (what == "block") {
            wanted = {triple_of(value), 0, 0, wanted.kernel};
            is_first_lane = true;
        } else if (what == "thread") {
            index = triple_of(value);
        } else if (what == "warp") {
            wanted.warp = static_cast<std::uint32_t>(number_of(value));
            is_first_lane = true;
        } else if (what == "lane") {
            wanted.lane = static_cast<int>(number_of(value) & 31);
            is_first_lane = false;
        } else if (what == "kernel") {
            turn_to_kernel(number_of(value));
            wanted = debugger_.focus();
        } else if (what != "grid" && what != "device") {
            throw Error(ErrorKind::usage,
                        "'" + what +
                            "' was not expected: kernel N, block (X,Y,Z), thread (X,Y,Z), warp N, "
                            "lane N");
        }
    }
    Machine const& m = machine();
    sim::Cta const* const cta = m.cta(wanted.block);
    if (cta == nullptr)
        throw Error(ErrorKind::usage,
                    "that block has not begun, or has ended: `info cuda blocks` lists those that run");
    Thread of{cta, nullptr, wanted.lane};
    if (index) {
        std::optional<Thread> const found = m.thread(*cta, *index);
        if (!found) throw Error(ErrorKind::usage, "the block has no such thread");
        of = *found;
    } else {
        if (wanted.warp >= cta->warps.size())
            throw Error(ErrorKind::usage, "the block has warps 0 to " + std::to_string(cta->warps.size() - 1));
        of.warp = &cta->warps[wanted.warp];
        while (is_first_lane && of.lane < 31 && (of.warp->live() & of.bit()) == 0) ++of.lane;
        if ((of.warp->exists & of.bit()) == 0) throw Error(ErrorKind::usage, "the warp has no such lane");
    }
    debugger_.set_focus(of);
    stack_ = m.stack(of);
    frame_ = 0;
    listed_ = {};
    write("[focus: " + focus_text() + "]");
    show_place(true);
    return std::nullopt;
}

}  // namespace warpsim::debug
