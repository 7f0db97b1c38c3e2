// What a program advises about managed memory. All memory is the host's, so it makes no difference where a page
// is: advice is only stored, for whole allocations, so that it can be queried.
#pragma once

#include "runtime/cuda/memory/memory.hpp"

#include <cstddef>

namespace warpsim::cuda {

/// Several ranges, or locations for them: each location applies to the ranges from its index on.
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

// All throw Failure(invalid_value) for memory that is not managed, Failure(invalid_device) for an unknown
// location.

void prefetch(Memory& memory, std::uint64_t address, std::uint64_t bytes, MemoryPlace place);
void prefetch(Memory& memory, MemoryList const& ranges, PlaceList const& places);
/// The contents may be lost; here they are kept.
void discard(Memory& memory, MemoryList const& ranges);
/// By the numbers of cudaMemoryAdvise.
void advise(Memory& memory, std::uint64_t address, std::uint64_t bytes, int advice, MemoryPlace place);
/// By the numbers of cudaMemRangeAttribute.
void managed_attribute(Memory& memory, void* out, std::size_t size, int attribute, std::uint64_t address,
                       std::uint64_t bytes);

}  // namespace warpsim::cuda
