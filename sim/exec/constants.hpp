// The columns that all warps of a launch share: immediates, symbol addresses, uniform special registers.
#pragma once

#include "sim/exec/op.hpp"

#include <cstdint>
#include <cstring>
#include <map>
#include <tuple>
#include <vector>

namespace warpsim::sim {

/// A growing block of columns behind one base; allocates tagged slots.
class ColumnBlock {
public:
    explicit ColumnBlock(isa::Base base) : base_(base) {}

    /// A column of 32 elements of 2^log2 bytes.
    Slot add(int log2) { return reserve(std::uint32_t{32} << log2); }
    Slot reserve(std::uint32_t bytes) {
        auto const slot = static_cast<Slot>(bytes_ | static_cast<std::uint32_t>(base_));
        bytes_ += (bytes + 63) / 64 * 64;
        return slot;
    }
    std::uint32_t bytes() const { return bytes_; }

private:
    isa::Base base_;
    std::uint32_t bytes_ = 0;
};

class Constants {
public:
    /// A column whose lanes all hold `value` (of 2^log2 bytes).
    Slot column(int log2, std::uint64_t value) {
        auto const [it, is_new] = known_.try_emplace(std::tuple(log2, value), 0);
        if (is_new) {
            it->second = block.add(log2);
            bytes.resize(block.bytes());
            std::size_t const size = std::size_t{1} << log2;
            for (std::size_t i = 0; i < 32; ++i) {
                std::memcpy(bytes.data() + (it->second & ~3) + i * size, &value, size < 8 ? size : 8);
            }
        }
        return it->second;
    }
    /// A predicate whose lanes are all `value`.
    Slot predicate(bool value) {
        auto const [it, is_new] = known_.try_emplace(std::tuple(-1, std::uint64_t{value}), 0);
        if (is_new) {
            it->second = block.reserve(4);
            bytes.resize(block.bytes());
            std::uint32_t const mask = value ? isa::all_lanes : 0;
            std::memcpy(bytes.data() + (it->second & ~3), &mask, 4);
        }
        return it->second;
    }
    /// A column defined lane by lane (laneid, lanemask_*).
    Slot lanes(int log2, std::uint64_t key, std::uint64_t const (&values)[32]) {
        auto const [it, is_new] = known_.try_emplace(std::tuple(-2 - log2, key), 0);
        if (is_new) {
            it->second = block.add(log2);
            bytes.resize(block.bytes());
            std::size_t const size = std::size_t{1} << log2;
            for (std::size_t i = 0; i < 32; ++i) {
                std::memcpy(bytes.data() + (it->second & ~3) + i * size, &values[i], size < 8 ? size : 8);
            }
        }
        return it->second;
    }

    ColumnBlock block{isa::Base::plan};
    std::vector<std::byte> bytes;

private:
    std::map<std::tuple<int, std::uint64_t>, Slot> known_;
};

}  // namespace warpsim::sim
