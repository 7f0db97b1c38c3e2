// Who has last written and read some bytes of memory.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>

namespace warpsim::check {

/// Never 0, 12 bits; what lanes have written together and what one has are told apart.
constexpr std::uint16_t hash_of_value(std::array<std::uint64_t, 4> const& bytes, bool is_together) {
    std::uint64_t const mixed = (bytes[0] * 0x9e3779b97f4a7c15u ^ bytes[1] * 0xc2b2ae3d27d4eb4fu ^
                                 bytes[2] * 0xd6e8feb86659fd93u ^ bytes[3] * 0xa0761d6478bd642fu) >>
                                53;
    return static_cast<std::uint16_t>((is_together ? 0x800u : 0u) | std::max<std::uint64_t>(mixed, 1));
}

/// Who accessed a cell: a record of an access by a warp, and which of its lanes.
struct Stamp {
    /// Threads that one stamp stands for, of several that read, or that write at once since they may: it names one of the last.
    enum class Extent : std::uint8_t { lane, warp, cta, grid };

    std::uint32_t number = 0;  // of the record + 1; 0: nobody
    std::uint8_t lane = 0;
    /// Log2 of the bytes of each lane: if they are fewer than the cell's, `lane` is the first, and others follow it.
    std::uint8_t step_log2 = coarsest_log2;
    Extent extent = Extent::lane;
    std::uint16_t value_hash = 0;  // of what was written, 12 bits; 0: not known

    static constexpr unsigned coarsest_log2 = 4;

    bool is_any() const { return number != 0; }
    std::uint32_t record() const { return number - 1; }
    /// Both stand for the same access by the same lanes, in cells that have one lane.
    bool is_like(Stamp const& other) const {
        return number == other.number && lane == other.lane && extent == other.extent;
    }
};

/// The last write and the last read.
class Cell {
public:
    Cell() = default;
    /// Written, and not read since.
    explicit Cell(Stamp const& write) : write_(write.number), more_(more_of_write(write)) {}

    bool is_any() const { return (write_ | read_) != 0; }
    std::uint32_t write_number() const { return write_; }
    std::uint32_t read_number() const { return read_; }
    Stamp::Extent write_extent() const { return static_cast<Stamp::Extent>(more_ >> 8 & 3); }
    void set_write_extent(Stamp::Extent extent) {
        more_ = (more_ & ~(3u << 8)) | static_cast<std::uint32_t>(extent) << 8;
    }
    Stamp write() const {
        return {write_, static_cast<std::uint8_t>(more_ & 31), static_cast<std::uint8_t>(more_ >> 5 & 7),
                write_extent(), static_cast<std::uint16_t>(more_ >> hash_shift)};
    }
    Stamp read() const {
        std::uint32_t const more = more_ >> read_shift;
        return {read_, static_cast<std::uint8_t>(more & 31), static_cast<std::uint8_t>(more >> 5 & 7),
                static_cast<Stamp::Extent>(more >> 8 & 3), 0};
    }
    void set_read(Stamp const& stamp) {
        read_ = stamp.number;
        std::uint32_t const more =
            stamp.lane | std::uint32_t{stamp.step_log2} << 5 | static_cast<std::uint32_t>(stamp.extent) << 8;
        more_ = (more_ & ~(0x3ffu << read_shift)) | more << read_shift;
    }
    /// The part of a larger cell that begins so many bytes behind it.
    Cell part(std::uint32_t offset) const {
        Cell cell = *this;
        std::uint32_t const write_lane = more_ + (offset >> (more_ >> 5 & 7)),
                            read_lane = (more_ >> read_shift) + (offset >> (more_ >> (read_shift + 5) & 7));
        cell.more_ = (more_ & ~(31u | 31u << read_shift)) | (write_lane & 31) | (read_lane & 31) << read_shift;
        return cell;
    }
    /// Calls renumbered(number) for the records' numbers.
    template <class Renumbered> void renumber(Renumbered const& renumbered) {
        if (write_ != 0) write_ = renumbered(write_);
        if (read_ != 0) read_ = renumbered(read_);
    }

private:
    static constexpr unsigned read_shift = 10, hash_shift = 20;
    static std::uint32_t more_of_write(Stamp const& stamp) {
        return stamp.lane | std::uint32_t{stamp.step_log2} << 5 | static_cast<std::uint32_t>(stamp.extent) << 8 |
               std::uint32_t{stamp.value_hash} << hash_shift;
    }

    std::uint32_t write_ = 0, read_ = 0;
    // From the lowest bit on: lane, step and extent of the write; those of the read; hash of the value.
    std::uint32_t more_ = 0;
};
static_assert(sizeof(Cell) == 12);

}  // namespace warpsim::check
