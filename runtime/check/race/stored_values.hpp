// What the lanes of a warp store, told apart by hashes: writes of the same value are another sort of race.
#pragma once

#include "runtime/check/race/cell.hpp"
#include "sim/events.hpp"
#include "sim/exec/launch_context.hpp"
#include "sim/exec/warp.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>

namespace warpsim::check {

/// Bytes of the largest cell, which neighbouring lanes access together.
inline constexpr std::uint32_t together_bytes = 1u << Stamp::coarsest_log2;

class StoredValues {
public:
    explicit StoredValues(sim::AccessEvent const& e) : event_(e), width_(std::size_t{1} << e.access.memory_log2) {
        sim::Access const& access = e.access;
        bool const is_plain = access.elements == 1 && access.column_log2[0] == access.memory_log2 &&
                              access.register_byte == 0 && access.data[0] != sim::discard;
        if (is_plain) plain_ = isa::column<std::byte>(e.site.warp.bases, access.data[0]);
    }
    std::uint16_t hash_of_lane(std::uint32_t lane) const {
        Bytes bytes{};
        if (plain_ != nullptr && width_ == 4) std::memcpy(bytes.data(), plain_ + std::size_t{lane} * 4, 4);
        else add(lane, bytes, 0);
        return hash_of_value(bytes, false);
    }
    /// Of the lanes from `lane` on that store 16 bytes.
    std::uint16_t hash_of_lanes(std::uint32_t lane) const {
        Bytes bytes{};
        if (plain_ != nullptr) {
            std::memcpy(bytes.data(), plain_ + lane * width_, together_bytes);
        } else {
            for (std::uint32_t at = 0; at < together_bytes; at += event_.addresses.bytes, ++lane)
                add(lane, bytes, at);
        }
        return hash_of_value(bytes, true);
    }

private:
    using Bytes = std::array<std::uint64_t, 4>;

    void add(std::uint32_t lane, Bytes& bytes, std::size_t at) const {
        for (std::size_t i = 0; i < event_.access.elements && at + (i + 1) * width_ <= sizeof bytes; ++i) {
            auto const value = event_.value(static_cast<int>(lane), i);
            std::memcpy(reinterpret_cast<std::byte*>(bytes.data()) + at + i * width_, value.data(), width_);
        }
    }

    sim::AccessEvent const& event_;
    std::size_t width_;
    std::byte const* plain_ = nullptr;  // column of the register
};

}  // namespace warpsim::check
