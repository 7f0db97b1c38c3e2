// LTO-IR, which NVIDIA's own nvJitLink compiles to PTX.
#pragma once

#include <string>
#include <vector>

namespace warpsim::nvjitlink {

struct LtoInput {
    std::string bytes, name;
};

struct LtoCode {
    int status = 0;  // as nvJitLink's functions return it
    std::string ptx, errors;
};

/// Whether NVIDIA's library is there.
bool compiles_lto();

/// One text of PTX for all inputs, which are optimised together. Functions that no kernel of them calls are not in it;
/// those that they call and do not hold are declared. `options` are the program's own.
LtoCode compile_lto(std::vector<LtoInput> const& inputs, std::vector<std::string> const& options);

}  // namespace warpsim::nvjitlink
