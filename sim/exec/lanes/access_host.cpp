// Compiled once per host instruction set (WARPSIM_HOST); see access.hpp. As in frontend/isa, no weak symbol may be
// emitted here, so everything is static or inlined.
#include "sim/exec/lanes/access.hpp"

#include "frontend/isa/host_lanes.hpp"
#include "sim/exec/lanes/lane_words_host.hpp"

#include <type_traits>

namespace warpsim::sim::WARPSIM_HOST {

extern AccessFunctions const functions;

namespace {

using isa::Bases;
using isa::column;
using isa::Operands;
using isa::warp_size;
namespace host = isa::WARPSIM_HOST;

struct alignas(16) Word128 {
    std::uint64_t low, high;
};

template <int log2> struct Unsigned;
template <> struct Unsigned<0> { using type = std::uint8_t; };
template <> struct Unsigned<1> { using type = std::uint16_t; };
template <> struct Unsigned<2> { using type = std::uint32_t; };
template <> struct Unsigned<3> { using type = std::uint64_t; };
template <> struct Unsigned<4> { using type = Word128; };
template <int log2> using Bits = typename Unsigned<log2>::type;

// Weak accesses of simulated programs may race with each other, which is up to these programs, so these helpers,
// and only these, are exempt from the thread sanitizer. Each element is accessed as a whole.
#define WARPSIM_WEAK_ACCESS __attribute__((no_sanitize("thread")))

// ---- classification ------------------------------------------------------------------------------------------

/// Of all lanes, as almost always: without masks, and in the column's width.
template <class Column>
[[gnu::always_inline]] inline void classify_all(Addresses& out, Column const* registers, Column add,
                                                std::uint32_t bytes) {
    auto const first = static_cast<Column>(registers[0] + add);
    Column off_line = 0, differs = 0;
    for (std::uint32_t i = 0; i < warp_size; ++i) {
        auto const a = static_cast<Column>(registers[i] + add);
        off_line |= a ^ static_cast<Column>(first + i * bytes);
        differs |= a ^ first;
    }
    out.mask = isa::all_lanes;
    out.bytes = bytes;
    out.lane_zero = out.low = first;
    // A line of 32-bit addresses ends at 2^32.
    bool const wraps = sizeof(Column) == 4 && static_cast<Column>(first + 31 * bytes) < first;
    if (off_line == 0 && !wraps) {
        out.pattern = Pattern::affine;
        out.past_high = first + std::uint64_t{warp_size} * bytes;
        out.misaligned = first | bytes;
        return;
    }
    if (differs == 0) {
        out.pattern = Pattern::uniform;
        out.past_high = std::uint64_t{first} + bytes;
        out.misaligned = first;
        return;
    }
    out.pattern = Pattern::scattered;
    Column low = first, high = first, any = 0;
    for (int i = 0; i < warp_size; ++i) {
        auto const a = static_cast<Column>(registers[i] + add);
        out.lane[i] = a;
        low = a < low ? a : low;
        high = a > high ? a : high;
        any |= a;
    }
    out.low = low;
    out.past_high = std::uint64_t{high} + bytes;
    out.misaligned = any;
}

template <class Column>
void classify(Addresses& out, std::byte const* column_bytes, std::int64_t offset, LaneMask mask,
              std::uint32_t bytes) {
    auto const* const registers = reinterpret_cast<Column const*>(column_bytes);
    int const first = __builtin_ctz(mask);
    // The sum has the register's width: compilers may start a pointer below zero and add the offset to it.
    auto const add = static_cast<Column>(offset);
    if (mask == isa::all_lanes) return classify_all(out, registers, add, bytes);
    std::uint64_t const same = static_cast<Column>(registers[first] + add);
    std::uint64_t const origin = same - static_cast<std::uint64_t>(first) * bytes;  // of the affine pattern
    alignas(64) std::uint64_t lanes[warp_size];
    alignas(64) std::int64_t off_line[warp_size];
    alignas(64) std::int64_t differs[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        std::uint64_t const a = static_cast<Column>(registers[i] + add);
        lanes[i] = a;
        off_line[i] = a != origin + static_cast<std::uint64_t>(i) * bytes ? -1 : 0;
        differs[i] = a != same ? -1 : 0;
    }
    out.mask = mask;
    out.bytes = bytes;
    if ((host::sign_mask(off_line) & mask) == 0) {
        int const last = 31 - __builtin_clz(mask);
        out.pattern = Pattern::affine;
        out.lane_zero = origin;
        out.low = same;
        out.past_high = out.lane_zero + static_cast<std::uint64_t>(last + 1) * bytes;
        out.misaligned = out.low | (first == last ? 0 : bytes);
        return;
    }
    if ((host::sign_mask(differs) & mask) == 0) {
        out.pattern = Pattern::uniform;
        out.lane_zero = out.low = out.misaligned = same;
        out.past_high = out.low + bytes;
        return;
    }
    out.pattern = Pattern::scattered;
    // Inactive lanes count as the first active one, so that the reductions need no mask.
    std::uint64_t low = same, high = low, any = 0;
    for (int i = 0; i < warp_size; ++i) {
        std::uint64_t const a = (mask >> i & 1) != 0 ? lanes[i] : same;
        out.lane[i] = a;
        low = a < low ? a : low;
        high = a > high ? a : high;
        any |= a;
    }
    out.low = low;
    out.past_high = high + bytes;
    out.misaligned = any;
}

// ---- loads and stores ----------------------------------------------------------------------------------------

template <class To, bool is_signed, class From> [[gnu::always_inline]] inline To extend(From value) {
    if constexpr (std::is_same_v<To, From>) return value;
    else if constexpr (is_signed) return static_cast<To>(static_cast<std::make_signed_t<From>>(value));
    else return static_cast<To>(value);
}

template <class T> [[gnu::always_inline]] inline T read(std::uint64_t address) {
    return *reinterpret_cast<T const volatile*>(address);
}
template <> [[gnu::always_inline]] inline Word128 read<Word128>(std::uint64_t address) {
    auto const* const p = reinterpret_cast<std::uint64_t const volatile*>(address);
    return {p[0], p[1]};
}
template <class T> [[gnu::always_inline]] inline void write(std::uint64_t address, T value) {
    *reinterpret_cast<T volatile*>(address) = value;
}
template <> [[gnu::always_inline]] inline void write(std::uint64_t address, Word128 value) {
    auto* const p = reinterpret_cast<std::uint64_t volatile*>(address);
    p[0] = value.low;
    p[1] = value.high;
}

/// Contiguous lanes from memory into a column of the same width; touches active lanes only.
template <class T> [[gnu::always_inline]] inline bool load_contiguous(T* to, std::uint64_t from, LaneMask mask) {
    if (mask == isa::all_lanes) {
        __builtin_memcpy(to, reinterpret_cast<void const*>(from), sizeof(T) * warp_size);
        return true;
    }
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
        for (int i = 0; i < 2; ++i) {
            auto const m = static_cast<__mmask16>(mask >> 16 * i);
            _mm512_mask_store_epi32(to + 16 * i, m,
                                    _mm512_maskz_loadu_epi32(m, reinterpret_cast<char const*>(from) + 64 * i));
        }
        return true;
    } else if constexpr (sizeof(T) == 8) {
        for (int i = 0; i < 4; ++i) {
            auto const m = static_cast<__mmask8>(mask >> 8 * i);
            _mm512_mask_store_epi64(to + 8 * i, m,
                                    _mm512_maskz_loadu_epi64(m, reinterpret_cast<char const*>(from) + 64 * i));
        }
        return true;
    }
#endif
    return false;
}

template <class T>
[[gnu::always_inline]] inline bool store_contiguous(T const* from, std::uint64_t to, LaneMask mask) {
    if (mask == isa::all_lanes) {
        __builtin_memcpy(reinterpret_cast<void*>(to), from, sizeof(T) * warp_size);
        return true;
    }
#if defined(__AVX512F__)
    if constexpr (sizeof(T) == 4) {
        for (int i = 0; i < 2; ++i) {
            _mm512_mask_storeu_epi32(reinterpret_cast<char*>(to) + 64 * i, static_cast<__mmask16>(mask >> 16 * i),
                                     _mm512_load_si512(from + 16 * i));
        }
        return true;
    } else if constexpr (sizeof(T) == 8) {
        for (int i = 0; i < 4; ++i) {
            _mm512_mask_storeu_epi64(reinterpret_cast<char*>(to) + 64 * i, static_cast<__mmask8>(mask >> 8 * i),
                                     _mm512_load_si512(from + 8 * i));
        }
        return true;
    }
#elif defined(__AVX2__)
    if constexpr (sizeof(T) == 4) {
        __m256i const shift = _mm256_setr_epi32(31, 30, 29, 28, 27, 26, 25, 24);
        for (int i = 0; i < 4; ++i) {
            __m256i const m = _mm256_sllv_epi32(_mm256_set1_epi32(static_cast<int>(mask >> 8 * i)), shift);
            _mm256_maskstore_epi32(reinterpret_cast<int*>(to) + 8 * i, m,
                                   _mm256_load_si256(reinterpret_cast<__m256i const*>(from + 8 * i)));
        }
        return true;
    }
#endif
    return false;
}

template <int memory_log2, bool is_signed, int column_log2>
WARPSIM_WEAK_ACCESS void load(std::byte* to_bytes, Addresses const& a, std::uint64_t bias, std::uint32_t element) {
    using Memory = Bits<memory_log2>;
    using Column = Bits<column_log2>;
    auto* const to = reinterpret_cast<Column*>(to_bytes);
    std::uint64_t const shift = bias + element;
    if (a.pattern == Pattern::uniform) {
        Column const value = extend<Column, is_signed>(read<Memory>(a.lane_zero + shift));
        alignas(64) Column all[warp_size];
        for (int i = 0; i < warp_size; ++i) all[i] = value;
        host::store_masked(to, all, a.mask);
        return;
    }
    if (a.pattern == Pattern::affine) {
        if constexpr (memory_log2 == column_log2) {
            if (a.bytes == sizeof(Memory) && load_contiguous(to, a.lane_zero + shift, a.mask)) return;
        }
        for (LaneMask rest = a.mask; rest != 0; rest &= rest - 1) {
            int const i = __builtin_ctz(rest);
            to[i] = extend<Column, is_signed>(
                read<Memory>(a.lane_zero + static_cast<std::uint64_t>(i) * a.bytes + shift));
        }
        return;
    }
    if (a.mask == isa::all_lanes) {
        for (int i = 0; i < warp_size; ++i) to[i] = extend<Column, is_signed>(read<Memory>(a.lane[i] + shift));
        return;
    }
    for (LaneMask rest = a.mask; rest != 0; rest &= rest - 1) {
        int const i = __builtin_ctz(rest);
        to[i] = extend<Column, is_signed>(read<Memory>(a.lane[i] + shift));
    }
}

template <int memory_log2, int column_log2>
WARPSIM_WEAK_ACCESS void store(std::byte* from_bytes, Addresses const& a, std::uint64_t bias,
                               std::uint32_t element) {
    using Memory = Bits<memory_log2>;
    using Column = Bits<column_log2>;
    auto const* const from = reinterpret_cast<Column const*>(from_bytes);
    std::uint64_t const shift = bias + element;
    auto const value = [&](int i) {
        if constexpr (memory_log2 == column_log2) return from[i];
        else return static_cast<Memory>(from[i]);
    };
    if (a.pattern == Pattern::affine) {
        if constexpr (memory_log2 == column_log2) {
            if (a.bytes == sizeof(Memory) && store_contiguous(from, a.lane_zero + shift, a.mask)) return;
        }
    }
    // In the order of lanes: if several write to one address, the value of the highest lane remains.
    for (LaneMask rest = a.mask; rest != 0; rest &= rest - 1) {
        int const i = __builtin_ctz(rest);
        write<Memory>(a.of(i) + shift, value(i));
    }
}

// ---- strong loads and stores -----------------------------------------------------------------------------------

// x86-64 loads acquire and stores release; the ISA promises more only around fence.sc, which is a fence on the
// host, too.
template <class T> [[gnu::always_inline]] inline T read_strong(std::uint64_t address) {
    return __atomic_load_n(reinterpret_cast<T const*>(address), __ATOMIC_ACQUIRE);
}
template <class T> [[gnu::always_inline]] inline void write_strong(std::uint64_t address, T value) {
    __atomic_store_n(reinterpret_cast<T*>(address), value, __ATOMIC_RELEASE);
}
#if defined(__AVX__)
// Aligned 16-byte accesses are atomic on processors with AVX (both vendors document it).
template <> [[gnu::always_inline]] inline Word128 read_strong<Word128>(std::uint64_t address) {
    __m128i bits;
    asm volatile("vmovdqa %1, %0" : "=x"(bits) : "m"(*reinterpret_cast<__m128i const*>(address)) : "memory");
    Word128 value;
    __builtin_memcpy(&value, &bits, sizeof value);
    return value;
}
template <> [[gnu::always_inline]] inline void write_strong(std::uint64_t address, Word128 value) {
    __m128i bits;
    __builtin_memcpy(&bits, &value, sizeof bits);
    asm volatile("vmovdqa %1, %0" : "=m"(*reinterpret_cast<__m128i*>(address)) : "x"(bits) : "memory");
}
#else
template <> [[gnu::always_inline]] inline Word128 read_strong<Word128>(std::uint64_t address) {
    Word128 seen{0, 0};  // if memory holds it, it is written back
    asm volatile("lock cmpxchg16b %0"
                 : "+m"(*reinterpret_cast<Word128*>(address)), "+a"(seen.low), "+d"(seen.high)
                 : "b"(seen.low), "c"(seen.high)
                 : "memory", "cc");
    return seen;
}
template <> [[gnu::always_inline]] inline void write_strong(std::uint64_t address, Word128 value) {
    Word128 seen{0, 0};
    bool done = false;
    while (!done) {
        asm volatile("lock cmpxchg16b %1"
                     : "=@ccz"(done), "+m"(*reinterpret_cast<Word128*>(address)), "+a"(seen.low), "+d"(seen.high)
                     : "b"(value.low), "c"(value.high)
                     : "memory");
    }
}
#endif

template <int memory_log2, bool is_signed, int column_log2>
void load_strong(std::byte* to_bytes, Addresses const& a, std::uint64_t bias, std::uint32_t element) {
    auto* const to = reinterpret_cast<Bits<column_log2>*>(to_bytes);
    for (LaneMask rest = a.mask; rest != 0; rest &= rest - 1) {
        int const i = __builtin_ctz(rest);
        to[i] = extend<Bits<column_log2>, is_signed>(read_strong<Bits<memory_log2>>(a.of(i) + bias + element));
    }
}

template <int memory_log2, int column_log2>
void store_strong(std::byte* from_bytes, Addresses const& a, std::uint64_t bias, std::uint32_t element) {
    auto const* const from = reinterpret_cast<Bits<column_log2> const*>(from_bytes);
    for (LaneMask rest = a.mask; rest != 0; rest &= rest - 1) {
        int const i = __builtin_ctz(rest);
        if constexpr (memory_log2 == column_log2) write_strong(a.of(i) + bias + element, from[i]);
        else write_strong(a.of(i) + bias + element, static_cast<Bits<memory_log2>>(from[i]));
    }
}

// ---- lane functions of the plan ------------------------------------------------------------------------------

template <int from_log2, bool is_signed, int to_log2> void convert(Bases bases, Operands const& o, LaneMask mask) {
    using From = Bits<from_log2>;
    using To = Bits<to_log2>;
    auto const* const from = column<From>(bases, o.slot[1]);
    alignas(64) To result[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        if constexpr (from_log2 <= to_log2) result[i] = extend<To, is_signed>(from[i]);
        else if constexpr (from_log2 == 4) result[i] = static_cast<To>(from[i].low);
        else result[i] = static_cast<To>(from[i]);
    }
    host::store_masked(column<To>(bases, o.slot[0]), result, mask);
}

template <int memory_log2, bool is_signed, int column_log2>
void broadcast(Bases bases, Operands const& o, LaneMask mask) {
    Bits<memory_log2> scalar;
    __builtin_memcpy(&scalar, column<std::byte>(bases, o.slot[1]) + o.immediate, sizeof scalar);
    auto const value = extend<Bits<column_log2>, is_signed>(scalar);
    alignas(64) Bits<column_log2> all[warp_size];
    for (int i = 0; i < warp_size; ++i) all[i] = value;
    host::store_masked(column<Bits<column_log2>>(bases, o.slot[0]), all, mask);
}

template <class F>
[[gnu::always_inline]] inline void on_predicates(Bases bases, Operands const& o, LaneMask mask, F f) {
    LaneMask* const d = column<LaneMask>(bases, o.slot[0]);
    *d = (*d & ~mask) | (f() & mask);
}
[[gnu::always_inline]] inline LaneMask predicate(Bases bases, Operands const& o, int i) {
    return *column<LaneMask>(bases, o.slot[i]);
}
void copy_predicate(Bases b, Operands const& o, LaneMask m) {
    on_predicates(b, o, m, [&] { return predicate(b, o, 1); });
}
void predicate_not(Bases b, Operands const& o, LaneMask m) {
    on_predicates(b, o, m, [&] { return ~predicate(b, o, 1); });
}
template <bool negated> void predicate_and(Bases b, Operands const& o, LaneMask m) {
    on_predicates(b, o, m,
                  [&] { return predicate(b, o, 1) & (negated ? ~predicate(b, o, 2) : predicate(b, o, 2)); });
}
template <bool negated> void predicate_or(Bases b, Operands const& o, LaneMask m) {
    on_predicates(b, o, m,
                  [&] { return predicate(b, o, 1) | (negated ? ~predicate(b, o, 2) : predicate(b, o, 2)); });
}
template <bool negated> void predicate_xor(Bases b, Operands const& o, LaneMask m) {
    on_predicates(b, o, m,
                  [&] { return predicate(b, o, 1) ^ (negated ? ~predicate(b, o, 2) : predicate(b, o, 2)); });
}

template <class T> void add_offset(Bases bases, Operands const& o, LaneMask mask) {
    auto const* const from = column<T>(bases, o.slot[1]);
    auto const offset = static_cast<T>(o.immediate);
    alignas(64) T result[warp_size];
    for (int i = 0; i < warp_size; ++i) result[i] = static_cast<T>(from[i] + offset);
    host::store_masked(column<T>(bases, o.slot[0]), result, mask);
}

/// Elements of 8 bits lie in columns of 16.
template <int log2> using Element = Bits<log2 == 0 ? 1 : log2>;

template <int from_log2, int to_log2> void extract(Bases bases, Operands const& o, LaneMask mask) {
    using To = Element<to_log2>;
    auto const* const from = column<Bits<from_log2>>(bases, o.slot[1]);
    auto const shift = static_cast<unsigned>(o.immediate);
    alignas(64) To result[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        if constexpr (from_log2 == 4) {
            std::uint64_t const half = shift < 64 ? from[i].low : from[i].high;
            result[i] = static_cast<To>(half >> (shift & 63));
        } else if constexpr (to_log2 == 0) {
            result[i] = static_cast<To>(from[i] >> shift & 0xff);
        } else {
            result[i] = static_cast<To>(from[i] >> shift);
        }
    }
    host::store_masked(column<To>(bases, o.slot[0]), result, mask);
}

template <int from_log2, int to_log2> void insert(Bases bases, Operands const& o, LaneMask mask) {
    using To = Bits<to_log2>;
    auto const* const from = column<Element<from_log2>>(bases, o.slot[1]);
    To* const to = column<To>(bases, o.slot[0]);
    auto const shift = static_cast<unsigned>(o.immediate);
    constexpr std::uint64_t ones =
        from_log2 == 3 ? ~std::uint64_t{0} : (std::uint64_t{1} << (8u << from_log2 & 63)) - 1;
    alignas(64) To result[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        if constexpr (to_log2 == 4) {
            result[i] = to[i];
            std::uint64_t& half = shift < 64 ? result[i].low : result[i].high;
            half = (half & ~(ones << (shift & 63))) | (static_cast<std::uint64_t>(from[i]) & ones) << (shift & 63);
        } else {
            std::uint64_t const kept = to[i] & ~(ones << shift);
            result[i] = static_cast<To>(kept | (static_cast<std::uint64_t>(from[i]) & ones) << shift);
        }
    }
    host::store_masked(to, result, mask);
}

}  // namespace

