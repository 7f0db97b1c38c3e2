// The functions for copies that both interfaces spell alike but for the beginning of their names. Included once in
// each library, behind the definitions of COMMON_FUNCTION(name), NEWER_FUNCTION(name), NEWER_PER_THREAD(name) and
// call().
#include "runtime/cuda/streams/copy_batches.hpp"

using namespace warpsim::cuda;

/// The fifth parameter is what the attributes say.
NEWER_FUNCTION(MemcpyBatchAsync)
(void* const* to, void const* const* from, std::size_t const* sizes, std::size_t count, void const*,
 std::size_t const* first_of, std::size_t attributes, void* stream) {
    return call([&] { copy_many({to, from, sizes, count, first_of, attributes}, stream, nullptr); });
}
NEWER_PER_THREAD(MemcpyBatchAsync)
NEWER_FUNCTION(Memcpy3DBatchAsync)
(std::size_t count, BoxCopy const* list, unsigned long long flags, void* stream) {
    return call([&] {
        if (flags != 0) throw Failure(Result::invalid_value);
        copy_many(list, count, stream, nullptr);
    });
}
NEWER_PER_THREAD(Memcpy3DBatchAsync)
