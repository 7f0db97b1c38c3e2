// Compiled once per host instruction set (WARPSIM_HOST); see transactions.hpp. As in frontend/isa, nothing here may
// be emitted as a weak symbol, so it is all static or inlined.
#include "sim/exec/lanes/transactions.hpp"

#include <cstddef>
#include <cstdint>

namespace warpsim::sim::WARPSIM_HOST {

extern UnitCounters const unit_functions;

namespace {

constexpr std::size_t lanes = isa::warp_size;

#ifdef __AVX2__
constexpr std::size_t vector_bytes = 32;  // comparisons of 64 bytes give masks, which cost more than they save
#else
constexpr std::size_t vector_bytes = 16;
#endif
template <class T> struct VectorOf { typedef T type __attribute__((vector_size(vector_bytes))); };
template <class T> using Vector = typename VectorOf<T>::type;

template <class T> [[gnu::always_inline]] inline Vector<T> vector_at(T const* at) {
    Vector<T> vector;
    __builtin_memcpy(&vector, at, sizeof vector);
    return vector;
}

/// The units of lanes, counted from the lowest. Inactive lanes, and places before lane 0, have none: a number that no
/// unit has.
template <class Key> struct Units {
    static constexpr Key none = static_cast<Key>(-1);
    alignas(64) Key cells[2 * lanes];
    Key* const key = cells + lanes;

    [[gnu::always_inline]] inline Units(Addresses const& a, LaneMask mask, unsigned shift) {
        for (std::size_t i = 0; i < lanes; ++i) cells[i] = none;
        std::uint64_t const origin = a.low >> shift << shift;
        if (a.pattern == Pattern::scattered) {
            for (std::size_t i = 0; i < lanes; ++i) key[i] = static_cast<Key>((a.lane[i] - origin) >> shift);
        } else {
            std::uint32_t const step = a.pattern == Pattern::affine ? a.bytes : 0;
            std::uint64_t const first = a.lane_zero - origin;  // of an inactive lane it may lie below
            for (std::size_t i = 0; i < lanes; ++i) key[i] = static_cast<Key>((first + i * step) >> shift);
        }
        if (mask == isa::all_lanes) return;
        for (std::size_t i = 0; i < lanes; ++i) key[i] = (mask >> i & 1) != 0 ? key[i] : none;
    }
};

template <class T> [[gnu::always_inline]] inline bool any_bit(Vector<T> vector) {
    alignas(vector_bytes) std::uint64_t parts[vector_bytes / 8];
    __builtin_memcpy(parts, &vector, sizeof vector);
    std::uint64_t any = 0;
    for (std::uint64_t const part : parts) any |= part;
    return any != 0;
}

/// Lanes whose unit an earlier lane has too, and lanes without a unit, become `none`.
template <class Key> [[gnu::always_inline]] inline void keep_first(Units<Key> const& units, Key* kept) {
    constexpr std::size_t step = vector_bytes / sizeof(Key), parts = lanes / step;
    Vector<Key> own[parts], known[parts], falls{};
    for (std::size_t i = 0; i < parts; ++i) {
        own[i] = vector_at(units.key + i * step);
        Vector<Key> const neighbour = vector_at(units.key + i * step - 1);
        known[i] = reinterpret_cast<Vector<Key>>(own[i] == neighbour);
        falls |= reinterpret_cast<Vector<Key>>(own[i] < neighbour);
        if (i == 0) falls[0] = 0;  // lane 0 has none before it
    }
    // Only in ascending order are all equal units neighbours.
    if (any_bit<Key>(falls)) {
        for (std::size_t distance = 2; distance < lanes; ++distance) {
            for (std::size_t i = 0; i < parts; ++i)
                known[i] |= reinterpret_cast<Vector<Key>>(own[i] == vector_at(units.key + i * step - distance));
        }
    }
    for (std::size_t i = 0; i < parts; ++i) {
        own[i] |= known[i];
        __builtin_memcpy(kept + i * step, &own[i], sizeof own[i]);
    }
}

/// The most keys other than `none` that are equal modulo `banks`; a Cell holds 2 * banks - 1.
template <class Cell, class Key>
[[gnu::always_inline]] inline std::uint32_t most_equal_as(Key const* keys, std::uint32_t banks) {
    constexpr std::size_t step = vector_bytes / sizeof(Cell);
    auto const last = static_cast<Cell>(banks - 1);
    alignas(64) Cell bank[lanes], sums[lanes];
    alignas(64) Cell counted[2 * lanes];  // twice the same: all lanes follow on each
    for (std::size_t i = 0; i < lanes; ++i) {
        bank[i] = static_cast<Cell>(keys[i]) & last;
        counted[i] = keys[i] == Units<Key>::none ? static_cast<Cell>(-1) : bank[i];
    }
    __builtin_memcpy(counted + lanes, counted, sizeof sums);
    for (std::size_t i = 0; i < lanes; i += step) {
        Vector<Cell> const own = vector_at(bank + i);
        Vector<Cell> sum{};
        for (std::size_t distance = 0; distance < lanes; ++distance)
            sum -= reinterpret_cast<Vector<Cell>>(own == vector_at(counted + i + distance));
        __builtin_memcpy(sums + i, &sum, sizeof sum);
    }
    Cell most = 0;
    for (std::size_t i = 0; i < lanes; ++i) most = sums[i] > most ? sums[i] : most;
    return most;
}

template <class Key> [[gnu::always_inline]] inline std::uint32_t most_equal(Key const* keys, std::uint32_t banks) {
    return banks <= 128 ? most_equal_as<std::uint8_t>(keys, banks) : most_equal_as<std::uint16_t>(keys, banks);
}

template <class Key>
[[gnu::always_inline]] inline std::uint32_t distinct_of(Addresses const& a, LaneMask mask, unsigned shift) {
    Units<Key> const units(a, mask, shift);
    alignas(64) Key kept[lanes];
    keep_first(units, kept);
    Key count = 0;
    for (std::size_t i = 0; i < lanes; ++i) count = static_cast<Key>(count + (kept[i] != Units<Key>::none));
    return count;
}

/// Of active lanes side by side whose units are evenly spaced, the most that are in one bank; 0: they are not so.
template <class Key>
[[gnu::always_inline]] inline std::uint32_t most_of_stride(Units<Key> const& units, LaneMask mask,
                                                           std::uint32_t banks) {
    int const first = __builtin_ctz(mask), last = 31 - __builtin_clz(mask);
    LaneMask const from_first = mask >> first;
    if ((from_first & (from_first + 1)) != 0 || first == last) return 0;
    Key const origin = units.key[first];
    auto const step = static_cast<Key>(units.key[first + 1] - origin);
    auto const start = static_cast<Key>(origin - static_cast<Key>(first) * step);  // lane 0's
    Key off = 0;
    for (std::size_t i = 0; i < lanes; ++i) {
        auto const expected = static_cast<Key>(start + static_cast<Key>(i) * step);
        off = static_cast<Key>(off | (units.key[i] == Units<Key>::none ? 0 : units.key[i] ^ expected));
    }
    auto const distance = std::int64_t{units.key[first + 1]} - std::int64_t{origin};
    auto const spanned = std::int64_t{units.key[last]} - std::int64_t{origin};
    if (off != 0 || spanned != distance * (last - first)) return 0;
    if (step == 0) return 1;
    // They return to the bank of the first after as many lanes as the banks and the step have no factor in common.
    int const common = __builtin_ctz(step | banks);
    auto const period = static_cast<int>(banks >> common);
    return static_cast<std::uint32_t>((last - first + period) / period);
}

template <class Key>
[[gnu::always_inline]] inline std::uint32_t most_in_bank_of(Addresses const& a, LaneMask mask, unsigned shift,
                                                            std::uint32_t banks) {
    Units<Key> const units(a, mask, shift);
    if (std::uint32_t const most = most_of_stride(units, mask, banks); most != 0) return most;
    alignas(64) Key kept[lanes];
    keep_first(units, kept);
    return most_equal(kept, banks);
}

bool is_narrow(Addresses const& a, unsigned shift) {
    return ((a.past_high - 1) >> shift) - (a.low >> shift) < 0xffff;
}

std::uint32_t distinct(Addresses const& a, LaneMask mask, unsigned shift) {
    return is_narrow(a, shift) ? distinct_of<std::uint16_t>(a, mask, shift)
                               : distinct_of<std::uint32_t>(a, mask, shift);
}

std::uint32_t most_in_bank(Addresses const& a, LaneMask mask, unsigned shift, std::uint32_t banks) {
    return is_narrow(a, shift) ? most_in_bank_of<std::uint16_t>(a, mask, shift, banks)
                               : most_in_bank_of<std::uint32_t>(a, mask, shift, banks);
}

std::uint32_t most_lanes_of_bank(Addresses const& a, LaneMask mask, unsigned shift, std::uint32_t banks) {
    return most_equal(Units<std::uint32_t>(a, mask, shift).key, banks);
}

}  // namespace

constinit UnitCounters const unit_functions = {distinct, most_in_bank, most_lanes_of_bank};

}  // namespace warpsim::sim::WARPSIM_HOST
