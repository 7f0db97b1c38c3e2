// compile: -g
// exec: --check=api --error-exitcode 0
// error: launch_lines.hpp:20 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:28 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:36 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:38 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:40 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:43 failed: cudaErrorInvalidConfiguration
#include "launch_lines.hpp"

int main() { return launch_all(); }
