#include "sim/exec/code_scattered.hpp"

#include "sim/exec/launch_context.hpp"

#include <bit>

namespace warpsim::sim {

namespace {

constexpr std::size_t column_bytes = 256;

/// Addresses that may be accessed without asking, and what the host adds to them.
struct Reach {
    std::uint64_t begin, end, bias;
};

Reach reach_of(CompiledState const& state, Access const& access, std::uint32_t op, std::uint64_t address) {
    std::uint64_t const window = state.shared_window;
    if (access.space == SpaceKind::shared) return {0, state.shared_bytes, state.shared};
    if (access.space == SpaceKind::generic && address - window < window_bytes)
        return {window, window + state.shared_bytes, state.shared - window};
    return {state.places[op].begin, state.places[op].end, 0};
}

/// Takes the addresses of the lanes, and for others that of the lane `first`. Whether all of them are aligned, and at most
/// `last` bytes behind `begin`: neither how far each is behind the beginning nor how far before the end is negative.
[[gnu::always_inline]] inline bool take(Addresses& a, std::uint64_t const* lanes, std::uint64_t first,
                                        std::uint64_t begin, std::uint64_t last) {
    std::uint64_t outside = 0, any = 0;
    for (std::size_t i = 0; i < isa::warp_size; ++i) {
        std::uint64_t const others = std::uint64_t{a.mask >> i & 1} - 1;
        std::uint64_t const at = (lanes[i] & ~others) | (first & others);
        std::uint64_t const behind = at - begin;
        a.lane[i] = at;
        any |= at;
        outside |= behind | (last - behind);
    }
    return (outside >> 63) == 0 && (any & (a.bytes - 1)) == 0;
}

/// Lane i at first + i * bytes, as far as it is active.
[[gnu::always_inline]] inline void find_line(Addresses& a, std::uint64_t const* lanes) {
    auto const low = static_cast<std::size_t>(std::countr_zero(a.mask));
    auto const high = static_cast<std::size_t>(31 - std::countl_zero(a.mask));
    if (lanes[high] - lanes[low] != (high - low) * a.bytes) return;
    std::uint64_t const lane_zero = lanes[low] - low * a.bytes;
    std::uint64_t differs = 0;
    for (std::size_t i = 0; i < isa::warp_size; ++i)
        differs |= (lanes[i] ^ (lane_zero + i * a.bytes)) & (0 - std::uint64_t{a.mask >> i & 1});
    if (differs != 0) return;
    a.pattern = Pattern::affine;
    a.lane_zero = lane_zero;
}

[[gnu::always_inline]] inline bool move(CompiledState& state, std::uint32_t op, LaneMask mask, std::byte* values) {
    Access const& access = state.function->accesses[state.function->ops[op].target];
    auto const* const lanes = reinterpret_cast<std::uint64_t const*>(values);
    std::uint64_t const first = lanes[std::countr_zero(mask)];
    Reach const reach = reach_of(state, access, op, first);
    if (reach.end - reach.begin < access.bytes) return false;
    Addresses a;
    a.mask = mask;
    a.bytes = access.bytes;
    a.pattern = Pattern::scattered;
    if (!take(a, lanes, first, reach.begin, reach.end - reach.begin - access.bytes)) return false;
    find_line(a, lanes);
    for (std::uint32_t i = 0; i < access.elements; ++i) {
        if (access.data[i] == discard) continue;
        access.move[i](values + column_bytes * (1 + i), a, reach.bias, i << access.memory_log2);
    }
    return true;
}

bool move_scattered(CompiledState& state, std::uint32_t op, LaneMask mask, std::byte* values) {
    return move(state, op, mask, values);
}
[[gnu::target("avx2")]] bool move_scattered_with_avx2(CompiledState& state, std::uint32_t op, LaneMask mask,
                                                      std::byte* values) {
    return move(state, op, mask, values);
}

}  // namespace

void set_scattered_call(CompiledState& state) {
    state.scattered = __builtin_cpu_supports("avx2") != 0 ? move_scattered_with_avx2 : move_scattered;
}

}  // namespace warpsim::sim