template <ShuffleMode mode>
LaneMask shuffle(Bases bases, isa::Slot d, isa::Slot a, isa::Slot b, isa::Slot c, LaneMask mask,
                 LaneMask& absent) {
    auto const* const values = column<std::uint32_t>(bases, a);
    auto const* const distances = column<std::int32_t>(bases, b);
    auto const* const limits = column<std::int32_t>(bases, c);
    alignas(64) std::int32_t from[warp_size];
    alignas(64) std::int32_t inside[warp_size];
    alignas(64) std::uint32_t result[warp_size];
    for (int i = 0; i < warp_size; ++i) {
        ShuffleSource const source = shuffle_source(mode, i, distances[i], limits[i]);
        inside[i] = source.is_inside;
        from[i] = source.lane;
    }
    rearrange(result, values, from);
    absent = 0;
    if (mask != isa::all_lanes) {
        for (int i = 0; i < warp_size; ++i) {
            if ((mask >> from[i] & 1) != 0) continue;
            result[i] = 0;
            absent |= LaneMask{1} << i;
        }
        absent &= mask;
    }
    if (d != discard) host::store_masked(column<std::uint32_t>(bases, d), result, mask);
    return host::sign_mask(inside);
}

#define WARPSIM_BY_COLUMN(f, ...) \
    { nullptr, f<__VA_ARGS__, 1>, f<__VA_ARGS__, 2>, f<__VA_ARGS__, 3>, nullptr }

