#include "runtime/cuda/graphs/graph_memory.hpp"

#include <atomic>

namespace warpsim::cuda {

GraphMemory::GraphMemory(int device, std::uint64_t bytes) : device_(device), bytes_(bytes) {
    Memory& memory = Process::get().memory;
    address_ = memory.allocate(MemoryKind::device, device, bytes);
    memory.suspend(address_, true);
}

GraphMemory::~GraphMemory() { Process::get().memory.end_of_graph(address_, bytes_, device_); }

bool GraphMemory::is_live() const {
    auto const range = Process::get().memory.find(address_);
    return range && range->begin == address_;
}

void GraphMemory::begin() { Process::get().memory.resume(address_, bytes_, device_); }

void GraphMemory::end() { Process::get().memory.suspend(address_); }

Condition::Condition(int device, std::uint32_t first, bool resets_)
    : initial(first),
      resets(resets_),
      address_(Process::get().memory.allocate(MemoryKind::device, device, sizeof first)) {
    *reinterpret_cast<std::uint32_t*>(address_) = first;
}

Condition::~Condition() { Process::get().memory.free(address_, {MemoryKind::device}, Result::invalid_value); }

std::uint32_t Condition::value() const {
    return std::atomic_ref(*reinterpret_cast<std::uint32_t*>(address_)).load();
}

}  // namespace warpsim::cuda
