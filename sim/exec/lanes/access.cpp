#include "sim/exec/lanes/atomics.hpp"

namespace warpsim::sim {

namespace baseline {
extern AccessFunctions const functions;
extern AtomicFunctions const atomics;
}  // namespace baseline
namespace avx2 {
extern AccessFunctions const functions;
extern AtomicFunctions const atomics;
}  // namespace avx2
namespace avx512 {
extern AccessFunctions const functions;
extern AtomicFunctions const atomics;
}  // namespace avx512

AccessFunctions const& access_functions(isa::HostIsa host) {
    switch (host) {
        case isa::HostIsa::avx512: return avx512::functions;
        case isa::HostIsa::avx2: return avx2::functions;
        case isa::HostIsa::baseline: break;
    }
    return baseline::functions;
}

AtomicFunctions const& atomic_functions(isa::HostIsa host) {
    switch (host) {
        case isa::HostIsa::avx512: return avx512::atomics;
        case isa::HostIsa::avx2: return avx2::atomics;
        case isa::HostIsa::baseline: break;
    }
    return baseline::atomics;
}

}  // namespace warpsim::sim
