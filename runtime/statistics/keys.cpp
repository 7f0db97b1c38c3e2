#include "runtime/statistics/keys.hpp"

#include "sim/statistics.hpp"

#include <string_view>
#include <type_traits>
#include <vector>

namespace warpsim::statistics {

namespace {

/// Collects a row for each key that visit() shows.
class Rows {
public:
    template <class S> void add(std::string const& prefix = "") {
        S::visit([&](auto const& field) { add_field(field, prefix); });
    }
    void add_row(std::string const& key, std::string_view unit, std::string_view kind, std::string_view meaning) {
        text_ += "| `" + key + "` | " + std::string(unit) + " | " + std::string(kind) + " | " +
                 std::string(meaning) + " |\n";
    }
    std::string const& text() const { return text_; }

private:
    static std::string_view kind(sim::Combine combine) {
        switch (combine) {
            case sim::Combine::sum: return "sum";
            case sim::Combine::max: return "maximum";
            case sim::Combine::same: return "property";
        }
        return "";
    }
    template <class S, class T> void add_field(sim::Counter<S, T> const& field, std::string const& prefix) {
        if (!field.key.empty())
            add_row(prefix + std::string(field.key), field.unit, kind(field.combine), field.meaning);
    }
    template <class Value> void add_field(sim::Derived<Value> const& field, std::string const& prefix) {
        // One row stands for all states.
        if (field.key != "stalls.selected")
            add_row(prefix + std::string(field.key), field.unit, "derived", field.meaning);
    }
    template <class S, class T, class Name, class Divisor>
    void add_field(sim::Counters<S, T, Name, Divisor> const& field, std::string const& prefix) {
        bool const is_sum = std::is_same_v<Divisor, sim::NoDivisor>;
        add_row(prefix + std::string(field.key) + ".*", field.unit, is_sum ? "sum" : "derived", field.meaning);
    }
    template <class S, class T> void add_field(sim::Nested<S, T> const& field, std::string const& prefix) {
        add<T>(prefix + std::string(field.key) + ".");
    }
    template <class S, class T>
    void add_field(sim::Nested<S, std::vector<T>> const& field, std::string const& prefix) {
        add<T>(prefix + std::string(field.key) + ".*.");
    }

    std::string text_;
};

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
    Rows launch, timing, sample;
    launch.add<sim::LaunchStatistics>();
    timing.add<sim::TimingCounts>();
    sample.add<sim::ReportedSample>();
    sample.add_row("stall_*", "warps", "derived", "in that state, for each instruction issued in the sample");
    text += std::string(head) + launch.text();
    text += "\nOf a timing run only:\n" + std::string(head) + timing.text();
    text +=
        "\nWith `--interval N` samples of N cycles, in `intervals` or in `NAME.intervals.csv`; each of its counts "
        "adds up to the launch's:\n" +
        std::string(head) + sample.text();
    return text;
}

}  // namespace warpsim::statistics
