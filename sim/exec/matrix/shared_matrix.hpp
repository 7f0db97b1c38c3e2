// Matrices in shared memory that instructions of a warpgroup name by descriptors: reading them, and telling of it.
#pragma once

#include "sim/exec/warp_instruction.hpp"
#include "sim/matrix/descriptor.hpp"
#include "sim/matrix/products.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim {

struct SharedMatrix {
    char const* name = "";
    Slot descriptor = 0;
    matrix::Major major = matrix::Major::k;
    std::size_t words = 8;  // of a row of a or a column of b
};

/// The descriptor that all lanes bring.
std::uint64_t common_descriptor(WarpInstruction const& i, SharedMatrix const& of);

/// Reads rows of a or columns of b: both are lines of words in the order of k.
class SharedReader {
public:
    SharedReader(WarpInstruction const& i, SharedMatrix const& of, std::uint64_t descriptor)
        : i_(i), of_(of), descriptor_(matrix::descriptor_of(descriptor)) {}

    /// Eight lines, as the registers of a warp hold them: four words of each, and `stride` words further the next four.
    void read_eight(std::size_t first, std::uint32_t* to, std::size_t stride) const;

    /// Tells sinks of the chunks of 16 bytes that these lines consist of: of every `of_each`-th, beginning with number
    /// `from`, as accesses by as many lanes.
    void tell(std::size_t first, std::size_t count, std::size_t of_each, std::size_t from) const;

private:
    static constexpr std::size_t words_of_chunk = matrix::chunk_bytes / 4;

    std::uint32_t address(std::size_t line, std::size_t number) const {
        return matrix::chunk_address(descriptor_, of_.major, static_cast<std::uint32_t>(line),
                                     static_cast<std::uint32_t>(number));
    }
    void chunk(std::size_t line, std::size_t number, void* to) const;

    WarpInstruction const& i_;
    SharedMatrix const& of_;
    matrix::Descriptor descriptor_;
};

}  // namespace warpsim::sim
