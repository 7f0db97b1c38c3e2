#include "runtime/cuda/streams/allocation.hpp"

#include "runtime/cuda/streams/capture.hpp"

#include <limits>

namespace warpsim::cuda {

namespace {

constexpr std::size_t pitch_alignment = 512;

std::size_t round_up(std::size_t value, std::size_t unit) { return (value + unit - 1) / unit * unit; }
std::uint64_t number(void const* pointer) { return reinterpret_cast<std::uint64_t>(pointer); }

/// Memory may be short only because streams have not yet come to what they free.
template <class F> auto after_frees_if_short(Gpu& gpu, F&& allocate_now) {
    try {
        return allocate_now();
    } catch (Failure const& failure) {
        if (failure.result() != Result::out_of_memory) throw;
    }
    gpu.wait_all();
    return allocate_now();
}

}  // namespace

void free_in_turn(Process& process, std::uint64_t address, bool also_managed) {
    auto const range = process.memory.find(address);
    std::uint64_t const pool = range ? range->pool : 0;
    if (pool != 0 || (range && range->is_of_graph))
        process.memory.free(address, {MemoryKind::device, MemoryKind::host, MemoryKind::managed},
                            Result::invalid_value);
    else if (also_managed)
        process.memory.free(address, {MemoryKind::device, MemoryKind::managed}, Result::invalid_value);
    else process.memory.free(address, {MemoryKind::device}, Result::invalid_value);
    if (pool == 0) return;
    if (auto const from = process.pools.find(reinterpret_cast<void*>(pool))) from->give_back(range->size);
}

void* allocate(Process& process, MemoryKind kind, std::size_t bytes, unsigned flags) {
    process.current().check();
    check_unsafe_call(process);
    return after_frees_if_short(process.current(), [&] {
        return reinterpret_cast<void*>(process.memory.allocate(kind, Thread::current().device, bytes, flags));
    });
}

void* allocate_managed(Process& process, std::size_t bytes, unsigned flags) {
    if (bytes == 0 || (flags != 1 && flags != 2 && flags != 4)) throw Failure(Result::invalid_value);
    return allocate(process, MemoryKind::managed, bytes, flags);
}

void* allocate_host(Process& process, std::size_t bytes, unsigned flags) {
    if ((flags & ~7u) != 0) throw Failure(Result::invalid_value);
    return allocate(process, MemoryKind::host, bytes, flags);
}

Pitched allocate_pitched(Process& process, std::size_t width, std::size_t height, std::size_t depth) {
    std::size_t const row = round_up(width, pitch_alignment);
    constexpr std::size_t most = std::numeric_limits<std::size_t>::max();
    bool const overflows =
        row < width || (row != 0 && height > most / row) || (row * height != 0 && depth > most / (row * height));
    if (overflows) throw Failure(Result::out_of_memory);
    return {allocate(process, MemoryKind::device, row * height * depth), row};
}

void free_device(Process& process, void* pointer) {
    check_unsafe_call(process);
    process.current().wait_all();
    free_in_turn(process, number(pointer), true);
}

void free_host(Process& process, void* pointer) {
    check_unsafe_call(process);
    process.current().wait_all();
    process.memory.free(number(pointer), {MemoryKind::host}, Result::invalid_value);
}

void unregister_host(Process& process, void* pointer) {
    check_unsafe_call(process);
    process.current().wait_all();
    process.memory.remove_registered(number(pointer));
}

void* allocate_in_order(Process& process, std::size_t bytes, Stream& stream, void* pool) {
    if (pool == nullptr) pool = process.pools.current_of({MemoryKind::device, stream.gpu.ordinal});
    std::shared_ptr<Pool> const from = process.pools.get(pool);
    PoolPlace const& at = from->place;
    bool const is_for_graph = is_captured(stream);
    if (!is_for_graph) stream.gpu.check();
    if (bytes == 0) return nullptr;
    if (is_for_graph) return reinterpret_cast<void*>(capture_point_of(stream).allocate(at, bytes));
    return after_frees_if_short(stream.gpu, [&] {
        from->take(bytes);
        try {
            return reinterpret_cast<void*>(
                process.memory.allocate(at.kind, at.device, bytes, 0, number(from->handle)));
        } catch (Failure const&) {
            from->give_back(bytes);
            throw;
        }
    });
}

void free_in_order(Process& process, void* pointer, Stream& stream) {
    if (pointer == nullptr) return;
    if (is_captured(stream)) {
        capture_point_of(stream).free(number(pointer));
        return;
    }
    check_capture_of(process, stream);
    auto const range = process.memory.find(number(pointer));
    bool const is_in_order =
        range && (range->kind == MemoryKind::device || range->pool != 0 || range->is_of_graph);
    if (!is_in_order || range->begin != number(pointer)) throw Failure(Result::invalid_value);
    stream.gpu.submit(stream, [&process, pointer] { free_in_turn(process, number(pointer), false); });
}

}  // namespace warpsim::cuda
