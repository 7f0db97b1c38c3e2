#include "runtime/cuda/graphs/node_parameters.hpp"

namespace warpsim::cuda {

NodeWork work_from(Process& process, NodeDialect const& dialect, NodeParameters& p, void* graph) {
    auto const event = [&] { return process.events.get(value_at<void*>(p)); };
    switch (static_cast<NodeType>(p.type)) {
        case NodeType::kernel:
            return kernel_work(process, dialect.kernel_parameters(p), dialect.find_kernel,
                               dialect.kernel_context(p));
        case NodeType::copy: return dialect.copy_work(process, p);
        case NodeType::fill: return fill_work(process, value_at<FillNodeParameters>(p));
        case NodeType::host: return host_work(value_at<HostNodeParameters>(p));
        case NodeType::graph: return child_work(process, value_at<void*>(p));
        case NodeType::empty: return EmptyWork{};
        case NodeType::wait: return WaitWork{event(), value_at<void*>(p)};
        case NodeType::record: return RecordWork{event(), value_at<void*>(p)};
        case NodeType::free: return free_work(value_at<std::uint64_t>(p));
        case NodeType::values: return dialect.value_work(process, p);
        case NodeType::allocation: {
            auto answer = value_at<AllocationNodeParameters>(p);
            NodeWork work = allocation_work(process, answer);
            std::memcpy(p.value, &answer, sizeof answer);
            return work;
        }
        case NodeType::conditional: {
            auto answer = value_at<ConditionalNodeParameters>(p);
            NodeWork work = conditional_work(process, answer, graph);
            std::memcpy(p.value, &answer, sizeof answer);
            return work;
        }
    }
    throw Failure(Result::not_supported);
}

void change(Process& process, NodeDialect const& dialect, Node& node, NodeParameters& p) {
    NodeType const type = node.type();
    bool const can_change =
        type != NodeType::allocation && type != NodeType::free && type != NodeType::conditional;
    if (static_cast<int>(type) != p.type || !can_change) throw Failure(Result::invalid_value);
    if (type == NodeType::kernel) set_kernel(process, node, dialect.kernel_parameters(p), dialect.find_kernel);
    else if (type == NodeType::graph) set_child(process, node, value_at<void*>(p));
    else set_work(node, work_from(process, dialect, p, nullptr));
}

}  // namespace warpsim::cuda
