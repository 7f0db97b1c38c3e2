// Cells of one or two bytes, where single lanes access these in no order: three bytes for each stamp, so that memory stays in
// proportion to what is touched. Most such bytes are only written, only read, or read by the lane that has written them, with the
// same two instructions in all of a tile: they have one stamp.
#pragma once

#include "runtime/check/race/cell.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace warpsim::check {

class FineCells {
public:
    /// So many, which say nothing.
    explicit FineCells(std::uint32_t count)
        : count_(static_cast<std::uint16_t>(count)), first_(std::make_unique<Packed[]>(count)) {}

    Cell load(std::uint32_t at) const {
        Cell cell = cell_of(first_[at]);
        if (second_) {
            Cell const read = cell_of(second_[at]);
            if (read.read_number() != 0) cell.set_read(read.read());
        }
        return cell;
    }
    /// False: records are too far from those of the others for the room that there is, and nothing was done.
    bool store(std::uint32_t at, Cell const& cell) {
        std::uint32_t const write = pack(cell.write(), true), read = pack(cell.read(), false);
        if (write == out_of_reach || read == out_of_reach) return include(cell) && store(at, cell);
        if (write != 0 && read != 0 && !second_) {
            if (is_pair(cell.write(), cell.read(), write >> sort_shift)) {
                put(first_[at], (read & ~(~std::uint32_t{0} << sort_shift)) | read_by_writer << sort_shift);
                return true;
            }
            second_ = std::make_unique<Packed[]>(count_);
        }
        put(first_[at], write != 0 ? write : read);
        if (second_) put(second_[at], write != 0 ? read : 0);
        return true;
    }
    std::size_t held_bytes() const { return sizeof *this + sizeof(Packed) * count_ * (second_ ? 2 : 1); }

private:
    using Packed = std::array<std::uint8_t, 3>;
    /// What a stamp is of. Of a value that was written is kept whether it is 0 or 1, as flags are that several threads set.
    enum Sort : std::uint32_t {
        write_other,
        write_zero,
        write_one,
        read,
        read_by_writer = 7
    };  // Stamp::Extent from `read` on
    static constexpr unsigned number_bits = 16, lane_bits = 5, sort_shift = number_bits + lane_bits;
    static constexpr std::uint32_t most_numbers = (1u << number_bits) - 1, out_of_reach = ~std::uint32_t{0};
    static constexpr std::uint16_t hash_of_zero = hash_of_value({0, 0, 0, 0}, false),
                                   hash_of_one = hash_of_value({1, 0, 0, 0}, false);

    static void put(Packed& to, std::uint32_t bits) {
        to = {static_cast<std::uint8_t>(bits), static_cast<std::uint8_t>(bits >> 8),
              static_cast<std::uint8_t>(bits >> 16)};
    }
    Cell cell_of(Packed const& packed) const {
        std::uint32_t const bits = packed[0] | std::uint32_t{packed[1]} << 8 | std::uint32_t{packed[2]} << 16;
        Cell cell;
        if (bits == 0) return cell;
        Stamp stamp;
        stamp.number = base_ + (bits & most_numbers);
        stamp.lane = bits >> number_bits & ((1u << lane_bits) - 1);
        std::uint32_t const sort = bits >> sort_shift;
        if (sort == read_by_writer) {
            Stamp write = stamp;
            write.number -= pair_distance_;
            write.value_hash = hash_of(pair_sort_);
            cell = Cell(write);
            cell.set_read(stamp);
            return cell;
        }
        if (sort >= read) {
            stamp.extent = static_cast<Stamp::Extent>(sort - read);
            cell.set_read(stamp);
            return cell;
        }
        stamp.value_hash = hash_of(sort);
        return Cell(stamp);
    }
    static std::uint16_t hash_of(std::uint32_t sort) {
        return sort == write_zero ? hash_of_zero : sort == write_one ? hash_of_one : std::uint16_t{0};
    }
    /// Whether the read tells of the write, too: it is by the same lane, and so many records later as all of the tile's are.
    bool is_pair(Stamp const& write, Stamp const& read, std::uint32_t sort) {
        std::uint32_t const distance = read.number - write.number;
        if (read.lane != write.lane || read.extent != Stamp::Extent::lane || read.number <= write.number ||
            distance > std::numeric_limits<std::uint16_t>::max())
            return false;
        if (pair_distance_ == 0) {
            pair_distance_ = static_cast<std::uint16_t>(distance);
            pair_sort_ = static_cast<std::uint8_t>(sort);
        }
        return distance == pair_distance_ && sort == pair_sort_;
    }
    /// 0: of nobody.
    std::uint32_t pack(Stamp const& stamp, bool is_write) const {
        if (!stamp.is_any()) return 0;
        std::uint32_t const number = stamp.number - base_;
        if (stamp.number <= base_ || number > most_numbers) return out_of_reach;
        std::uint32_t const sort = !is_write ? read + static_cast<std::uint32_t>(stamp.extent)
                                   : stamp.value_hash == hash_of_zero ? write_zero
                                   : stamp.value_hash == hash_of_one  ? write_one
                                                                      : write_other;
        return number | std::uint32_t{stamp.lane} << number_bits | sort << sort_shift;
    }
    bool include(Cell const& more);

    std::uint16_t count_;
    std::uint16_t pair_distance_ = 0;  // 0: there are no pairs
    std::uint8_t pair_sort_ = 0;
    std::uint32_t base_ = 0;  // less than all numbers
    std::unique_ptr<Packed[]> first_, second_;
};

}  // namespace warpsim::check
