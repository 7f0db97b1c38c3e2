// Values: what scopes hold, what can be unfolded, and what can be changed.
#include "runtime/debug/dap/server.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>

namespace warpsim::debug::dap {

namespace {

constexpr std::size_t most_elements_in_line = 16;

/// Of a reply of the console, which may be long.
class TextChannel final : public Channel {
public:
    std::optional<std::string> read_line(std::string const&) override { return std::nullopt; }
    void write(std::string_view text) override { text_ += text; }
    bool is_terminal() const override { return false; }
    std::string const& text() const { return text_; }

private:
    std::string text_;
};

}  // namespace

std::int64_t Server::reference_to(Container container) {
    containers_.push_back(std::move(container));
    return static_cast<std::int64_t>(containers_.size());
}

Container& Server::container(std::int64_t reference) {
    if (reference < 1 || static_cast<std::size_t>(reference) > containers_.size())
        throw Error(ErrorKind::usage,
                    "there is no variablesReference " + std::to_string(reference) + " since the last stop");
    return containers_[static_cast<std::size_t>(reference) - 1];
}

/// Of a request with a frameId; without one: the innermost call of the focus.
FrameOf Server::frame_of(Json const& arguments) {
    auto const found = arguments.find("frameId");
    if (found == arguments.end() || found->is_null()) return {debugger_.focus(), 0};
    auto const id = found->get<std::int64_t>();
    if (id < 1 || static_cast<std::size_t>(id) > frames_.size())
        throw Error(ErrorKind::usage, "there is no frame " + std::to_string(id) + " since the last stop");
    return frames_[static_cast<std::size_t>(id) - 1];
}

StackFrame Server::call_of(FrameOf const& at) {
    std::vector<StackFrame> stack = machine().stack(thread_of(at.of));
    if (stack.empty()) throw Error(ErrorKind::usage, "the thread has ended");
    return stack[std::min(at.frame, stack.size() - 1)];
}

ThreadScope Server::scope_of(FrameOf const& at) {
    Thread const of = thread_of(at.of);
    std::vector<StackFrame> const stack = machine().stack(of);
    StackFrame const call = stack.empty() ? StackFrame() : stack[std::min(at.frame, stack.size() - 1)];
    static std::vector<Value> const no_history;
    return {machine(), of, call.frame, call.instruction, debugger_.symbols(), no_history};
}

/// As an address that says by itself which memory it is of.
std::uint64_t Server::generic(MemoryPlace const& place) {
    sim::Windows const& w = machine().launch().windows;
    switch (place.space) {
        case sim::SpaceKind::shared: return place.address + w.shared;
        case sim::SpaceKind::local: return place.address + w.local;
        case sim::SpaceKind::param_entry: return place.address + w.param;
        default: return place.address;
    }
}

Json Server::described(Value const& value, std::string const& expression, FrameOf const& at) {
    using Kind = ValueType::Kind;
    ValueType const& type = *value.type;
    bool const leads_on = type.kind == Kind::pointer && type.element && value.bits() != 0;
    bool const is_folded = type.kind == Kind::structure || type.kind == Kind::array || leads_on;
    Json body{{"type", name_of(value.type)}, {"variablesReference", 0}};
    if (is_folded) body["variablesReference"] = reference_to({Container::Kind::parts, at, value, expression});
    if (type.kind == Kind::array) body["indexedVariables"] = type.count;
    if (auto const* const place = std::get_if<MemoryPlace>(&value.place))
        body["memoryReference"] = sim::hexadecimal(generic(*place));
    else if (type.kind == Kind::pointer) body["memoryReference"] = sim::hexadecimal(value.bits());
    return body;
}

Json Server::described(Variable const& v) {
    Json told = v.value
                    ? described(*v.value, v.expression, v.inside ? v.inside->at : FrameOf{debugger_.focus(), 0})
                    : Json{{"variablesReference", 0}};
    if (!v.value && v.inside) told["variablesReference"] = reference_to(*v.inside);
    told["name"] = v.name;
    told["value"] = v.value ? text_of(*v.value, Format::natural, most_elements_in_line) : v.text;
    if (!v.expression.empty()) told["evaluateName"] = v.expression;
    bool const is_fixed = !v.value || std::holds_alternative<std::monostate>(v.value->place);
    if (is_fixed) told["presentationHint"] = {{"attributes", {"readOnly"}}};
    return told;
}

Json Server::scopes(Json const& arguments) {
    FrameOf const at = frame_of(arguments);
    Json list = Json::array();
    auto const add = [&](char const* name, Container::Kind kind, char const* hint, bool is_needed) {
        Container of{kind, at, {}, ""};
        auto const count = kind == Container::Kind::lanes || kind == Container::Kind::registers
                               ? std::size_t{32}
                               : this->list(of, 0, UINT64_MAX).size();
        if (count == 0 && !is_needed) return;
        Json scope{{"name", name},
                   {"variablesReference", reference_to(of)},
                   {"expensive", hint == std::string("registers")}};
        if (*hint != 0) scope["presentationHint"] = hint;
        list.push_back(std::move(scope));
    };
    add("Locals", Container::Kind::locals, "locals", true);
    add("Arguments", Container::Kind::arguments, "arguments", false);
    add("Shared", Container::Kind::shared, "", false);
    add("Globals", Container::Kind::globals, "", false);
    add("Special", Container::Kind::special, "", true);
    add("Registers", Container::Kind::registers, "registers", true);
    add("Lanes", Container::Kind::lanes, "", true);
    return {{"scopes", list}};
}

Json Server::variables(Json const& arguments) {
    Container const of = container(arguments.at("variablesReference").get<std::int64_t>());
    auto const first =
        static_cast<std::uint64_t>(std::max<std::int64_t>(arguments.value("start", std::int64_t{0}), 0));
    auto const count =
        static_cast<std::uint64_t>(std::max<std::int64_t>(arguments.value("count", std::int64_t{0}), 0));
    Json told = Json::array();
    for (Variable& v : list(of, first, count)) {
        if (!v.inside) v.inside = Container{Container::Kind::parts, of.at, {}, ""};
        bool const is_leaf = !v.value && v.inside->kind == Container::Kind::parts;
        if (is_leaf) v.inside.reset();
        told.push_back(described(v));
    }
    return {{"variables", told}};
}

/// The value of `text` as one of that type, at that place.
Value Server::assigned(Value const& to, std::string const& text, FrameOf const& at) {
    if (std::holds_alternative<std::monostate>(to.place)) throw Error(ErrorKind::usage, "that cannot be set");
    ThreadScope scope = scope_of(at);
    Value changed = converted(Expression(text, scope).evaluate(scope), to.type);
    scope.store(to.place, changed.bytes);
    changed.place = to.place;
    return changed;
}

Json Server::set_variable(Json const& arguments) {
    Container const of = container(arguments.at("variablesReference").get<std::int64_t>());
    auto const name = arguments.at("name").get<std::string>();
    for (Variable const& v : list(of, 0, UINT64_MAX)) {
        if (v.name != name) continue;
        if (!v.value) throw Error(ErrorKind::usage, "'" + name + "' cannot be set");
        Value const changed = assigned(*v.value, arguments.at("value").get<std::string>(), of.at);
        Json body = described(changed, v.expression, of.at);
        body["value"] = text_of(changed, Format::natural, most_elements_in_line);
        return body;
    }
    throw Error(ErrorKind::usage, "there is no '" + name + "' there");
}

Json Server::set_expression(Json const& arguments) {
    FrameOf const at = frame_of(arguments);
    ThreadScope scope = scope_of(at);
    auto const text = arguments.at("expression").get<std::string>();
    Value const to = Expression(text, scope).evaluate(scope);
    Value const changed = assigned(to, arguments.at("value").get<std::string>(), at);
    Json body = described(changed, text, at);
    body["value"] = text_of(changed, Format::natural, most_elements_in_line);
    return body;
}

/// In the console of the editor, what is no expression may be a command of ours; after ` it always is.
Json Server::evaluate(Json const& arguments) {
    auto const text = arguments.at("expression").get<std::string>();
    FrameOf const at = frame_of(arguments);
    bool const is_console = arguments.value("context", "") == "repl";
    if (is_console && text.starts_with('`')) return obey_console(text.substr(1), at);
    try {
        machine();
        ThreadScope scope = scope_of(at);
        Expression const expression(text, scope);
        Value const value = expression.evaluate(scope);
        bool const is_hexadecimal = arguments.contains("format") && arguments["format"].value("hex", false);
        Json body = described(value, text, at);
        body["result"] =
            text_of(value, is_hexadecimal ? Format::hexadecimal : Format::natural, most_elements_in_line);
        return body;
    } catch (Error const& error) {
        if (!is_console) throw;
        try {
            return obey_console(text, at);
        } catch (Error const& other) {
            bool const is_unknown = std::string_view(other.what()).starts_with("there is no command");
            throw Error(ErrorKind::usage, is_unknown ? error.what() : other.what());
        }
    }
}

Json Server::obey_console(std::string const& command, FrameOf const& at) {
    TextChannel channel;
    Console console(channel, debugger_);
    if (debugger_.machine() != nullptr) debugger_.set_focus(thread_of(at.of));
    std::optional<Resume> const how = console.obey(command, at.frame);
    if (how && how->how == Resume::How::quit)
        throw Error(ErrorKind::usage, "`terminate` of the editor ends the program");
    if (how) {
        resume_ = how;
        writer_.write(
            event_of("continued", {{"threadId", thread_id(debugger_.focus())}, {"allThreadsContinued", true}}));
    } else if (debugger_.focus() == at.of) {
        debugger_.breakpoints_changed();
    } else {
        // Another thread was chosen: the client looks again.
        tell_threads();
        writer_.write(event_of("stopped", {{"reason", "step"},
                                           {"description", "Another thread"},
                                           {"threadId", thread_id(debugger_.focus())},
                                           {"allThreadsStopped", true}}));
    }
    std::string text = channel.text();
    if (text.ends_with('\n')) text.pop_back();
    return {{"result", text}, {"variablesReference", 0}};
}

}  // namespace warpsim::debug::dap
