#include "runtime/statistics/summary.hpp"

#include "sim/demangled.hpp"

#include <algorithm>
#include <cstdio>
#include <vector>

namespace warpsim::statistics {

namespace {

std::string time_text(double seconds) {
    char text[32];
    if (seconds >= 1) std::snprintf(text, sizeof text, "%.2f s", seconds);
    else if (seconds >= 1e-3) std::snprintf(text, sizeof text, "%.2f ms", seconds * 1e3);
    else std::snprintf(text, sizeof text, "%.2f us", seconds * 1e6);
    return text;
}

}  // namespace

void Summary::add(sim::LaunchStatistics const& launch) {
    Kernel& kernel = kernels_[launch.kernel];
    ++kernel.launches;
    kernel.instructions += launch.instructions.warp;
    if (launch.timing) {
        is_timed_ = true;
        kernel.seconds +=
            static_cast<double>(launch.timing->cycles) / (1e6 * std::max(launch.timing->clock_mhz, 1u));
    } else if (!is_timed_) {
        kernel.seconds += launch.host_seconds;
    }
}

std::string Summary::text() const {
    std::vector<std::pair<std::string, Kernel>> order(kernels_.begin(), kernels_.end());
    std::stable_sort(order.begin(), order.end(),
                     [](auto const& a, auto const& b) { return a.second.seconds > b.second.seconds; });
    char line[128];
    std::snprintf(line, sizeof line, "%10s %18s %12s  ", "launches", "warp instructions",
                  is_timed_ ? "GPU time" : "host time");
    std::string text = line + std::string("kernel");
    for (auto const& [name, kernel] : order) {
        std::snprintf(line, sizeof line, "\n%10llu %18llu %12s  ",
                      static_cast<unsigned long long>(kernel.launches),
                      static_cast<unsigned long long>(kernel.instructions), time_text(kernel.seconds).c_str());
        text += line + sim::demangled(name);
    }
    return text;
}

}  // namespace warpsim::statistics
