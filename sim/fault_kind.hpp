// What ended a kernel before its end, for programs: reports are for people.
#pragma once

#include "sim/error.hpp"

#include <cstdint>

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
    undefined_value,  // only told: nothing ends
};

/// Error(fault) with its kind.
class FaultError : public Error {
public:
    FaultError(FaultKind fault, std::string const& report) : Error(ErrorKind::fault, report), fault_(fault) {}
    FaultKind fault() const { return fault_; }

private:
    FaultKind fault_;
};

}  // namespace warpsim
