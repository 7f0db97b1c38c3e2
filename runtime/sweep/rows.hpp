// What a point of a sweep has come to, as rows of its table.
#pragma once

#include "runtime/sweep/table.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace warpsim::sweep {

/// The columns that say something of a launch if nobody asks for others: keys of the statistics.
std::vector<std::string> const& usual_columns();
/// Throws Error(usage) for what is no key of the statistics, with the nearest.
void check_columns(std::vector<std::string> const& columns);

/// What is the same in all rows of a point.
struct PointHead {
    std::string plan;
    std::vector<std::string> values;  // of what is varied
    std::string id;
};

struct Outcome {
    std::string status;      // "ok", or what went wrong
    std::string message;     // of the failure
    std::string statistics;  // as --stats has written them; empty: none
    double seconds = 0;
};

/// How a run has ended, and what it has written.
struct FinishedRun {
    int exit_status = 0;
    int signal = 0;  // that has ended it; 0: none
    std::string statistics, messages;
    double seconds = 0;
};
Outcome outcome_of(FinishedRun const& run);

/// plan, launch, launches, kernel, what is varied, status, the columns, seconds, message, point.
Fields table_head(std::vector<std::string> const& varied, std::vector<std::string> const& columns);
/// A row for each launch. A failure is told in the row of the launch that failed; if there is none, in a row without a kernel.
std::vector<Fields> rows_of(PointHead const& head, Outcome const& outcome,
                            std::vector<std::string> const& columns);

/// In a word, how `warpsim run` has ended that exits so.
std::string status_word(int exit_status);
/// The first error among the messages, without its head; with a place in a file it stands alone.
std::string first_error(std::string const& messages);

}  // namespace warpsim::sweep
