// What of a copy to the host nobody has written, and what of that is padding.
#pragma once

#include <cstdint>
#include <vector>

namespace warpsim::check {

/// Padding is narrower than some element that kernels have stored to the allocation, and ends where such an element may begin. Nobody
/// can tell it from a small member that is always missing; but where all structures have the same gap, and that of some is longer,
/// these lack a member.
class UnwrittenBytes {
public:
    /// `element_sizes`: of GlobalShadow::Region, which begins there; 0: nothing is padding.
    UnwrittenBytes(std::uint64_t begin, std::uint8_t element_sizes) : begin_(begin), sizes_(element_sizes) {}

    /// Neighbouring bytes, in rising order.
    void add(std::uint64_t begin, std::uint64_t end, bool may_be_padding);

    struct Found {
        std::uint64_t count = 0;
        std::uint64_t first = 0;  // address
    };
    Found found() const;

private:
    struct Gap {
        std::uint64_t begin, end;
    };
    bool is_padding(Gap const& gap) const;
    std::uint64_t padding_before_member(std::uint64_t begin) const;
    static void add(Found& found, std::uint64_t begin, std::uint64_t end);

    std::uint64_t begin_;
    std::uint8_t sizes_;
    Found found_;
    std::vector<Gap> gaps_;  // that look like padding
};

}  // namespace warpsim::check
