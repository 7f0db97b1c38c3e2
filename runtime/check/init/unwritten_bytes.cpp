#include "runtime/check/init/unwritten_bytes.hpp"

#include <algorithm>

namespace warpsim::check {

namespace {

/// Of more nobody has to know whether they are regular.
constexpr std::size_t most_gaps = 1u << 20;

}  // namespace

bool UnwrittenBytes::is_padding(Gap const& gap) const {
    for (unsigned log2 = 1; log2 < 8; ++log2) {
        std::uint64_t const size = std::uint64_t{1} << log2;
        bool const is_stored = (sizes_ >> log2 & 1) != 0;
        if (is_stored && gap.end - gap.begin < size && (gap.end - begin_) % size == 0) return true;
    }
    return false;
}

/// As far as the nearest place where an element may begin; 0: one may begin here.
std::uint64_t UnwrittenBytes::padding_before_member(std::uint64_t begin) const {
    std::uint64_t least = 0;
    for (unsigned log2 = 1; log2 < 8; ++log2) {
        std::uint64_t const size = std::uint64_t{1} << log2, odd = (begin - begin_) % size;
        if ((sizes_ >> log2 & 1) == 0 || odd == 0) continue;
        least = least == 0 ? size - odd : std::min(least, size - odd);
    }
    return least;
}

void UnwrittenBytes::add(Found& found, std::uint64_t begin, std::uint64_t end) {
    if (begin == end) return;
    found.first = found.count == 0 ? begin : std::min(found.first, begin);
    found.count += end - begin;
}

void UnwrittenBytes::add(std::uint64_t begin, std::uint64_t end, bool may_be_padding) {
    if (!may_be_padding) return add(found_, begin, end);
    if (is_padding({begin, end})) {
        if (gaps_.size() < most_gaps) gaps_.push_back({begin, end});
        return;
    }
    std::uint64_t const padding = padding_before_member(begin);
    add(found_, padding < end - begin ? begin + padding : begin, end);
}

UnwrittenBytes::Found UnwrittenBytes::found() const {
    Found all = found_;
    constexpr std::size_t enough = 4;
    if (gaps_.size() < enough) return all;
    std::uint64_t const period = gaps_[1].begin - gaps_[0].begin;
    std::uint64_t least = gaps_[0].end - gaps_[0].begin;
    for (std::size_t i = 1; i < gaps_.size(); ++i) {
        if (gaps_[i].begin - gaps_[i - 1].begin != period) return all;
        least = std::min(least, gaps_[i].end - gaps_[i].begin);
    }
    for (Gap const& gap : gaps_) add(all, gap.begin + least, gap.end);
    return all;
}

}  // namespace warpsim::check
