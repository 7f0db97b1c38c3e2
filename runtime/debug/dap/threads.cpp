// Warps as threads, and the calls in which they are.
#include "runtime/debug/dap/code_address.hpp"
#include "runtime/debug/dap/server.hpp"
#include "sim/error.hpp"
#include "sim/found_source.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <bit>
#include <filesystem>

namespace warpsim::debug::dap {

namespace {

constexpr std::size_t most_threads = 256;

/// The lane that shows the warp: the first that executes next, else the first that is there.
int first_lane(Machine const& machine, sim::Warp const& warp) {
    bool const is_next = machine.site() != nullptr && &machine.site()->warp == &warp;
    if (is_next && machine.active() != 0) return std::countr_zero(machine.active());
    sim::LaneMask const live = warp.live() != 0 ? warp.live() : warp.exists;
    return live != 0 ? std::countr_zero(live) : 0;
}

}  // namespace

std::int64_t Server::thread_id(Focus const& of) {
    auto const next = static_cast<std::int64_t>(thread_ids_.size()) + 1;
    return thread_ids_.try_emplace({of.block, of.warp}, next).first->second;
}

std::vector<std::pair<std::int64_t, Focus>> Server::listed_threads() {
    std::vector<std::pair<std::int64_t, Focus>> all;
    Machine const* const m = debugger_.machine();
    if (m == nullptr) return all;
    Focus const& focus = debugger_.focus();
    auto const add = [&](sim::Cta const& cta) {
        for (sim::Warp const& warp : cta.warps) {
            bool const is_focus = cta.id == focus.block && warp.index == focus.warp;
            if (!is_focus && (warp.live() == 0 || all.size() >= most_threads)) continue;
            Focus const of{cta.id, warp.index, is_focus ? focus.lane : first_lane(*m, warp), debugger_.launches()};
            all.emplace_back(thread_id(of), of);
        }
    };
    // That of the focus has its place in the list, however long it is.
    if (sim::Cta const* const cta = m->cta(focus.block)) add(*cta);
    for (sim::Cta const* const cta : m->ctas())
        if (cta->id != focus.block) add(*cta);
    return all;
}

Json Server::threads(Json const&) {
    // Also those that a console's command has brought up.
    if (debugger_.machine() != nullptr) tell_threads();
    std::lock_guard const guard(lock_);
    return {{"threads", known_threads_.empty() ? no_threads() : known_threads_}};
}

Thread Server::thread_of(Focus const& of) {
    sim::Cta const* const cta = machine().cta(of.block);
    if (cta == nullptr || of.warp >= cta->warps.size()) throw Error(ErrorKind::usage, "that thread is gone");
    return {cta, &cta->warps[of.warp], of.lane};
}

Focus Server::focus_of(Json const& arguments) {
    auto const wanted = arguments.at("threadId").get<std::int64_t>();
    if (wanted == thread_id(debugger_.focus())) return debugger_.focus();
    for (auto const& [id, of] : listed_threads())
        if (id == wanted) return of;
    throw Error(ErrorKind::usage, "there is no thread " + std::to_string(wanted));
}

/// A file that is here by its path; another by the number under which its text can be had.
Json Server::source_of(std::string const& file) {
    std::string const ptx = module().sources.empty() ? "" : module().sources.front()->name();
    std::string const found = sim::found_source(file, ptx);
    Json source{{"name", std::filesystem::path(file).filename().string()}};
    std::error_code error;
    if (std::filesystem::is_regular_file(found, error)) {
        source["path"] = std::filesystem::weakly_canonical(std::filesystem::absolute(found), error).string();
        return source;
    }
    if (lines_of(module(), file).empty()) {
        // Nobody has it: its path at least says which one it is.
        source["path"] = file;
        source["presentationHint"] = "deemphasize";
        return source;
    }
    auto known = std::find(sources_.begin(), sources_.end(), file);
    if (known == sources_.end()) known = sources_.insert(sources_.end(), file);
    source["sourceReference"] = known - sources_.begin() + 1;
    source["origin"] = "PTX of the program";
    return source;
}

/// As the module, or the client, calls it.
std::string Server::file_of_source(Json const& source) {
    auto const reference = source.value("sourceReference", std::int64_t{0});
    if (reference > 0 && static_cast<std::size_t>(reference) <= sources_.size())
        return sources_[static_cast<std::size_t>(reference) - 1];
    return source.contains("path") ? source.at("path").get<std::string>() : source.at("name").get<std::string>();
}

Json Server::source(Json const& arguments) {
    std::string file;
    auto const reference = arguments.value("sourceReference", std::int64_t{0});
    if (reference > 0 && static_cast<std::size_t>(reference) <= sources_.size())
        file = sources_[static_cast<std::size_t>(reference) - 1];
    else file = file_of_source(arguments.at("source"));
    std::string text;
    for (std::string const& line : lines_of(module(), file)) text += line + "\n";
    if (text.empty()) throw Error(ErrorKind::usage, "the source '" + file + "' is not here");
    return {{"content", text}, {"mimeType", "text/plain"}};
}

Json Server::stack_trace(Json const& arguments) {
    Focus const of = focus_of(arguments);
    std::vector<StackFrame> const stack = machine().stack(thread_of(of));
    auto const first =
        static_cast<std::size_t>(std::max<std::int64_t>(arguments.value("startFrame", std::int64_t{0}), 0));
    auto const wanted =
        static_cast<std::size_t>(std::max<std::int64_t>(arguments.value("levels", std::int64_t{0}), 0));
    Json list = Json::array();
    for (std::size_t i = first; i < stack.size() && (wanted == 0 || i < first + wanted); ++i) {
        StackFrame const& f = stack[i];
        frames_.push_back({of, i});
        CodePlace const place{f.frame->function->index, f.instruction};
        list.push_back({{"id", frames_.size()},
                        {"name", f.function + (f.is_inlined ? " (inlined)" : "")},
                        {"source", source_of(f.line.file)},
                        {"line", static_cast<std::int64_t>(f.line.number) - 1 + line_base_},
                        {"column", f.line.number == 0 ? 0 : 1},
                        {"instructionPointerReference", sim::hexadecimal(code_address(place))}});
    }
    return {{"stackFrames", list}, {"totalFrames", stack.size()}};
}

Json Server::exception_info(Json const&) {
    Wish const* const wish = wish_of(stop_.breakpoint);
    std::string const id = stop_.reason == StopReason::fault ? "fault" : wish != nullptr ? wish->what : "stop";
    return {{"exceptionId", id},
            {"description", stop_.text},
            {"breakMode", "always"},
            {"details", {{"message", stop_.text}}}};
}

}  // namespace warpsim::debug::dap
