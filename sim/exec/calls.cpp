// Activations: calls, returns, the end of threads, and the passing of arguments.
#include "sim/exec/calls.hpp"
#include "sim/demangled.hpp"

#include "sim/exec/callees.hpp"
#include "sim/exec/plan.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>

namespace warpsim::sim {

namespace {

constexpr std::uint64_t max_local_bytes = 512 * 1024;  // per thread, as the hardware's address space allows
constexpr std::uint64_t frame_overhead = 16;           // a return address and saved registers

/// The most stack that a lane has allocated by alloca.
std::uint64_t taken(Frame const& frame) {
    return frame.local_end - frame.local_base - frame.function->local_bytes;
}

void use_local(Warp& warp, std::uint64_t end) {
    warp.local_used = std::max(warp.local_used, end);
    if (end * 32 > warp.local.size()) warp.local.resize(std::max<std::size_t>(end * 32, warp.local.size() * 2));
}

/// 4 bytes of each lane, which are adjacent.
void copy_row(std::byte* to, std::byte const* from, LaneMask lanes) {
    if (lanes == isa::all_lanes) {
        std::memcpy(to, from, 128);
        return;
    }
    static constexpr auto bit = [] {
        std::array<std::uint32_t, 32> bits{};
        for (unsigned i = 0; i < 32; ++i) bits[i] = 1u << i;
        return bits;
    }();
    auto* const target = reinterpret_cast<std::uint32_t*>(to);
    auto const* const source = reinterpret_cast<std::uint32_t const*>(from);
    for (unsigned i = 0; i < 32; ++i) {
        // Both are read in any case, so that the compiler may use vectors.
        std::uint32_t const old = target[i], value = source[i];
        target[i] = (lanes & bit[i]) != 0 ? value : old;
    }
}

}  // namespace

FrameIndex Calls::make_frame(Warp& warp, FunctionPlan const& function, FrameIndex parent_index, LaneMask lanes) {
    Frame const* const parent = parent_index == no_frame ? nullptr : &warp.frame(parent_index);
    auto& pool = free_frames_[function.plan_index];
    Owned<Frame> frame;
    if (pool.empty()) {
        frame = Owned<Frame>(Frame{});
        frame->function = &function;
        frame->registers = AlignedBytes(function.frame_bytes);
    } else {
        frame = std::move(pool.back());
        pool.pop_back();
    }
    for (FunctionPlan::Bytes const& bytes : function.cleared)
        std::memset(frame->registers.get() + bytes.begin, 0, bytes.size);
    std::memset(frame->registers.get() + function.param_area, 0, function.frame_bytes - function.param_area);
    frame->parent = parent_index;
    frame->depth = parent == nullptr ? 0 : parent->depth + 1;
    frame->lanes = lanes;
    frame->activation = ++activations_;
    frame->local_base = parent == nullptr ? 0 : (parent->local_end + 15) / 16 * 16;
    frame->local_end = frame->local_base + function.local_bytes;
    // What is not recursive is provided for, however much it takes.
    std::uint64_t const counted = function.is_recursive ? function.local_bytes + frame_overhead : 0;
    frame->stack_bytes = parent == nullptr ? 0 : parent->stack_bytes + taken(*parent) + counted;
    if (frame->stack) frame->stack->fill(frame->local_end);
    use_local(warp, frame->local_end);
    frame->param_end = (function.frame_bytes - function.param_area) / 32;
    if (function.local_base != discard) {
        auto* const column = reinterpret_cast<std::uint64_t*>(frame->registers.get() + function.local_base);
        std::fill_n(column, 32, frame->local_base);
    }
    // The first free place behind the caller's: for a chain of calls that is the end.
    auto const count = static_cast<FrameIndex>(warp.frames.size());
    for (FrameIndex i = parent == nullptr ? 0 : parent_index + 1; i < count; ++i) {
        if (warp.frames[i]) continue;
        warp.frames[i] = std::move(frame);
        return i;
    }
    warp.frames.add(std::move(frame));
    return count;
}

void Calls::free_frame(Warp& warp, FrameIndex frame) {
    free_frames_[warp.frame(frame).function->plan_index].push_back(std::move(warp.frames[frame]));
}

void Calls::free_all(Warp& warp) {
    for (FrameIndex i = 0; i < warp.frames.size(); ++i) {
        if (warp.frames[i]) free_frame(warp, i);
    }
    warp.frames.clear();
}

void Calls::move_stack(Cta const& cta, Warp& warp, Op const& op, LaneMask mask) {
    Frame& frame = warp.running_frame();
    std::uint64_t const bottom = frame.local_base + frame.function->local_bytes;
    if (!frame.stack) {
        frame.stack = Owned(std::array<std::uint64_t, 32>{});
        frame.stack->fill(bottom);
    }
    bool const is_64 = op.operands.slot[2] == 3;
    auto const read = [&](int i) {
        return is_64 ? isa::column<std::uint64_t>(warp.bases, op.operands.slot[1])[i]
                     : std::uint64_t{isa::column<std::uint32_t>(warp.bases, op.operands.slot[1])[i]};
    };
    auto const write = [&](int i, std::uint64_t value) {
        if (is_64) isa::column<std::uint64_t>(warp.bases, op.operands.slot[0])[i] = value;
        else isa::column<std::uint32_t>(warp.bases, op.operands.slot[0])[i] = static_cast<std::uint32_t>(value);
    };
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        std::uint64_t& top = (*frame.stack)[static_cast<std::size_t>(lane)];
        switch (static_cast<StackMove>(op.target)) {
            case StackMove::save: write(lane, top); break;
            case StackMove::alloc: {
                std::uint64_t const alignment = op.operands.immediate, bytes = read(lane);
                std::uint64_t const start = (top + alignment - 1) / alignment * alignment;
                std::uint64_t const used = frame.stack_bytes + (start - bottom);
                if (bytes > launch_.stack_bytes || used + bytes > launch_.stack_bytes ||
                    start + bytes > max_local_bytes) {
                    fault(cta, warp, op, lane, FaultKind::stack_overflow,
                          "stack overflow: alloca of " + std::to_string(bytes) + " bytes, with " +
                              std::to_string(used) + " taken of a stack of " +
                              std::to_string(launch_.stack_bytes));
                }
                top = start + bytes;
                write(lane, start);
                break;
            }
            case StackMove::restore:
                if (read(lane) < bottom || read(lane) > top) {
                    fault(cta, warp, op, lane, FaultKind::illegal_operand,
                          "stackrestore to " + std::to_string(read(lane)) + ", while the stack of this call is " +
                              std::to_string(bottom) + " to " + std::to_string(top));
                }
                top = read(lane);
                break;
        }
    }
    frame.local_end = bottom;
    for (LaneMask m = frame.lanes; m != 0; m &= m - 1) {
        frame.local_end = std::max(frame.local_end, (*frame.stack)[static_cast<std::size_t>(std::countr_zero(m))]);
    }
    use_local(warp, frame.local_end);
}

