// Rows of a and columns of b as tcgen05.mma finds them in shared memory, and where its scales are in tensor memory.
#pragma once

#include "sim/matrix/products.hpp"
#include "sim/tensor_memory/instruction_descriptor.hpp"
#include "sim/tensor_memory/packing.hpp"

#include <array>
#include <cstdint>
#include <cstring>
#include <vector>

namespace warpsim::sim {

inline constexpr std::uint32_t words_of_chunk = matrix::chunk_bytes / 4;

/// A row of a or a column of b, in the order of k.
using Line = std::array<std::uint32_t, matrix::most_words>;
using Lines = std::vector<Line>;

/// Elements of 4 and 6 bits that are not packed stand in chunks of 16, with padding.
inline int padded_bits(tensor_memory::Instruction const& i, isa::Type type) {
    if (is_packed(i.variation.kind)) return 0;
    if (type == isa::Type::e2m1) return 4;
    return type == isa::Type::e2m3 || type == isa::Type::e3m2 ? 6 : 0;
}

inline int element_bits(isa::Type type) {
    switch (type) {
        case isa::Type::tf32: return 32;
        case isa::Type::f16:
        case isa::Type::bf16: return 16;
        default: return 8;
    }
}

/// Reads a matrix in the shared memory of one CTA, of which chunk(line, number, words) gives 16 bytes each.
template <class Chunk> class SharedLines {
public:
    SharedLines(tensor_memory::Instruction const& i, bool is_b, Chunk const& chunk)
        : major_(is_b ? i.b_major : i.a_major),
          padded_(padded_bits(i, is_b ? i.b : i.a)),
          bits_(element_bits(is_b ? i.b : i.a)),
          chunk_(chunk) {}

    /// So many lines of so many words.
    Lines read(std::uint32_t count, std::uint32_t words, std::uint32_t first = 0) const {
        Lines lines(count);
        if (major_ == matrix::Major::k) along_k(lines, words, first);
        else across_k(lines, words, first);
        return lines;
    }

private:
    void along_k(Lines& lines, std::uint32_t words, std::uint32_t first) const {
        for (std::uint32_t line = 0; line < lines.size(); ++line) {
            for (std::uint32_t number = 0; number < words / words_of_chunk; ++number) {
                std::uint32_t* const to = &lines[line][words_of_chunk * number];
                chunk_(first + line, number, to);
                if (padded_ != 0) tensor_memory::unpack(to, padded_);
            }
        }
    }
    void across_k(Lines& lines, std::uint32_t words, std::uint32_t first) const {
        auto const bytes = static_cast<std::uint32_t>(bits_ / 8), in_chunk = matrix::chunk_bytes / bytes;
        for (std::uint32_t k = 0; k < 4 * words / bytes; ++k) {
            std::uint32_t last = UINT32_MAX;
            std::uint8_t chunk[matrix::chunk_bytes];
            for (std::uint32_t line = 0; line < lines.size(); ++line) {
                std::uint32_t const number = (first + line) / in_chunk;
                if (number != last) {
                    std::uint32_t fresh[words_of_chunk];
                    chunk_(k, number, fresh);
                    std::memcpy(chunk, fresh, sizeof chunk);
                    last = number;
                }
                std::memcpy(reinterpret_cast<std::uint8_t*>(lines[line].data()) + k * bytes,
                            chunk + (first + line) % in_chunk * bytes, bytes);
            }
        }
    }

    matrix::Major major_;
    int padded_, bits_;
    Chunk const& chunk_;
};

/// Columns of tensor memory with four scales of each of so many rows, and those before number `scale`, which stands in the
/// next ones from the fifth on: these begin where 128 rows end, or 256.
constexpr std::uint32_t columns_of_scales(std::uint32_t rows) { return (rows + 31) / 32; }
constexpr std::uint32_t words_before(std::uint32_t scale, std::uint32_t rows) {
    return scale / 4 * columns_of_scales((rows + 127) / 128 * 128);
}

}  // namespace warpsim::sim
