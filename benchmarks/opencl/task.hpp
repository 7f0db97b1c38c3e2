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
    std::string
        name;  // of the kernel, and of its files: NAME.cl here in kernels/, NAME.ptx there or in tests/kernels
    std::array<std::uint32_t, 3> grid{1, 1, 1}, block{1, 1, 1};
    std::uint32_t dynamic_shared = 0;  // bytes: in CUDA of the launch, in OpenCL the last argument
    std::vector<std::vector<float>> buffers;
    std::vector<std::variant<int, float, BufferArgument>> arguments;
    std::size_t result = 0;  // the buffer that the kernel writes
    bool result_is_integer = false;
};

std::vector<Task> tasks();
/// In OpenCL C.
std::string source_of(Task const& task);
/// The path of its PTX.
std::string ptx_of(Task const& task);

}  // namespace warpsim::benchmarks
