// What has been executed of each line, function and branch, added up over launches, processes and runs.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace warpsim::coverage {

struct Count {
    std::uint64_t warps = 0, lanes = 0;

    void operator+=(Count const& other);
};

/// A branch that could part the lanes of a warp.
struct Branch {
    std::uint64_t warps = 0;                 // that have reached it
    std::uint64_t divergent = 0;             // of them, those that it has parted
    std::uint64_t taken = 0, not_taken = 0;  // in lanes

    void operator+=(Branch const& other);
};

struct Function {
    std::uint32_t line = 0;  // the first that belongs to it
    bool is_inlined = false;
    Count count;  // of entries
};

struct File {
    std::map<std::uint32_t, Count> lines;
    std::map<std::uint32_t, std::string> texts;                          // of lines of PTX
    std::map<std::string, Function> functions;                           // as PTX calls them
    std::map<std::pair<std::uint32_t, std::uint32_t>, Branch> branches;  // by line, and number in it

    void operator+=(File const& other);
};

struct FileKey {
    std::string name;
    std::string digest;  // of PTX: another text of the same name is another file; empty: a source

    bool is_ptx() const { return !digest.empty(); }
    auto operator<=>(FileKey const&) const = default;
};

struct Report {
    std::uint64_t runs = 0, launches = 0;
    std::map<FileKey, File> files;

    void operator+=(Report const& other);
};

/// "81.2 % of 32 lines, 100.0 % of 2 functions, 75.0 % of 8 branch directions", of the sources.
std::string summary(Report const& report);

/// Our own JSON, "warpsim-coverage/1", and lcov's tracefiles. The latter have sources, and PTX where it is a file. Reading them
/// throws Error(usage) that says why `name` is none.
std::string to_json(Report const& report);
Report from_json(std::string const& name, std::string const& text);
std::string to_lcov(Report const& report);
Report from_lcov(std::string const& name, std::string const& text);

}  // namespace warpsim::coverage
