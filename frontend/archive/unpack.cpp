// Turns bytes back into a module.
#include "frontend/archive/archive.hpp"
#include "frontend/archive/body.hpp"
#include "frontend/archive/fields.hpp"
#include "frontend/isa/table.hpp"

#include <algorithm>
#include <charconv>

namespace warpsim::frontend {

namespace {

using Kind = ir::Operand::Kind;

void must(bool what) {
    if (!what) throw Damaged{};
}

/// `list` holds indices of things of which there are `count`.
void must_be_below(std::vector<std::uint32_t> const& list, std::size_t count) {
    for (std::uint32_t const index : list) must(index < count);
}

void must_lie_in(Span span, Source const& source) {
    must(span.offset <= source.text().size() && span.length <= source.text().size() - span.offset);
}

void check(ir::Variable const& v, ir::Module const& module) {
    must(v.source < module.sources.size());
    must_lie_in(v.span, *module.sources[v.source]);
    must(v.size == 0 || v.initializer.size() <= v.size);
    for (ir::Relocation const& r : v.relocations) {
        must(r.index < (r.is_function ? module.functions.size() : module.variables.size()));
        must(r.size <= 8 && r.offset <= v.size && r.size <= v.size - r.offset);
    }
}

void check(ir::Form const& form, ir::Module const& module) {
    auto const& rows = isa::rows(isa::HostIsa::baseline);
    must(form.row < rows.size() && form.source < module.sources.size());
    must(form.variant < std::max<std::size_t>(rows[form.row].variants.size(), 1));
}

void check_header(ir::Function const& f, ir::Module const& module) {
    must(f.source < module.sources.size());
    must_lie_in(f.span, *module.sources[f.source]);
    must(f.alias_of == ir::none || f.alias_of < module.functions.size());
    for (ir::Variable const& v : f.variables) check(v, module);
    must(f.parameter_in_register.size() <= f.parameters.size() && f.return_in_register.size() <= f.returns.size());
    auto const check_formals = [&](std::vector<std::uint32_t> const& list, std::vector<bool> const& in_register) {
        for (std::size_t i = 0; i < list.size(); ++i) {
            bool const is_register = i < in_register.size() && in_register[i];
            must(is_register || list[i] < f.variables.size());  // registers are checked with the body
        }
    };
    check_formals(f.parameters, f.parameter_in_register);
    check_formals(f.returns, f.return_in_register);
}

std::vector<ir::Register> get_registers(ByteReader& r) {
    std::vector<ir::Register> list;
    std::uint64_t left = r.number(UINT32_MAX);
    while (left != 0) {
        std::uint64_t const run = r.number(left);
        must(run != 0);
        isa::Type type{};
        get(r, type);
        std::string const prefix(r.text());
        std::uint64_t const first = r.number(UINT32_MAX);
        must(first != 0 || run == 1);
        // No text could have declared more than this; so damaged bytes cannot ask for much memory.
        must(list.size() + run <= 16u << 20);
        if (list.capacity() < list.size() + run) list.reserve(std::max(list.size() + run, 2 * list.capacity()));
        char digits[24];
        for (std::uint64_t i = 0; i < run; ++i) {
            list.push_back({prefix, type});
            if (first == 0) continue;
            auto const [end, error] = std::to_chars(std::begin(digits), std::end(digits), first - 1 + i);
            list.back().name.append(digits, end);
        }
        left -= run;
    }
    return list;
}

std::vector<ir::Instruction> get_instructions(ByteReader& r) {
    namespace bits = instruction_byte;
    std::vector<ir::Instruction> list(0);
    std::size_t const count = r.count();
    list.reserve(std::min(count, r.left() / 4 + 1));
    std::uint32_t next_operand = 0, next_place = 0, location = ir::none;
    for (std::size_t n = 0; n < count; ++n) {
        ir::Instruction& i = list.emplace_back();
        unsigned const head = r.byte();
        unsigned const operands = head >> bits::count_shift;
        i.operand_count =
            static_cast<std::uint16_t>(operands == bits::many_operands ? r.number(UINT16_MAX) : operands);
        i.form = r.number32();
        i.guard_negated = (head & bits::is_negated) != 0;
        if ((head & bits::has_guard) != 0) i.guard = r.number32();
        i.first_operand = (head & bits::moves_operands) != 0 ? r.number32() : next_operand;
        if ((head & bits::moves_location) != 0) get(r, location);
        i.location = location;
        std::int64_t const place = next_place + r.signed_number();
        must(place >= 0 && place <= std::int64_t{UINT32_MAX});
        i.span = {static_cast<std::uint32_t>(place), r.number32()};
        next_operand = i.first_operand + i.operand_count;
        next_place = i.span.offset + i.span.length;
    }
    return list;
}

std::vector<ir::Operand> get_operands(ByteReader& r) {
    namespace bits = operand_byte;
    std::vector<ir::Operand> list;
    std::size_t const count = r.count();
    list.reserve(std::min(count, r.left() / 3 + 1));
    for (std::size_t n = 0; n < count; ++n) {
        ir::Operand& o = list.emplace_back();
        unsigned const head = r.byte(), has = r.byte();
        unsigned const kind = head & bits::kind_mask, type = r.byte();
        must(kind <= static_cast<unsigned>(last(Kind{})) && type < static_cast<unsigned>(isa::Type::count));
        o.kind = static_cast<Kind>(kind);
        o.type = static_cast<isa::Type>(type);
        o.base = static_cast<ir::Operand::AddressBase>(has & bits::base_mask);
        o.negated = (head & bits::is_negated) != 0;
        o.generic = (head & bits::is_generic) != 0;
        o.is_module_variable = (head & bits::is_module_variable) != 0;
        if ((has & bits::has_count) != 0) o.count = static_cast<std::uint16_t>(r.number(UINT16_MAX));
        if ((has & bits::has_index) != 0) o.index = r.number32();
        if ((has & bits::has_value) != 0) o.value = r.signed_number();
    }
    return list;
}

/// Checks that an operand refers to something that exists.
class OperandCheck {
public:
    OperandCheck(ir::Module const& module, ir::Function const& function) : module_(module), function_(function) {}

