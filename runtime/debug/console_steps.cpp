// The commands that go on, or back.
#include "runtime/debug/command_table.hpp"
#include "runtime/debug/words.hpp"
#include "sim/error.hpp"

#include <algorithm>

namespace warpsim::debug {

void Console::need_history() const {
    if (debugger_.has_history()) return;
    throw Error(ErrorKind::usage,
                debugger_.has_checkers && debugger_.keeps_history
                    ? "there is no way back in a program while something is looked for (--check)"
                : debugger_.gpu() != nullptr && debugger_.keeps_history
                    ? "there is no way back in timing mode of a program: only a plan, or a PTX file, runs again"
                    : "there is no way back in this launch: `set history on`, for those that begin later");
}

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
    if (is_reverse) machine(), need_history();
    return resume;
}

Console::Answer Console::step_cycle(std::string const& arguments, bool is_reverse) {
    gpu();
    Resume resume{.how = Resume::How::step_cycle, .is_reverse = is_reverse};
    if (!arguments.empty()) resume.count = number_of(arguments);
    if (is_reverse) need_history();
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
    std::string rest = arguments;
    Moment place{debugger_.launches(), 0, {}};
    if (std::size_t const colon = rest.find(':'); colon != std::string::npos) {
        place.launch = number_of(rest.substr(0, colon));
        rest.erase(0, colon + 1);
    }
    std::string const word = take_word(rest);
    bool const is_cycle = word == "cycle";
    if (is_cycle) gpu();
    std::uint64_t const number = number_of(is_cycle ? rest : word);
    bool const is_back =
        place.launch < debugger_.launches() ||
        (place.launch == debugger_.launches() && number <= (is_cycle ? debugger_.cycle() : debugger_.count()));
    if (is_back) need_history();
    if (!debugger_.reaches(place.launch)) throw Error(ErrorKind::usage, "there is no way back into that launch");
    if (is_cycle) place.count = UINT64_MAX, place.cycle = number;
    else place.count = std::max<std::uint64_t>(number, 1);
    return Resume{.how = Resume::How::go_to, .place = place};
}

Console::Answer Console::last_write(std::string const& arguments) {
    Thread const of = thread();
    need_history();
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
