// The requests that go on, or back.
#include "runtime/debug/dap/server.hpp"
#include "sim/error.hpp"

namespace warpsim::debug::dap {

Json Server::launch(Json const& arguments) {
    stops_on_entry_ = arguments.value("stopOnEntry", false);
    line_base_ = arguments.value("linesStartAt1", true) ? 1 : 0;
    return nullptr;
}

Json Server::configuration_done(Json const&) {
    is_configured_ = true;
    if (debugger_.machine() == nullptr) resume_ = Resume{};
    return nullptr;
}

Json Server::go(Json const& arguments, Resume::How how, bool is_reverse) {
    using How = Resume::How;
    bool const by_instruction = arguments.value("granularity", "") == "instruction";
    if (by_instruction && how == How::next_line) how = How::next_instruction;
    if (by_instruction && how == How::step_line) how = How::step_instruction;
    if (is_reverse && !debugger_.has_history())
        throw Error(ErrorKind::usage, "there is no way back in this launch");
    if (how != How::go && debugger_.machine() != nullptr && arguments.contains("threadId")) {
        Focus const wanted = focus_of(arguments);
        debugger_.set_focus(thread_of(wanted));
    }
    resume_ = Resume{.how = how, .is_reverse = is_reverse};
    return how == How::go && !is_reverse ? Json{{"allThreadsContinued", true}} : Json();
}

Json Server::pause(Json const&) {
    // It stands still already, or begins with the first kernel.
    std::lock_guard const guard(lock_);
    wants_pause_ = debugger_.machine() == nullptr;
    return nullptr;
}

}  // namespace warpsim::debug::dap
