// A kernel with its launch and its data, for warpsim (PTX) and for OpenCL (C) alike.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace warpsim::benchmarks {

/// An argument that is the address of a buffer.
struct BufferArgument {
    std::size_t index;
};

struct Task {
    std::string name;    // of the kernel, and of its file in tests/kernels
    std::string source;  // in OpenCL C
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_shared = 0;  // bytes: in CUDA of the launch, in OpenCL the last argument
    std::vector<std::vector<float>> buffers;
    std::vector<std::variant<int, float, BufferArgument>> arguments;
    std::size_t result = 0;  // the buffer that the kernel writes
    bool result_is_integer = false;
};

std::vector<Task> tasks();

}  // namespace warpsim::benchmarks
