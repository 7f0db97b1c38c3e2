#include "runtime/cuda/allocation.hpp"

#include <limits>

namespace warpsim::cuda {

namespace {

constexpr std::size_t pitch_alignment = 512;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }
std::uint64_t number(void const* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

void* allocate(MemoryKind kind, std::size_t bytes, unsigned flags) {
    Process& process = Process::get();
    process.current().check();
    return reinterpret_cast<void*>(process.memory.allocate(kind, Thread::current().device, bytes, flags));
}

void* allocate_managed(std::size_t bytes, unsigned flags) {
    if (bytes == 0 || (flags != 1 && flags != 2 && flags != 4)) throw Failure(Result::invalid_value);
    return allocate(MemoryKind::managed, bytes, flags);
}

void* allocate_host(std::size_t bytes, unsigned flags) {
    if ((flags & ~7u) != 0) throw Failure(Result::invalid_value);
    return allocate(MemoryKind::host, bytes, flags);
}

Pitched allocate_pitched(std::size_t width, std::size_t height, std::size_t depth) {
    std::size_t const row = round_up(width, pitch_alignment);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    bool const overflows = row < width || (row != 0 && height > most / row) ||
                           (row * height != 0 && depth > most / (row * height));
    if (overflows) throw Failure(Result::out_of_memory);
    return {allocate(MemoryKind::device, row * height * depth), row};
}

void free_device(void* pointer) {
    Process& process = Process::get();
    process.current().wait_all();
    process.memory.free(number(pointer), {MemoryKind::device, MemoryKind::managed}, Result::invalid_value);
}

void free_host(void* pointer) {
    Process& process = Process::get();
    process.current().wait_all();
    process.memory.free(number(pointer), {MemoryKind::host}, Result::invalid_value);
}

void unregister_host(void* pointer) {
    Process& process = Process::get();
    process.current().wait_all();
    process.memory.remove_registered(number(pointer));
}

void* allocate_in_order(std::size_t bytes, Stream&) { return allocate(MemoryKind::device, bytes); }

void free_in_order(void* pointer, Stream& stream) {
    if (pointer == nullptr) return;
    Memory& memory = Process::get().memory;
    auto const range = memory.find(number(pointer));
    if (!range || range->begin != number(pointer)) throw Failure(Result::invalid_value);
    Process::get().gpu_of(stream).submit(stream, [&memory, pointer] {
        memory.free(number(pointer), {MemoryKind::device}, Result::invalid_value);
    });
}

}  // namespace warpsim::cuda