    /// `left`: the operands of the instruction that follow this one.
    void operator()(ir::Operand const& o, std::size_t left) const {
        must(o.index < limit(o));
        bool const has_elements = o.kind == Kind::vector || o.kind == Kind::list;
        if (has_elements) must(o.count <= left);
    }

private:
    static constexpr std::size_t anything = std::size_t{ir::none} + 1;

    std::size_t limit(ir::Operand const& o) const {
        switch (o.kind) {
            case Kind::reg: return function_.registers.size();
            case Kind::special: return static_cast<std::size_t>(ir::SpecialRegister::count);
            case Kind::symbol: return o.is_module_variable ? module_.variables.size() : function_.variables.size();
            case Kind::function: return module_.functions.size();
            case Kind::address: return limit_of_base(o);
            case Kind::label: return function_.instructions.size();
            case Kind::branch_targets: return function_.branch_targets.size();
            case Kind::prototype: return module_.prototypes.size();
            case Kind::param: return function_.variables.size();
            case Kind::sink:
            case Kind::immediate:
            case Kind::vector:
            case Kind::list: break;
        }
        return anything;
    }
    std::size_t limit_of_base(ir::Operand const& o) const {
        switch (o.base) {
            case ir::Operand::AddressBase::reg: return function_.registers.size();
            case ir::Operand::AddressBase::module_variable: return module_.variables.size();
            case ir::Operand::AddressBase::function_variable: return function_.variables.size();
            case ir::Operand::AddressBase::immediate: break;
        }
        return anything;
    }

    ir::Module const& module_;
    ir::Function const& function_;
};

void check_instructions(ir::Function const& f, ir::Module const& module) {
    OperandCheck const check_operand(module, f);
    for (ir::Instruction const& i : f.instructions) {
        must(i.form < module.forms.size());
        must(i.first_operand <= f.operands.size() && i.operand_count <= f.operands.size() - i.first_operand);
        must(i.guard == ir::none || i.guard < f.registers.size());
        must(i.location == ir::none || i.location < module.locations.size());
        must_lie_in(i.span, *module.sources[module.forms[i.form].source]);
        auto const operands = f.operands_of(i);
        for (std::size_t k = 0; k < operands.size(); ++k) check_operand(operands[k], operands.size() - k - 1);
    }
}

void check_layout(ir::Function const& f) {
    ir::RegisterLayout const& layout = f.layout;
    must(layout.column.size() == f.registers.size());
    for (std::uint32_t const columns :
         {layout.columns16, layout.columns32, layout.columns64, layout.columns128, layout.predicates}) {
        must(columns <= f.registers.size());
    }
    for (std::size_t i = 0; i < f.registers.size(); ++i) {
        int const width = isa::width(f.registers[i].type);
        std::uint32_t const columns = width == 1    ? layout.predicates
                                      : width <= 16 ? layout.columns16
                                      : width <= 32 ? layout.columns32
                                      : width <= 64 ? layout.columns64
                                                    : layout.columns128;
        must(layout.column[i] < std::max(columns, 1u));  // an unused register has column 0, even without columns
    }
}

/// Fills `block_of` from the blocks.
void spread_blocks(ir::Function& f) {
    f.block_of.assign(f.instructions.size(), ir::none);
    std::size_t next = 0;
    for (std::uint32_t b = 0; b < f.blocks.size(); ++b) {
        ir::Block const& block = f.blocks[b];
        must(block.first == next && block.first <= block.last && block.last < f.instructions.size());
        must_be_below(block.successors, f.blocks.size());
        must(block.reconvergence == ir::none || block.reconvergence < f.blocks.size());
        std::fill(f.block_of.begin() + block.first, f.block_of.begin() + block.last + 1, b);
        next = std::size_t{block.last} + 1;
    }
    must(next == f.instructions.size());
}

}  // namespace

std::optional<PackedModule> PackedModule::open(std::string bytes,
                                               std::vector<std::shared_ptr<Source const>> sources) {
    std::optional<PackedModule> packed(std::in_place);
    packed->bytes_ = std::move(bytes);
    packed->module_.sources = std::move(sources);
    try {
        packed->read_module();
    } catch (Damaged const&) {
        packed.reset();
    }
    return packed;
}

void PackedModule::read_module() {
    ByteReader r(bytes_);
    get(r, report_);
    must(r.number() == module_.sources.size());
    for (auto const& source : module_.sources) must(r.number() == source->text().size());
    get(r, module_);

    spellings_ = std::make_unique<std::string const>(r.text());
    ByteReader spelled(*spellings_);
    auto const next_spelling = [&] { return spelled.bytes(static_cast<std::size_t>(r.number())); };
    module_.forms.resize(r.count());
    for (ir::Form& form : module_.forms) {
        get(r, form);
        form.text = next_spelling();
        check(form, module_);
    }

    module_.functions.resize(r.count());
    bodies_.resize(module_.functions.size());
    std::size_t end = 0;  // where the bodies so far end
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        get(r, module_.functions[i]);
        std::size_t const size = r.count();
        must(size <= r.left() && end <= r.left());
        bodies_[i].begin = end;
        bodies_[i].end = end += size;
        get(r, bodies_[i].named);
        get(r, bodies_[i].is_indirect);
        must_be_below(bodies_[i].named, bodies_.size());
    }
    must(end == r.left());
    auto const begin = static_cast<std::size_t>(r.at() - bytes_.data());
    for (Body& body : bodies_) {
        body.begin += begin;
        body.end += begin;
    }

