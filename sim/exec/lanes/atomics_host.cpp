// Compiled once per host instruction set (WARPSIM_HOST); see atomics.hpp. As in frontend/isa, no weak symbol may
// be emitted here, so everything is static or inlined.
#include "sim/exec/lanes/atomics.hpp"

#include "frontend/isa/conversions.hpp"

#include <type_traits>

namespace warpsim::sim::WARPSIM_HOST {

extern AtomicFunctions const atomics;

namespace {

using isa::Bases;
using isa::column;
namespace host = isa::WARPSIM_HOST;
using host::Bfloat;
using host::Bfloat2;
using host::Half;
using host::Half2;
using enum AtomicOperation;

struct alignas(16) Word128 {
    std::uint64_t low, high;
};

template <class T> struct BitsOf { using type = decltype(T::bits); };
template <> struct BitsOf<float> { using type = std::uint32_t; };
template <> struct BitsOf<double> { using type = std::uint64_t; };
template <> struct BitsOf<Word128> { using type = Word128; };
template <class T>
requires std::is_integral_v<T>
struct BitsOf<T> {
    using type = std::make_unsigned_t<T>;
};

template <class T> [[gnu::always_inline]] inline bool same_bits(T a, T b) {
    if constexpr (std::is_same_v<T, Word128>) return a.low == b.low && a.high == b.high;
    else return a == b;
}

// ---- one lane ------------------------------------------------------------------------------------------------

template <AtomicOperation operation, class T> [[gnu::always_inline]] inline T combine_half(T old, T b) {
    float const x = host::to_float(old), y = host::to_float(b);
    // A sum of two 16-bit numbers that is rounded to f32 and then to 16 bits equals the sum rounded once, because
    // f32 has more than twice their digits.
    if constexpr (operation == add) return host::narrowed<host::to_nearest, T>(static_cast<double>(x + y));
    else return host::packed(host::extreme<operation == min, false>(x, y), static_cast<T*>(nullptr));
}

template <AtomicOperation operation, class Half, class T>
[[gnu::always_inline]] inline T combine_pair(T old, T b) {
    auto const low = combine_half<operation>(Half{static_cast<std::uint16_t>(old.bits)},
                                             Half{static_cast<std::uint16_t>(b.bits)});
    auto const high = combine_half<operation>(Half{static_cast<std::uint16_t>(old.bits >> 16)},
                                              Half{static_cast<std::uint16_t>(b.bits >> 16)});
    return {low.bits | static_cast<std::uint32_t>(high.bits) << 16};
}

/// What memory holds after one lane's operation.
template <AtomicOperation operation, bool flushes, class T> [[gnu::always_inline]] inline T combine(T old, T b) {
    if constexpr (operation == exchange) {
        return b;
    } else if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, Bfloat>) {
        return combine_half<operation>(old, b);
    } else if constexpr (std::is_same_v<T, Half2>) {
        return combine_pair<operation, Half>(old, b);
    } else if constexpr (std::is_same_v<T, Bfloat2>) {
        return combine_pair<operation, Bfloat>(old, b);
    } else if constexpr (std::is_floating_point_v<T>) {
        return host::canonical(host::flushed<flushes>(host::flushed<flushes>(old) + host::flushed<flushes>(b)));
    } else {
        using U = std::make_unsigned_t<T>;
        if constexpr (operation == add) return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
        else if constexpr (operation == min) return b < old ? b : old;
        else if constexpr (operation == max) return old < b ? b : old;
        else if constexpr (operation == bit_and) return static_cast<T>(old & b);
        else if constexpr (operation == bit_or) return static_cast<T>(old | b);
        else if constexpr (operation == bit_xor) return static_cast<T>(old ^ b);
        else if constexpr (operation == increment) return old >= b ? T{0} : static_cast<T>(old + 1);
        else return old == 0 || old > b ? b : static_cast<T>(old - 1);
    }
}

/// Operations that may be combined over several lanes and whose individual results can be recovered.
template <AtomicOperation operation, class T>
inline constexpr bool is_associative = std::is_integral_v<T> &&
                                       (operation == add || operation == min || operation == max ||
                                        operation == bit_and || operation == bit_or || operation == bit_xor);

// ---- memory that other host threads see
// --------------------------------------------------------------------------

// Locked instructions of x86-64 are full fences, so one kind serves every PTX order and scope.
constexpr int order = __ATOMIC_SEQ_CST;

/// Stores `next` if memory holds `seen`; otherwise `seen` becomes what it holds.
template <class Bits> [[gnu::always_inline]] inline bool swap_if(Bits* at, Bits& seen, Bits next) {
    if constexpr (std::is_same_v<Bits, Word128>) {
        bool done;
        asm volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*at), "+a"(seen.low), "+d"(seen.high)
                     : "b"(next.low), "c"(next.high)
                     : "memory");
        return done;
    } else {
        return __atomic_compare_exchange_n(at, &seen, next, false, order, order);
    }
}

