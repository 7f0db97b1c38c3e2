#include "sim/exec/texture/texture_fetch.hpp"

#include "frontend/isa/operation.hpp"

namespace warpsim::sim {

namespace {

using isa::Modifier;
using isa::Operation;
using isa::Type;
using texture::Geometry;
using texture::LevelChoice;
using Kind = ir::Operand::Kind;
using Operands = std::span<ir::Operand const>;

/// Takes the operands of a fetch, one after the other.
class FetchPlanner {
public:
    FetchPlanner(FunctionPlanner& p, Operands operands) : p_(p), operands_(operands) {}

    TextureFetch planned() {
        set_kind();
        Slot const zero = p_.kernel().constants.column(2, 0);
        f_.at = f_.dx = f_.dy = f_.offset = {zero, zero, zero};
        f_.layer = f_.sample = f_.level = f_.reference = zero;
        take_results();
        f_.texture = plan_handle(p_, next(), Type::texref);
        if (operands_[0].kind != Kind::vector && isa::width(operands_[0].type) == 64)
            f_.sampler = plan_handle(p_, next(), Type::samplerref);
        take_coordinates();
        if (f_.kind.levels == LevelChoice::given) take_level();
        if (f_.kind.levels == LevelChoice::gradients) {
            take_values(f_.dx);
            take_values(f_.dy);
        }
        if (!operands_.empty() && !is_float_operand()) {
            f_.has_offset = true;
            take_values(f_.offset);
        }
        if (!operands_.empty()) {
            f_.kind.compares = true;
            f_.reference = p_.source(next(), 2);
        }
        f_.planes = &texture::plane_functions(p_.kernel().options.host);
        return std::move(f_);
    }

private:
    void set_kind() {
        ir::Form const& form = p_.form();
        f_.kind.geometry = geometry_of(form);
        f_.kind.counts_texels = form.types[1] == Type::s32;
        f_.kind.levels = form.operation == Operation::tex_level  ? LevelChoice::given
                         : form.operation == Operation::tex_grad ? LevelChoice::gradients
                                                                 : LevelChoice::base;
        f_.kind.gathers = form.operation == Operation::tld4;
        static constexpr Modifier components[] = {Modifier::r, Modifier::g, Modifier::b, Modifier::a};
        for (std::uint8_t i = 0; f_.kind.gathers && i < 4; ++i) {
            if (form.has(components[i])) f_.kind.component = i;
        }
        f_.type = form.types[0];
    }

    ir::Operand const& next() {
        ir::Operand const& operand = operands_[0];
        operands_ = operands_.subspan(1);
        return operand;
    }
    /// The registers of a list, or one that stands for itself.
    Operands take_list() {
        std::size_t count = 1;
        if (operands_[0].kind == Kind::vector) {
            count = operands_[0].count;
            operands_ = operands_.subspan(1);
        }
        Operands const list = operands_.first(count);
        operands_ = operands_.subspan(count);
        return list;
    }
    bool is_float_operand() const { return operands_[0].kind != Kind::vector && isa::is_float(operands_[0].type); }

    void take_results() {
        int const log2 = f_.type == Type::f16 ? 1 : 2;
        Operands const list = take_list();
        for (std::size_t i = 0; i < list.size() && i < 4; ++i) f_.results[i] = p_.destination(list[i], log2);
        if (operands_[0].kind == Kind::address) return;
        f_.is_resident = p_.destination(next(), 0);
    }

    void take_coordinates() {
        Operands list = take_list();
        auto const take = [&] {
            Slot const slot = p_.source(list[0], 2);
            list = list.subspan(1);
            return slot;
        };
        Geometry const geometry = f_.kind.geometry;
        if (texture::is_layered(geometry)) f_.layer = take();
        if (texture::is_multisample(geometry)) f_.sample = take();
        std::size_t const count =
            texture::is_cube(geometry) ? 3 : static_cast<std::size_t>(texture::dimensions(geometry));
        for (std::size_t i = 0; i < count; ++i) f_.at[i] = take();
    }
    void take_level() { f_.level = p_.source(next(), 2); }
    void take_values(std::array<Slot, 3>& values) {
        Operands const list = take_list();
        bool const is_cube = texture::is_cube(f_.kind.geometry);
        std::size_t const wanted = is_cube ? 3 : static_cast<std::size_t>(texture::dimensions(f_.kind.geometry));
        for (std::size_t i = 0; i < list.size() && i < wanted; ++i) values[i] = p_.source(list[i], 2);
    }

    FunctionPlanner& p_;
    Operands operands_;
    TextureFetch f_;
};

}  // namespace

TextureFetch plan_texture_fetch(FunctionPlanner& p, Operands operands) {
    return FetchPlanner(p, operands).planned();
}

}  // namespace warpsim::sim
