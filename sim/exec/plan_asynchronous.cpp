#include "sim/exec/plan_asynchronous.hpp"

namespace warpsim::sim {

using isa::Type;

void emit_asynchronous(FunctionPlanner& p, Asynchronous const& a) { p.emit_effect_with(a); }

void choose_reduction(FunctionPlanner& p, Asynchronous& a) {
    Type const type = p.form().types[0];
    a.element_bytes = static_cast<std::uint32_t>(isa::width(type)) / 8;
    AtomicOperation const operation = atomic_operation(p.form());
    AtomicType const kind = atomic_type(type);
    for (std::size_t is_shared = 0; is_shared < 2; ++is_shared) {
        bool const is_known = operation != AtomicOperation::count && kind != AtomicType::count;
        if (is_known)
            a.reduce[is_shared] =
                p.atomics().of[is_shared][static_cast<std::size_t>(kind)][static_cast<std::size_t>(operation)];
        if (a.reduce[is_shared] == nullptr) return p.refuse(std::string(p.row().syntax));
    }
}

}  // namespace warpsim::sim
