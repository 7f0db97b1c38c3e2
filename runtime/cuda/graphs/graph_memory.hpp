// Memory that the nodes of a graph allocate and free. Its address is fixed when the node is made and reserved for
// the graph; between the node that frees it and the next launch, calls do not recognise it as memory.
#pragma once

#include "runtime/cuda/memory/memory.hpp"
#include "runtime/cuda/memory/pools.hpp"

namespace warpsim::cuda {

class GraphMemory {
public:
    /// Throws Failure(out_of_memory).
    GraphMemory(Memory& memory, PoolPlace const& place, std::uint64_t bytes);
    /// Memory that is not freed yet stays until the program frees it.
    ~GraphMemory();
    GraphMemory(GraphMemory const&) = delete;
    GraphMemory& operator=(GraphMemory const&) = delete;

    std::uint64_t address() const { return address_; }
    std::uint64_t bytes() const { return bytes_; }
    PoolPlace const& place() const { return place_; }
    bool is_live() const;
    void begin();
    void end();

private:
    Memory& memory_;
    PoolPlace const place_;
    std::uint64_t const bytes_;
    std::uint64_t address_ = 0;
};

/// The value that controls a conditional node: 32 bits of device memory, whose address is its handle.
class Condition {
public:
    Condition(Memory& memory, int device, std::uint32_t initial, bool resets);
    ~Condition();
    Condition(Condition const&) = delete;
    Condition& operator=(Condition const&) = delete;

    std::uint32_t const initial;
    bool const resets;  // to `initial`, with each launch
    std::uint64_t address() const { return address_; }
    std::uint32_t value() const;

private:
    Memory& memory_;
    std::uint64_t address_ = 0;
};

}  // namespace warpsim::cuda
