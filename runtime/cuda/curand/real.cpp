#include "runtime/cuda/curand/real.hpp"

#include "runtime/cuda/stand_ins/original.hpp"

namespace warpsim::curand {

namespace {

cuda::Original const& original() {
    // Programs destroy generators from their last destructors.
    static auto const* const one =
        new cuda::Original({"libcurand.so.10", "nvidia-curand (LD_LIBRARY_PATH has to name its folder)",
                            "the program gets random numbers from cuRAND"},
                           reinterpret_cast<void const*>(&real_function));
    return *one;
}

}  // namespace

void* real_function(char const* name) { return original().function(name); }
std::string const& real_path() { return original().path(); }

}  // namespace warpsim::curand
