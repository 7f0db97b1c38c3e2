// One stamp for each of a tile's small cells, in as few bits as tell apart those that there are: a distance from the earliest
// record or, where these are far apart, an index to those that there are; and a lane.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>

namespace warpsim::check {

/// What is kept of a stamp.
struct FineStamp {
    std::uint32_t number = 0;  // 0: nobody
    std::uint8_t lane = 0;
    std::uint8_t sort = 0;  // 3 bits

    bool operator==(FineStamp const&) const = default;
};

class StampPlane {
public:
    static constexpr std::uint32_t most_cells = 256;

    /// So many cells, which nobody has touched.
    explicit StampPlane(std::uint32_t count);

    FineStamp load(std::uint32_t at) const {
        Head const h = head();
        std::uint64_t const code = get(codes(), at >> h.shared_log2, code_bits(h));
        if (code >> (h.key_bits + lane_bits) != (at & ((1u << h.shared_log2) - 1))) return {};
        std::uint64_t value = code & low(h.key_bits);
        if (h.value_bits != 0) value = get(values(h), static_cast<std::uint32_t>(value), h.value_bits);
        return stamp_of(h, value, static_cast<std::uint8_t>(code >> h.key_bits & low(lane_bits)));
    }
    /// True: it takes other room than before.
    bool store(std::uint32_t at, FineStamp const& stamp);
    /// Half as many stamps from now on: of neighbours, the one that is stored last.
    void halve();
    bool can_halve() const { return head().shared_log2 < most_shared_log2; }
    std::size_t held_bytes() const { return head().bytes; }

private:
    static constexpr unsigned lane_bits = 5, sort_bits = 3, most_shared_log2 = 7;
    /// Before the codes, each a key and a lane and, where neighbours share it, whose of them it is. A value, of which the key is the
    /// index or itself, is the number less `base` and, if there are several, the sort; 0: nobody.
    struct Head {
        std::uint32_t base = 0;
        std::uint16_t bytes = 0;  // of all
        std::uint16_t cells = 0;
        std::uint16_t entries = 0;  // values that there are
        std::uint16_t room = 0;     // ... can be
        std::uint16_t empty = 0;    // codes of nobody
        std::uint8_t key_bits = 0;
        std::uint8_t value_bits = 0;  // 0: keys are values
        std::uint8_t sort = 0;        // of all, if sort_bits == 0
        std::uint8_t sort_bits = 0;
        std::uint8_t shared_log2 = 0;
        std::uint8_t last = 0;       // index that was used last
        std::uint8_t is_sorted = 0;  // ... values are
    };
    static_assert(sizeof(Head) == 24);

    static constexpr std::uint64_t low(unsigned bits) { return (std::uint64_t{1} << bits) - 1; }
    static unsigned code_bits(Head const& h) { return h.key_bits + lane_bits + h.shared_log2; }
    static std::uint32_t slots(Head const& h) { return h.cells >> h.shared_log2; }
    /// Numbers are read and written with the eight bytes from their first on.
    static std::size_t bytes_for(std::uint32_t count, unsigned bits) {
        return (std::size_t{count} * bits + 7) / 8;
    }
    static std::uint64_t get(std::byte const* from, std::uint32_t at, unsigned bits) {
        std::uint32_t const first = at * bits;
        std::uint64_t all = 0;
        std::memcpy(&all, from + first / 8, sizeof all);
        return all >> first % 8 & low(bits);
    }
    static void set(std::byte* to, std::uint32_t at, unsigned bits, std::uint64_t number) {
        std::uint32_t const first = at * bits;
        std::uint64_t all = 0;
        std::memcpy(&all, to + first / 8, sizeof all);
        all = (all & ~(low(bits) << first % 8)) | number << first % 8;
        std::memcpy(to + first / 8, &all, sizeof all);
    }
    static FineStamp stamp_of(Head const& h, std::uint64_t value, std::uint8_t lane) {
        if (value == 0) return {};
        std::uint8_t const sort = h.sort_bits == 0 ? h.sort : static_cast<std::uint8_t>(value & low(sort_bits));
        return {h.base + static_cast<std::uint32_t>(value >> h.sort_bits), lane, sort};
    }
    Head& head() { return *reinterpret_cast<Head*>(block_.get()); }
    Head const& head() const { return *reinterpret_cast<Head const*>(block_.get()); }
    std::byte* codes() const { return block_.get() + sizeof(Head); }
    std::byte* values(Head const& h) const { return codes() + bytes_for(slots(h), code_bits(h)); }

    static constexpr std::uint64_t no_key = ~std::uint64_t{0};
    std::uint64_t key_of(FineStamp const& stamp);
    std::uint64_t index_of(std::uint64_t value);
    void make_again_with(std::uint32_t at, FineStamp const& stamp);
    void make_again(FineStamp const* stamps, unsigned shared_log2);

    std::unique_ptr<std::byte[]> block_;
};

}  // namespace warpsim::check
