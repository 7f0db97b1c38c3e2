#include "runtime/session/launch_progress.hpp"

#include "runtime/statistics/width.hpp"

#include "sim/demangled.hpp"

#include <cstdio>
#include <vector>

namespace warpsim::runtime {

namespace {

struct ProgressPart {
    std::string text;
    int rank;  // 0 stays; of the others the highest go first
};

std::string joined(std::vector<ProgressPart> const& parts) {
    std::string text;
    for (ProgressPart const& part : parts) {
        if (!text.empty()) text += ", ";
        text += part.text;
    }
    return text;
}

std::string with_decimals(char const* format, double value) {
    char text[48];
    std::snprintf(text, sizeof text, format, value);
    return text;
}

}  // namespace

std::string text_of(sim::LaunchProgress const& progress, double seconds, std::size_t width) {
    double const share =
        progress.ctas == 0 ? 0 : static_cast<double>(progress.ended) / static_cast<double>(progress.ctas);
    std::string const kernel = sim::abbreviated(sim::demangled(std::string(progress.kernel)), 32);
    std::vector<ProgressPart> parts;
    parts.push_back({kernel + ": " + with_decimals("%.0f %%", 100 * share), 0});
    parts.push_back({std::to_string(progress.ended) + " of " + std::to_string(progress.ctas) + " CTAs done", 3});
    if (progress.resident != 0) parts.push_back({std::to_string(progress.resident) + " resident", 4});
    if (progress.others != 0) parts.push_back({std::to_string(progress.others) + " more launches", 5});
    if (progress.cycles != 0) {
        parts.push_back({"cycle " + std::to_string(progress.cycles), 1});
        double const slots = static_cast<double>(progress.cycles) * progress.sms;
        parts.push_back({"IPC " + with_decimals("%.2f", static_cast<double>(progress.micro_ops) / slots), 2});
    }
    parts.push_back({statistics::clock_text(seconds), 0});
    if (share > 0) parts.push_back({statistics::clock_text(seconds * (1 - share) / share) + " left", 0});
    for (int rank = 5; rank > 0 && joined(parts).size() >= width; --rank)
        std::erase_if(parts, [&](ProgressPart const& part) { return part.rank == rank; });
    return joined(parts);
}

void LaunchProgressLine::show(sim::LaunchProgress const& progress) {
    auto const now = Clock::now();
    if (now - start_ < std::chrono::seconds(2) || !line_.is_due()) return;
    line_.show(text_of(progress, std::chrono::duration<double>(now - launch_start_).count(),
                       statistics::terminal_width()));
}

void LaunchProgressLine::launch_ended() {
    line_.clear();
    launch_start_ = Clock::now();
}

}  // namespace warpsim::runtime