void Calls::call(Cta& cta, Warp& warp, Op const& op, std::uint32_t pc, LaneMask mask) {
    FrameIndex const caller = warp.running().frame;
    LaneMask const active = warp.running().lanes;
    FunctionPlan const& function = *warp.frame(caller).function;
    CallPlan const& call = function.calls[op.target];
    if (mask != active) check_uniform(cta, warp, op, mask, active & ~mask, "call");
    // All lanes reconverge behind the call; those that the guard switches off wait there already.
    ConvergenceBarrier& entry = divergence_.open_convergence_barrier(warp, pc + 1, caller, active);
    if (mask != active) divergence_.wait_in(warp, entry, active & ~mask);
    if (call.callee != ir::none) {
        FunctionPlan const& callee = launch_.plan.functions[call.callee];
        sinks_.tell<CallEvent>([&] { return CallEvent{site(cta, warp, op), mask, &callee, ir::Builtin::none}; });
        divergence_.remove_current(warp);
        enter(cta, warp, callee, call, pc + 1, mask, caller);
        return;
    }
    struct Part {
        FunctionPlan const* callee;
        LaneMask lanes;
    };
    std::array<Part, 32> parts;
    std::size_t count = 0;
    auto const target = [&](int i) {
        return call.target_is_64 ? isa::column<std::uint64_t>(warp.bases, call.target)[i]
                                 : std::uint64_t{isa::column<std::uint32_t>(warp.bases, call.target)[i]};
    };
    for (LaneMask rest = mask; rest != 0; rest &= ~parts[count++].lanes) {
        int const lane = std::countr_zero(rest);
        LaneMask same = 0;
        for (LaneMask m = rest; m != 0; m &= m - 1) {
            int const i = std::countr_zero(m);
            if (target(i) == target(lane)) same |= 1u << i;
        }
        parts[count] = {&callee_at(cta, warp, op, call, lane, target(lane)), same};
    }
    if (count > 1) check_uniform(cta, warp, op, parts[0].lanes, mask & ~parts[0].lanes, "call one function");
    for (std::size_t i = 0; i < count; ++i) {
        sinks_.tell<CallEvent>([&] {
            return CallEvent{site(cta, warp, op), parts[i].lanes, parts[i].callee, ir::Builtin::none};
        });
    }
    divergence_.remove_current(warp);
    for (std::size_t i = 0; i < count; ++i) {
        enter(cta, warp, *parts[i].callee, call, pc + 1, parts[i].lanes, caller);
        warp.bases[0] = warp.frame(caller).registers.get();
    }
}

