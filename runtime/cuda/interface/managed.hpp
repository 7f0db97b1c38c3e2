// The functions for managed memory that both interfaces spell alike but for the beginning of their names. Included
// once in each library, behind the definitions of COMMON_FUNCTION(name), NEWER_FUNCTION(name),
// COMMON_PER_THREAD(name), NEWER_PER_THREAD(name) and call().
#include "runtime/cuda/memory/managed.hpp"

using namespace warpsim::cuda;

NEWER_FUNCTION(MemPrefetchAsync)
(std::uint64_t address, std::size_t bytes, MemoryPlace place, unsigned flags, void* stream) {
    return call([&] {
        if (flags != 0) throw Failure(Result::invalid_value);
        prefetch(address, bytes, place, *Process::get().stream(stream));
    });
}
NEWER_PER_THREAD(MemPrefetchAsync)

NEWER_FUNCTION(MemAdvise)(std::uint64_t address, std::size_t bytes, int advice, MemoryPlace place) {
    return call([&] { advise(address, bytes, advice, place); });
}

COMMON_FUNCTION(MemPrefetchBatchAsync)
(std::uint64_t const* addresses, std::size_t const* bytes, std::size_t count, MemoryPlace const* places,
 std::size_t const* first_of, std::size_t place_count, unsigned long long flags, void* stream) {
    return call([&] {
        if (flags != 0) throw Failure(Result::invalid_value);
        prefetch({addresses, bytes, count}, {places, first_of, place_count}, *Process::get().stream(stream));
    });
}
COMMON_PER_THREAD(MemPrefetchBatchAsync)

COMMON_FUNCTION(MemDiscardBatchAsync)
(std::uint64_t const* addresses, std::size_t const* bytes, std::size_t count, unsigned long long flags,
 void* stream) {
    return call([&] {
        if (flags != 0) throw Failure(Result::invalid_value);
        discard({addresses, bytes, count}, *Process::get().stream(stream));
    });
}
COMMON_PER_THREAD(MemDiscardBatchAsync)

COMMON_FUNCTION(MemDiscardAndPrefetchBatchAsync)
(std::uint64_t const* addresses, std::size_t const* bytes, std::size_t count, MemoryPlace const* places,
 std::size_t const* first_of, std::size_t place_count, unsigned long long flags, void* stream) {
    return call([&] {
        if (flags != 0) throw Failure(Result::invalid_value);
        auto const in = Process::get().stream(stream);
        discard({addresses, bytes, count}, *in);
        prefetch({addresses, bytes, count}, {places, first_of, place_count}, *in);
    });
}
COMMON_PER_THREAD(MemDiscardAndPrefetchBatchAsync)

COMMON_FUNCTION(MemRangeGetAttribute)
(void* out, std::size_t size, int attribute, std::uint64_t address, std::size_t bytes) {
    return call([&] { managed_attribute(out, size, attribute, address, bytes); });
}
COMMON_FUNCTION(MemRangeGetAttributes)
(void** out, std::size_t* sizes, int* attributes, std::size_t count, std::uint64_t address, std::size_t bytes) {
    return call([&] {
        if (out == nullptr || sizes == nullptr || attributes == nullptr || count == 0)
            throw Failure(Result::invalid_value);
        for (std::size_t i = 0; i < count; ++i) managed_attribute(out[i], sizes[i], attributes[i], address, bytes);
    });
}
