// What a slice knows by its bytes: sectors that are written in part and have not been read. They are counted in accesses
// of DRAM, which is what completes them; there is room for a limited number.
#pragma once

#include "sim/timing/memory/sectored_cache.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>

namespace warpsim::timing {

class PartlyWritten {
public:
    /// Room for so many accesses of these sectors each; 0: for all.
    PartlyWritten(std::uint32_t room, std::uint32_t sectors_of_access) : room_(room), width_(sectors_of_access) {}

    /// These sectors of the line were written in part before, and those are now.
    void changed(std::uint64_t line, std::uint8_t before, std::uint8_t now) {
        if (room_ == 0 || before == now) return;
        for (std::uint32_t first = 0; first < sectors_of_line; first += width_) {
            std::uint8_t const sectors = access(first);
            bool const was = (before & sectors) != 0, is = (now & sectors) != 0;
            if (was && !is) --count_;
            if (!is || was) continue;
            ++count_;
            queue_.push_back({line, sectors});
        }
    }
    /// Whether such a change needs more room than there is.
    bool lacks_room(std::uint8_t before, std::uint8_t now) const {
        if (room_ == 0 || count_ < room_) return false;
        for (std::uint32_t first = 0; first < sectors_of_line; first += width_)
            if ((before & access(first)) == 0 && (now & access(first)) != 0) return true;
        return false;
    }
    std::uint32_t count() const { return count_; }

    struct Oldest {
        std::uint32_t place;
        std::uint8_t sectors;
    };
    /// What has not been written for longest, or almost so; there is something. What was written again since it came
    /// to the end of the queue has a second chance.
    Oldest oldest(SectoredCache& tags) {
        if (queue_.size() > std::size_t{4} * room_)  // most have been completed by other writes
            std::erase_if(queue_, [&](Access const& access) { return partial(tags, access).sectors == 0; });
        for (;; queue_.pop_front()) {
            Access const access = queue_.front();
            Oldest const found = partial(tags, access);
            if (found.sectors == 0) continue;
            std::uint8_t& rewritten = tags.of_l2(found.place).rewritten;
            if ((rewritten & access.sectors) == 0) return found;
            rewritten &= static_cast<std::uint8_t>(~access.sectors);
            queue_.push_back(access);
        }
    }
    template <class Archive> void state(Archive& archive) { archive(count_, queue_); }

private:
    static constexpr std::uint32_t sectors_of_line = 4;
    struct Access {
        std::uint64_t line;
        std::uint8_t sectors;
    };
    std::uint8_t access(std::uint32_t first) const {
        return static_cast<std::uint8_t>(((1u << width_) - 1) << first);
    }
    static Oldest partial(SectoredCache const& tags, Access const& access) {
        std::uint32_t const place = tags.find(access.line);
        if (place == SectoredCache::none) return {place, 0};
        return {place, static_cast<std::uint8_t>(tags[place].partial & access.sectors)};
    }

    std::uint32_t room_, width_, count_ = 0;
    std::deque<Access> queue_;  // with some that have been completed since
};

}  // namespace warpsim::timing
