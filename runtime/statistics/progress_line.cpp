#include "runtime/statistics/progress_line.hpp"

#include "runtime/statistics/width.hpp"

#include <algorithm>
#include <cstdio>

namespace warpsim::statistics {

namespace {

constexpr char const* to_begin_and_erase = "\r\033[K";

}  // namespace

std::string clock_text(double seconds) {
    auto const whole = static_cast<unsigned long long>(std::max(seconds, 0.0) + 0.5);
    char text[64];
    if (whole >= 3600)
        std::snprintf(text, sizeof text, "%llu:%02llu:%02llu", whole / 3600, whole / 60 % 60, whole % 60);
    else std::snprintf(text, sizeof text, "%llu:%02llu", whole / 60, whole % 60);
    return text;
}

void ProgressLine::show(std::string text) {
    if (!is_shown_) return;
    last_ = std::chrono::steady_clock::now();
    is_there_ = true;
    text.resize(std::min(text.size(), terminal_width() - 1));  // a full line would begin another
    std::fputs((to_begin_and_erase + text).c_str(), stderr);
    std::fflush(stderr);
}

void ProgressLine::clear() {
    if (is_there_) std::fputs(to_begin_and_erase, stderr);
    is_there_ = false;
}

}  // namespace warpsim::statistics
