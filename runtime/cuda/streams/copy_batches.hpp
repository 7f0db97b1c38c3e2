// Several copies in one call.
#pragma once

#include "runtime/cuda/memory/pool_places.hpp"
#include "runtime/cuda/streams/copies.hpp"
#include "runtime/cuda/textures/arrays.hpp"

namespace warpsim::cuda {

/// Copies of consecutive bytes. `first_of` says for each of `attributes` from which copy on it applies; what the
/// attributes say, where the bytes are and when they are read, is not needed here.
struct CopyList {
    void* const* to = nullptr;
    void const* const* from = nullptr;
    std::size_t const* bytes = nullptr;
    std::size_t count = 0;
    std::size_t const* first_of = nullptr;
    std::size_t attributes = 0;
};

/// A side of a copy of up to three dimensions, laid out as in both interfaces.
struct MemoryOperand {
    std::uint64_t address;
    std::size_t row_length;    // elements; 0: as many as are copied
    std::size_t layer_height;  // rows; 0: the same
    MemoryLocation hint;
};
struct ArrayOperand {
    void* handle;
    std::size_t x, y, z;  // x in elements
};
struct BoxOperand {
    int type;  // 1 memory, 2 an array
    union {
        MemoryOperand memory;
        ArrayOperand array;
    };
};
struct BoxCopy {
    BoxOperand from, to;
    std::size_t width, height, depth;  // elements of the array, bytes where there is none; rows; slices
    int access_order;  // when the source may be read: 1 in the stream's order, 2 in the call, 3 any time
    unsigned flags;
};
static_assert(sizeof(BoxOperand) == 40 && sizeof(BoxCopy) == 112);

/// One after the other, in a stream other than the default ones. `*failed` becomes the number of the copy that is
/// not possible, or ~0; those before it are submitted. Throw Failure(invalid_value), Failure(invalid_handle).
void copy_many(Process& process, CopyList const& list, void* stream, std::size_t* failed);
void copy_many(Process& process, BoxCopy const* list, std::size_t count, void* stream, std::size_t* failed);

}  // namespace warpsim::cuda
