#include "sim/functional/idle_workers.hpp"

#include <new>
#include <tbb/global_control.h>

namespace warpsim::sim {

void end_idle_workers() {
    tbb::task_scheduler_handle handle{tbb::attach{}};
    static_cast<void>(tbb::finalize(handle, std::nothrow));
}

}  // namespace warpsim::sim
