#include "runtime/cuda/graphs/graph_memory.hpp"

#include <atomic>

namespace warpsim::cuda {

GraphMemory::GraphMemory(Memory& memory, PoolPlace const& place, std::uint64_t bytes)
    : memory_(memory), place_(place), bytes_(bytes) {
    address_ = memory.allocate(place.kind, place.device, bytes);
    memory.suspend(address_, true);
}

GraphMemory::~GraphMemory() { memory_.end_of_graph(address_, bytes_, place_.kind, place_.device); }

bool GraphMemory::is_live() const {
    auto const range = memory_.find(address_);
    return range && range->begin == address_;
}

void GraphMemory::begin() { memory_.resume(address_, bytes_, place_.kind, place_.device); }

void GraphMemory::end() { memory_.suspend(address_); }

Condition::Condition(Memory& memory, int device, std::uint32_t first, bool resets_)
    : initial(first),
      resets(resets_),
      memory_(memory),
      address_(memory.allocate(MemoryKind::device, device, sizeof first)) {
    *reinterpret_cast<std::uint32_t*>(address_) = first;
}

Condition::~Condition() { memory_.free(address_, {MemoryKind::device}, Result::invalid_value); }

std::uint32_t Condition::value() const {
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(address_)).load();
}

}  // namespace warpsim::cuda