template <AtomicOperation operation, class T> [[gnu::always_inline]] inline T update_in_turn(T* at, T b) {
    using Bits = typename BitsOf<T>::type;
    auto* const bits = reinterpret_cast<Bits*>(at);
    Bits seen{};
    if constexpr (!std::is_same_v<Bits, Word128>) seen = __atomic_load_n(bits, order);
    // Storing the same value again still takes its place in the order of modifications.
    for (;;) {
        T const old = host::bits_as<T>(seen);
        if (swap_if(bits, seen, host::bits_as<Bits>(combine<operation, true>(old, b)))) return old;
    }
}

template <AtomicOperation operation, class T> [[gnu::always_inline]] inline T update(T* at, T b) {
    if constexpr (std::is_integral_v<T>) {
        if constexpr (operation == add) return __atomic_fetch_add(at, b, order);
        else if constexpr (operation == bit_and) return __atomic_fetch_and(at, b, order);
        else if constexpr (operation == bit_or) return __atomic_fetch_or(at, b, order);
        else if constexpr (operation == bit_xor) return __atomic_fetch_xor(at, b, order);
        else if constexpr (operation == exchange) return __atomic_exchange_n(at, b, order);
        else return update_in_turn<operation>(at, b);
    } else {
        return update_in_turn<operation>(at, b);
    }
}

// ---- the lanes of a warp
// -----------------------------------------------------------------------------------------

template <bool is_private, AtomicOperation operation, class T>
[[gnu::always_inline]] inline T perform(T* at, T b, bool& changed) {
    T old;
    if constexpr (is_private) {
        old = *at;
        *at = combine<operation, false>(old, b);
    } else {
        old = update<operation>(at, b);
    }
    using Bits = typename BitsOf<T>::type;
    changed |= !same_bits(host::bits_as<Bits>(combine<operation, !is_private>(old, b)), host::bits_as<Bits>(old));
    return old;
}

/// All lanes at one address: a single operation with their combined operands.
template <bool is_private, AtomicOperation operation, class T>
[[gnu::always_inline]] inline bool at_one_address(T* d, T const* b, T* at, LaneMask mask) {
    int const first = __builtin_ctz(mask);
    T all = b[first];
    for (LaneMask m = mask & (mask - 1); m != 0; m &= m - 1)
        all = combine<operation, false>(all, b[__builtin_ctz(m)]);
    bool changed = false;
    T running = perform<is_private, operation>(at, all, changed);
    if (d == nullptr) return changed;
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const i = __builtin_ctz(m);
        T const value = b[i];  // its column may also be the result's
        d[i] = running;
        running = combine<operation, false>(running, value);
    }
    return changed;
}

