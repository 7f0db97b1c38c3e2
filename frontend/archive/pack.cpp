// Turns a module into bytes.
#include "frontend/archive/archive.hpp"
#include "frontend/archive/body.hpp"
#include "frontend/archive/fields.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using Kind = ir::Operand::Kind;

class Packer {
public:
    explicit Packer(ir::Module const& module) : module_(module) {}

    std::string run(std::string const& report) {
        put(out_, report);
        out_.number(module_.sources.size());
        for (auto const& source : module_.sources) out_.number(source->text().size());
        put(out_, module_);
        put_forms();
        ByteWriter bodies;
        out_.number(module_.functions.size());
        for (ir::Function const& f : module_.functions) {
            if (!blocks_cover(f)) return {};
            put(out_, f);
            std::size_t const begin = bodies.size();
            put_body(bodies, f);
            out_.number(bodies.size() - begin);
            put_named(f);
        }
        out_.append(bodies.bytes());
        return out_.take();
    }

private:
    /// Form::text and the other texts are views of sources or of the decoder's own storage. Here all of them are
    /// copied into one text.
    void put_forms() {
        std::string spellings;
        auto const add = [&](std::string_view text) {
            spellings += text;
            return text.size();
        };
        ByteWriter forms;
        forms.number(module_.forms.size());
        for (ir::Form const& form : module_.forms) {
            put(forms, form);
            forms.number(add(form.text));
        }
        out_.text(spellings);
        out_.append(forms.bytes());
    }

    /// Function::block_of is not written, because it follows from the blocks.
    static bool blocks_cover(ir::Function const& f) {
        if (f.block_of.size() != f.instructions.size()) return false;
        std::vector<std::uint32_t> block_of(f.instructions.size(), ir::none);
        for (std::uint32_t b = 0; b < f.blocks.size(); ++b) {
            ir::Block const& block = f.blocks[b];
            if (block.first > block.last || block.last >= block_of.size()) return false;
            std::fill(block_of.begin() + block.first, block_of.begin() + block.last + 1, b);
        }
        return block_of == f.block_of;
    }

    void put_body(ByteWriter& w, ir::Function const& f) const {
        bool const is_empty = f.registers.empty() && f.instructions.empty() && f.operands.empty() &&
                              f.branch_targets.empty() && f.labels.empty() && f.blocks.empty() &&
                              f.layout.column.empty();
        if (is_empty && !f.has_body) return;
        put_registers(w, f.registers);
        put_instructions(w, f);
        put_operands(w, f);
        put(w, f.branch_targets);
        put(w, f.labels);
        put(w, f.not_unrolled);
        put(w, f.blocks);
        put(w, f.layout);
    }

    static void put_registers(ByteWriter& w, std::vector<ir::Register> const& list) {
        w.number(list.size());
        for (std::size_t i = 0; i < list.size();) {
            register_fields(list[i]);
            NumberedName const first = numbered(list[i].name);
            std::size_t end = i + 1;
            for (; first.is_numbered && end < list.size() && list[end].type == list[i].type; ++end) {
                NumberedName const next = numbered(list[end].name);
                if (!next.is_numbered || next.number != first.number + (end - i) || next.prefix != first.prefix)
                    break;
            }
            w.number(end - i);
            put(w, list[i].type);
            w.text(first.prefix);
            w.number(first.is_numbered ? std::uint64_t{first.number} + 1 : 0);
            i = end;
        }
    }

    static void put_instructions(ByteWriter& w, ir::Function const& f) {
        namespace bits = instruction_byte;
        w.number(f.instructions.size());
        std::uint32_t next_operand = 0, next_place = 0, location = ir::none;
        for (ir::Instruction const& i : f.instructions) {
            instruction_fields(i);
            unsigned head = 0;
            if (i.guard != ir::none) head |= bits::has_guard;
            if (i.guard_negated) head |= bits::is_negated;
            if (i.first_operand != next_operand) head |= bits::moves_operands;
            if (i.location != location) head |= bits::moves_location;
            head |= std::min<unsigned>(i.operand_count, bits::many_operands) << bits::count_shift;
            w.byte(static_cast<std::uint8_t>(head));
            if (i.operand_count >= bits::many_operands) w.number(i.operand_count);
            w.number(i.form);
            if (i.guard != ir::none) w.number(i.guard);
            if (i.first_operand != next_operand) w.number(i.first_operand);
            if (i.location != location) put(w, i.location);
            w.signed_number(std::int64_t{i.span.offset} - next_place);
            w.number(i.span.length);
            next_operand = i.first_operand + i.operand_count;
            next_place = i.span.offset + i.span.length;
            location = i.location;
        }
    }

    static void put_operands(ByteWriter& w, ir::Function const& f) {
        namespace bits = operand_byte;
        w.number(f.operands.size());
        for (ir::Operand const& o : f.operands) {
            operand_fields(o);
            unsigned head = static_cast<unsigned>(o.kind);
            if (o.negated) head |= bits::is_negated;
            if (o.generic) head |= bits::is_generic;
            if (o.is_module_variable) head |= bits::is_module_variable;
            unsigned has = static_cast<unsigned>(o.base);
            if (o.count != 0) has |= bits::has_count;
            if (o.index != ir::none) has |= bits::has_index;
            if (o.value != 0) has |= bits::has_value;
            w.byte(static_cast<std::uint8_t>(head));
            w.byte(static_cast<std::uint8_t>(has));
            w.byte(static_cast<std::uint8_t>(o.type));
            if (o.count != 0) w.number(o.count);
            if (o.index != ir::none) w.number(o.index);
            if (o.value != 0) w.signed_number(o.value);
        }
    }

    /// What a reader must know before it reads the body: the functions that it may call.
    void put_named(ir::Function const& f) {
        std::vector<std::uint32_t> named;
        bool is_indirect = false;
        for (ir::Operand const& o : f.operands) {
            if (o.kind == Kind::function) named.push_back(o.index);
            is_indirect = is_indirect || o.kind == Kind::prototype;
        }
        std::sort(named.begin(), named.end());
        named.erase(std::unique(named.begin(), named.end()), named.end());
        put(out_, named);
        put(out_, is_indirect);
    }

    ir::Module const& module_;
    ByteWriter out_;
};

}  // namespace

std::string pack(Linked const& linked) {
    if (linked.error_count != 0) return {};
    return Packer(linked.module).run(linked.report);
}

}  // namespace warpsim::frontend
