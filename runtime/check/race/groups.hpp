// Groups of asynchronous operations of the threads of a warp: what is not waited for yet, and which group it is in.
#pragma once

#include "frontend/isa/operands.hpp"

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpsim::check {

/// wgmma: that work on one product.
inline constexpr std::uint32_t warps_of_group = 4;

class Groups {
public:
    /// Lanes have begun what a record stands for.
    void begin(std::uint32_t record, isa::LaneMask lanes, bool is_read) {
        // A record stands for what was begun in one group, but lanes may have closed different numbers of them.
        while (lanes != 0) {
            std::uint32_t const group = committed_[first(lanes)];
            isa::LaneMask same = 0;
            for (isa::LaneMask m = lanes; m != 0; m &= m - 1)
                if (committed_[first(m)] == group) same |= m & -m;
            add({record, same, group, is_read});
            lanes &= ~same;
        }
    }
    void commit(isa::LaneMask lanes) {
        for (isa::LaneMask m = lanes; m != 0; m &= m - 1) ++committed_[first(m)];
    }
    std::uint32_t committed(std::uint32_t lane) const { return committed_[lane]; }
    /// Lanes wait until at most so many groups are left; calls done(record, lanes) for what is over.
    template <class Done>
    void wait(isa::LaneMask lanes, std::uint32_t left, bool is_for_all, bool is_for_reads, Done const& done) {
        std::size_t kept = 0;
        for (Open& open : open_) {
            isa::LaneMask over = 0;
            for (isa::LaneMask m = open.lanes & lanes; m != 0 && (open.is_read || !is_for_reads); m &= m - 1)
                if (is_for_all || std::uint64_t{open.group} + left < committed_[first(m)]) over |= m & -m;
            if (over != 0) done(open.record, over);
            open.lanes &= ~over;
            if (open.lanes != 0) open_[kept++] = open;
        }
        open_.resize(kept);
    }

    template <class Visit> void for_each_record(Visit const& visit) const {
        for (Open const& open : open_) visit(open.record);
    }
    template <class Renumbered> void renumber(Renumbered const& renumbered) {
        for (Open& open : open_) open.record = renumbered(open.record);
    }

private:
    struct Open {
        std::uint32_t record;
        isa::LaneMask lanes;
        std::uint32_t group;
        bool is_read;
    };
    static std::uint32_t first(isa::LaneMask lanes) { return static_cast<std::uint32_t>(std::countr_zero(lanes)); }
    void add(Open const& open) {
        for (auto last = open_.rbegin(); last != open_.rend() && last != open_.rbegin() + 4; ++last) {
            if (last->record != open.record || last->group != open.group) continue;
            last->lanes |= open.lanes;
            return;
        }
        open_.push_back(open);
    }

    std::array<std::uint32_t, 32> committed_{};
    std::vector<Open> open_;
};

}  // namespace warpsim::check
