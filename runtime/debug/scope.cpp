#include "runtime/debug/scope.hpp"

#include "sim/demangled.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace warpsim::debug {

namespace {

TypePointer triple_type() {
    static TypePointer const type = [] {
        TypePointer const u = integer_type(4, false);
        ValueType t;
        t.kind = ValueType::Kind::structure;
        t.name = "uint3";
        t.bytes = 12;
        t.members = {{"x", u, 0}, {"y", u, 4}, {"z", u, 8}};
        return std::make_shared<ValueType const>(std::move(t));
    }();
    return type;
}

Value triple(std::array<std::uint32_t, 3> const& of) {
    Value value{triple_type(), std::vector<std::byte>(12), {}};
    std::memcpy(value.bytes.data(), of.data(), 12);
    return value;
}

/// What PTX declares as 64 bits without saying more may be an address.
Value with_address(Value value, sim::LaunchContext const& launch) {
    bool const may_be = value.type->kind == ValueType::Kind::integer && value.type->bytes == 8;
    if (may_be && launch.memory.find(value.bits(), 1)) value.type = pointer_to(nullptr);
    return value;
}

Value number(std::uint64_t value) { return integer_value(value, integer_type(4, false)); }

}  // namespace

std::optional<Value> ThreadScope::special(std::string const& name) const {
    sim::LaunchContext const& launch = machine_.launch();
    sim::Cta const& cta = *thread_.cta;
    if (name == "threadIdx" || name == "%tid") return triple(machine_.index_of(thread_));
    if (name == "blockIdx" || name == "%ctaid") return triple(cta.id);
    if (name == "blockDim" || name == "%ntid") return triple(launch.block);
    if (name == "gridDim" || name == "%nctaid") return triple(launch.grid);
    if (name == "warpSize") return integer_value(32, integer_type(4, true));
    if (name == "%laneid" || name == "laneid") return number(static_cast<std::uint64_t>(thread_.lane));
    if (name == "%warpid" || name == "warpid") return number(thread_.warp->index);
    if (name == "%cluster_ctarank") return number(cta.rank);
    if (name == "%gridid") return integer_value(launch.grid_id, integer_type(8, false));
    std::uint32_t const bit = thread_.bit();
    if (name == "%lanemask_eq") return number(bit);
    if (name == "%lanemask_lt") return number(bit - 1);
    if (name == "%lanemask_le") return number(bit | (bit - 1));
    if (name == "%lanemask_gt") return number(~(bit | (bit - 1)));
    if (name == "%lanemask_ge") return number(~(bit - 1));
    return std::nullopt;
}

/// "%r1" as PTX writes it, and "$r1" as gdb does.
std::optional<Value> ThreadScope::register_named(std::string const& name) {
    if (frame_ == nullptr || (name.front() != '%' && name.front() != '$')) return std::nullopt;
    std::string const wanted = "%" + name.substr(1);
    ir::Function const& function = *frame_->function->function;
    for (std::size_t i = 0; i < function.registers.size(); ++i) {
        if (function.registers[i].name != wanted) continue;
        auto const which = static_cast<std::uint32_t>(i);
        std::optional<Bits> const bits = machine_.read_register(thread_, *frame_, which);
        if (!bits) throw Error(ErrorKind::usage, name + " is used by no instruction, so it has no value");
        TypePointer const type = type_of(function.registers[i].type);
        Value value{type, std::vector<std::byte>(type->bytes), RegisterPlace{frame_, which}};
        std::memcpy(value.bytes.data(), bits->data(), std::min<std::size_t>(value.bytes.size(), sizeof *bits));
        return with_address(std::move(value), machine_.launch());
    }
    return std::nullopt;
}

/// With its elements, as it is declared.
Value ThreadScope::load_variable(ir::Variable const& variable, MemoryPlace const& from) {
    TypePointer const element = type_of(variable.type);
    std::uint64_t const count = element->bytes == 0 ? 0 : variable.size / element->bytes;
    bool const is_array = variable.is_array || count > 1;
    if (is_array && count == 0)  // of dynamic shared memory
        return {array_of(element, 0), {}, from};
    return is_array ? load(array_of(element, count), from) : with_address(load(element, from), machine_.launch());
}

namespace {

/// By its name in PTX, or as the source spells it, of which the last part is enough: "tile" of "work(int*)::tile".
bool is_called(ir::Variable const& variable, std::string const& name) {
    if (variable.name == name) return true;
    if (!variable.name.starts_with("_Z")) return false;
    std::string const full = sim::demangled(variable.name);
    return full == name || (full.ends_with(name) && full.size() > name.size() + 2 &&
                            full.compare(full.size() - name.size() - 2, 2, "::") == 0);
}

}  // namespace

