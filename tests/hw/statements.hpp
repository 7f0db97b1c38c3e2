// Instructions as GPUs are asked about them: each is a kernel whose threads read the sources from tables of numbers
// and write all results. The program that asks a GPU and the test that asks the simulator share these kernels.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::hw {

/// Threads of a block; counts of threads are multiples of it.
inline constexpr std::uint32_t block_threads = 128;
/// 64-bit words that every thread may write, one for each destination.
inline constexpr std::uint32_t most_results = 128;

/// The lines of `instructions.txt` that are no comments.
std::vector<std::string> read_statements(std::string const& path);

/// How many words a thread of the statement's kernel writes.
std::uint32_t result_count(std::string_view statement);

/// A PTX module: kernel `f<i>(.u64 in, .u64 out, .u32 count)` for statement i. `in` are the tables; word `r` of
/// thread `t` goes to `out[r * count + t]`.
std::string module_of(std::span<std::string const> statements);

/// What the kernels read: 65,536 numbers of every kind, the same on every machine.
std::vector<std::uint64_t> const& tables();

/// Two runs with the same results have the same digest, and others almost certainly not.
std::uint64_t digest(std::span<std::uint64_t const> results);

}  // namespace warpsim::hw
