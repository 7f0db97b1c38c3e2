// Two runs side by side: what has changed, and what has become worse.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsim::statistics {

/// How much a value may change to the worse. Of most keys more is worse; of rates of hits, shares of use and the like, less.
struct Threshold {
    std::string key;       // "cycles", "l1.hit_rate": as keys.md has it
    double most = 0;       // a share of the old value, or of its own unit
    bool is_share = true;  // "2%"
    enum class Worse { by_key, more, less } worse = Worse::by_key;
};

/// "cycles=2%", "l1.hit_rate=0.01", with the sign of what is worse if that is not the usual: "l1.load_sectors=-5%". Throws
/// Error(usage).
Threshold parse_threshold(std::string const& text);

struct StatisticsFile {
    std::string name;  // for messages
    std::string text;
};

struct CompareOptions {
    std::vector<Threshold> thresholds;  // none: cycles of timing runs, warp instructions of others may not grow
    bool shows_all = false;             // every key that differs, not only what says most
};

struct Comparison {
    std::string text;  // a table for people, with a newline at its end
    bool has_regressed = false;
};

/// Compares launch by launch: the n-th of each kernel with the n-th of the same. A launch that is missing or has ended badly
/// only in the second run is a regression, too. Throws Error(usage) for what is no file of statistics or key of it.
Comparison compare(StatisticsFile const& before, StatisticsFile const& after, CompareOptions const& options);

}  // namespace warpsim::statistics
