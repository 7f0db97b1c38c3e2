// How many registers kernels take, as machine code records it, or the reports of NVIDIA's tools.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace warpsim::fatbin {

/// Registers of a thread, by the names of kernels and functions.
using RegisterCounts = std::map<std::string, std::uint32_t, std::less<>>;

/// Those of machine code: an ELF file, as ptxas and nvcc -cubin write it. Throws Error(usage), which says what is damaged.
RegisterCounts machine_code_registers(std::string_view elf);

/// Those of a file: machine code, what `ptxas -v` or `cuobjdump -res-usage` print, or lines of a name and a number. Throws
/// Error(usage) with the file and the line.
RegisterCounts read_register_counts(std::string const& file);

}  // namespace warpsim::fatbin
