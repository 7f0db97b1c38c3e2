// What lane code gives once for each host instruction set that this build has.
#pragma once

#include "frontend/isa/host_list.hpp"
#include "frontend/isa/table.hpp"

#define WARPSIM_DECLARE_OF_HOST(name, Type, object) \
    namespace name {                                \
    extern Type const object;                       \
    }
#define WARPSIM_RETURN_OF_HOST(name, Type, object) \
    if (host == ::warpsim::isa::HostIsa::name) return name::object;

/// Defines `Type const& function(HostIsa)`, which gives the `object` of that host's namespace, the baseline's where
/// this build has nothing for the host.
#define WARPSIM_BY_HOST(Type, function, object)                           \
    WARPSIM_DECLARE_OF_HOST(baseline, Type, object)                       \
    WARPSIM_HOSTS(WARPSIM_DECLARE_OF_HOST, Type, object)                  \
    Type const& function([[maybe_unused]] ::warpsim::isa::HostIsa host) { \
        WARPSIM_HOSTS(WARPSIM_RETURN_OF_HOST, Type, object)               \
        return baseline::object;                                          \
    }
