#include "sim/compiled/lane_calls.hpp"

#include "frontend/isa/table.hpp"
#include "sim/exec/function_planner.hpp"

#include <algorithm>
#include <cstddef>

namespace warpsim::sim {

namespace {

using isa::LaneFunction;
using isa::Type;

std::uint8_t log2_of(Type type) {
    return type == Type::pred ? std::uint8_t{0} : static_cast<std::uint8_t>(column_log2(type));
}

std::size_t offset_in(void const* whole, void const* member) {
    return static_cast<std::size_t>(static_cast<std::byte const*>(member) - static_cast<std::byte const*>(whole));
}

/// Compares a function with members of AccessFunctions, whose positions tell which widths it takes.
class AccessTable {
public:
    AccessTable(AccessFunctions const& table, Op const& op) : table_(table), op_(op) {}

    std::optional<LaneCall> find() {
        for (std::uint8_t to = 1; to <= 3; ++to) {
            if (is(table_.copy[to])) return sum(to, to);
            for (std::uint8_t from = 1; from <= 3; ++from) {
                for (bool const is_signed : {false, true}) {
                    if (!is(table_.widen[is_signed][from][to])) continue;
                    call(to, {from}).linear = {from == 2, false, false, true, is_signed};
                    return found_;
                }
                if (is(table_.narrow[from][to])) return sum(to, from);
            }
            for (std::size_t memory = 0; memory <= 3; ++memory) {
                if (!is(table_.broadcast[memory][0][to]) && !is(table_.broadcast[memory][1][to])) continue;
                call(to, {});
                found_.reads_scalar = true;
                return found_;
            }
        }
        if (is(table_.add_offset[0])) return sum(2, 2);
        if (is(table_.add_offset[1])) return sum(3, 3);
        if (is(table_.copy_predicate) || is(table_.predicate_not)) return call(0, {0});
        for (std::size_t negated = 0; negated < 2; ++negated) {
            if (is(table_.predicate_and[negated]) || is(table_.predicate_or[negated]) ||
                is(table_.predicate_xor[negated]))
                return call(0, {0, 0});
        }
        return find_parts();
    }

private:
    std::optional<LaneCall> find_parts() {
        for (std::uint8_t whole = 1; whole <= 3; ++whole) {
            for (std::uint8_t part = 0; part <= 3; ++part) {
                std::uint8_t const column = std::max<std::uint8_t>(part, 1);
                if (is(table_.extract[whole][part])) return call(column, {whole});
                if (!is(table_.insert[part][whole])) continue;
                call(whole, {column});
                found_.reads_destination = true;
                return found_;
            }
        }
        return std::nullopt;
    }

    bool is(LaneFunction const& member) {
        if (member == nullptr || member != op_.run) return false;
        found_.origin.table = LaneOrigin::Table::access;
        found_.origin.member = offset_in(&table_, &member);
        return true;
    }
    LaneCall& call(std::uint8_t to, std::vector<std::uint8_t> const& from) {
        found_.destination = {op_.operands.slot[0], to};
        for (std::size_t i = 0; i < from.size(); ++i)
            found_.sources.push_back({op_.operands.slot[1 + i], from[i]});
        return found_;
    }

    /// A copy is one of a single number.
    LaneCall& sum(std::uint8_t to, std::uint8_t from) {
        LaneCall& result = call(to, {from});
        result.linear.is_linear = to >= 2 && from >= 2;
        return result;
    }

