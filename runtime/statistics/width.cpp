#include "runtime/statistics/width.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace warpsim::statistics {

std::size_t terminal_width() {
    constexpr std::size_t least = 40, usual = 80, most = 10'000;
    if (char const* const columns = std::getenv("COLUMNS")) {
        long const given = std::strtol(columns, nullptr, 10);
        if (given > 0) return std::clamp(static_cast<std::size_t>(given), least, most);
    }
    winsize size{};
    if (ioctl(STDERR_FILENO, TIOCGWINSZ, &size) != 0 || size.ws_col == 0) return usual;
    return std::max<std::size_t>(size.ws_col, least);
}

}  // namespace warpsim::statistics
