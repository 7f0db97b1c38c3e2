#include "runtime/session/launch_choice.hpp"

#include "sim/demangled.hpp"
#include "sim/expression.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <mutex>

namespace warpsim::runtime {

namespace {

using Fits = std::function<bool(std::string const& name)>;

Fits pattern_of(std::string const& text) {
    auto const behind = [&](std::string_view key) { return text.substr(key.size()); };
    if (text.starts_with("regex:")) return sim::expression(behind("regex:"), "--kernel-name");
    for (std::string_view const key : {"kernel_substring=", "kns="}) {
        if (text.starts_with(key))
            return [part = behind(key)](std::string const& name) { return name.find(part) != std::string::npos; };
    }
    for (std::string_view const key : {"kernel_name=", "kne=", ""}) {
        if (text.starts_with(key)) return [whole = behind(key)](std::string const& name) { return name == whole; };
    }
    return {};
}

}  // namespace

struct LaunchChoice::State {
    std::vector<Fits> patterns;
    std::uint64_t skip = 0, count = 0;
    std::mutex mutex;
    std::uint64_t seen = 0;
    std::map<std::string, bool, std::less<>> known;

    bool fits(std::string_view kernel) {
        if (patterns.empty()) return true;
        if (auto const at = known.find(kernel); at != known.end()) return at->second;
        std::string const name(kernel), shown = sim::demangled(name);
        std::vector<std::string> names{name, shown};
        if (shown != name)
            for (std::string& one : sim::short_names(shown)) names.push_back(std::move(one));
        bool const is_chosen = std::any_of(patterns.begin(), patterns.end(), [&](Fits const& pattern) {
            return std::any_of(names.begin(), names.end(), pattern);
        });
        return known.emplace(name, is_chosen).first->second;
    }
};

LaunchChoice::LaunchChoice(std::vector<std::string> const& patterns, std::uint64_t skip, std::uint64_t count)
    : state_(std::make_unique<State>()) {
    for (std::string const& one : patterns) state_->patterns.push_back(pattern_of(one));
    state_->skip = skip;
    state_->count = count;
}

LaunchChoice::~LaunchChoice() = default;

bool LaunchChoice::chooses_all() const {
    return state_->patterns.empty() && state_->skip == 0 && state_->count == UINT64_MAX;
}

bool LaunchChoice::chooses(std::string_view kernel) {
    std::lock_guard const lock(state_->mutex);
    if (!state_->fits(kernel)) return false;
    std::uint64_t const number = state_->seen++;
    return number >= state_->skip && number - state_->skip < state_->count;
}

}  // namespace warpsim::runtime
