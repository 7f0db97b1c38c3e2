// Maps an address to its L2 slice and DRAM channel. Neighbouring pieces go to different slices, and a hash of the
// address bits above them keeps power-of-two strides from all meeting in one slice.
#pragma once

#include <cstdint>

namespace warpsim::timing {

class AddressMap {
public:
    AddressMap(std::uint32_t slices, std::uint32_t channels, std::uint32_t interleave_bytes)
        : slices_(slices), per_channel_(slices / channels), interleave_(interleave_bytes) {}

    std::uint32_t slice(std::uint64_t address) const {
        std::uint64_t const piece = address / interleave_;
        return static_cast<std::uint32_t>((piece % slices_ + hash(piece / slices_)) % slices_);
    }
    std::uint32_t channel_of_slice(std::uint32_t slice) const { return slice / per_channel_; }
    /// The position of the address within its channel, without gaps.
    std::uint64_t in_channel(std::uint64_t address) const {
        std::uint64_t const piece = address / interleave_;
        return (piece / slices_ * per_channel_ + slice(address) % per_channel_) * interleave_ +
               address % interleave_;
    }
    std::uint32_t slices_per_channel() const { return per_channel_; }

private:
    static std::uint64_t hash(std::uint64_t x) {
        x ^= x >> 17;
        x *= 0xed5ad4bb;
        x ^= x >> 11;
        return x & 0xffffffff;
    }
    std::uint32_t slices_, per_channel_, interleave_;
};

}  // namespace warpsim::timing
