#include "runtime/cuda/core/arguments.hpp"

#include <cstdio>

namespace warpsim::cuda {

namespace {

thread_local bool is_in_call = false;
thread_local std::string present_arguments;

}  // namespace

// Whether they are is known behind the first call's beginning.
std::atomic<bool> Arguments::are_wanted{true};

std::string const& Arguments::text() { return present_arguments; }

std::string Arguments::quoted(char const* text) {
    constexpr std::size_t most = 80;
    if (text == nullptr) return "0";
    std::string shown;
    for (std::size_t i = 0; i < most && text[i] != 0; ++i) shown += text[i] == '\n' ? ' ' : text[i];
    return "\"" + shown + (shown.size() == most ? "..." : "") + "\"";
}

std::string Arguments::hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, value == 0 ? "0" : "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

bool Arguments::begin() {
    if (is_in_call) return false;
    is_in_call = is_outermost_ = true;
    present_arguments.clear();
    return true;
}

void Arguments::add(std::string const& text) {
    present_arguments += (present_arguments.empty() ? "" : ", ") + text;
}

void Arguments::end() {
    is_in_call = false;
    present_arguments.clear();
}

}  // namespace warpsim::cuda
