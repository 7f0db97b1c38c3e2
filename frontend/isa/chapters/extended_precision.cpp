// PTX ISA "Extended-Precision Integer Arithmetic Instructions". The carry is a register that no operand names; the rows
// are read and checked.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using Carried = Types<u32, s32, u64, s64>;

constexpr Row carried(std::string_view syntax, Since since) {
    return effect_row(syntax, Carried{}, since, Unit::alu, Effect::not_executed);
}
constexpr Since of_words = since(1, 2);
constexpr Since of_products = since(3, 0, 20);

constexpr Row rows[] = {
    carried("add.cc.type d, a, b", of_words),
    carried("addc{.cc}.type d, a, b", of_words),
    carried("sub.cc.type d, a, b", of_words),
    carried("subc{.cc}.type d, a, b", of_words),
    carried("mad.hi.cc.type d, a, b, c", of_products),
    carried("mad.lo.cc.type d, a, b, c", of_products),
    carried("madc.hi{.cc}.type d, a, b, c", of_products),
    carried("madc.lo{.cc}.type d, a, b, c", of_products),
};

}  // namespace

extern constinit std::span<Row const> const extended_precision{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
