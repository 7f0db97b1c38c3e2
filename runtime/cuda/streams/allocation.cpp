#include "runtime/cuda/streams/allocation.hpp"

#include "runtime/cuda/graphs/capture.hpp"
#include "runtime/cuda/graphs/graph_memory.hpp"

#include <limits>

namespace warpsim::cuda {

namespace {

constexpr std::size_t pitch_alignment = 512;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }
std::uint64_t number(void const* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

}  // namespace

void free_in_turn(std::uint64_t address, bool also_managed) {
    Process& process = Process::get();
    auto const range = process.memory.find(address);
    std::uint64_t const pool = range ? range->pool : 0;
    if (pool != 0)
        process.memory.free(address, {MemoryKind::device, MemoryKind::host, MemoryKind::managed},
                            Result::invalid_value);
    else if (also_managed)
        process.memory.free(address, {MemoryKind::device, MemoryKind::managed}, Result::invalid_value);
    else process.memory.free(address, {MemoryKind::device}, Result::invalid_value);
    if (pool == 0) return;
    if (auto const from = process.pools.find(reinterpret_cast<void*>(pool))) from->give_back(range->size);
}

void* allocate(MemoryKind kind, std::size_t bytes, unsigned flags) {
    Process& process = Process::get();
    process.current().check();
    check_unsafe_call();
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
    bool const overflows =
        row < width || (row != 0 && height > most / row) || (row * height != 0 && depth > most / (row * height));
    if (overflows) throw Failure(Result::out_of_memory);
    return {allocate(MemoryKind::device, row * height * depth), row};
}

void free_device(void* pointer) {
    Process& process = Process::get();
    check_unsafe_call();
    process.current().wait_all();
    free_in_turn(number(pointer), true);
}

void free_host(void* pointer) {
    Process& process = Process::get();
    check_unsafe_call();
    process.current().wait_all();
    process.memory.free(number(pointer), {MemoryKind::host}, Result::invalid_value);
}

void unregister_host(void* pointer) {
    Process& process = Process::get();
    check_unsafe_call();
    process.current().wait_all();
    process.memory.remove_registered(number(pointer));
}

void* allocate_in_order(std::size_t bytes, Stream& stream, void* pool) {
    Process& process = Process::get();
    if (!is_captured(stream)) {
        process.gpu_of(stream).check();
        if (bytes == 0) return nullptr;
        std::shared_ptr<Pool> const from = process.pools.get(
            pool != nullptr ? pool : process.pools.current_of({MemoryKind::device, stream.device}));
        PoolPlace const& at = from->place;
        from->take(bytes);
        try {
            return reinterpret_cast<void*>(
                process.memory.allocate(at.kind, at.device, bytes, 0, number(from->handle)));
        } catch (Failure const&) {
            from->give_back(bytes);
            throw;
        }
    }
    auto memory = std::make_shared<GraphMemory>(stream.device, bytes);
    std::uint64_t const address = memory->address();
    add_captured(stream, AllocationWork{std::move(memory)});
    return reinterpret_cast<void*>(address);
}

void free_in_order(void* pointer, Stream& stream) {
    if (pointer == nullptr) return;
    if (is_captured(stream)) {
        add_captured(stream, FreeWork{number(pointer)});
        return;
    }
    check_capture_of(stream);
    Memory& memory = Process::get().memory;
    auto const range = memory.find(number(pointer));
    bool const is_in_order = range && (range->kind == MemoryKind::device || range->pool != 0);
    if (!is_in_order || range->begin != number(pointer)) throw Failure(Result::invalid_value);
    Process::get().gpu_of(stream).submit(stream, [pointer] { free_in_turn(number(pointer), false); });
}

}  // namespace warpsim::cuda
