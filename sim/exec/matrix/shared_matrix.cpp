#include "sim/exec/matrix/shared_matrix.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::sim {

namespace {

/// The access that events of matrix units refer to: it moves nothing between memory and registers of lanes.
Access const& access_of_unit() {
    static Access const access = [] {
        Access a;
        a.space = SpaceKind::shared;
        a.own_shared = true;
        a.elements = 0;
        a.bytes = matrix::chunk_bytes;
        a.data.fill(discard);
        return a;
    }();
    return access;
}

/// Chunks as accesses of 32 lanes.
class ChunkEvents {
public:
    explicit ChunkEvents(WarpInstruction const& i) : i_(i) {}

    void add(std::uint64_t address) {
        if (count_ == 0) told_.low = address;
        told_.lane[count_++] = address;
        told_.low = std::min(told_.low, address);
        told_.past_high = std::max(told_.past_high, address + matrix::chunk_bytes);
        if (count_ == 32) flush();
    }
    void flush() {
        if (count_ == 0) return;
        told_.bytes = matrix::chunk_bytes;
        told_.mask = isa::all_lanes >> (32 - count_);
        told_.pattern = Pattern::scattered;
        i_.sinks().tell<AccessEvent>([&] {
            return AccessEvent{i_.site(), access_of_unit(), SpaceKind::shared, told_, false};
        });
        told_.past_high = 0;
        count_ = 0;
    }

private:
    WarpInstruction const& i_;
    Addresses told_;
    unsigned count_ = 0;
};

}  // namespace

std::uint64_t common_descriptor(WarpInstruction const& i, SharedMatrix const& of) {
    auto const* const values = isa::column<std::uint64_t>(i.warp.bases, of.descriptor);
    for (int lane = 1; lane < 32; ++lane) {
        if (values[lane] == values[0]) continue;
        i.fault(lane, FaultKind::illegal_operand,
                std::string("illegal operand: the descriptor of ") + of.name +
                    " is not the same in all threads of the warp");
    }
    return values[0];
}

void SharedReader::chunk(std::size_t line, std::size_t number, void* to) const {
    std::uint32_t const at = address(line, number);
    if (at + std::uint64_t{matrix::chunk_bytes} > i_.launch().shared_bytes) {
        i_.fault(0, FaultKind::illegal_address,
                 std::string("illegal address: 16 bytes of matrix ") + of_.name + " at shared " +
                     std::to_string(at) + ", past the end of " + std::to_string(i_.launch().shared_bytes) +
                     " bytes per block");
    }
    std::memcpy(to, i_.cta.shared.get() + at, matrix::chunk_bytes);
}

void SharedReader::read_eight(std::size_t first, std::uint32_t* to, std::size_t stride) const {
    bool const is_along_k = of_.major == matrix::Major::k;
    for (std::size_t line = 0; line < 8 && is_along_k; ++line) {
        for (std::size_t number = 0; number < of_.words / words_of_chunk; ++number)
            chunk(first + line, number, to + stride * number + words_of_chunk * line);
    }
    if (is_along_k) return;
    // Only elements of 16 bits have this layout: eight of each k are a chunk.
    for (std::size_t number = 0; number < of_.words / words_of_chunk; ++number) {
        std::uint32_t* const square = to + stride * number;
        for (std::size_t k = 0; k < 8; ++k) chunk(8 * number + k, first / 8, square + words_of_chunk * k);
        matrix::transpose_halves(square, square);
    }
}

void SharedReader::tell(std::size_t first, std::size_t count, std::size_t of_each, std::size_t from) const {
    if (!i_.sinks().want(EventKind::access)) return;
    ChunkEvents events(i_);
    bool const is_along_k = of_.major == matrix::Major::k;
    // Across k a line of chunks is one k: two halves of each word.
    std::size_t const lines = is_along_k ? count : 2 * of_.words;
    std::size_t const chunks = is_along_k ? of_.words / words_of_chunk : count / 8;
    for (std::size_t n = from; n < lines * chunks; n += of_each) {
        std::size_t const line = n / chunks, number = n % chunks;
        events.add(is_along_k ? address(first + line, number) : address(line, first / 8 + number));
    }
    events.flush();
}

}  // namespace warpsim::sim
