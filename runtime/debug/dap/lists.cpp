// What there is to see in each scope.
#include "frontend/ir/registers.hpp"
#include "runtime/debug/dap/server.hpp"
#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/exec/faults.hpp"

#include <algorithm>

namespace warpsim::debug::dap {

namespace {

constexpr std::uint64_t most_parts = 1000;  // at once, where the client does not say how many it wants

Variable variable_of(Scope& scope, std::string const& name, std::string const& shown) {
    Variable v{shown, name, std::nullopt, "", std::nullopt};
    try {
        v.value = scope.named(name);
    } catch (Error const& error) {
        v.text = std::string("<") + error.what() + ">";
    }
    return v;
}

}  // namespace

std::vector<Variable> Server::list(Container const& of, std::uint64_t first, std::uint64_t count) {
    using Kind = Container::Kind;
    std::vector<Variable> all;
    if (of.kind == Kind::parts) return parts(of, first, count);
    if (of.kind == Kind::lanes) return lanes(of.at);
    ThreadScope scope = scope_of(of.at);
    if (of.kind == Kind::special) {
        for (char const* const name : {"threadIdx", "blockIdx", "blockDim", "gridDim", "warpSize", "%laneid",
                                       "%warpid", "%cluster_ctarank", "%gridid", "%lanemask_lt"})
            all.push_back(variable_of(scope, name, name));
        return all;
    }
    Thread const thread = thread_of(of.at.of);
    if (machine().stack(thread).empty()) return all;
    if (of.kind == Kind::registers) return registers(of.at);
    ir::Function const& function = *call_of(of.at).frame->function->function;
    auto const add = [&](ir::Variable const& v) {
        all.push_back(variable_of(scope, v.name, sim::demangled(v.name)));
    };
    std::vector<SourceVariable const*> const known = scope.in_scope();
    if (!known.empty() && (of.kind == Kind::arguments || of.kind == Kind::locals)) {
        for (SourceVariable const* const v : known)
            if (v->is_parameter == (of.kind == Kind::arguments) && v->high != UINT64_MAX)
                all.push_back(variable_of(scope, v->name, v->name));
        return all;
    }
    if (of.kind == Kind::arguments) {
        for (std::size_t i = 0; function.is_entry && i < function.parameters.size(); ++i)
            add(function.variables[function.parameters[i]]);
        return all;
    }
    auto const is_wanted = [&](ir::Variable const& v, bool of_module) {
        using isa::StateSpace;
        if (of.kind == Kind::shared) return v.space == StateSpace::shared;
        bool const is_other = v.space != StateSpace::shared && v.space != StateSpace::param;
        return is_other && of_module == (of.kind == Kind::globals);
    };
    for (ir::Variable const& v : function.variables)
        if (is_wanted(v, false)) add(v);
    for (ir::Variable const& v : module().variables)
        if (is_wanted(v, true)) add(v);
    return all;
}

/// Those that an instruction uses.
std::vector<Variable> Server::registers(FrameOf const& at) {
    std::vector<Variable> all;
    ThreadScope scope = scope_of(at);
    ir::Function const& function = *call_of(at).frame->function->function;
    std::vector<bool> used(function.registers.size());
    for (ir::Instruction const& i : function.instructions)
        ir::for_each_register(module(), function, i, [&](std::uint32_t r, bool) { used[r] = true; });
    for (std::size_t i = 0; i < used.size(); ++i)
        if (used[i]) all.push_back(variable_of(scope, function.registers[i].name, function.registers[i].name));
    return all;
}

std::vector<Variable> Server::lanes(FrameOf const& at) {
    std::vector<Variable> all;
    for (Thread t = thread_of(FrameOf{{at.of.block, at.of.warp, 0}, 0}.of); t.lane < 32; ++t.lane) {
        Position const where = machine().position(t);
        if (where.state == LaneState::absent) continue;
        std::array<std::uint32_t, 3> const index = machine().index_of(t);
        Variable v;
        v.name = "lane " + std::to_string(t.lane);
        v.text = "thread (" + std::to_string(index[0]) + "," + std::to_string(index[1]) + "," +
                 std::to_string(index[2]) + ") " + state_text(where);
        if (where.frame != nullptr) {
            Line const line = line_of(module(), machine().instruction(where));
            v.text += " at " + line.file.substr(line.file.rfind('/') + 1) + ":" + std::to_string(line.number);
            v.inside = Container{Container::Kind::registers, {{at.of.block, at.of.warp, t.lane}, 0}, {}, ""};
        }
        all.push_back(std::move(v));
    }
    return all;
}

/// Members, elements, or what a pointer leads to.
std::vector<Variable> Server::parts(Container const& of, std::uint64_t first, std::uint64_t count) {
    using Kind = ValueType::Kind;
    std::vector<Variable> all;
    Value const& whole = of.value;
    ValueType const& type = *whole.type;
    auto const* const memory = std::get_if<MemoryPlace>(&whole.place);
    auto const part = [&](std::string name, std::string expression, TypePointer const& of_type,
                          std::uint64_t offset) {
        auto const begin = whole.bytes.begin() + static_cast<std::ptrdiff_t>(offset);
        Value value{of_type, {begin, begin + static_cast<std::ptrdiff_t>(of_type->bytes)}, {}};
        if (memory != nullptr) value.place = MemoryPlace{memory->space, memory->address + offset};
        all.push_back(
            {std::move(name), of.name.empty() ? "" : std::move(expression), std::move(value), "", std::nullopt});
    };
    std::string const base = "(" + of.name + ")";
    if (type.kind == Kind::structure) {
        for (ValueType::Member const& m : type.members) part(m.name, base + "." + m.name, m.type, m.offset);
    } else if (type.kind == Kind::array) {
        std::uint64_t const size = std::max<std::uint64_t>(type.element->bytes, 1);
        std::uint64_t const there = whole.bytes.size() / size;
        std::uint64_t const wanted = count == 0 ? most_parts : count;
        std::uint64_t const last = first >= there ? first : first + std::min(wanted, there - first);
        for (std::uint64_t i = first; i < last; ++i)
            part("[" + std::to_string(i) + "]", base + "[" + std::to_string(i) + "]", type.element, i * size);
    } else if (type.kind == Kind::pointer) {
        Variable v{"*", of.name.empty() ? "" : "*" + base, std::nullopt, "", std::nullopt};
        try {
            ThreadScope scope = scope_of(of.at);
            v.value = scope.load(type.element, {type.space, whole.bits()});
        } catch (Error const& error) {
            v.text = std::string("<") + error.what() + ">";
        }
        all.push_back(std::move(v));
    }
    return all;
}

}  // namespace warpsim::debug::dap
