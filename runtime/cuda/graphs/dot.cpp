#include "runtime/cuda/graphs/graph.hpp"

#include <cinttypes>
#include <cstdio>
#include <unordered_map>

namespace warpsim::cuda {

namespace {

char const* name_of(NodeType type) {
    switch (type) {
        case NodeType::kernel: return "KERNEL";
        case NodeType::copy: return "MEMCPY";
        case NodeType::fill: return "MEMSET";
        case NodeType::host: return "HOST";
        case NodeType::graph: return "CHILD_GRAPH";
        case NodeType::empty: return "EMPTY";
        case NodeType::wait: return "EVENT_WAIT";
        case NodeType::record: return "EVENT_RECORD";
        case NodeType::allocation: return "MEM_ALLOC";
        case NodeType::free: return "MEM_FREE";
        case NodeType::values: return "BATCH_MEM_OP";
        case NodeType::conditional: return "CONDITIONAL";
    }
    return "";
}

std::string triple(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

std::string details(NodeWork const& work) {
    char text[160] = "";
    if (auto const* k = std::get_if<KernelWork>(&work)) {
        return "\\n" + k->kernel->name + "\\ngrid " + triple(k->shape.grid) + ", block " + triple(k->shape.block) +
               ", shared " + std::to_string(k->shape.dynamic_shared);
    }
    if (auto const* c = std::get_if<CopyWork>(&work)) {
        std::snprintf(text, sizeof text,
                      "\\nfrom 0x%" PRIx64 " to 0x%" PRIx64 ", %" PRIu64 " x %" PRIu64 " x %" PRIu64 " bytes",
                      c->from.address, c->to.address, c->extent.width, c->extent.height, c->extent.depth);
    } else if (auto const* f = std::get_if<FillWork>(&work)) {
        std::snprintf(text, sizeof text, "\\n0x%x of %u bytes at 0x%" PRIx64 ", %" PRIu64 " x %" PRIu64 " bytes",
                      f->value, f->element_bytes, f->to.address, f->extent.width, f->extent.height);
    }
    return text;
}

void print(Graph const& graph, bool is_verbose, std::string const& prefix, std::string const& indent,
           std::string& out) {
    std::unordered_map<Node const*, std::string> names;
    for (auto const& node : graph.nodes()) {
        std::string const& name = names[node.get()] = prefix + "n" + std::to_string(names.size());
        std::string label = name_of(node->type());
        if (auto const* k = std::get_if<KernelWork>(&node->work); k != nullptr && !is_verbose)
            label += "\\n" + k->kernel->name;
        if (is_verbose) label += details(node->work);
        out += indent + "\"" + name + "\" [shape=\"box\", label=\"" + label + "\"];\n";
        if (auto const* child = std::get_if<ChildWork>(&node->work)) {
            out += indent + "subgraph \"cluster_" + name + "\" {\n";
            print(*child->graph, is_verbose, name + "_", indent + "  ", out);
            out += indent + "}\n";
        }
    }
    for (auto const& node : graph.nodes()) {
        for (Edge const& e : node->dependents) {
            out += indent + "\"" + names[node.get()] + "\" -> \"" + names[e.node] + "\";\n";
        }
    }
}

}  // namespace

std::string dot(Graph const& graph, bool is_verbose) {
    std::string out = "digraph graph_1 {\n";
    print(graph, is_verbose, "", "  ", out);
    return out + "}\n";
}

}  // namespace warpsim::cuda
