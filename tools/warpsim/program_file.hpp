// What can be found out about a program before it runs: whether it has CUDA's runtime linked in, which a simulator
// cannot replace.
#pragma once

#include <string>
#include <vector>

namespace warpsim::command {

struct ProgramFile {
    bool is_elf64 = false;            // otherwise a script or something foreign: nothing else is known
    bool has_device_code = false;     // compiled by nvcc
    std::vector<std::string> needed;  // the libraries that it is linked with
    std::string cuda_runtime;         // the shared CUDA runtime that it needs ("libcudart.so.13"), empty for none
    std::vector<std::string>
        closed_libraries;  // that it needs and whose kernels cannot run here: "libcublas.so.13"
};

/// The file that a shell would run for `name`; empty when there is none.
std::string find_program(std::string const& name);
/// Reads the file's headers. A file that cannot be read, or is damaged, is treated as no ELF file.
ProgramFile inspect_program(std::string const& path);

}  // namespace warpsim::command
