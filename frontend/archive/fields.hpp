// The structures of the IR, field by field, for both writing and reading. When a structure gets another field,
// this file does not compile until that field is written and read too.
#pragma once

#include "frontend/archive/bytes.hpp"
#include "frontend/ir/module.hpp"

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsim::frontend {

// The last enumerator of each enumeration.
constexpr auto last(isa::Type) { return static_cast<isa::Type>(static_cast<int>(isa::Type::count) - 1); }
constexpr auto last(isa::StateSpace) { return isa::StateSpace::texture; }
constexpr auto last(isa::Rounding) { return isa::Rounding::rpi; }
constexpr auto last(isa::Order) { return isa::Order::mmio; }
constexpr auto last(isa::Operation) { return static_cast<isa::Operation>(isa::operation_count - 1); }
constexpr auto last(isa::Modifier) { return static_cast<isa::Modifier>(isa::modifier_count - 1); }
constexpr auto last(isa::Scope) { return isa::Scope::sys; }
constexpr auto last(ir::Builtin) { return ir::Builtin::graph_launch; }
constexpr auto last(ir::SamplerSetting::Name) { return ir::SamplerSetting::Name::normalized_coords; }
constexpr auto last(ir::Operand::Kind) { return ir::Operand::Kind::param; }
constexpr auto last(ir::Operand::AddressBase) { return ir::Operand::AddressBase::function_variable; }

template <class Wanted, class T>
concept Either = std::same_as<std::remove_const_t<T>, Wanted>;

template <class T>
requires Either<Span, T>
auto fields(T& x) {
    auto& [offset, length] = x;
    return std::tie(offset, length);
}

template <class T>
requires Either<ir::SourceLocation, T>
auto fields(T& x) {
    auto& [file, line, column, inlined_at, function] = x;
    return std::tie(file, line, column, inlined_at, function);
}

template <class T>
requires Either<ir::Relocation, T>
auto fields(T& x) {
    auto& [offset, size, is_function, generic, mask_shift, masked, index, addend] = x;
    return std::tie(offset, size, is_function, generic, mask_shift, masked, index, addend);
}

template <class T>
requires Either<ir::SamplerSetting, T>
auto fields(T& x) {
    auto& [element, name, value] = x;
    return std::tie(element, name, value);
}

template <class T>
requires Either<ir::Variable, T>
auto fields(T& x) {
    auto& [name, space, type, size, align, is_external, is_visible, is_weak, is_common, is_array, is_pointer,
           is_managed, source, initializer, relocations, settings, span, offset] = x;
    return std::tie(name, space, type, size, align, is_external, is_visible, is_weak, is_common, is_array,
                    is_pointer, is_managed, source, initializer, relocations, settings, span, offset);
}

template <class T>
requires Either<ir::LaunchBounds, T>
auto fields(T& x) {
    // Registers of machine code come from elsewhere.
    auto& [max_threads, required_threads, min_ctas_per_sm, max_registers, registers, required_cluster,
           max_cluster_rank, explicit_cluster, blocks_are_clusters] = x;
    return std::tie(max_threads, required_threads, min_ctas_per_sm, max_registers, required_cluster,
                    max_cluster_rank, explicit_cluster, blocks_are_clusters);
}

template <class T>
requires Either<ir::RegisterLayout, T>
auto fields(T& x) {
    auto& [column, columns16, columns32, columns64, columns128, predicates, pressure] = x;
    return std::tie(column, columns16, columns32, columns64, columns128, predicates, pressure);
}

template <class T>
requires Either<ir::Prototype, T>
auto fields(T& x) {
    auto& [targets, returns, parameters] = x;
    return std::tie(targets, returns, parameters);
}

template <class T>
requires Either<ir::Block, T>
auto fields(T& x) {
    auto& [first, last, successors, reconvergence] = x;
    return std::tie(first, last, successors, reconvergence);
}

/// Everything in a form but its texts, which are views.
template <class T>
requires Either<ir::Form, T>
auto fields(T& x) {
    auto& [row, variant, source, text, operation, modifiers, types, space, vector, rounding, order, scope, ftz,
           sat, uniform] = x;
    return std::tie(row, variant, source, operation, modifiers, types, space, vector, rounding, order, scope, ftz,
                    sat, uniform);
}

/// Everything in a function but its body.
template <class T>
requires Either<ir::Function, T>
auto fields(T& x) {
    auto& [name, is_entry, is_visible, is_external, is_weak, is_noreturn, has_body, uses_module_registers,
           alias_of, builtin, source, registers, carry, variables, parameters, returns, parameter_in_register,
           return_in_register, instructions, operands, branch_targets, labels, not_unrolled, blocks, block_of,
           layout, bounds, param_bytes, call_param_bytes, local_bytes, shared_bytes, span] = x;
    return std::tie(name, is_entry, is_visible, is_external, is_weak, is_noreturn, has_body, uses_module_registers,
                    alias_of, builtin, source, carry, variables, parameters, returns, parameter_in_register,
                    return_in_register, bounds, param_bytes, call_param_bytes, local_bytes, shared_bytes, span);
}

/// Everything in a module but its sources, forms and functions.
template <class T>
requires Either<ir::Module, T>
auto fields(T& x) {
    auto& [sources, version, target, target_sm, target_suffix, maps_f64, address_bits, forms, functions, variables,
           prototypes, files, locations] = x;
    return std::tie(version, target, target_sm, target_suffix, maps_f64, address_bits, variables, prototypes,
                    files, locations);
}

// Instructions, operands and registers have more compact encodings (pack.cpp, unpack.cpp); this only fails to
// compile when they change.
inline void instruction_fields(ir::Instruction const& x) {
    // What is added to a program is added again when it is loaded.
    [[maybe_unused]] auto const& [form, first_operand, operand_count, guard_negated, is_added, guard, span,
                                  location] = x;
}
inline void operand_fields(ir::Operand const& x) {
    [[maybe_unused]] auto const& [kind, type, base, negated, generic, is_module_variable, count, index, value] = x;
}
inline void register_fields(ir::Register const& x) { [[maybe_unused]] auto const& [name, type] = x; }

template <class T>
concept Number = std::integral<T> && !std::same_as<T, bool>;
template <class T>
concept Enumeration = std::is_enum_v<T> && !std::same_as<T, std::byte>;
template <class T>
concept Structure = requires(T& x) {
    fields(x);
};

template <class T> void put(ByteWriter& w, T const& x);

template <class A, class B> void put(ByteWriter& w, std::pair<A, B> const& x) {
    put(w, x.first);
    put(w, x.second);
}
template <class T> void put(ByteWriter& w, std::vector<T> const& list) {
    w.number(list.size());
    if constexpr (std::same_as<T, std::byte>) {
        w.append({reinterpret_cast<char const*>(list.data()), list.size()});
    } else {
        for (T const& x : list) put(w, x);
    }
}
template <class T, std::size_t n> void put(ByteWriter& w, std::array<T, n> const& list) {
    for (T const& x : list) put(w, x);
}

template <class T> void put(ByteWriter& w, T const& x) {
    if constexpr (std::same_as<T, bool>) w.byte(x ? 1 : 0);
    else if constexpr (std::same_as<T, std::uint32_t>) w.number(x + 1u);  // ir::none becomes 0
    else if constexpr (std::unsigned_integral<T>) w.number(x);
    else if constexpr (std::signed_integral<T>) w.signed_number(x);
    else if constexpr (Enumeration<T>) w.number(static_cast<std::uint64_t>(x));
    else if constexpr (std::same_as<T, std::string>) w.text(x);
    else std::apply([&](auto const&... field) { (put(w, field), ...); }, fields(x));
}

template <class T> void get(ByteReader& r, T& x);

template <class A, class B> void get(ByteReader& r, std::pair<A, B>& x) {
    get(r, x.first);
    get(r, x.second);
}
template <class T> void get(ByteReader& r, std::vector<T>& list) {
    std::size_t const n = r.count();
    if constexpr (std::same_as<T, std::byte>) {
        auto const bytes = std::as_bytes(std::span(r.bytes(n)));
        list.assign(bytes.begin(), bytes.end());
    } else {
        list.reserve(std::min<std::size_t>(n, 4096));  // more only once the bytes prove to be there
        for (std::size_t i = 0; i < n; ++i) {
            T x{};
            get(r, x);
            list.push_back(std::move(x));
        }
    }
}
template <class T, std::size_t n> void get(ByteReader& r, std::array<T, n>& list) {
    for (T& x : list) get(r, x);
}

template <class T> void get(ByteReader& r, T& x) {
    if constexpr (std::same_as<T, bool>) x = r.number(1) != 0;
    else if constexpr (std::same_as<T, std::uint32_t>) x = static_cast<std::uint32_t>(r.number(UINT32_MAX)) - 1u;
    else if constexpr (std::unsigned_integral<T>) x = static_cast<T>(r.number(std::numeric_limits<T>::max()));
    else if constexpr (std::signed_integral<T>) {
        std::int64_t const value = r.signed_number();
        x = static_cast<T>(value);
        if (x != value) throw Damaged{};
    } else if constexpr (Enumeration<T>) x = static_cast<T>(r.number(static_cast<std::uint64_t>(last(T{}))));
    else if constexpr (std::same_as<T, std::string>) x = r.text();
    else std::apply([&](auto&... field) { (get(r, field), ...); }, fields(x));
}

}  // namespace warpsim::frontend