FunctionPlan const& Calls::callee_at(Cta const& cta, Warp const& warp, Op const& op, CallPlan const& call,
                                     int lane, std::uint64_t address) const {
    std::uint32_t const ir_function = function_at(address, launch_.plan.module->functions.size());
    if (ir_function == ir::none) {
        fault(cta, warp, op, lane, FaultKind::illegal_call,
              "call of " + std::to_string(address) + ", which is not the address of a function");
    }
    std::uint32_t const callee = launch_.plan.plan_of[ir_function];
    if (callee == ir::none || !launch_.plan.callees[call.prototype][callee]) {
        ir::Module const& module = *launch_.plan.module;
        std::string const why = misfit(module, module.prototypes[call.prototype], ir_function);
        fault(cta, warp, op, lane, FaultKind::illegal_call,
              "call of " + demangled(module.functions[ir_function].name) + ": " +
                  (why.empty() ? "it has no body" : why));
    }
    return launch_.plan.functions[callee];
}

void Calls::enter(Cta& cta, Warp& warp, FunctionPlan const& callee, CallPlan const& call, std::uint32_t return_op,
                  LaneMask lanes, FrameIndex caller) {
    FrameIndex const index = make_frame(warp, callee, caller, lanes);
    Frame* const frame = &warp.frame(index);
    frame->call = &call;
    frame->return_op = return_op;
    divergence_.add_split(warp, lanes, 0, index);
    divergence_.select(warp, static_cast<std::uint32_t>(warp.splits.size()) - 1);
    bool const too_deep =
        frame->stack_bytes > launch_.stack_bytes || frame->local_base + callee.local_bytes > max_local_bytes;
    if (too_deep) {
        fault(cta, warp, callee.ops.front(), std::countr_zero(lanes), FaultKind::stack_overflow,
              "stack overflow: " + std::to_string(frame->depth) + " calls deep, " +
                  std::to_string(frame->stack_bytes) + " bytes of a stack of " +
                  std::to_string(launch_.stack_bytes));
    }
    if (callee.unsized_parameter != UINT32_MAX) {
        bool const is_given = call.arguments.size() == callee.parameters.size();
        bool const is_area = callee.parameters.back().to.place == CallCopy::End::Place::param_area;
        if (is_area) frame->param_end = callee.unsized_parameter + (is_given ? call.arguments.back().bytes : 0);
    }
    std::size_t const count = std::min(call.arguments.size(), callee.parameters.size());
    for (std::size_t i = 0; i < count; ++i) {
        copy(warp, warp.frame(caller), call.arguments[i], *frame, callee.parameters[i].to, lanes);
    }
}

void Calls::copy(Warp& warp, Frame& from_frame, CallCopy::End const& from, Frame& to_frame,
                 CallCopy::End const& to, LaneMask lanes) {
    using Place = CallCopy::End::Place;
    auto const is_column = [](CallCopy::End const& end) { return end.place == Place::column; };
    if ((is_column(from) && from.slot == discard) || (is_column(to) && to.slot == discard)) return;
    auto const place = [&](Frame& frame, CallCopy::End const& end) {
        if (end.place == Place::param_area) return frame.registers.get() + frame.function->param_area;
        if (end.place == Place::local) return warp.local.data() + frame.local_base * 32;
        return (end.slot & 3) == 0 ? frame.registers.get() + end.slot : warp.bases[end.slot & 3] + (end.slot & ~3);
    };
    std::byte* const source = place(from_frame, from);
    std::byte* const target = place(to_frame, to);
    if (from.bytes == 0 || to.bytes == 0) {  // predicates
        LaneMask values, old;
        std::memcpy(&values, source, 4);
        std::memcpy(&old, target, 4);
        old = (old & ~lanes) | (values & lanes);
        std::memcpy(target, &old, 4);
        return;
    }
    // Byte `b` of lane `i`: memory is interleaved by words, a column holds one element per lane.
    auto const at = [&](CallCopy::End const& end, std::uint32_t b, std::uint32_t i) -> std::size_t {
        std::uint32_t const o = end.offset + b;
        return is_column(end) ? std::size_t{i} * end.bytes + b : std::size_t{o / 4} * 128 + i * 4 + o % 4;
    };
    // A register may be wider than a parameter of 8 bits.
    std::uint32_t const bytes = std::min(from.bytes, to.bytes);
    if (is_column(to) && to.bytes > bytes) {
        for (LaneMask m = lanes; m != 0; m &= m - 1) {
            std::memset(target + at(to, 0, static_cast<std::uint32_t>(std::countr_zero(m))), 0, to.bytes);
        }
    }
    auto const is_whole = [&](CallCopy::End const& end) { return is_column(end) || end.offset % 4 == 0; };
    bool const whole_words = bytes % 4 == 0 && is_whole(from) && is_whole(to);
    auto const is_row = [&](CallCopy::End const& end) { return !is_column(end) || end.bytes == 4; };
    if (whole_words && is_row(from) && is_row(to)) {
        for (std::uint32_t b = 0; b < bytes; b += 4)
            copy_row(target + at(to, b, 0), source + at(from, b, 0), lanes);
        return;
    }
    std::uint32_t const step = whole_words ? 4 : 1;
    for (std::uint32_t b = 0; b < bytes; b += step) {
        for (LaneMask m = lanes; m != 0; m &= m - 1) {
            auto const i = static_cast<std::uint32_t>(std::countr_zero(m));
            std::memcpy(target + at(to, b, i), source + at(from, b, i), step);
        }
    }
}

