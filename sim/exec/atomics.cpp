// Read-modify-write of memory, lane by lane in lane order, with the host's atomic operations where other host threads
// can see the memory. Shared memory belongs to one host thread at a time and needs none.
#include "sim/exec/interpreter.hpp"

#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

template <class T>
T combine(AtomicOperation operation, T old, T b, T c) {
    switch (operation) {
        case AtomicOperation::exchange: return b;
        case AtomicOperation::compare_swap: return std::memcmp(&old, &b, sizeof(T)) == 0 ? c : old;
        default: break;
    }
    if constexpr (std::is_floating_point_v<T>) {
        return operation == AtomicOperation::add ? old + b : old;
    } else {
        using U = std::make_unsigned_t<T>;
        switch (operation) {
            case AtomicOperation::add: return static_cast<T>(static_cast<U>(old) + static_cast<U>(b));
            case AtomicOperation::min: return b < old ? b : old;
            case AtomicOperation::max: return old < b ? b : old;
            case AtomicOperation::bit_and: return static_cast<T>(old & b);
            case AtomicOperation::bit_or: return static_cast<T>(old | b);
            case AtomicOperation::bit_xor: return static_cast<T>(old ^ b);
            case AtomicOperation::increment: return old >= b ? T{0} : static_cast<T>(old + 1);
            case AtomicOperation::decrement: return old == 0 || old > b ? b : static_cast<T>(old - 1);
            default: return old;
        }
    }
}

/// Performs one lane's operation and returns the old value.
template <class T>
T perform(AtomicOperation operation, T* at, T b, T c, bool is_private, bool& changed) {
    if (is_private) {
        T const old = *at;
        T const next = combine(operation, old, b, c);
        changed |= std::memcmp(&old, &next, sizeof(T)) != 0;
        *at = next;
        return old;
    }
    if constexpr (!std::is_floating_point_v<T>) {
        if (operation == AtomicOperation::add) {
            changed |= b != 0;
            return __atomic_fetch_add(at, b, __ATOMIC_SEQ_CST);
        }
    }
    using Bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
    auto* const bits = reinterpret_cast<Bits*>(at);
    Bits seen = __atomic_load_n(bits, __ATOMIC_SEQ_CST);
    for (;;) {
        T const old = std::bit_cast<T>(seen);
        Bits const next = std::bit_cast<Bits>(combine(operation, old, b, c));
        // Storing what is there already still takes its place in the order of modifications.
        if (__atomic_compare_exchange_n(bits, &seen, next, false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST)) {
            changed |= next != seen;
            return old;
        }
    }
}

template <class T>
bool lanes(Access const& access, isa::Bases bases, Addresses const& a, std::uint64_t bias, bool is_private) {
    auto const* const b = isa::column<T>(bases, access.source[0]);
    auto const* const c = isa::column<T>(bases, access.source[1]);
    T* const d = access.has_result ? isa::column<T>(bases, access.result) : nullptr;
    bool const is_swap = access.operation == AtomicOperation::compare_swap;
    bool changed = false;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) {
        int const i = std::countr_zero(m);
        T* const at = reinterpret_cast<T*>(a.of(i) + bias);
        T const old = perform<T>(access.operation, at, b[i], is_swap ? c[i] : T{}, is_private, changed);
        if (d != nullptr) d[i] = old;
    }
    return changed;
}

/// Adding 32 integers at one address without wanting the old values is one addition of their sum.
template <class T>
void add_sum(Access const& access, isa::Bases bases, Addresses const& a, std::uint64_t bias, bool is_private) {
    auto const* const b = isa::column<T>(bases, access.source[0]);
    T sum = 0;
    for (LaneMask m = a.mask; m != 0; m &= m - 1) sum = static_cast<T>(sum + b[std::countr_zero(m)]);
    bool changed = false;
    perform<T>(AtomicOperation::add, reinterpret_cast<T*>(a.lane_zero + bias), sum, T{}, is_private, changed);
}

}  // namespace

void Interpreter::atomic(Warp& warp, Cta& cta, Access const& access, Addresses const& a, std::uint64_t bias, bool is_private) {
    bool const is_float = isa::is_float(access.type);
    bool const is_wide = access.memory_log2 == 3;
    bool const is_signed = access.is_signed;
    bool const is_sum = !access.has_result && !is_float && access.operation == AtomicOperation::add && a.pattern == Pattern::uniform;
    bool changed = true;
    isa::Bases const bases = warp.bases;
    if (is_sum && is_wide) add_sum<std::uint64_t>(access, bases, a, bias, is_private);
    else if (is_sum) add_sum<std::uint32_t>(access, bases, a, bias, is_private);
    else if (is_float && is_wide) changed = lanes<double>(access, bases, a, bias, is_private);
    else if (is_float) changed = lanes<float>(access, bases, a, bias, is_private);
    else if (is_wide && is_signed) changed = lanes<std::int64_t>(access, bases, a, bias, is_private);
    else if (is_wide) changed = lanes<std::uint64_t>(access, bases, a, bias, is_private);
    else if (is_signed) changed = lanes<std::int32_t>(access, bases, a, bias, is_private);
    else changed = lanes<std::uint32_t>(access, bases, a, bias, is_private);
    if (changed) ++cta.changes;
}

}  // namespace warpsim::sim
