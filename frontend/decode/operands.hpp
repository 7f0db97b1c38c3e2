// Declarations that operands.cpp and addresses.cpp share.
#pragma once

#include "frontend/decode/decoder.hpp"

namespace warpsim::frontend {

/// Reports an error at a node and returns false.
bool fail(Decoder& decoder, syntax::Node const& node, std::string message);
/// The element that a selector names, x y z w or r g b a; -1 if it names none.
int element_of(char selector);
/// Whether an address can be a value of this type.
bool is_address_type(isa::Type type);
/// The value of a literal or constant expression; reports errors.
std::optional<Constant> constant_of(Decoder& decoder, syntax::Node const& node);
/// Appends a register of this type, if the operand can be one.
bool append_register(Decoder& decoder, syntax::Node const& node, std::uint32_t index, isa::Type type,
                     Wanted const& wanted);
/// Appends the address of a variable or function, plus `value`, as an operand.
bool append_symbol(Decoder& decoder, syntax::Node const& node, Found const& found, std::int64_t value,
                   Wanted const& wanted);
/// Decodes `v+4` or `v[1]` as an operand: an address where one is allowed, else a number.
bool decode_sum(Decoder& decoder, std::span<syntax::Node const> nodes, Wanted const& wanted);

}  // namespace warpsim::frontend
