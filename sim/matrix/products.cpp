#include "sim/matrix/products.hpp"

namespace warpsim::sim::matrix {

namespace baseline {
extern ProductFunctions const functions;
}
namespace avx2 {
extern ProductFunctions const functions;
}
namespace avx512 {
extern ProductFunctions const functions;
}

ProductFunctions const& product_functions(isa::HostIsa host) {
    switch (host) {
        case isa::HostIsa::avx512: return avx512::functions;
        case isa::HostIsa::avx2: return avx2::functions;
        case isa::HostIsa::baseline: break;
    }
    return baseline::functions;
}

}  // namespace warpsim::sim::matrix
