// What requests there are, and who answers them.
#include "runtime/debug/dap/server.hpp"

namespace warpsim::debug::dap {

std::span<Server::Request const> Server::requests() {
    using How = Resume::How;
    using S = Server;
    using A = Json const;
    // clang-format off
    static std::vector<Request> const all{
        {"launch", false, [](S& s, A& a) { return s.launch(a); }},
        {"configurationDone", false, [](S& s, A& a) { return s.configuration_done(a); }},
        {"setBreakpoints", false, [](S& s, A& a) { return s.set_breakpoints(a); }},
        {"setFunctionBreakpoints", false, [](S& s, A& a) { return s.set_function_breakpoints(a); }},
        {"setInstructionBreakpoints", false, [](S& s, A& a) { return s.set_instruction_breakpoints(a); }},
        {"setExceptionBreakpoints", false, [](S& s, A& a) { return s.set_exception_breakpoints(a); }},
        {"setDataBreakpoints", false, [](S& s, A& a) { return s.set_data_breakpoints(a); }},
        {"dataBreakpointInfo", true, [](S& s, A& a) { return s.data_breakpoint_info(a); }},
        {"threads", false, [](S& s, A& a) { return s.threads(a); }},
        {"stackTrace", true, [](S& s, A& a) { return s.stack_trace(a); }},
        {"source", false, [](S& s, A& a) { return s.source(a); }},
        {"exceptionInfo", true, [](S& s, A& a) { return s.exception_info(a); }},
        {"scopes", true, [](S& s, A& a) { return s.scopes(a); }},
        {"variables", true, [](S& s, A& a) { return s.variables(a); }},
        {"setVariable", true, [](S& s, A& a) { return s.set_variable(a); }},
        {"setExpression", true, [](S& s, A& a) { return s.set_expression(a); }},
        {"evaluate", false, [](S& s, A& a) { return s.evaluate(a); }},
        {"readMemory", true, [](S& s, A& a) { return s.read_memory(a); }},
        {"writeMemory", true, [](S& s, A& a) { return s.write_memory(a); }},
        {"disassemble", false, [](S& s, A& a) { return s.disassemble(a); }},
        {"continue", false, [](S& s, A& a) { return s.go(a, How::go, false); }},
        {"next", false, [](S& s, A& a) { return s.go(a, How::next_line, false); }},
        {"stepIn", false, [](S& s, A& a) { return s.go(a, How::step_line, false); }},
        {"stepOut", false, [](S& s, A& a) { return s.go(a, How::finish, false); }},
        {"stepBack", true, [](S& s, A& a) { return s.go(a, How::next_line, true); }},
        {"reverseContinue", true, [](S& s, A& a) { return s.go(a, How::go, true); }},
        {"pause", false, [](S& s, A& a) { return s.pause(a); }},
        {"disconnect", false, [](S& s, A&) { s.resume_ = Resume{.how = How::detach}; return Json(); }},
    };
    // clang-format on
    return all;
}

}  // namespace warpsim::debug::dap
