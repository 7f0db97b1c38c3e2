#include "runtime/debug/dap/adapter.hpp"

#include "runtime/debug/dap/capabilities.hpp"
#include "sim/error.hpp"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

namespace warpsim::debug::dap {

namespace {

LaunchWish wish_of(Json const& arguments) {
    LaunchWish wish;
    if (arguments.contains("program")) {
        wish.program.push_back(arguments.at("program").get<std::string>());
        for (Json const& word : arguments.value("args", Json::array()))
            wish.program.push_back(word.get<std::string>());
    }
    wish.plan = arguments.value("plan", "");
    wish.folder = arguments.value("cwd", "");
    Json const variables = arguments.value("env", Json::object());
    if (!variables.is_object()) throw Error(ErrorKind::usage, "\"env\" is an object of names and values");
    for (auto const& [name, value] : variables.items())
        wish.environment.emplace_back(name,
                                      value.is_null() ? std::nullopt : std::optional(value.get<std::string>()));
    return wish;
}

/// Of requests with the same one the last counts: of each kind, and of each file.
std::string key_of(Json const& request, std::string const& command) {
    if (command != "setBreakpoints") return command;
    return command + request["arguments"].at("source").dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

void Adapter::serve() {
    while (has_client_ || (program_ > 0 && !has_ended_)) {
        if (is_restarting_ && has_ended_) begin_anew();
        // What was printed is told before what was said afterwards.
        std::array<pollfd, 5> files{{{out_, POLLIN, 0},
                                     {err_, POLLIN, 0},
                                     {socket_, POLLIN, 0},
                                     {ended_, POLLIN, 0},
                                     {has_client_ ? in_ : -1, POLLIN, 0}}};
        int timeout = -1;
        if (kill_at_) {
            auto const left =
                std::chrono::duration_cast<std::chrono::milliseconds>(*kill_at_ - std::chrono::steady_clock::now())
                    .count();
            timeout = static_cast<int>(std::clamp<std::int64_t>(left + 1, 0, 10'000));
        }
        if (poll(files.data(), files.size(), timeout) < 0 && errno != EINTR) break;
        if (kill_at_ && std::chrono::steady_clock::now() >= *kill_at_ && !has_ended_)
            kill(-program_, SIGKILL), kill_at_.reset();
        if (files[0].revents != 0) hear_output(out_, out_rest_, "stdout");
        if (files[1].revents != 0) hear_output(err_, err_rest_, "stderr");
        if (files[2].revents != 0) hear_program();
        if (files[3].revents != 0) hear_end();
        if (files[4].revents == 0) continue;
        char bytes[16384];
        ssize_t const count = read(in_, bytes, sizeof bytes);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) {
            leave_client();
            continue;
        }
        reader_.add({bytes, static_cast<std::size_t>(count)});
        try {
            while (has_client_) {
                std::optional<std::string> const text = reader_.next();
                if (!text) break;
                take(*text);
            }
        } catch (Error const& error) {
            writer_.write(output_of("important", std::string("no message of the Debug Adapter Protocol: ") +
                                                     error.what() + "\n"));
            writer_.write(event_of("terminated", nullptr));
            leave_client();
        }
    }
}

/// It has gone, or cannot be understood any more; the program ends with it.
void Adapter::leave_client() {
    has_client_ = false;
    if (!is_detached_) end_program();
}

Adapter::~Adapter() {
    if (waiter_.joinable()) waiter_.join();
    for (int const file : {socket_, out_, err_, ended_})
        if (file >= 0) close(file);
}

void Adapter::take(std::string const& text) {
    Json request;
    try {
        request = parsed(text);
    } catch (Error const& error) {
        writer_.write(refusal_of(Json::object(), error.what()));
        return;
    }
    auto const type = request.find("type");
    if (type != request.end() && *type == "response") return;
    auto const seq = request.find("seq"), command = request.find("command"), arguments = request.find("arguments");
    bool const is_well_formed = type != request.end() && *type == "request" && seq != request.end() &&
                                seq->is_number_integer() && command != request.end() && command->is_string() &&
                                (arguments == request.end() || arguments->is_object() || arguments->is_null());
    if (!is_well_formed) {
        writer_.write(refusal_of(
            request, "that is no request: it has a type, a seq, a command, and an object of arguments"));
        return;
    }
    if (arguments == request.end() || arguments->is_null()) request["arguments"] = Json::object();
    request.erase("isAnswered");
    try {
        answer(request);
    } catch (Error const& error) {
        writer_.write(refusal_of(request, error.what()));
    } catch (Json::exception const& error) {
        writer_.write(
            refusal_of(request, std::string("the arguments are not what they should be: ") + error.what()));
    }
}

void Adapter::answer(Json request) {
    auto const command = request.at("command").get<std::string>();
    Json& arguments = request["arguments"];
    if (command == "initialize") {
        initialize_ = arguments;
        writer_.write(response_to(request, capabilities()));
        return;
    }
    if (command == "launch") return launch(request);
    if (command == "attach")
        throw Error(ErrorKind::usage, "a program has to be started under the debugger: use `launch`");
    if (command == "terminate") return disconnect(request, true);
    if (command == "restart") return restart(request);
    if (command == "disconnect") return disconnect(request, arguments.value("terminateDebuggee", true));
    if (command == "configurationDone") {
        is_configured_ = true;
        writer_.write(response_to(request, nullptr));
        return start();
    }
    if (auto const list = arguments.find("breakpoints"); list != arguments.end() && list->is_array())
        for (Json& wanted : *list)
            if (wanted.is_object()) wanted["id"] = next_breakpoint_++;
    if (command.starts_with("set") && command.ends_with("Breakpoints")) keep(request, command);
    if (is_here_ && !has_ended_) return pass_on(std::move(request));
    answer_early(request, command);
}

/// The program has not come to the debugger yet, or has ended.
void Adapter::answer_early(Json const& request, std::string const& command) {
    Json body;
    if (command == "threads") {
        writer_.write(response_to(request, {{"threads", has_ended_ ? Json::array() : no_threads()}}));
        return;
    }
    bool const is_kept = (command.starts_with("set") && command.ends_with("Breakpoints")) || command == "pause";
    if (!is_kept)
        throw Error(ErrorKind::usage, has_ended_
                                          ? "the program has ended"
                                          : "no kernel has run yet, or there is no request '" + command + "'");
    Json kept = request;
    kept["isAnswered"] = true;
    waiting_[key_of(request, command)] = std::move(kept);
    writer_.write(response_to(request, command == "pause" ? Json() : pending_answer(request)));
}

void Adapter::launch(Json const& request) {
    if (is_prepared_) throw Error(ErrorKind::usage, "a program was launched already");
    launch_ = request["arguments"];
    launch_["linesStartAt1"] = initialize_.value("linesStartAt1", true);
    launch_["stopOnEntry"] = launch_.value("stopOnEntry", false);
    debuggee_.prepare(wish_of(launch_));
    is_prepared_ = true;
    writer_.write(response_to(request, nullptr));
    writer_.write(event_of("initialized", nullptr));
    start();
}

/// Where memory is watched, another run may have something else there.
void Adapter::keep(Json const& request, std::string const& command) {
    if (command == "setDataBreakpoints") return;
    Json kept = request;
    kept["isAnswered"] = true;
    kept_[key_of(request, command)] = std::move(kept);
}

/// The program ends, and begins once more with the same breakpoints.
void Adapter::restart(Json const& request) {
    if (program_ <= 0) throw Error(ErrorKind::usage, "nothing has been launched yet");
    if (auto const again = request["arguments"].find("arguments");
        again != request["arguments"].end() && again->is_object())
        launch_["stopOnEntry"] = again->value("stopOnEntry", launch_.value("stopOnEntry", false));
    writer_.write(response_to(request, nullptr));
    is_restarting_ = true;
    end_program();
}

void Adapter::begin_anew() {
    is_restarting_ = false;
    waiter_.join();
    for (int* const file : {&socket_, &out_, &err_, &ended_}) {
        if (*file >= 0) close(*file);
        *file = -1;
    }
    out_rest_.clear();
    err_rest_.clear();
    program_ = -1;
    has_ended_ = is_here_ = is_detached_ = false;
    program_reader_ = {};
    waiting_ = kept_;
    try {
        start();
    } catch (Error const& error) {
        writer_.write(output_of("important", std::string(error.what()) + "\n"));
        writer_.write(event_of("terminated", nullptr));
    }
}

void Adapter::pass_on(Json request) {
    auto const seq = request["seq"].get<std::int64_t>();
    if (!request.contains("isAnswered")) open_[seq] = request;
    write_all(socket_, framed(request));
}

void Adapter::hear_program() {
    // Whatever was printed before is in the pipes already.
    for (int i = 0; i < 2; ++i) {
        int& file = i == 0 ? out_ : err_;
        pollfd ready{file, POLLIN, 0};
        while (file >= 0 && poll(&ready, 1, 0) > 0)
            hear_output(file, i == 0 ? out_rest_ : err_rest_, i == 0 ? "stdout" : "stderr");
    }
    char bytes[16384];
    ssize_t const count = read(socket_, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return;
    if (count <= 0) {
        close(socket_);
        socket_ = -1;
        return;
    }
    program_reader_.add({bytes, static_cast<std::size_t>(count)});
    while (std::optional<std::string> const text = program_reader_.next()) {
        Json message = parsed(*text);
        if (message.value("event", "") == "warpsim") {
            is_here_ = true;
            pass_on({{"seq", 0},
                     {"type", "request"},
                     {"command", "launch"},
                     {"arguments", launch_},
                     {"isAnswered", true}});
            for (auto const& [key, request] : waiting_) pass_on(request);
            waiting_.clear();
            pass_on({{"seq", 0}, {"type", "request"}, {"command", "configurationDone"}, {"isAnswered", true}});
            continue;
        }
        if (message.value("type", "") == "response") open_.erase(message.value("request_seq", std::int64_t{-1}));
        writer_.write(std::move(message));
    }
}

void Adapter::hear_output(int& file, std::string& rest, char const* category) {
    char bytes[16384];
    ssize_t const count = read(file, bytes, sizeof bytes);
    if (count < 0 && errno == EINTR) return;
    if (count > 0) rest.append(bytes, static_cast<std::size_t>(count));
    std::size_t const whole = count > 0 ? whole_characters(rest) : rest.size();
    if (whole > 0) writer_.write(output_of(category, std::string_view(rest).substr(0, whole)));
    rest.erase(0, whole);
    if (count > 0) return;
    close(file);
    file = -1;
}

void Adapter::disconnect(Json const& request, bool ends_program) {
    bool const is_terminate = request["command"] == "terminate";
    is_restarting_ = false;
    if (ends_program) end_program();
    else if (is_here_ && !has_ended_) write_all(socket_, framed(request));
    is_detached_ = !ends_program;
    writer_.write(response_to(request, nullptr));
    if (is_terminate && (program_ < 0 || has_ended_)) writer_.write(event_of("terminated", nullptr));
    if (!is_terminate) has_client_ = false;
}

}  // namespace warpsim::debug::dap
