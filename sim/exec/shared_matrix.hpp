// Matrices in shared memory that instructions of a warpgroup name by descriptors: reading them, and telling of it.
#pragma once

#include "sim/exec/warp_instruction.hpp"
#include "sim/matrix/descriptor.hpp"

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

    /// Of `count` lines, which are 8 or a multiple; `put` takes the line, the word and its value.
    template <class Put> void read(std::size_t first, std::size_t count, Put&& put) const {
        if (of_.major == matrix::Major::k) read_along_k(first, count, put);
        else read_across_k(first, count, put);
    }

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

    template <class Put> void read_along_k(std::size_t first, std::size_t count, Put&& put) const {
        for (std::size_t line = 0; line < count; ++line) {
            for (std::size_t number = 0; number < of_.words / words_of_chunk; ++number) {
                std::uint32_t words[words_of_chunk];
                chunk(first + line, number, words);
                for (std::size_t w = 0; w < words_of_chunk; ++w) put(line, words_of_chunk * number + w, words[w]);
            }
        }
    }

    /// Only elements of 16 bits have this layout.
    template <class Put> void read_across_k(std::size_t first, std::size_t count, Put&& put) const {
        for (std::size_t word = 0; word < of_.words; ++word) {
            for (std::size_t line = 0; line < count; line += 8) {
                std::uint16_t halves[2][8];
                for (std::size_t odd = 0; odd < 2; ++odd) chunk(2 * word + odd, (first + line) / 8, halves[odd]);
                for (std::size_t j = 0; j < 8; ++j)
                    put(line + j, word, halves[0][j] | static_cast<std::uint32_t>(halves[1][j]) << 16);
            }
        }
    }

    WarpInstruction const& i_;
    SharedMatrix const& of_;
    matrix::Descriptor descriptor_;
};

}  // namespace warpsim::sim
