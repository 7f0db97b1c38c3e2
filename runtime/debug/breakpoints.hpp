// What a launch is to stop at.
#pragma once

#include "runtime/debug/expression.hpp"
#include "runtime/debug/lines.hpp"
#include "runtime/debug/machine.hpp"
#include "sim/timing_statistics.hpp"

#include <array>
#include <cstdint>
#include <list>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::debug {

/// What can be caught, beside places and memory.
enum class Caught : std::uint8_t { fault, launch, divergence, barrier, exit, stall, finding };
std::optional<Caught> caught_named(std::string_view name);
std::string_view name_of(Caught what);

struct Breakpoint {
    enum class Kind : std::uint8_t { code, watch, catching, cycle };
    Kind kind = Kind::code;
    int number = 0;
    std::string what;  // as it was asked for
    std::string log;   // it says so, expressions in braces evaluated, and does not stop; empty: it stops
    bool is_enabled = true;
    bool is_temporary = false;
    std::uint64_t hits = 0;
    std::uint64_t ignored = 0;  // so many more hits do not stop
    std::optional<Expression> condition;
    // Only these threads; none given: all.
    std::optional<std::array<std::uint32_t, 3>> block, thread;
    std::optional<std::uint32_t> warp;

    std::vector<CodePlace> places;  // code: in the present module; empty: it has none
    MemoryPlace memory;             // watch
    std::uint64_t bytes = 0;
    TypePointer type;
    bool stops_at_reads = false, stops_at_writes = true;
    std::optional<std::uint64_t> cta;     // whose shared or local memory it is
    std::optional<std::uint32_t> linear;  // whose local memory it is
    Caught caught = Caught::fault;
    std::string checker;              // Caught::finding: of this one; empty: of any
    std::uint64_t cycle = 0;          // of the launch
    sim::StallReason stall{};         // Caught::stall: for this reason
    std::uint64_t stall_cycles = 0;   // ... for so long
    std::optional<std::uint32_t> sm;  // ... there
};

/// What is to be true of a thread; none of an empty text. Names are looked up when it is evaluated. Throws Error(usage).
std::optional<Expression> condition_of(std::string const& text);

/// Code that a user names: "saxpy.cu:5", "5", a function's name, "*kernel+12". Throws Error(usage) if that is no way to name
/// code; an empty list: the module has no such code. `file` is what a line alone is of.
struct Location {
    std::vector<CodePlace> places;
    Line line;  // of the first of them
};
Location find_location(ir::Module const& module, std::string const& text, std::string const& file);

/// All of them, and which instructions of the present module have one.
class Breakpoints {
public:
    Breakpoint& add(Breakpoint breakpoint);
    bool remove(int number);
    void clear() { all_.clear(); }
    Breakpoint* find(int number);
    std::list<Breakpoint>& all() { return all_; }

    /// Finds the places of all in this module. Call it when breakpoints or the module have changed.
    void resolve(ir::Module const& module);
    bool are_at(std::uint32_t function, std::uint32_t instruction) const {
        return function < marks_.size() && instruction < marks_[function].size() && marks_[function][instruction];
    }
    bool watch() const { return watches_; }
    bool catches(Caught what) const;

private:
    std::list<Breakpoint> all_;
    int next_ = 1;
    std::vector<std::vector<bool>> marks_;
    bool watches_ = false;
};

}  // namespace warpsim::debug
