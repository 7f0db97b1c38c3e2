// Tensor memory as a CTA sees it: 128 lanes of 512 columns of 32 bits, and which columns belong to an allocation.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace warpsim::sim::tensor_memory {

inline constexpr std::uint32_t lanes = 128;
inline constexpr std::uint32_t columns = 512;
inline constexpr std::uint32_t warp_lanes = 32;    // that a warp reaches: a quarter
inline constexpr std::uint32_t unit_columns = 32;  // of an allocation

/// Where an address of tensor memory leads: PTX ISA, "Tensor Memory Addressing".
struct MemoryCell {
    std::uint32_t lane = 0, column = 0;
    bool operator==(MemoryCell const&) const = default;
};
constexpr MemoryCell cell_at(std::uint32_t address) { return {address >> 16, address & 0xffff}; }

/// "column 7", "columns 32 to 63".
std::string columns_text(std::uint32_t first, std::uint32_t count);

/// Who allocated columns, for reports.
struct Allocator {
    std::uint32_t warp = 0;
    std::uint32_t function = 0;     // ir::Module::functions
    std::uint32_t instruction = 0;  // ir::Function::instructions
};

class TensorMemory {
public:
    TensorMemory() : words_(std::size_t{lanes} * columns) {}

    std::uint32_t& word(std::uint32_t lane, std::uint32_t column) { return words_[column * lanes + lane]; }
    std::uint32_t word(std::uint32_t lane, std::uint32_t column) const { return words_[column * lanes + lane]; }

    /// The first of so many adjacent columns that are free, which are then taken; none if there are not so many.
    std::optional<std::uint32_t> allocate(std::uint32_t count, Allocator const& by);
    bool fits(std::uint32_t count) const;
    /// The columns are allocated.
    void free(std::uint32_t first, std::uint32_t count);
    bool has(std::uint32_t first, std::uint32_t count) const;
    std::uint32_t allocated() const;
    /// "columns 0 to 63 and 128 to 159", "no columns".
    std::string allocated_text() const;

    struct Leak {
        std::uint32_t first, count;
        Allocator by;
    };
    /// The first allocation that is left.
    std::optional<Leak> leak() const;

    template <class Archive> void state(Archive& archive) {
        archive(collectors, gives_no_more, smallest, words_, owner_, allocators_);
    }

    std::uint8_t collectors = 0;       // that are filled: bit 0 for a, bits 1 to 4 for b0 to b3
    bool gives_no_more = false;        // after tcgen05.relinquish_alloc_permit
    std::uint32_t smallest = columns;  // allocation so far

private:
    static constexpr std::uint32_t units = columns / unit_columns;

    std::vector<std::uint32_t> words_;          // the lanes of a column follow one another
    std::array<std::uint16_t, units> owner_{};  // 1 + its index in allocators_; 0: free
    std::vector<Allocator> allocators_;
};

}  // namespace warpsim::sim::tensor_memory
