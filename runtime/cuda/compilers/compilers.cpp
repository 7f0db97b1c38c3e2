#include "runtime/cuda/compilers/compilers.hpp"

#include "runtime/fatbin/write.hpp"

namespace warpsim::cuda {

std::string fat_binary(std::string_view ptx, std::string_view options) { return fatbin::write(ptx, options); }

}  // namespace warpsim::cuda
