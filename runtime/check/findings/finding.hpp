// What a checker has found: a mistake of a program, with who made it and where.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::check {

/// The checkers, and the kinds of their findings.
enum class Kind : std::uint8_t { memory, race, init, sync, leak, api };
inline constexpr std::array kinds{Kind::memory, Kind::race, Kind::init, Kind::sync, Kind::leak, Kind::api};

constexpr std::string_view name(Kind kind) {
    constexpr std::string_view names[] = {"memory", "race", "init", "sync", "leak", "api"};
    return names[static_cast<std::size_t>(kind)];
}

/// A line of a text; empty if the PTX does not say which.
struct Line {
    std::string file;
    std::uint32_t number = 0;
    std::string text;  // of a line of PTX

    explicit operator bool() const { return !file.empty(); }
    bool operator==(Line const&) const = default;
};

/// What one thread did, or the host if there is no thread.
struct Act {
    std::string verb;  // "wrote", "read", "executed"
    std::optional<std::array<std::uint32_t, 3>> block, thread;
    std::optional<std::string> value;  // that it wrote or read
    Line ptx;
    Line source;
    std::string
        inlined;  // " in a.h:9": a header of CUDA; " inlined at a.cu:5": the calls that brought the source line here
};

struct Finding {
    Kind kind = Kind::memory;
    std::string what;                     // in a few words, the same for all of its sort: "write after read"
    std::string message;                  // one sentence
    std::string kernel;                   // as it is called in PTX; empty: none is concerned
    std::optional<std::uint64_t> launch;  // of the process, from 0; none: the kernel has not been launched
    std::uint64_t count = 1;
    std::string space;  // "shared", "global" ...; empty: none
    std::optional<std::uint64_t> address;
    std::uint64_t bytes = 0;
    std::optional<Act> act, other;
    struct Allocation {
        std::uint64_t address = 0, bytes = 0;
    };
    std::optional<Allocation> allocation;
    bool is_benign = false;          // a race of writes of the same value: others of its like say more
    std::vector<std::string> notes;  // what is missing, and what else helps
};

}  // namespace warpsim::check
