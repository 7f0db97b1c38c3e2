// The elements that an `init` describes: checks them against a type and count, and produces their bytes.
#pragma once

#include "runtime/plan/plan.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::plan {

/// Element `index` of the sequence with this seed: output `index` of SplitMix64 started from `seed`. Each element
/// can be computed by itself and is the same on every machine.
std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index);

/// The number of elements that the init itself determines (values, hex, file); none for the others. Throws
/// Error(plan), without a place, for a file that cannot be read or does not hold elements of `type`.
std::optional<std::uint64_t> own_count(Init const& init, Type type);

/// What is wrong with the init for `count` elements of `type`, or "".
std::string check(Init const& init, Type type, std::uint64_t count);

/// The bytes of all elements.
std::vector<std::byte> make_bytes(Init const& init, Type type, std::uint64_t count, Resolve const& resolve);

/// Writes addresses and handles into `bytes`.
void write_references(std::vector<ReferencePatch> const& patches, std::vector<std::byte>& bytes,
                      Resolve const& resolve);

}  // namespace warpsim::plan
