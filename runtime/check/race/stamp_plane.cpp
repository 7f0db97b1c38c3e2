#include "runtime/check/race/stamp_plane.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <new>

namespace warpsim::check {

namespace {

/// Room behind the last number, as eight bytes are read at once.
constexpr std::size_t slack = 7;

}  // namespace

StampPlane::StampPlane(std::uint32_t count) {
    std::array<FineStamp, most_cells> const nobody{};
    Head h;
    h.cells = static_cast<std::uint16_t>(count);
    block_ = std::make_unique<std::byte[]>(sizeof h);
    new (block_.get()) Head(h);
    make_again(nobody.data(), 0);
}

/// Of a stamp that can be told with the keys that there are.
std::uint64_t StampPlane::key_of(FineStamp const& stamp) {
    Head& h = head();
    std::uint64_t value = 0;
    if (stamp.number != 0) {
        if (stamp.number <= h.base || (h.sort_bits == 0 && stamp.sort != h.sort)) return no_key;
        value = std::uint64_t{stamp.number - h.base} << h.sort_bits;
        if (h.sort_bits != 0) value |= stamp.sort;
    }
    if (h.value_bits == 0) return value > low(h.key_bits) ? no_key : value;
    return value > low(h.value_bits) ? no_key : index_of(value);
}

std::uint64_t StampPlane::index_of(std::uint64_t value) {
    Head& h = head();
    std::byte* const all = values(h);
    auto const at = [&](std::uint32_t i) { return get(all, i, h.value_bits); };
    // Mostly that of the last access, or a later one than all that there are.
    if (at(h.last) == value) return h.last;
    std::uint32_t const end = h.entries;
    bool const is_latest = h.is_sorted != 0 && at(end - 1) < value;
    std::uint32_t found = end;
    if (h.is_sorted != 0 && !is_latest) {
        std::uint32_t first = 0;
        for (std::uint32_t count = end; count > 0;) {
            std::uint32_t const half = count / 2;
            if (at(first + half) < value) first += half + 1, count -= half + 1;
            else count = half;
        }
        if (at(first) == value) found = first;
    } else if (!is_latest) {
        found = 0;
        while (found < end && at(found) != value) ++found;
    }
    if (found == end) {
        if (end == h.room) return no_key;
        set(all, end, h.value_bits, value);
        ++h.entries;
        h.is_sorted = is_latest ? 1 : 0;
    }
    h.last = static_cast<std::uint8_t>(found);
    return found;
}

bool StampPlane::store(std::uint32_t at, FineStamp const& stamp) {
    Head& h = head();
    FineStamp const before = load(at);
    if (before == stamp) return false;
    std::uint64_t const key = key_of(stamp);
    if (key == no_key) {
        make_again_with(at, stamp);
        return true;
    }
    std::uint32_t const slot = at >> h.shared_log2, which = at & ((1u << h.shared_log2) - 1);
    std::uint64_t const code =
        key | std::uint64_t{stamp.lane} << h.key_bits | std::uint64_t{which} << (h.key_bits + lane_bits);
    set(codes(), slot, code_bits(h), code);
    if (h.shared_log2 != 0 || (before.number == 0) == (stamp.number == 0)) return false;
    h.empty = static_cast<std::uint16_t>(h.empty + (stamp.number == 0 ? 1 : -1));
    // The value for nobody may have been what takes another bit.
    bool const may_shrink =
        h.empty == 0 && h.value_bits != 0 && h.key_bits > 1 && h.entries - 1u <= 1u << (h.key_bits - 1);
    if (may_shrink) make_again_with(at, stamp);
    return may_shrink;
}

void StampPlane::make_again_with(std::uint32_t at, FineStamp const& stamp) {
    unsigned const shared_log2 = head().shared_log2;
    std::array<FineStamp, most_cells> all;
    for (std::uint32_t i = 0; i < head().cells; ++i) all[i] = load(i);
    // Others that share its place are forgotten.
    std::fill_n(all.begin() + (at >> shared_log2 << shared_log2), 1u << shared_log2, FineStamp{});
    all[at] = stamp;
    make_again(all.data(), shared_log2);
}

void StampPlane::halve() {
    Head const& h = head();
    unsigned const shared_log2 = h.shared_log2 + 1u;
    std::array<FineStamp, most_cells> all;
    for (std::uint32_t i = 0; i < h.cells; ++i) all[i] = load(i);
    for (std::uint32_t i = 0; i < h.cells; i += 1u << shared_log2) {
        // The latest stays.
        auto const begin = all.begin() + i, end = begin + (1u << shared_log2);
        auto const latest =
            std::max_element(begin, end, [](auto const& a, auto const& b) { return a.number < b.number; });
        for (auto one = begin; one != end; ++one)
            if (one != latest) *one = {};
    }
    make_again(all.data(), shared_log2);
}

/// Chooses what takes the least room for these.
void StampPlane::make_again(FineStamp const* stamps, unsigned shared_log2) {
    Head h;
    h.cells = head().cells;
    h.shared_log2 = static_cast<std::uint8_t>(shared_log2);
    std::uint32_t least = ~std::uint32_t{0}, most = 0;
    bool is_alike = true;
    for (std::uint32_t i = 0; i < h.cells; ++i) {
        FineStamp const& stamp = stamps[i];
        if (stamp.number == 0) {
            ++h.empty;
            continue;
        }
        if (most == 0) h.sort = stamp.sort;
        is_alike &= stamp.sort == h.sort;
        least = std::min(least, stamp.number);
        most = std::max(most, stamp.number);
    }
    h.sort_bits = is_alike ? 0 : sort_bits;
    h.base = most == 0 ? 0 : least - 1;
    unsigned const width = most == 0 ? 1 : static_cast<unsigned>(std::bit_width(most - h.base)) + h.sort_bits;

    std::array<std::uint64_t, most_cells + 1> distinct;
    std::uint32_t count = 0;
    auto const value_of = [&](FineStamp const& stamp) -> std::uint64_t {
        if (stamp.number == 0) return 0;
        return std::uint64_t{stamp.number - h.base} << h.sort_bits | (h.sort_bits != 0 ? stamp.sort : 0u);
    };
    for (std::uint32_t i = 0; i < h.cells; ++i) distinct[count++] = value_of(stamps[i]);
    std::sort(distinct.begin(), distinct.begin() + count);
    count = static_cast<std::uint32_t>(std::unique(distinct.begin(), distinct.begin() + count) - distinct.begin());

    unsigned const index_bits = std::max(static_cast<unsigned>(std::bit_width(count - 1)), 1u);
    std::uint32_t const room = std::min(1u << index_bits, count + count / 2 + 1);
    h.key_bits = static_cast<std::uint8_t>(width);
    std::size_t const plain = bytes_for(slots(h), code_bits(h));
    h.key_bits = static_cast<std::uint8_t>(index_bits);
    std::size_t const indexed = bytes_for(slots(h), code_bits(h)) + bytes_for(room, width);
    std::size_t const bytes = sizeof h + std::min(plain, indexed) + slack;
    h.bytes = static_cast<std::uint16_t>(bytes);
    if (plain <= indexed) {
        h.key_bits = static_cast<std::uint8_t>(width);
    } else {
        h.value_bits = static_cast<std::uint8_t>(width);
        h.entries = static_cast<std::uint16_t>(count);
        h.room = static_cast<std::uint16_t>(room);
        h.is_sorted = 1;
    }

    block_ = std::make_unique<std::byte[]>(bytes);
    new (block_.get()) Head(h);
    if (h.value_bits != 0)
        for (std::uint32_t i = 0; i < count; ++i) set(values(h), i, width, distinct[i]);
    for (std::uint32_t i = 0; i < h.cells; ++i) {
        std::uint32_t const which = i & ((1u << shared_log2) - 1);
        if (stamps[i].number == 0 && shared_log2 != 0) continue;
        std::uint64_t key = value_of(stamps[i]);
        if (h.value_bits != 0)
            key = static_cast<std::uint64_t>(std::lower_bound(distinct.begin(), distinct.begin() + count, key) -
                                             distinct.begin());
        std::uint64_t const code =
            key | std::uint64_t{stamps[i].lane} << h.key_bits | std::uint64_t{which} << (h.key_bits + lane_bits);
        set(codes(), i >> shared_log2, code_bits(h), code);
    }
}

}  // namespace warpsim::check
