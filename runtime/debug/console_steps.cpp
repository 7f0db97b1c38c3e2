// The commands that go on, or back.
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"

namespace warpsim::debug {

Console::Answer Console::go(std::string const& arguments) {
    if (!arguments.empty() && debugger_.machine() != nullptr) {
        std::uint64_t const times = number_of(arguments);
        for (Breakpoint& b : debugger_.breakpoints.all()) {
            bool const is_here =
                b.kind == Breakpoint::Kind::code && !stack_.empty() && b.hits > 0 &&
                debugger_.breakpoints.are_at(stack_.front().frame->function->index, stack_.front().instruction);
            if (is_here && times > 0) b.ignored = times - 1;
        }
    }
    return Resume{};
}

Console::Answer Console::start(std::string const&) {
    if (debugger_.machine() != nullptr)
        throw Error(ErrorKind::usage, "it has begun: `continue`, or `goto 1` for the beginning of the kernel");
    return Resume{.how = Resume::How::step_instruction};
}

Console::Answer Console::step(std::string const& arguments, Resume::How how, bool is_reverse) {
    Resume resume{.how = how, .is_reverse = is_reverse};
    if (!arguments.empty()) resume.count = number_of(arguments);
    if (is_reverse) machine();
    if (is_reverse && !debugger_.has_history())
        throw Error(ErrorKind::usage,
                    "there is no way back in this launch: `set history on`, for those that begin later");
    return resume;
}

Console::Answer Console::until(std::string const& arguments) {
    if (!arguments.empty()) return advance(arguments);
    return step("", Resume::How::until_line, false);
}

Console::Answer Console::advance(std::string const& arguments) {
    add_breakpoint(arguments, true);
    return Resume{};
}

Console::Answer Console::go_to(std::string const& arguments) {
    machine();
    if (!debugger_.has_history() && number_of(arguments) < debugger_.count())
        throw Error(ErrorKind::usage,
                    "there is no way back in this launch: `set history on`, for those that begin later");
    return Resume{.how = Resume::How::go_to, .count = number_of(arguments)};
}

Console::Answer Console::last_write(std::string const& arguments) {
    Thread const of = thread();
    if (!debugger_.has_history())
        throw Error(ErrorKind::usage,
                    "there is no way back in this launch: `set history on`, for those that begin later");
    ThreadScope scope = scope_of(of);
    Value const value = Expression(arguments, scope).evaluate(scope);
    auto const* place = std::get_if<MemoryPlace>(&value.place);
    MemoryPlace pointed;
    if (place == nullptr && value.is_number()) {
        // An address alone.
        pointed = {sim::SpaceKind::generic, value.bits()};
        place = &pointed;
    }
    if (place == nullptr) throw Error(ErrorKind::usage, "'" + arguments + "' is nowhere in memory");
    return Resume{.how = Resume::How::last_write,
                  .where = machine().resolved(*place),
                  .bytes = place == &pointed ? 1 : value.type->bytes};
}

Console::Answer Console::leave(Resume::How how) { return Resume{.how = how}; }

}  // namespace warpsim::debug
