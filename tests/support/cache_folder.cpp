// Tests and the processes that they start keep modules in the build folder, never in the user's.
#include <cstdlib>

namespace {

[[maybe_unused]] int const is_set = setenv("WARPSIM_CACHE_DIR", WARPSIM_BINARY_DIR "/tests/cache", 1);

}  // namespace
