// What ended a kernel before its end, for programs: reports are for people.
#pragma once

#include "sim/error.hpp"

#include <cstdint>
#include <iterator>
#include <string_view>

namespace warpsim {

enum class FaultKind : std::uint8_t {
    illegal_address,  // outside of what the thread may reach, or freed
    misaligned_address,
    wrong_address_space,  // an address of memory that has no such operation
    illegal_call,         // through an address that the call may not go to
    illegal_operand,      // a value that the instruction does not take
    broken_promise,       // of .uni, of .noreturn
    barrier_misuse,       // of a barrier, of a warp's operation with members, of an mbarrier
    stack_overflow,
    heap_misuse,  // of free
    assertion,
    trap,
    breakpoint,
    deadlock,
    instruction_limit,
    time_limit,
    interrupted,      // by the user
    undefined_value,  // only told: nothing ends
};

/// As files of data call it.
constexpr std::string_view name(FaultKind kind) {
    constexpr std::string_view names[] = {"illegal_address",
                                          "misaligned_address",
                                          "wrong_address_space",
                                          "illegal_call",
                                          "illegal_operand",
                                          "broken_promise",
                                          "barrier_misuse",
                                          "stack_overflow",
                                          "heap_misuse",
                                          "assertion",
                                          "trap",
                                          "breakpoint",
                                          "deadlock",
                                          "instruction_limit",
                                          "time_limit",
                                          "interrupted",
                                          "undefined_value"};
    static_assert(std::size(names) == static_cast<std::size_t>(FaultKind::undefined_value) + 1);
    return names[static_cast<std::size_t>(kind)];
}

/// Whether the kernel was stopped from outside, rather than by what it did.
constexpr bool is_stop(FaultKind kind) {
    return kind == FaultKind::instruction_limit || kind == FaultKind::time_limit || kind == FaultKind::interrupted;
}

/// Error(fault) with its kind.
class FaultError : public Error {
public:
    FaultError(FaultKind fault, std::string const& report) : Error(ErrorKind::fault, report), fault_(fault) {}
    FaultKind fault() const { return fault_; }

private:
    FaultKind fault_;
};

}  // namespace warpsim
