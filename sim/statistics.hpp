// What a launch counted. Integers next to the code that counts; rates are derived when printed.
#pragma once

#include "frontend/isa/types.hpp"
#include "sim/counters.hpp"
#include "sim/timing_statistics.hpp"

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace warpsim::sim {

struct InstructionCounts {
    std::uint64_t warp = 0;
    std::uint64_t thread = 0;
    std::uint64_t thread_guarded = 0;
    std::array<std::uint64_t, static_cast<std::size_t>(isa::InstructionClass::count)> by_class{};

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = InstructionCounts;
        auto const class_name = [](std::size_t c) { return isa::name(static_cast<isa::InstructionClass>(c)); };
        v(counter("warp", &C::warp, "warp instructions", "PTX instructions that warps executed"));
        v(counter("thread", &C::thread, "thread instructions", "their active lanes, before the guard"));
        v(counter("thread_guarded", &C::thread_guarded, "thread instructions", "their lanes after the guard"));
        v(counters("by_class", &C::by_class, class_name, "warp instructions", "by what they do"));
    }
};
static_assert(shows_every_member<InstructionCounts>());

struct BranchCounts {
    std::uint64_t total = 0;
    std::uint64_t divergent = 0;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = BranchCounts;
        v(counter("total", &C::total, "warp instructions",
                  "executed branches that could part the lanes: guarded, or with several targets"));
        v(counter("divergent", &C::divergent, "warp instructions", "those that did"));
    }
};
static_assert(shows_every_member<BranchCounts>());

/// Counted only when asked for (memory_statistics); null otherwise.
struct MemoryCounts {
    bool counted = false;
    std::uint64_t global_requests = 0;
    std::uint64_t global_sectors = 0;
    std::uint64_t shared_requests = 0;
    std::uint64_t shared_bank_conflicts = 0;

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using C = MemoryCounts;
        v(derived(
            "global_sectors_per_request",
            [](auto const& launch) { return share(launch.memory.global_sectors, launch.memory.global_requests); },
            "sectors", "quotient of the two below"));
        v(counter("shared_bank_conflicts", &C::shared_bank_conflicts, "passes",
                  "after the first of each request"));
        v(counter("global_requests", &C::global_requests, "requests",
                  "to global and local memory: loads, stores and atomics"));
        v(counter("global_sectors", &C::global_sectors, "sectors", "that they touch"));
        v(counter("shared_requests", &C::shared_requests, "requests", "to shared memory"));
    }
};

/// How a launch ended.
enum class LaunchStatus : std::uint8_t { ok, fault, interrupted };

constexpr std::string_view name(LaunchStatus status) {
    constexpr std::string_view names[] = {"ok", "fault", "interrupted"};
    return names[static_cast<std::size_t>(status)];
}

struct LaunchStatistics {
    std::string kernel;
    LaunchStatus status = LaunchStatus::ok;
    std::string module_sha256;
    std::array<std::uint32_t, 3> grid{1, 1, 1};
    std::array<std::uint32_t, 3> block{1, 1, 1};
    std::uint64_t dynamic_shared = 0;
    std::uint32_t registers_per_thread = 0;
    std::uint64_t shared_per_cta = 0;
    InstructionCounts instructions;
    BranchCounts branches;
    MemoryCounts memory;
    std::uint64_t compiled = 0;          // warp instructions that native code has executed
    std::optional<TimingCounts> timing;  // of a timing run
    double host_seconds = 0;
    std::uint64_t number = 0;  // of the launch in this process, as events have it

    template <class Visitor> static constexpr void visit(Visitor&& v) {
        using L = LaunchStatistics;
        v(property("kernel", &L::kernel, "", "what was launched"));
        v(hidden(&L::status));
        v(derived(
            "status", [](auto const& launch) { return name(launch.status); }, "",
            "`ok`, `fault`, or `interrupted` by a limit or the user; what is counted is then what happened until "
            "there"));
        v(property(
            "module_sha256", &L::module_sha256, "",
            "hash of the PTX that the kernel comes from, of all texts one after another if several are linked"));
        v(property("grid", &L::grid, "CTAs", "in x, y and z"));
        v(property("block", &L::block, "threads", "of a CTA, in x, y and z"));
        v(property("dynamic_shared", &L::dynamic_shared, "bytes", "of shared memory that the launch asked for"));
        v(property("registers_per_thread", &L::registers_per_thread, "32-bit registers", ""));
        v(property("shared_per_cta", &L::shared_per_cta, "bytes", "static and dynamic"));
        v(nested("instructions", &L::instructions));
        v(derived(
            "simt_efficiency",
            [](auto const& launch) {
                return quotient(static_cast<double>(launch.instructions.thread) / 32, launch.instructions.warp);
            },
            "share", "`instructions.thread` of 32 lanes a warp instruction"));
        v(nested("branches", &L::branches));
        v(nested("memory", &L::memory));
        v(hidden(&L::compiled));
        v(hidden(&L::number));
        v(counter("host_seconds", &L::host_seconds, "seconds", "that the simulator took"));
    }
};

}  // namespace warpsim::sim
