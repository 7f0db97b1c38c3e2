#include "runtime/coverage/report.hpp"

#include <cstdio>

namespace warpsim::coverage {

void Count::operator+=(Count const& other) {
    warps += other.warps;
    lanes += other.lanes;
}

void Branch::operator+=(Branch const& other) {
    warps += other.warps;
    divergent += other.divergent;
    taken += other.taken;
    not_taken += other.not_taken;
}

void File::operator+=(File const& other) {
    for (auto const& [line, count] : other.lines) lines[line] += count;
    texts.insert(other.texts.begin(), other.texts.end());
    for (auto const& [place, branch] : other.branches) branches[place] += branch;
    for (auto const& [name, function] : other.functions) {
        auto const [at, is_new] = functions.try_emplace(name, function);
        if (!is_new) at->second.count += function.count;
    }
}

void Report::operator+=(Report const& other) {
    runs += other.runs;
    launches += other.launches;
    for (auto const& [key, file] : other.files) files[key] += file;
}

namespace {

struct Share {
    std::uint64_t hit = 0, all = 0;

    void add(bool is_hit) {
        hit += is_hit;
        ++all;
    }
    std::string text(char const* what) const {
        char buffer[96];
        double const percent = all == 0 ? 0 : 100.0 * static_cast<double>(hit) / static_cast<double>(all);
        std::snprintf(buffer, sizeof buffer, "%.1f %% of %llu %s", percent, static_cast<unsigned long long>(all),
                      what);
        return buffer;
    }
};

}  // namespace

std::string summary(Report const& report) {
    Share lines, functions, branches;
    for (auto const& [key, file] : report.files) {
        if (key.is_ptx() || key.name.ends_with(".ptx")) continue;
        for (auto const& [line, count] : file.lines) lines.add(count.lanes != 0);
        for (auto const& [name, function] : file.functions) functions.add(function.count.lanes != 0);
        for (auto const& [place, branch] : file.branches) {
            branches.add(branch.taken != 0);
            branches.add(branch.not_taken != 0);
        }
    }
    if (lines.all == 0) return "no lines of sources: nvcc -lineinfo tells of them";
    return lines.text("lines") + ", " + functions.text("functions") + ", " + branches.text("branch directions");
}

}  // namespace warpsim::coverage
