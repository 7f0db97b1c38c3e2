#include "runtime/cuda/core/arguments.hpp"

#include <cstdio>

namespace warpsim::cuda {

namespace {

thread_local bool is_in_call = false;
thread_local std::string present_arguments;
thread_local char const* present_function = "";
thread_local std::uint64_t present_begin = 0;

}  // namespace

// Whether they are is known behind the first call's beginning.
std::atomic<bool> CallArguments::are_wanted{true};
std::atomic<CallObserver*> CallArguments::observer{nullptr};

std::string const& CallArguments::text() { return present_arguments; }

std::string CallArguments::quoted(char const* text) {
    constexpr std::size_t most = 80;
    if (text == nullptr) return "0";
    std::string shown;
    for (std::size_t i = 0; i < most && text[i] != 0; ++i) shown += text[i] == '\n' ? ' ' : text[i];
    return "\"" + shown + (shown.size() == most ? "..." : "") + "\"";
}

std::string CallArguments::hexadecimal(std::uint64_t value) {
    char text[24];
    std::snprintf(text, sizeof text, value == 0 ? "0" : "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

bool CallArguments::begin(char const* function) {
    if (is_in_call) return false;
    is_in_call = is_outermost_ = true;
    present_arguments.clear();
    present_function = function;
    CallObserver* const who = observer.load(std::memory_order_acquire);
    present_begin = who != nullptr ? who->begins() : 0;
    return true;
}

void CallArguments::add(std::string const& text) {
    present_arguments += (present_arguments.empty() ? "" : ", ") + text;
}

void CallArguments::end() {
    is_in_call = false;
    if (CallObserver* const who = observer.load(std::memory_order_acquire))
        who->called(present_function, present_arguments, present_begin);
    present_arguments.clear();
}

}  // namespace warpsim::cuda
