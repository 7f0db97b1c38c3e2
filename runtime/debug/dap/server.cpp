#include "runtime/debug/dap/server.hpp"

#include "sim/error.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <utility>

namespace warpsim::debug::dap {

Server::Server(int file) : file_(file), writer_(file) {
    // Signals are the program's own threads' to take.
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    reader_ = std::thread([this] { read(); });
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    // Whoever started this process passes requests on from now on.
    writer_.write(event_of("warpsim", nullptr));
}

Server::~Server() {
    shutdown(file_, SHUT_RDWR);
    reader_.join();
    close(file_);
}

// The reader's thread.

void Server::read() {
    MessageReader reader;
    char bytes[4096];
    try {
        while (true) {
            ssize_t const count = ::read(file_, bytes, sizeof bytes);
            if (count < 0 && errno == EINTR) continue;
            if (count <= 0) break;
            reader.add({bytes, static_cast<std::size_t>(count)});
            while (std::optional<std::string> const text = reader.next()) take(parsed(*text));
        }
    } catch (std::exception const&) {
        // From whoever passes requests on, all are well formed: it is gone.
    }
    std::lock_guard const guard(lock_);
    has_ended_ = true;
    debugger_.interrupted = true;
    arrived_.notify_all();
}

void Server::take(Json request) {
    {
        std::lock_guard const guard(lock_);
        if (is_waiting_) {
            queue_.push_back(std::move(request));
            return arrived_.notify_all();
        }
    }
    answer_while_running(request);
}

void Server::answer_while_running(Json const& request) {
    std::string const command = request.value("command", "");
    bool const is_change = command == "launch" || (command.starts_with("set") && command.ends_with("Breakpoints"));
    bool const is_answered = request.value("isAnswered", false);
    bool is_known = is_change || is_answered;
    Json body;
    {
        std::lock_guard const guard(lock_);
        if (is_waiting_) {  // since a moment ago
            queue_.push_back(request);
            return arrived_.notify_all();
        }
        if (is_change || is_answered) {
            changes_.push_back(request);
            changes_.back()["isAnswered"] = true;
            body = pending_answer(request);
            debugger_.interrupted = true;
        } else if (command == "pause" || command == "disconnect") {
            (command == "pause" ? wants_pause_ : wants_detach_) = true;
            debugger_.interrupted = true;
            is_known = true;
        } else if (command == "threads") {
            body = {{"threads", known_threads_.empty() ? no_threads() : known_threads_}};
            is_known = true;
        } else if (command == "continue") {
            body = {{"allThreadsContinued", true}};
            is_known = true;
        }
    }
    if (is_answered) return;
    if (is_known) writer_.write(response_to(request, body));
    else writer_.write(refusal_of(request, "the program runs: pause it first"));
}

// The launch's thread.

void Server::answer(Json const& request) {
    std::string command;
    Json response;
    try {
        command = request.at("command").get<std::string>();
        auto const all = requests();
        auto const found =
            std::find_if(all.begin(), all.end(), [&](Request const& r) { return r.name == command; });
        if (found == all.end()) throw Error(ErrorKind::usage, "there is no request '" + command + "' here");
        if (found->needs_machine) machine();
        Json const arguments = request.value("arguments", Json::object());
        response = response_to(request, found->answer(*this, arguments));
    } catch (Error const& error) {
        response = refusal_of(request, error.what());
    } catch (Json::exception const& error) {
        response =
            refusal_of(request, "the arguments of '" + command + "' are not what they should be: " + error.what());
    }
    if (!request.value("isAnswered", false)) {
        writer_.write(response);
        return;
    }
    // The client knows these as pending.
    if (!response.contains("body") || !response["body"].is_object()) return;
    for (Json const& told : response["body"].value("breakpoints", Json::array()))
        if (told.contains("id") && told.value("reason", "") != "pending")
            writer_.write(event_of("breakpoint", {{"reason", "changed"}, {"breakpoint", told}}));
}

void Server::take_changes() {
    while (true) {
        Json request;
        {
            std::lock_guard const guard(lock_);
            if (changes_.empty()) break;
            request = std::move(changes_.front());
            changes_.pop_front();
        }
        answer(request);
    }
    settle();
}

bool Server::wants_to_stop() {
    take_changes();
    std::lock_guard const guard(lock_);
    return wants_pause_ || wants_detach_ || has_ended_;
}

void Server::launch_begins() { settle(); }

void Server::note(std::string const& text) { writer_.write(output_of("console", text + "\n")); }

Resume Server::obey() {
    resume_.reset();
    while (true) {
        Json request;
        {
            std::unique_lock guard(lock_);
            is_waiting_ = true;
            arrived_.wait(guard, [&] { return !queue_.empty() || has_ended_ || wants_detach_; });
            if (queue_.empty()) {
                is_waiting_ = false;
                return {.how = has_ended_ ? Resume::How::quit : Resume::How::detach};
            }
            request = std::move(queue_.front());
            queue_.pop_front();
        }
        answer(request);
        if (!resume_) continue;
        std::deque<Json> meanwhile;
        {
            std::lock_guard const guard(lock_);
            is_waiting_ = false;
            meanwhile.swap(queue_);
        }
        // It finds the launch running.
        for (Json const& request_left : meanwhile) answer_while_running(request_left);
        return *resume_;
    }
}

Resume Server::stopped(Stop const& stop) {
    // What the program has printed comes before what the user does next.
    std::fflush(stdout);
    stop_ = stop;
    frames_.clear();
    containers_.clear();
    take_changes();
    {
        std::lock_guard const guard(lock_);
        if (has_ended_) return {.how = Resume::How::quit};
        if (std::exchange(wants_detach_, false)) return {.how = Resume::How::detach};
        // A pause that was asked for in vain; this is a stop.
        if (stop.reason != StopReason::module) wants_pause_ = false;
    }
    if (stop.reason == StopReason::module) {
        if (!is_configured_) {
            Resume const how = obey();
            if (how.how != Resume::How::go) return how;
        }
        std::lock_guard const guard(lock_);
        bool const wants_stop = stops_on_entry_ || std::exchange(wants_pause_, false);
        if (wants_stop) begin_reason_ = stops_on_entry_ ? "entry" : "pause";
        return {.how = wants_stop ? Resume::How::step_instruction : Resume::How::go};
    }
    if (stop.reason == StopReason::fault && !stops_at_faults_) return {};
    if (Wish* const wish = wish_of(stop.breakpoint)) count_hit(*wish);
    tell_threads();
    {
        // The client asks as soon as it knows.
        std::lock_guard const guard(lock_);
        is_waiting_ = true;
    }
    tell_stop(stop);
    return obey();
}

void Server::tell_stop(Stop const& stop) {
    char const* reason = "step";
    Wish const* const wish = wish_of(stop.breakpoint);
    switch (stop.reason) {
        case StopReason::breakpoint:
            reason = wish != nullptr && wish->kind == Wish::Kind::function      ? "function breakpoint"
                     : wish != nullptr && wish->kind == Wish::Kind::instruction ? "instruction breakpoint"
                                                                                : "breakpoint";
            break;
        case StopReason::watchpoint: reason = "data breakpoint"; break;
        case StopReason::caught:
            reason = stop.breakpoint == 0 ? std::exchange(begin_reason_, "step") : "exception";
            break;
        case StopReason::fault: reason = "exception"; break;
        case StopReason::interrupt: reason = "pause"; break;
        default: break;
    }
    Json body{{"reason", reason}, {"threadId", thread_id(debugger_.focus())}, {"allThreadsStopped", true}};
    if (!stop.text.empty()) {
        body["description"] = stop.text.substr(0, stop.text.find('\n'));
        body["text"] = stop.text;
    }
    if (wish != nullptr) body["hitBreakpointIds"] = Json::array({wish->id});
    writer_.write(event_of("stopped", body));
    if (stop.reason == StopReason::fault || stop.reason == StopReason::no_history || wish == nullptr)
        if (!stop.text.empty()) writer_.write(output_of("console", stop.text + "\n"));
}

void Server::tell_threads() {
    std::vector<std::int64_t> now;
    Json list = Json::array();
    for (auto const& [id, of] : listed_threads()) {
        now.push_back(id);
        auto const& b = of.block;
        list.push_back({{"id", id},
                        {"name", "block (" + std::to_string(b[0]) + "," + std::to_string(b[1]) + "," +
                                     std::to_string(b[2]) + ") warp " + std::to_string(of.warp)}});
    }
    std::sort(now.begin(), now.end());
    auto const tell = [&](char const* what, std::vector<std::int64_t> const& of,
                          std::vector<std::int64_t> const& without) {
        for (std::int64_t const id : of)
            if (!std::binary_search(without.begin(), without.end(), id))
                writer_.write(event_of("thread", {{"reason", what}, {"threadId", id}}));
    };
    tell("exited", told_threads_, now);
    tell("started", now, told_threads_);
    told_threads_ = now;
    std::lock_guard const guard(lock_);
    known_threads_ = std::move(list);
}

Machine& Server::machine() {
    if (debugger_.machine() == nullptr) throw Error(ErrorKind::usage, "no kernel runs");
    return *debugger_.machine();
}

ir::Module const& Server::module() {
    if (debugger_.module() == nullptr) throw Error(ErrorKind::usage, "there is no code yet");
    return *debugger_.module();
}

}  // namespace warpsim::debug::dap