std::vector<SourceVariable const*> ThreadScope::in_scope() const {
    std::vector<SourceVariable const*> found;
    if (frame_ == nullptr) return found;
    std::uint64_t const here = symbol_address(SymbolKind::code, frame_->function->index, instruction_);
    for (SourceVariable const& v : source_variables(machine_.module()).all)
        if (here >= v.low && here < v.high) found.push_back(&v);
    std::stable_sort(found.begin(), found.end(),
                     [](auto const* a, auto const* b) { return a->high - a->low < b->high - b->low; });
    return found;
}

/// Where a variable of PTX is, of the debugging information's symbols.
std::optional<MemoryPlace> ThreadScope::memory_of(std::uint64_t symbol) const {
    ir::Module const& module = machine_.module();
    std::uint32_t const which = which_of(symbol);
    auto const in_shared = [&](std::uint32_t function) -> std::optional<MemoryPlace> {
        for (sim::SharedVariable const& v : machine_.launch().plan.shared_variables)
            if (v.function == function && v.variable == which) return MemoryPlace{sim::SpaceKind::shared, v.begin};
        return std::nullopt;
    };
    if (kind_of(symbol) == SymbolKind::module_variable && which < module.variables.size()) {
        if (module.variables[which].space == isa::StateSpace::shared) return in_shared(ir::none);
        return MemoryPlace{sim::SpaceKind::global, symbols_.variable[which]};
    }
    if (kind_of(symbol) != SymbolKind::function_variable || function_of(symbol) != frame_->function->index)
        return std::nullopt;
    ir::Variable const& v = frame_->function->function->variables[which];
    if (v.space == isa::StateSpace::shared) return in_shared(function_of(symbol));
    if (v.space == isa::StateSpace::local)
        return MemoryPlace{sim::SpaceKind::local, frame_->local_base + v.offset};
    if (frame_->function->function->is_entry) return MemoryPlace{sim::SpaceKind::param_entry, v.offset};
    return std::nullopt;
}

/// `extern __shared__ float data[]` has no place of its own: it is what the launch asked for.
std::optional<Value> ThreadScope::dynamic_shared(SourceVariable const& variable) {
    if (!variable.type || variable.type->kind != ValueType::Kind::array || !variable.type->element)
        return std::nullopt;
    for (ir::Variable const& v : machine_.module().variables) {
        bool const is_it = v.space == isa::StateSpace::shared && v.size == 0 && is_called(v, variable.name);
        if (!is_it) continue;
        std::uint64_t const begin = machine_.launch().plan.shared_bytes;
        std::uint64_t const bytes =
            machine_.launch().shared_bytes - std::min(machine_.launch().shared_bytes, begin);
        std::uint64_t const one = std::max<std::uint64_t>(variable.type->element->bytes, 1);
        return load(array_of(variable.type->element, bytes / one), {sim::SpaceKind::shared, begin});
    }
    return std::nullopt;
}

Value ThreadScope::load_source(SourceVariable const& variable) {
    std::uint64_t const here = symbol_address(SymbolKind::code, frame_->function->index, instruction_);
    for (VariableLocation const& l : variable.locations) {
        if (here < l.low || here >= l.high) continue;
        if (!l.register_name.empty()) {
            std::optional<Value> value = register_named(l.register_name);
            if (!value) break;
            value->type = variable.type;
            value->bytes.resize(variable.type->bytes);
            return *std::move(value);
        }
        std::optional<MemoryPlace> const place = memory_of(l.address);
        if (place) return load(variable.type, {place->space, place->address + l.offset});
    }
    if (std::optional<Value> found = dynamic_shared(variable)) return *std::move(found);
    throw Error(ErrorKind::usage, variable.name + " is nowhere here: optimized out");
}

std::optional<Value> ThreadScope::source_variable(std::string const& name) {
    for (SourceVariable const* const v : in_scope())
        if (v->name == name) return load_source(*v);
    return std::nullopt;
}