    AccessFunctions const& table_;
    Op const& op_;
    LaneCall found_;
};

struct NamedRule {
    std::string_view syntax;
    LinearRule rule;
};
// clang-format off
constexpr NamedRule linear_rows[] = {
    //                         linear multiplies only_first widens
    {"add.type d, a, b",        {true, false,     false,     false}},
    {"sub.type d, a, b",        {true, false,     false,     false}},
    {"neg.type d, a",           {true, false,     false,     false}},
    {"mul.lo.type d, a, b",     {true, true,      false,     false}},
    {"mad.lo.type d, a, b, c",  {true, true,      false,     false}},
    {"shl.type d, a, b",        {true, true,      true,      false}},
    {"mul.wide.type d, a, b",   {true, true,      false,     true}},
    {"mad.wide.type d, a, b, c", {true, true,     false,     true}},
};
// clang-format on

/// Between integers: a sum of one number, of which the upper half may be left out.
LinearRule linear_conversion(Type to, Type from) {
    if (isa::width(from) < 32) return {};
    return {true, false, false, isa::width(to) > isa::width(from), isa::is_signed(from)};
}

/// Of numbers of 32 or 64 bits; rows of packed ones may have the same syntax.
LinearRule linear_rule(isa::Row const& row, isa::Variant const& variant) {
    Type const type = variant.types[0];
    if (isa::width(type) < 32 || isa::is_packed_integer(type)) return {};
    if (row.syntax == "cvt.dtype.atype d, a") return linear_conversion(type, variant.types[1]);
    for (NamedRule const& named : linear_rows) {
        if (named.syntax != row.syntax) continue;
        LinearRule rule = named.rule;
        rule.is_signed = isa::is_signed(type);
        return rule;
    }
    return {};
}

std::optional<LaneOrigin> origin_of(isa::HostIsa host, std::size_t row, std::size_t variant) {
    for (isa::Chapter const& chapter : isa::chapters(host)) {
        if (row < chapter.rows.size()) return LaneOrigin{LaneOrigin::Table::chapter, chapter.title, row, variant};
        row -= chapter.rows.size();
    }
    return std::nullopt;
}

std::optional<LaneCall> find_variant(isa::HostIsa host, ir::Form const& form, Op const& op) {
    isa::Row const& row = isa::rows(host)[form.row];
    if (row.video_elements != 0 || form.variant >= row.variants.size()) return std::nullopt;
    isa::Variant const& variant = row.variants[form.variant];
    bool const is_plain = op.run == variant.run;
    if (!is_plain && op.run != variant.run_ftz) return std::nullopt;
    auto origin = origin_of(host, form.row, form.variant);
    if (!origin) return std::nullopt;
    LaneCall call{*origin, {op.operands.slot[0], log2_of(variant.result)}, {}, false, false, std::nullopt, {}};
    call.origin.member = is_plain ? offsetof(isa::Variant, run) : offsetof(isa::Variant, run_ftz);
    for (std::size_t i = 0; i < variant.source_count; ++i)
        call.sources.push_back({op.operands.slot[1 + i], log2_of(variant.sources[i])});
    if (isa::carries(row)) call.carry_out = LaneOperand{op.operands.slot[1 + variant.source_count], 0};
    auto const is_wide = [](LaneOperand const& operand) { return operand.log2 > 3; };
    if (is_wide(call.destination) || std::any_of(call.sources.begin(), call.sources.end(), is_wide))
        return std::nullopt;
    if (is_plain) call.linear = linear_rule(row, variant);
    return call;
}

std::optional<LaneCall> find_saturation(isa::HostIsa host, Op const& op) {
    for (Type const type : {Type::f16, Type::bf16, Type::f16x2, Type::bf16x2, Type::f32, Type::f64}) {
        if (op.run != isa::saturate(host, type)) continue;
        LaneCall call;
        call.origin.table = LaneOrigin::Table::saturate;
        call.origin.type = type;
        call.destination = {op.operands.slot[0], log2_of(type)};
        call.sources = {{op.operands.slot[1], log2_of(type)}};
        return call;
    }
    return std::nullopt;
}

}  // namespace

std::optional<LaneCall> find_lane_call(KernelPlan const& plan, FunctionPlan const& function, Op const& op,
                                       isa::HostIsa host) {
    if (op.run == nullptr) return std::nullopt;
    ir::Form const& form = plan.module->forms[function.function->instructions[op.instruction].form];
    if (auto call = find_variant(host, form, op)) return call;
    if (auto call = AccessTable(access_functions(host), op).find()) return call;
    return find_saturation(host, op);
}

}  // namespace warpsim::sim
