// Cells of one or two bytes, where single lanes access these in no order: few bits for each stamp, so that memory stays in
// proportion to what is touched. Most such bytes are only written, only read, or read by the lane that has written them, with the
// same two instructions in all of a tile: they have one stamp.
#pragma once

#include "runtime/check/race/cell.hpp"
#include "runtime/check/race/stamp_plane.hpp"

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>

namespace warpsim::check {

class FineCells {
public:
    /// So many, which say nothing; they take no more than so many bytes: where that is not enough, some reads are forgotten.
    FineCells(std::uint32_t count, std::size_t most_bytes)
        : first_(count),
          count_(static_cast<std::uint16_t>(count)),
          most_bytes_(static_cast<std::uint16_t>(most_bytes)) {}

    Cell load(std::uint32_t at) const {
        Cell cell = cell_of(first_.load(at));
        if (!second_) return cell;
        FineStamp const read = second_->load(at);
        if (read.number != 0) cell.set_read(read_of(read));
        return cell;
    }
    void store(std::uint32_t at, Cell const& cell) {
        FineStamp const write = fine(cell.write(), true);
        FineStamp read = fine(cell.read(), false);
        if (write.number == 0) {
            if (second_) put(*second_, at, {});
            return put(first_, at, read);
        }
        if (read.number != 0 && !second_ && is_pair(write, read)) {
            read.sort = read_by_writer;
            return put(first_, at, read);
        }
        put(first_, at, write);
        if (read.number != 0 && !second_) second_ = std::make_unique<StampPlane>(count_);
        if (second_) put(*second_, at, read);
    }
    std::size_t held_bytes() const {
        return sizeof *this + first_.held_bytes() + (second_ ? sizeof *second_ + second_->held_bytes() : 0);
    }

private:
    /// What a stamp is of. Of a value that was written is kept whether it is 0 or 1, as flags are that several threads set.
    enum Sort : std::uint8_t {
        write_other,
        write_zero,
        write_one,
        read_by_lane,
        read_by_writer = 7
    };  // Stamp::Extent from `read_by_lane` on
    static constexpr std::uint16_t hash_of_zero = hash_of_value({0, 0, 0, 0}, false),
                                   hash_of_one = hash_of_value({1, 0, 0, 0}, false);

    void put(StampPlane& plane, std::uint32_t at, FineStamp const& stamp) {
        if (plane.store(at, stamp)) fit();
    }
    void fit();
    static Stamp read_of(FineStamp const& fine) {
        Stamp stamp;
        stamp.number = fine.number;
        stamp.lane = fine.lane;
        stamp.extent = static_cast<Stamp::Extent>(fine.sort - read_by_lane);
        return stamp;
    }
    static Stamp write_of(std::uint32_t number, std::uint8_t lane, std::uint8_t sort) {
        Stamp stamp;
        stamp.number = number;
        stamp.lane = lane;
        stamp.value_hash = hash_of(sort);
        return stamp;
    }
    Cell cell_of(FineStamp const& fine) const {
        Cell cell;
        if (fine.number == 0) return cell;
        if (fine.sort == read_by_writer) {
            cell = Cell(write_of(fine.number - pair_distance_, fine.lane, pair_sort_));
            cell.set_read(read_of({fine.number, fine.lane, read_by_lane}));
        } else if (fine.sort >= read_by_lane) {
            cell.set_read(read_of(fine));
        } else {
            cell = Cell(write_of(fine.number, fine.lane, fine.sort));
        }
        return cell;
    }
    static std::uint16_t hash_of(std::uint8_t sort) {
        return sort == write_zero ? hash_of_zero : sort == write_one ? hash_of_one : std::uint16_t{0};
    }
    /// Whether the read tells of the write, too: it is by the same lane, and so many records later as all of the tile's are.
    bool is_pair(FineStamp const& write, FineStamp const& read) {
        std::uint32_t const distance = read.number - write.number;
        if (read.lane != write.lane || read.sort != read_by_lane || read.number <= write.number ||
            distance > std::numeric_limits<std::uint16_t>::max())
            return false;
        if (pair_distance_ == 0) {
            pair_distance_ = static_cast<std::uint16_t>(distance);
            pair_sort_ = write.sort;
        }
        return distance == pair_distance_ && write.sort == pair_sort_;
    }
    static FineStamp fine(Stamp const& stamp, bool is_write) {
        if (!stamp.is_any()) return {};
        auto sort = static_cast<std::uint8_t>(write_other);
        if (!is_write) sort = static_cast<std::uint8_t>(read_by_lane + static_cast<std::uint8_t>(stamp.extent));
        else if (stamp.value_hash == hash_of_zero) sort = write_zero;
        else if (stamp.value_hash == hash_of_one) sort = write_one;
        return {stamp.number, stamp.lane, sort};
    }

    StampPlane first_;                    // the write, or if there is none the read
    std::unique_ptr<StampPlane> second_;  // the read behind a write
    std::uint16_t count_, most_bytes_;
    std::uint16_t pair_distance_ = 0;  // 0: there are no pairs
    std::uint8_t pair_sort_ = 0;
};

}  // namespace warpsim::check
