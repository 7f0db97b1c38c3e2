// The file of a sweep's results, which several runs of the sweep fill one after another.
#pragma once

#include "runtime/sweep/table.hpp"

#include <sys/types.h>

#include <cstddef>
#include <functional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::sweep {

/// An open file, or none.
class OpenFile {
public:
    OpenFile() = default;
    explicit OpenFile(int number) : number_(number) {}
    ~OpenFile();
    OpenFile(OpenFile const&) = delete;
    OpenFile& operator=(OpenFile const&) = delete;
    void swap(OpenFile& other) noexcept { std::swap(number_, other.number_); }
    int number() const { return number_; }

private:
    int number_ = -1;
};

/// Nobody else writes it meanwhile. All rows of a point are written at once; if the process or the machine ends within that, the
/// next one removes what is there of them.
class ResultsFile {
public:
    /// Makes the file, or goes on with it. Rows of which `keeps` is false are removed. The columns have "launches", how many
    /// rows the point has, and as the last one "point", by which points are known. Throws Error(usage).
    ResultsFile(std::string path, Fields columns, std::function<bool(Fields const&)> const& keeps);
    ResultsFile(ResultsFile const&) = delete;
    ResultsFile& operator=(ResultsFile const&) = delete;

    /// Points whose rows are there.
    std::set<std::string> const& finished() const { return finished_; }
    /// How many rows were removed that were complete.
    std::size_t removed() const { return removed_; }
    /// Adds the rows of a point, and waits until they are on the disk.
    void append(std::vector<Fields> const& rows);

private:
    /// Opens and locks it.
    void open(std::string const& path, int flags, mode_t mode);
    std::string contents() const;
    void write(std::string const& text);
    void replace(std::string const& text);
    [[noreturn]] void fail(std::string const& what) const;

    std::string const path_;
    Fields const columns_;
    OpenFile file_;
    std::set<std::string> finished_;
    std::size_t removed_ = 0;
};

}  // namespace warpsim::sweep
