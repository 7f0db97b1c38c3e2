// Arguments and results of calls, between the registers and parameters of two activations.
#include "runtime/check/init/init_check.hpp"

#include <algorithm>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

namespace warpsim::check {

using Place = sim::CallCopy::End::Place;

namespace {

/// The registers that a call names for its results and arguments; none for memory.
struct CallRegisters {
    std::vector<std::uint32_t> results, arguments;
};
CallRegisters registers_of_call(ir::Module const& module, ir::Function const& function,
                                ir::Instruction const& instruction) {
    CallRegisters r;
    auto const operands = function.operands_of(instruction);
    bool const has_results = module.forms[instruction.form].text.find("call") != std::string_view::npos &&
                             !operands.empty() && operands[0].kind == ir::Operand::Kind::list;
    std::size_t at = 0;
    auto const take = [&](std::vector<std::uint32_t>& to) {
        if (at >= operands.size() || operands[at].kind != ir::Operand::Kind::list) return;
        std::size_t const count = operands[at++].count;
        for (std::size_t i = 0; i < count && at < operands.size(); ++i, ++at)
            to.push_back(operands[at].kind == ir::Operand::Kind::reg ? operands[at].index : ir::none);
    };
    if (has_results) take(r.results);
    ++at;  // the target
    take(r.arguments);
    return r;
}

unsigned width_of_register(ir::Function const& function, std::uint32_t reg) {
    return static_cast<unsigned>(isa::width(function.registers[reg].type));
}

}  // namespace

void InitCheck::calls(sim::CallEvent const& e) {
    FrameShadow& f = frame(e.site);
    sim::FunctionPlan const& plan = *e.site.frame.function;
    sim::CallPlan const& call = plan.calls[e.site.op.target];
    ir::Function const& function = *plan.function;
    CallRegisters const named =
        registers_of_call(*launch_->plan.module, function, function.instructions[e.site.op.instruction]);
    Passed passed{e.callee, e.lanes, {}};
    for (std::uint32_t i = 0; i < call.arguments.size(); ++i) {
        sim::CallCopy::End const& end = call.arguments[i];
        bool const is_column = end.place == Place::column;
        std::uint32_t const reg = i < named.arguments.size() ? named.arguments[i] : ir::none;
        if (is_column && (reg == ir::none || f.undefined(reg) == 0)) continue;
        for (LaneMask m = e.lanes; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            for (std::uint32_t b = 0; b < std::max(end.bytes, 1u); ++b) {
                ShadowByte bits = 0;
                OriginId origin = 0;
                if (is_column) {
                    bits = b < 8 ? static_cast<ShadowByte>(f.bits(reg, lane) >> (8 * b)) : ShadowByte{0};
                    origin = f.origin(reg, lane);
                } else {
                    std::size_t const place = InterleavedShadow::place(end.offset + b, lane);
                    FlatShadow& area = f.parameters().flat();
                    if (place >= area.bytes.size()) break;
                    bits = area.bytes[place];
                    origin = area.origin(place);
                }
                if (bits == 0) continue;
                if (origin == 0) origin = new_origin(sim::SpaceKind::frame_param, e.site, lane, end.offset + b);
                passed.bytes.push_back({i, b, lane, bits, origin});
            }
        }
    }
    if (e.callee != nullptr) {
        warp(e.site).passed.push_back(std::move(passed));
        return;
    }
    // A function of the simulator: addresses and sizes must be defined, what it returns is.
    for (Passed::Byte const& byte : passed.bytes) {
        report(Use::operand, e.site, LaneMask{1} << byte.lane, byte.lane, byte.origin);
        if (byte.argument < named.arguments.size() && named.arguments[byte.argument] != ir::none)
            f.define(named.arguments[byte.argument], e.lanes);
        break;
    }
    for (std::size_t i = 0; i < call.returns.size(); ++i) {
        sim::CallCopy::End const& end = call.returns[i];
        if (end.place == Place::column) {
            if (i < named.results.size() && named.results[i] != ir::none) f.define(named.results[i], e.lanes);
            continue;
        }
        for (LaneMask m = e.lanes; m != 0; m &= m - 1)
            for (std::uint32_t b = 0; b < end.bytes; ++b)
                f.parameters().at(end.offset + b, static_cast<unsigned>(std::countr_zero(m))) = 0;
    }
}

/// A new activation takes over what its caller has passed.
void InitCheck::receive_arguments(FrameShadow& f, sim::Warp const&, sim::Frame const& of, WarpShadow& in) {
    sim::FunctionPlan const& callee = *of.function;
    ir::Function const& function = *callee.function;
    if (of.is_kernel()) return;
    auto const define_end = [&](std::size_t i) {
        sim::CallCopy::End const& end = callee.parameters[i].to;
        if (end.place == Place::column) return f.define(function.parameters[i], of.lanes);
        InterleavedShadow& to = end.place == Place::local ? in.local : f.parameters();
        std::uint64_t const begin = end.offset + (end.place == Place::local ? of.local_base : 0);
        std::uint64_t const bytes =
            end.bytes == sim::CallCopy::End::any_bytes ? to.size() - std::min(to.size(), begin) : end.bytes;
        for (std::uint64_t b = begin; b < begin + bytes && b < to.size(); ++b)
            for (LaneMask m = of.lanes; m != 0; m &= m - 1)
                to.at(b, static_cast<unsigned>(std::countr_zero(m))) = 0;
    };
    for (std::size_t i = 0; i < callee.parameters.size(); ++i) define_end(i);
    auto const at = std::find_if(in.passed.begin(), in.passed.end(), [&](Passed const& p) {
        return p.callee == &callee && (p.lanes & of.lanes) != 0;
    });
    if (at == in.passed.end()) return;
    for (Passed::Byte const& byte : at->bytes) {
        if (byte.argument >= callee.parameters.size() || (of.lanes >> byte.lane & 1) == 0) continue;
        sim::CallCopy::End const& end = callee.parameters[byte.argument].to;
        if (end.place == Place::column) {
            std::uint32_t const reg = function.parameters[byte.argument];
            Bits const bits = f.bits(reg, byte.lane) | Bits{byte.bits} << (8 * (byte.byte & 7));
            f.set(reg, byte.lane, bits & low_bits(width_of_register(function, reg)), byte.origin);
            continue;
        }
        if (byte.byte >= end.bytes) continue;
        InterleavedShadow& to = end.place == Place::local ? in.local : f.parameters();
        std::uint64_t const where = end.offset + byte.byte + (end.place == Place::local ? of.local_base : 0);
        if (where >= to.size()) continue;
        to.at(where, byte.lane) = byte.bits;
        to.flat().set_origin(InterleavedShadow::place(where, byte.lane), byte.origin);
    }
    in.passed.erase(at);
}

void InitCheck::returns(sim::ReturnEvent const& e) {
    sim::Frame const& of = e.site.frame;
    if (of.is_kernel() || of.call == nullptr) return;
    sim::Frame const& to = e.site.warp.frame(of.parent);
    FrameShadow& callee = frame(e.site);
    FrameShadow& caller = frame(e.site.cta, e.site.warp, to);
    sim::FunctionPlan const& plan = *to.function;
    std::uint32_t const instruction = plan.ops[of.return_op - 1].instruction;
    CallRegisters const named =
        registers_of_call(*launch_->plan.module, *plan.function, plan.function->instructions[instruction]);
    ir::Function const& function = *of.function->function;
    std::size_t const count = std::min(of.call->returns.size(), of.function->returns.size());
    for (std::size_t i = 0; i < count; ++i) {
        sim::CallCopy::End const& from = of.function->returns[i].to;
        sim::CallCopy::End const& into = of.call->returns[i];
        std::uint32_t const bytes = std::max(into.bytes, 1u);
        for (LaneMask m = e.lanes; m != 0; m &= m - 1) {
            auto const lane = static_cast<unsigned>(std::countr_zero(m));
            Bits bits = 0;
            OriginId origin = 0;
            auto const put = [&](std::uint32_t b, ShadowByte byte, OriginId where) {
                if (into.place == Place::column) {
                    if (b < 8) bits |= Bits{byte} << (8 * b);
                    if (byte != 0 && origin == 0) origin = where;
                } else if (into.offset + b < caller.parameters().size()) {
                    caller.parameters().at(into.offset + b, lane) = byte;
                    caller.parameters().flat().set_origin(InterleavedShadow::place(into.offset + b, lane), where);
                }
            };
            for (std::uint32_t b = 0; b < bytes; ++b) {
                if (from.place == Place::column) {
                    std::uint32_t const reg = function.returns[i];
                    put(b, b < 8 ? static_cast<ShadowByte>(callee.bits(reg, lane) >> (8 * b)) : ShadowByte{0},
                        callee.origin(reg, lane));
                    continue;
                }
                bool const is_local = from.place == Place::local;
                InterleavedShadow& area = is_local ? warp(e.site).local : callee.parameters();
                std::uint64_t const at = from.offset + b + (is_local ? of.local_base : 0);
                if (b >= from.bytes || at >= area.size()) {
                    put(b, 0, 0);
                    continue;
                }
                OriginId where = area.flat().origin(InterleavedShadow::place(at, lane));
                if (where == 0 && area.at(at, lane) != 0)
                    where = new_origin(is_local ? sim::SpaceKind::local : sim::SpaceKind::frame_param, e.site,
                                       lane, at);
                put(b, area.at(at, lane), where);
            }
            if (into.place == Place::column && i < named.results.size() && named.results[i] != ir::none)
                caller.set(named.results[i], lane,
                           bits & low_bits(width_of_register(*plan.function, named.results[i])), origin);
        }
    }
    last_frame_ = nullptr;
}

}  // namespace warpsim::check