template <bool is_private, AtomicOperation operation, class T>
bool atomic(Bases bases, AtomicColumns const& columns, Addresses const& a, std::uint64_t bias,
            std::uint32_t element) {
    auto const* const b = column<T>(bases, columns.source);
    T* const d = columns.result == discard ? nullptr : column<T>(bases, columns.result);
    std::uint64_t const shift = bias + element;
    if constexpr (is_associative<operation, T>) {
        if (a.pattern == Pattern::uniform) {
            return at_one_address<is_private, operation>(d, b, reinterpret_cast<T*>(a.lane_zero + shift), a.mask);
        }
    }
    bool changed = false;
    if (d == nullptr && a.pattern == Pattern::scattered) {
        for (LaneMask m = a.mask; m != 0; m &= m - 1) {
            int const i = __builtin_ctz(m);
            perform<is_private, operation>(reinterpret_cast<T*>(a.lane[i] + shift), b[i], changed);
        }
        return changed;
    }
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const i = __builtin_ctz(m);
        T const old = perform<is_private, operation>(reinterpret_cast<T*>(a.of(i) + shift), b[i], changed);
        if (d != nullptr) d[i] = old;
    }
    return changed;
}

template <bool is_private, class T>
bool swap(Bases bases, AtomicColumns const& columns, Addresses const& a, std::uint64_t bias,
          std::uint32_t element) {
    auto const* const expected = column<T>(bases, columns.source);
    auto const* const next = column<T>(bases, columns.swap);
    T* const d = columns.result == discard ? nullptr : column<T>(bases, columns.result);
    bool changed = false;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const i = __builtin_ctz(m);
        T* const at = reinterpret_cast<T*>(a.of(i) + bias + element);
        T seen = expected[i];
        T const wanted = next[i];
        bool done;
        if constexpr (is_private) {
            seen = *at;
            done = same_bits(seen, expected[i]);
            if (done) *at = wanted;
        } else {
            done = swap_if(at, seen, wanted);
        }
        changed |= done && !same_bits(seen, wanted);
        if (d != nullptr) d[i] = seen;
    }
    return changed;
}

// ---- the table
// ---------------------------------------------------------------------------------------------------

struct Table : AtomicFunctions {
    template <AtomicOperation operation, class T> constexpr void put(AtomicType type) {
        auto const t = static_cast<std::size_t>(type), o = static_cast<std::size_t>(operation);
        of[0][t][o] = &atomic<false, operation, T>;
        of[1][t][o] = &atomic<true, operation, T>;
    }
    template <class T> constexpr void put_swap(AtomicType type) {
        of[0][static_cast<std::size_t>(type)][static_cast<std::size_t>(compare_swap)] = &swap<false, T>;
        of[1][static_cast<std::size_t>(type)][static_cast<std::size_t>(compare_swap)] = &swap<true, T>;
    }
    template <class T> constexpr void put_extremes(AtomicType type) {
        put<add, T>(type);
        put<min, T>(type);
        put<max, T>(type);
    }
    template <class T> constexpr void put_bits(AtomicType type) {
        put<exchange, T>(type);
        put<bit_and, T>(type);
        put<bit_or, T>(type);
        put<bit_xor, T>(type);
        put_swap<T>(type);
    }
    constexpr Table() : AtomicFunctions{} {
        put_extremes<std::uint32_t>(AtomicType::u32);
        put_extremes<std::int32_t>(AtomicType::s32);
        put_extremes<std::uint64_t>(AtomicType::u64);
        put_extremes<std::int64_t>(AtomicType::s64);
        put_bits<std::uint32_t>(AtomicType::u32);
        put_bits<std::uint64_t>(AtomicType::u64);
        put<increment, std::uint32_t>(AtomicType::u32);
        put<decrement, std::uint32_t>(AtomicType::u32);
        put_swap<std::uint16_t>(AtomicType::b16);
        put_swap<Word128>(AtomicType::b128);
        put<exchange, Word128>(AtomicType::b128);
        put_extremes<Half>(AtomicType::f16);
        put_extremes<Bfloat>(AtomicType::bf16);
        put_extremes<Half2>(AtomicType::f16x2);
        put_extremes<Bfloat2>(AtomicType::bf16x2);
        put<add, float>(AtomicType::f32);
        put<add, double>(AtomicType::f64);
    }
};

}  // namespace

constinit AtomicFunctions const atomics = Table();

}  // namespace warpsim::sim::WARPSIM_HOST
