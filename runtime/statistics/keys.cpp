#include "runtime/statistics/keys.hpp"

#include "runtime/statistics/key_rows.hpp"
#include "sim/statistics.hpp"

#include <string_view>

namespace warpsim::statistics {

namespace {

std::string markdown(KeyRow const& row) {
    return "| `" + row.key + "` | " + std::string(row.unit) + " | " + std::string(row.kind) + " | " +
           std::string(row.meaning) + " |\n";
}

template <class S> std::string rows_of() {
    std::string text;
    each_key<S>([&](KeyRow const& row) { text += markdown(row); });
    return text;
}

constexpr std::string_view head = "\n| key | unit | kind | is |\n| --- | --- | --- | --- |\n";

}  // namespace

std::string keys() {
    std::string text =
        "# What the statistics say\n\n"
        "Made from what the counters are declared with (`sim/statistics.hpp`, `sim/timing_statistics.hpp`);\n"
        "`WARPSIM_REBASE=1 warpsim-tests \"The page of keys*\"` makes it again.\n\n"
        "The keys of a launch in JSON, and the columns of its row in a `.csv` file, where `l1.hit_rate` is the "
        "key\n"
        "`hit_rate` of `l1`. A cycle is one of `clock_mhz`. A sector is 32 bytes. A share lies between 0 and 1; "
        "it is "
        "null\n(in a table: empty) when there is nothing to share. A request is a warp instruction. A table has a "
        "row\n"
        "for each launch, which `launch` counts from 0. Of several components a launch has the sum or the "
        "maximum; a\n"
        "property is given, and what is derived is computed of the others.\n";
    text += std::string(head) + rows_of<sim::LaunchStatistics>();
    text += "\nOf a timing run only:\n" + std::string(head) + rows_of<sim::TimingCounts>();
    text +=
        "\nWith `--interval N` samples of N cycles, in `intervals` or in `NAME.intervals.csv`; each of its counts "
        "adds up to the launch's:\n" +
        std::string(head) + rows_of<sim::ReportedSample>() +
        markdown({"stall_*", "warps", "derived", "in that state, for each instruction issued in the sample"});
    return text;
}

}  // namespace warpsim::statistics