    for (ir::Function const& f : module_.functions) check_header(f, module_);
    for (ir::Variable const& v : module_.variables) {
        check(v, module_);
        for (ir::Relocation const& relocation : v.relocations) {
            if (relocation.is_function) in_tables_.push_back(relocation.index);
        }
    }
    for (ir::Prototype const& p : module_.prototypes) must_be_below(p.targets, module_.functions.size());
    for (std::size_t i = 0; i < module_.locations.size(); ++i) {
        std::uint32_t const caller = module_.locations[i].inlined_at;
        must(caller == ir::none || caller < module_.locations.size());
    }
}

void PackedModule::read_body(ir::Module& module, std::uint32_t function) {
    Body& body = bodies_[function];
    ir::Function& f = module.functions[function];
    ByteReader r(std::string_view(bytes_).substr(body.begin, body.end - body.begin));
    f.registers = get_registers(r);
    f.instructions = get_instructions(r);
    f.operands = get_operands(r);
    get(r, f.branch_targets);
    get(r, f.labels);
    get(r, f.not_unrolled);
    get(r, f.blocks);
    get(r, f.layout);
    must(r.left() == 0);
    must(f.carry == ir::none || f.carry < f.registers.size());
    for (std::size_t i = 0; i < f.parameter_in_register.size(); ++i)
        must(!f.parameter_in_register[i] || f.parameters[i] < f.registers.size());
    for (std::size_t i = 0; i < f.return_in_register.size(); ++i)
        must(!f.return_in_register[i] || f.returns[i] < f.registers.size());
    for (auto const& targets : f.branch_targets) must_be_below(targets, f.instructions.size());
    check_instructions(f, module);
    check_layout(f);
    spread_blocks(f);
    body.begin = body.end = 0;
    ++completed_;
}

bool PackedModule::complete(ir::Module& module, std::uint32_t function) {
    std::vector<bool> seen(bodies_.size());
    std::vector<std::uint32_t> todo;
    // Kernels are never called. A kernel that is named here is launched by the device, and its body read then.
    auto const want = [&](std::uint32_t f) {
        if (!seen[f]) todo.push_back(f);
        seen[f] = true;
    };
    want(function);
    auto const want_called = [&](std::vector<std::uint32_t> const& list) {
        for (std::uint32_t const f : list) {
            if (!module.functions[f].is_entry) want(f);
        }
    };
    want_called(in_tables_);
    try {
        for (std::size_t i = 0; i < todo.size(); ++i) {
            Body const& body = bodies_[todo[i]];
            // A function's address may be taken in the body of any function.
            for (std::uint32_t f = 0; body.is_indirect && f < bodies_.size(); ++f) want(f);
            want_called(body.named);
            if (body.end != body.begin) read_body(module, todo[i]);
        }
    } catch (Damaged const&) {
        return false;
    }
    return true;
}

void PackedModule::complete(ir::Module& module, ir::Module again) {
    for (std::size_t i = 0; i < bodies_.size(); ++i) {
        if (bodies_[i].begin == bodies_[i].end) continue;
        ir::Function& to = module.functions[i];
        ir::Function& from = again.functions.at(i);
        to.registers = std::move(from.registers);
        to.instructions = std::move(from.instructions);
        to.operands = std::move(from.operands);
        to.branch_targets = std::move(from.branch_targets);
        to.labels = std::move(from.labels);
        to.not_unrolled = std::move(from.not_unrolled);
        to.blocks = std::move(from.blocks);
        to.block_of = std::move(from.block_of);
        to.layout = std::move(from.layout);
        bodies_[i].begin = bodies_[i].end = 0;
        ++completed_;
    }
}

}  // namespace warpsim::frontend