constinit AccessFunctions const functions = {
    .classify32 = classify<std::uint32_t>,
    .classify64 = classify<std::uint64_t>,
    .load = {{WARPSIM_BY_COLUMN(load, 0, false), WARPSIM_BY_COLUMN(load, 0, true)},
             {WARPSIM_BY_COLUMN(load, 1, false), WARPSIM_BY_COLUMN(load, 1, true)},
             {{nullptr, nullptr, load<2, false, 2>, load<2, false, 3>, nullptr},
              {nullptr, nullptr, load<2, true, 2>, load<2, true, 3>, nullptr}},
             {{nullptr, nullptr, nullptr, load<3, false, 3>, nullptr},
              {nullptr, nullptr, nullptr, load<3, true, 3>, nullptr}},
             {{nullptr, nullptr, nullptr, nullptr, load<4, false, 4>},
              {nullptr, nullptr, nullptr, nullptr, load<4, false, 4>}}},
    .store = {{nullptr, store<0, 1>, store<0, 2>, store<0, 3>, nullptr},
              {nullptr, store<1, 1>, store<1, 2>, store<1, 3>, nullptr},
              {nullptr, nullptr, store<2, 2>, store<2, 3>, nullptr},
              {nullptr, nullptr, nullptr, store<3, 3>, nullptr},
              {nullptr, nullptr, nullptr, nullptr, store<4, 4>}},
    .load_strong = {{WARPSIM_BY_COLUMN(load_strong, 0, false), WARPSIM_BY_COLUMN(load_strong, 0, true)},
                    {WARPSIM_BY_COLUMN(load_strong, 1, false), WARPSIM_BY_COLUMN(load_strong, 1, true)},
                    {{nullptr, nullptr, load_strong<2, false, 2>, load_strong<2, false, 3>, nullptr},
                     {nullptr, nullptr, load_strong<2, true, 2>, load_strong<2, true, 3>, nullptr}},
                    {{nullptr, nullptr, nullptr, load_strong<3, false, 3>, nullptr},
                     {nullptr, nullptr, nullptr, load_strong<3, true, 3>, nullptr}},
                    {{nullptr, nullptr, nullptr, nullptr, load_strong<4, false, 4>},
                     {nullptr, nullptr, nullptr, nullptr, load_strong<4, false, 4>}}},
    .store_strong = {{nullptr, store_strong<0, 1>, store_strong<0, 2>, store_strong<0, 3>, nullptr},
                     {nullptr, store_strong<1, 1>, store_strong<1, 2>, store_strong<1, 3>, nullptr},
                     {nullptr, nullptr, store_strong<2, 2>, store_strong<2, 3>, nullptr},
                     {nullptr, nullptr, nullptr, store_strong<3, 3>, nullptr},
                     {nullptr, nullptr, nullptr, nullptr, store_strong<4, 4>}},
    .copy = {nullptr, convert<1, false, 1>, convert<2, false, 2>, convert<3, false, 3>, convert<4, false, 4>},
    .widen = {{{},
               {nullptr, convert<1, false, 1>, convert<1, false, 2>, convert<1, false, 3>, nullptr},
               {nullptr, nullptr, convert<2, false, 2>, convert<2, false, 3>, nullptr},
               {},
               {}},
              {{},
               {nullptr, convert<1, true, 1>, convert<1, true, 2>, convert<1, true, 3>, nullptr},
               {nullptr, nullptr, convert<2, true, 2>, convert<2, true, 3>, nullptr},
               {},
               {}}},
    .narrow = {{},
               {},
               {nullptr, convert<2, false, 1>, nullptr, nullptr, nullptr},
               {nullptr, convert<3, false, 1>, convert<3, false, 2>, nullptr, nullptr},
               {nullptr, convert<4, false, 1>, convert<4, false, 2>, convert<4, false, 3>, nullptr}},
    .copy_predicate = copy_predicate,
    .broadcast = {{WARPSIM_BY_COLUMN(broadcast, 0, false), WARPSIM_BY_COLUMN(broadcast, 0, true)},
                  {WARPSIM_BY_COLUMN(broadcast, 1, false), WARPSIM_BY_COLUMN(broadcast, 1, true)},
                  {{nullptr, nullptr, broadcast<2, false, 2>, broadcast<2, false, 3>, nullptr},
                   {nullptr, nullptr, broadcast<2, true, 2>, broadcast<2, true, 3>, nullptr}},
                  {{nullptr, nullptr, nullptr, broadcast<3, false, 3>, nullptr},
                   {nullptr, nullptr, nullptr, broadcast<3, true, 3>, nullptr}},
                  {{nullptr, nullptr, nullptr, nullptr, broadcast<4, false, 4>},
                   {nullptr, nullptr, nullptr, nullptr, broadcast<4, false, 4>}}},
    .predicate_and = {predicate_and<false>, predicate_and<true>},
    .predicate_or = {predicate_or<false>, predicate_or<true>},
    .predicate_xor = {predicate_xor<false>, predicate_xor<true>},
    .predicate_not = predicate_not,
    .add_offset = {add_offset<std::uint32_t>, add_offset<std::uint64_t>},
    .extract = {{},
                {extract<1, 0>, nullptr, nullptr, nullptr, nullptr},
                {extract<2, 0>, extract<2, 1>, nullptr, nullptr, nullptr},
                {nullptr, extract<3, 1>, extract<3, 2>, nullptr, nullptr},
                {nullptr, extract<4, 1>, extract<4, 2>, extract<4, 3>, nullptr}},
    .insert = {{nullptr, insert<0, 1>, insert<0, 2>, nullptr, nullptr},
               {nullptr, nullptr, insert<1, 2>, insert<1, 3>, insert<1, 4>},
               {nullptr, nullptr, nullptr, insert<2, 3>, insert<2, 4>},
               {nullptr, nullptr, nullptr, nullptr, insert<3, 4>},
               {}},
    .shuffle = {shuffle<ShuffleMode::up>, shuffle<ShuffleMode::down>, shuffle<ShuffleMode::bfly>,
                shuffle<ShuffleMode::idx>},
};

}  // namespace warpsim::sim::WARPSIM_HOST