void Calls::return_lanes(Cta& cta, Warp& warp, LaneMask lanes) {
    FrameIndex const index = warp.running().frame;
    Frame* const frame = &warp.frame(index);
    FrameIndex const caller = frame->parent;
    FunctionPlan const& callee = *frame->function;
    Op const& op = callee.ops[warp.running().pc - 1];
    sinks_.tell<ReturnEvent>([&] { return ReturnEvent{site(cta, warp, op), lanes}; });
    if (callee.function->is_noreturn) {
        fault(cta, warp, op, std::countr_zero(lanes), FaultKind::broken_promise,
              "return from " + demangled(callee.function->name) + ", which is declared .noreturn");
    }
    std::size_t const count = std::min(frame->call->returns.size(), callee.returns.size());
    for (std::size_t i = 0; i < count; ++i) {
        copy(warp, *frame, callee.returns[i].to, warp.frame(caller), frame->call->returns[i], lanes);
    }
    std::uint32_t const point = frame->return_op;
    WarpSplit& split = warp.running();
    split.lanes &= ~lanes;
    if (split.lanes == 0) divergence_.remove_current(warp);
    frame->lanes &= ~lanes;
    for (ConvergenceBarrier& c : warp.convergence_barriers) {
        if (c.frame != index) continue;
        c.lanes &= ~lanes;
        c.arrived &= ~lanes;
    }
    bool const is_empty = frame->lanes == 0;
    if (ConvergenceBarrier* const entry = divergence_.find_convergence_barrier(warp, point, caller, lanes)) {
        divergence_.wait_in(warp, *entry, lanes);
    } else {
        divergence_.add_split(warp, lanes, point, caller);
        if (launch_.control_flow == ControlFlow::stack && warp.splits.size() > 1) {
            // Lanes of the callee that are still running stay on top.
            std::rotate(warp.splits.begin(), warp.splits.end() - 1, warp.splits.end());
        }
        divergence_.select(warp, static_cast<std::uint32_t>(warp.splits.size()) - 1);
    }
    divergence_.release_complete(cta, warp);
    if (is_empty) free_frame(warp, index);
    divergence_.shorten_slice(warp);
}

void Calls::leave(Warp& warp, LaneMask lanes) {
    FrameIndex const innermost = warp.running().frame;
    WarpSplit& split = warp.running();
    split.lanes &= ~lanes;
    if (split.lanes == 0) divergence_.remove_current(warp);
    for (FrameIndex f = innermost; f != no_frame;) {
        Frame& frame = warp.frame(f);
        FrameIndex const parent = frame.parent;
        frame.lanes &= ~lanes;
        bool const is_waited_in =
            std::any_of(warp.convergence_barriers.begin(), warp.convergence_barriers.end(),
                        [&](ConvergenceBarrier const& c) { return c.frame == f && (c.lanes & ~lanes) != 0; });
        if (frame.lanes == 0 && !is_waited_in) {
            for (std::size_t i = warp.convergence_barriers.size(); i-- > 0;) {
                if (warp.convergence_barriers[i].frame == f) warp.convergence_barriers.remove(i);
            }
            free_frame(warp, f);
        }
        f = parent;
    }
}

}  // namespace warpsim::sim
