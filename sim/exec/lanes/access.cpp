#include "sim/exec/lanes/atomics.hpp"
#include "sim/exec/lanes/transactions.hpp"

namespace warpsim::sim {

namespace baseline {
extern AccessFunctions const functions;
extern AtomicFunctions const atomics;
extern UnitCounters const unit_functions;
}  // namespace baseline
namespace avx2 {
extern AccessFunctions const functions;
extern AtomicFunctions const atomics;
extern UnitCounters const unit_functions;
}  // namespace avx2
namespace avx512 {
extern AccessFunctions const functions;
extern AtomicFunctions const atomics;
extern UnitCounters const unit_functions;
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

UnitCounters const& unit_counters(isa::HostIsa host) {
    switch (host) {
        case isa::HostIsa::avx512: return avx512::unit_functions;
        case isa::HostIsa::avx2: return avx2::unit_functions;
        case isa::HostIsa::baseline: break;
    }
    return baseline::unit_functions;
}

}  // namespace warpsim::sim