std::optional<Value> ThreadScope::variable(std::string const& name) {
    ir::Module const& module = machine_.module();
    sim::KernelPlan const& plan = machine_.launch().plan;
    auto const in_shared = [&](std::uint32_t function, std::uint32_t which) -> std::optional<std::uint64_t> {
        for (sim::SharedVariable const& v : plan.shared_variables)
            if (v.function == function && v.variable == which) return v.begin;
        return std::nullopt;
    };
    if (frame_ != nullptr) {
        sim::FunctionPlan const& in = *frame_->function;
        for (std::size_t i = 0; i < in.function->variables.size(); ++i) {
            ir::Variable const& v = in.function->variables[i];
            if (!is_called(v, name)) continue;
            if (v.space == isa::StateSpace::local)
                return load_variable(v, {sim::SpaceKind::local, frame_->local_base + v.offset});
            if (v.space == isa::StateSpace::shared) {
                auto const at = in_shared(in.index, static_cast<std::uint32_t>(i));
                if (at) return load_variable(v, {sim::SpaceKind::shared, *at});
            }
            if (v.space == isa::StateSpace::param && in.function->is_entry)
                return load_variable(v, {sim::SpaceKind::param_entry, v.offset});
        }
    }
    for (std::size_t i = 0; i < module.variables.size(); ++i) {
        ir::Variable const& v = module.variables[i];
        if (!is_called(v, name)) continue;
        if (v.space == isa::StateSpace::shared) {
            std::optional<std::uint64_t> const at = in_shared(ir::none, static_cast<std::uint32_t>(i));
            // Dynamic shared memory follows the static one.
            return load_variable(v, {sim::SpaceKind::shared, at.value_or(plan.shared_bytes)});
        }
        if (i < symbols_.variable.size()) return load_variable(v, {sim::SpaceKind::global, symbols_.variable[i]});
    }
    return std::nullopt;
}

/// Of the object that a method is called for: "x" is "this->x".
std::optional<Value> ThreadScope::own_member(std::string const& name) {
    std::optional<Value> const object = source_variable("this");
    if (!object || !object->type->element) return std::nullopt;
    for (ValueType::Member const& m : object->type->element->members)
        if (m.name == name) return load(m.type, {object->type->space, object->bits() + m.offset});
    return std::nullopt;
}

std::optional<Value> ThreadScope::enumerator(std::string const& name) const {
    for (auto const& [type_name, type] : source_variables(machine_.module()).types)
        for (ValueType::Enumerator const& e : type->enumerators)
            if (e.name == name) return integer_value(static_cast<std::uint64_t>(e.value), type);
    return std::nullopt;
}

Value ThreadScope::named(std::string const& name) {
    if (name.size() > 1 && name.front() == '$' && std::isdigit(static_cast<unsigned char>(name[1])) != 0) {
        std::size_t which = 0;
        std::from_chars(name.data() + 1, name.data() + name.size(), which);
        if (which >= 1 && which <= history_.size()) return history_[which - 1];
        throw Error(ErrorKind::usage, "there is no value " + name + " yet");
    }
    if (std::optional<Value> found = register_named(name)) return *std::move(found);
    if (std::optional<Value> found = source_variable(name)) return *std::move(found);
    if (std::optional<Value> found = special(name)) return *std::move(found);
    if (std::optional<Value> found = own_member(name)) return *std::move(found);
    if (std::optional<Value> found = variable(name)) return *std::move(found);
    if (std::optional<Value> found = enumerator(name)) return *std::move(found);
    if (frame_ == nullptr) throw Error(ErrorKind::usage, "'" + name + "': the thread has ended");
    throw Error(ErrorKind::usage,
                "there is no '" + name + "' here; `info registers` and `info variables` list what there is");
}

TypePointer ThreadScope::type(std::string const& name) {
    auto const& types = source_variables(machine_.module()).types;
    if (auto const known = types.find(name); known != types.end()) return known->second;
    return name == "uint3" || name == "dim3" ? triple_type() : nullptr;
}

Value ThreadScope::load(TypePointer type, MemoryPlace const& from) {
    Value value{std::move(type), {}, from};
    value.bytes.resize(value.type->bytes);
    if (!machine_.read(thread_, from.space, from.address, value.bytes))
        throw Error(ErrorKind::usage, machine_.explain(from.space, from.address));
    return value;
}

void ThreadScope::store(Place const& to, std::vector<std::byte> const& bytes) {
    if (auto const* const memory = std::get_if<MemoryPlace>(&to)) {
        if (!machine_.write(thread_, memory->space, memory->address, bytes))
            throw Error(ErrorKind::usage, machine_.explain(memory->space, memory->address));
    } else if (auto const* const place = std::get_if<RegisterPlace>(&to)) {
        Bits bits{};
        std::memcpy(bits.data(), bytes.data(), std::min<std::size_t>(bytes.size(), sizeof bits));
        machine_.write_register(thread_, *place->frame, place->which, bits);
    }
}

}  // namespace warpsim::debug
