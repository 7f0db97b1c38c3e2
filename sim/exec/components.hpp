// The parts of an engine, each made for the others that it needs.
#pragma once

#include "sim/exec/async_operations.hpp"
#include "sim/exec/barriers.hpp"
#include "sim/exec/calls.hpp"
#include "sim/exec/cluster_memory.hpp"
#include "sim/exec/collectives.hpp"
#include "sim/exec/divergence.hpp"
#include "sim/exec/memory_access.hpp"
#include "sim/exec/runtime_calls.hpp"

namespace warpsim::sim {

struct Components {
    explicit Components(Execution& engine) : execution(engine) {}
    Components(Components const&) = delete;
    Components& operator=(Components const&) = delete;

    Execution& execution;
    Divergence divergence{execution};
    Calls calls{execution, divergence};
    Barriers barriers{execution, divergence};
    Collectives collectives{execution, divergence};
    ClusterMemory cluster_memory{execution};
    MemoryAccess memory{execution, cluster_memory};
    AsyncOperations asynchronous{execution, divergence, cluster_memory};
    RuntimeCalls runtime_calls{execution};
};

}  // namespace warpsim::sim
