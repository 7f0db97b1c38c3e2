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

/// Defines `Type const& function(HostIsa)`, which gives the `object` of that host's namespace, the first host's where
/// this build has nothing for it.
#define WARPSIM_BY_HOST(Type, function, object)             \
    WARPSIM_HOSTS(WARPSIM_DECLARE_OF_HOST, Type, object)    \
    Type const& function(::warpsim::isa::HostIsa host) {    \
        WARPSIM_HOSTS(WARPSIM_RETURN_OF_HOST, Type, object) \
        return WARPSIM_FIRST_HOST::object;                  \
    }
