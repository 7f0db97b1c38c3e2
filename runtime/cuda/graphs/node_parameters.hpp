// Parameters of a node of any type, as both interfaces pass them.
#pragma once

#include "runtime/cuda/graphs/calls.hpp"

#include <cstring>

namespace warpsim::cuda {

template <class T> T value_at(NodeParameters const& p, std::size_t offset = 0) {
    T value;
    std::memcpy(&value, p.value + offset, sizeof value);
    return value;
}

/// What the two interfaces lay out differently, or identify by different handles.
struct NodeDialect {
    KernelFinder find_kernel;
    KernelNodeParameters (*kernel_parameters)(NodeParameters const& p);
    void* (*kernel_context)(NodeParameters const& p);  // which the parameters name, or null
    CopyWork (*copy_work)(Process& process, NodeParameters const& p);
    ValueWork (*value_work)(Process& process, NodeParameters const& p);
};

/// What a node with these parameters does. Results go into the parameters.
NodeWork work_from(Process& process, NodeDialect const& dialect, NodeParameters& p, void* graph);
/// Gives a node other parameters of the same type. Memory and conditions remain as they are.
void change(Process& process, NodeDialect const& dialect, Node& node, NodeParameters& p);

}  // namespace warpsim::cuda
