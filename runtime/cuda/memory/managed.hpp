// What a program advises about managed memory. All memory is the host's, so that where a page is makes no
// difference: advice is kept to be asked for, for each allocation as a whole.
#pragma once

#include "runtime/cuda/memory/memory.hpp"

#include <cstddef>

namespace warpsim::cuda {

/// Several ranges, or the places for them: each place is for the ranges from its index on.
struct MemoryList {
    std::uint64_t const* addresses;
    std::size_t const* bytes;
    std::size_t count;
};
struct PlaceList {
    MemoryPlace const* places;
    std::size_t const* first_of;
    std::size_t count;
};

// All throw Failure(invalid_value) for what is not managed memory, Failure(invalid_device) for a place that is
// none.

void prefetch(Memory& memory, std::uint64_t address, std::uint64_t bytes, MemoryPlace place);
void prefetch(Memory& memory, MemoryList const& ranges, PlaceList const& places);
/// What is in the memory may be lost; here it stays.
void discard(Memory& memory, MemoryList const& ranges);
/// By the numbers of cudaMemoryAdvise.
void advise(Memory& memory, std::uint64_t address, std::uint64_t bytes, int advice, MemoryPlace place);
/// By the numbers of cudaMemRangeAttribute.
void managed_attribute(Memory& memory, void* out, std::size_t size, int attribute, std::uint64_t address,
                       std::uint64_t bytes);

}  // namespace warpsim::cuda
