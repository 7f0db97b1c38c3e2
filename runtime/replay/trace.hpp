// A kernel as Accel-Sim's NVBit tracer has seen it: what each warp executed, instruction by instruction, with lanes,
// registers and addresses, but without values.
#pragma once

#include "frontend/source.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::replay {

inline constexpr int newest_version = 5;
inline constexpr std::uint32_t zero_register = 255;  // RZ

/// What all executions of an instruction have in common.
struct SassInstruction {
    std::uint64_t pc = 0;
    std::string_view opcode;  // "LDG.E.64", of the trace's text
    std::vector<std::uint32_t> destinations, sources;
    std::uint32_t line = 0;                 // of the program's source; 0: unknown
    std::uint32_t bytes = 0;                // that each lane moves; 0: no access to memory
    std::optional<std::int64_t> immediate;  // the last one of its operands; before version 5 there is none
};

/// One execution by a warp.
struct Record {
    std::uint32_t instruction = 0;    // KernelTrace::instructions
    std::uint32_t mask = 0;           // the lanes that execute it, past the guard
    std::uint32_t first_address = 0;  // KernelTrace::addresses, one for each lane of the mask; only of an access
};

struct TracedWarp {
    std::vector<Record> records;
};

struct TracedCta {
    std::array<std::uint32_t, 3> id{};
    std::vector<TracedWarp> warps;
};

struct KernelTrace {
    std::shared_ptr<frontend::Source const> source;
    std::string name = "kernel";
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t shared_bytes = 0;                 // of a CTA, static and dynamic
    std::uint32_t registers = 0;                    // of a thread
    int binary_version = 0;                         // 70: sm_70
    int version = 1;                                // of the tracer
    std::uint64_t shared_base = 0, local_base = 0;  // of the windows in generic addresses
    bool has_lines = false;
    std::vector<SassInstruction> instructions;  // in the order of their pcs
    std::vector<std::uint64_t> addresses;
    std::vector<TracedCta> ctas;  // in the order of the trace
};

/// Reads a kernel-N.traceg. Throws Error(ptx), rendered with line, column and caret, for the first mistake.
KernelTrace parse_trace(std::string name, std::string text);
/// The same of a file, which may be compressed: .xz, .gz, .zst. Throws Error(usage) where it cannot be read.
KernelTrace read_trace(std::string const& path);

/// A line of kernelslist.g.
struct TraceCommand {
    bool is_copy = false;
    std::string file;                      // of a kernel, with its folder
    std::uint64_t address = 0, bytes = 0;  // of a copy to the device
};
/// `folder`: where the files are.
std::vector<TraceCommand> parse_list(std::string name, std::string text, std::string const& folder);

/// How many matrices LDSM or STSM moves.
std::uint32_t matrices_of(std::string_view opcode);
/// The bytes that a lane moves, by the parts of the opcode: 16 for LDG.E.128.
std::uint32_t bytes_of(std::string_view opcode);

/// Whether the name is one of a trace or of a list of them.
bool is_trace_name(std::string_view name);
/// ... of a list.
bool is_list_name(std::string_view name);

}  // namespace warpsim::replay
