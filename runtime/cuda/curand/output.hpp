// The device's side: numbers go into its memory in the order of a stream, as a kernel would write them.
#pragma once

#include "runtime/cuda/curand/status.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>

namespace warpsim::curand {

/// The thread's device becomes its own, as cuRAND makes it when a generator is created.
Status begin_device();

/// Where the numbers of a call go.
struct Output {
    char const* function;  // of cuRAND, for messages
    void* stream;
    std::uint64_t address;
    std::uint64_t count;
    std::size_t element_bytes;

    /// All of memory where it is more than that.
    std::uint64_t bytes() const;
};

/// Whether a kernel could write them: the stream is no captured one, and the device can reach the memory. Says what is wrong.
Status check(Output const& output);
/// Writes them behind the work that the stream has.
Status write(Output const& output, std::shared_ptr<std::byte const> const& numbers);

}  // namespace warpsim::curand
