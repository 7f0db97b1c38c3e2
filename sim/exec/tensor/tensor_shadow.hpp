// Which bits of the memory that the matrix unit works with nobody has written, for those who keep account of it.
#pragma once

#include "sim/exec/warp.hpp"

#include <cstdint>

namespace warpsim::sim {

/// A bit is 1 where its memory is undefined. What is out of bounds, which is a fault of its own, is defined.
class TensorShadow {
public:
    virtual ~TensorShadow() = default;
    /// 16 bytes of the CTA's shared memory.
    virtual void read_chunk(Cta const& cta, std::uint64_t at, std::uint32_t* words) = 0;
    /// A cell of its tensor memory.
    virtual std::uint32_t read_cell(Cta const& cta, std::uint32_t lane, std::uint32_t column) = 0;
    virtual void write_cell(Cta const& cta, std::uint32_t lane, std::uint32_t column, std::uint32_t bits) = 0;
};

}  // namespace warpsim::sim
