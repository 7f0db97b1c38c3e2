// compile: -g -O2
// exec: --check=api --error-exitcode 0
// error: launch_lines.hpp:14 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:20 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:28 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:30 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:32 failed: cudaErrorInvalidConfiguration
// error: launch_lines.hpp:35 failed: cudaErrorInvalidConfiguration
#include "launch_lines.hpp"

int main() { return launch_all(); }
