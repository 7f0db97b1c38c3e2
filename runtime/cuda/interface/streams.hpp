// The functions for streams' attributes that both interfaces spell alike but for the beginning of their names.
// Included once in each library, behind the definitions of COMMON_FUNCTION(name), COMMON_PER_THREAD(name) and
// call().
#include "runtime/cuda/streams/streams.hpp"

using namespace warpsim::cuda;

COMMON_FUNCTION(StreamSetAttribute)(void* stream, int attribute, void const* value) {
    return call([&] { set_stream_attribute(*Process::get().stream(stream), attribute, value); });
}
COMMON_PER_THREAD(StreamSetAttribute)
COMMON_FUNCTION(StreamGetAttribute)(void* stream, int attribute, void* value) {
    return call([&] { get_stream_attribute(*Process::get().stream(stream), attribute, value); });
}
COMMON_PER_THREAD(StreamGetAttribute)
COMMON_FUNCTION(StreamCopyAttributes)(void* to, void* from) {
    return call([&] { copy_stream_attributes(*Process::get().stream(to), *Process::get().stream(from)); });
}
COMMON_PER_THREAD(StreamCopyAttributes)
