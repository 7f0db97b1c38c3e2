// Functions that PTX calls and no module defines: printf, assert, malloc and free, performed by the simulator
// itself.
#include "sim/exec/runtime_calls.hpp"

#include "sim/exec/device_runtime.hpp"
#include "sim/exec/print_buffer.hpp"
#include "sim/exec/warp_instruction.hpp"
#include "sim/hexadecimal.hpp"
#include "sim/memory/device_heap.hpp"
#include "sim/memory/host_memory.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <cstring>

namespace warpsim::sim {

namespace {

/// The offset of byte `b` of a lane in memory that is interleaved by words.
std::size_t interleaved(std::uint64_t b, std::size_t lane) { return b / 4 * 128 + lane * 4 + b % 4; }

/// The caller's end of an argument or a result: part of its param area, or a column.
std::byte* place(Warp const& warp, Frame const& frame, CallCopy::End const& end, std::uint32_t b,
                 std::size_t lane) {
    if (end.place == CallCopy::End::Place::param_area)
        return frame.registers.get() + frame.function->param_area + interleaved(end.offset + b, lane);
    std::byte* const column =
        (end.slot & 3) == 0 ? frame.registers.get() + end.slot : warp.bases[end.slot & 3] + (end.slot & ~3);
    return column + lane * end.bytes + b;
}

std::uint64_t argument(Warp const& warp, Frame const& frame, CallCopy::End const& end, std::size_t lane) {
    std::uint64_t value = 0;
    for (std::uint32_t b = 0; b < end.bytes && b < 8; ++b) {
        std::memcpy(reinterpret_cast<std::byte*>(&value) + b, place(warp, frame, end, b, lane), 1);
    }
    return value;
}

/// The first 16 bytes of an argument.
std::array<std::uint64_t, 2> wide_argument(Warp const& warp, Frame const& frame, CallCopy::End const& end,
                                           std::size_t lane) {
    std::array<std::uint64_t, 2> value{};
    for (std::uint32_t b = 0; b < end.bytes && b < sizeof value; ++b) {
        std::memcpy(reinterpret_cast<std::byte*>(&value) + b, place(warp, frame, end, b, lane), 1);
    }
    return value;
}

void give_back(Warp const& warp, Frame const& frame, CallPlan const& call, std::size_t lane, std::uint64_t value) {
    if (call.returns.empty()) return;
    CallCopy::End const& end = call.returns.front();
    if (end.place == CallCopy::End::Place::column && end.slot == discard) return;
    for (std::uint32_t b = 0; b < end.bytes && b < 8; ++b) {
        std::memcpy(place(warp, frame, end, b, lane), reinterpret_cast<std::byte const*>(&value) + b, 1);
    }
}

}  // namespace

/// A byte at a generic address, for the simulator's own use; false if the lane may not read it.
bool RuntimeCalls::read_byte(Cta const& cta, Warp const& warp, std::size_t lane, std::uint64_t address,
                             std::byte& value) const {
    Windows const& w = launch_.windows;
    if (Windows::inside(address, w.shared)) {
        std::uint64_t const offset = address - w.shared;
        if (offset >= launch_.shared_bytes) return false;
        value = cta.shared.get()[offset];
        return true;
    }
    if (Windows::inside(address, w.local)) {
        std::uint64_t const offset = address - w.local;
        if (offset >= warp.running_frame().local_end) return false;
        value = warp.local[interleaved(offset, lane)];
        return true;
    }
    if (Windows::inside(address, w.param)) {
        std::uint64_t const offset = address - w.param;
        if (offset >= launch_.plan.param_bytes) return false;
        value = launch_.plan_block[offset];
        return true;
    }
    if (launch_.allocations.find(address) == nullptr &&
        (!launch_.host_trust || launch_.memory.owns(address) || try_host_memory(address, 1, false))) {
        return false;
    }
    value = *reinterpret_cast<std::byte const*>(address);
    return true;
}

std::string RuntimeCalls::read_text(Cta const& cta, Warp const& warp, Op const& op, int lane,
                                    std::uint64_t address, char const* what) const {
    std::string text;
    for (std::byte c;; ++address) {
        if (!read_byte(cta, warp, static_cast<std::size_t>(lane), address, c)) {
            fault(cta, warp, op, lane, FaultKind::illegal_address,
                  std::string("illegal address: ") + what + " reads a string at " + hexadecimal(address));
        }
        if (c == std::byte{0}) return text;
        text += static_cast<char>(c);
    }
}

std::uint64_t RuntimeCalls::print(Cta const& cta, Warp const& warp, Op const& op, int lane, std::uint64_t format,
                                  std::uint64_t buffer) {
    if (format == 0) return static_cast<std::uint64_t>(-1);
    PrintArguments arguments;
    arguments.text = [&](std::uint64_t address) { return read_text(cta, warp, op, lane, address, "printf"); };
    arguments.value = [&](std::uint64_t offset, std::uint32_t bytes) {
        sinks_.tell<RuntimeAccessEvent>([&] {
            return RuntimeAccessEvent{site(cta, warp, op), lane, buffer + offset, bytes, false};
        });
        std::uint64_t value = 0;
        for (std::uint32_t b = 0; b < bytes; ++b) {
            std::byte* const to = reinterpret_cast<std::byte*>(&value) + b;
            if (!read_byte(cta, warp, static_cast<std::size_t>(lane), buffer + offset + b, *to)) {
                fault(cta, warp, op, lane, FaultKind::illegal_address,
                      "illegal address: printf reads an argument at " + hexadecimal(buffer + offset + b));
            }
        }
        return value;
    };
    Printed printed = format_printf(read_text(cta, warp, op, lane, format, "printf"), arguments);
    if (model_ != nullptr) model_->print(std::move(printed.text), printed.bytes);
    else if (launch_.print != nullptr) launch_.print->add(std::move(printed.text), printed.bytes);
    return static_cast<std::uint64_t>(printed.arguments);
}

void RuntimeCalls::fail_assertion(Cta const& cta, Warp const& warp, Op const& op, CallPlan const& call,
                                  LaneMask mask) const {
    Frame const& frame = warp.running_frame();
    auto const line = [&](int lane) {
        auto const i = static_cast<std::size_t>(lane);
        auto const text = [&](std::size_t k) {
            std::uint64_t const address = argument(warp, frame, call.arguments[k], i);
            return address == 0 ? std::string("?") : read_text(cta, warp, op, lane, address, "assert");
        };
        auto const three = [](std::uint32_t x, std::uint32_t y, std::uint32_t z) {
            return "[" + std::to_string(x) + "," + std::to_string(y) + "," + std::to_string(z) + "]";
        };
        std::uint32_t const t = 32 * warp.index + static_cast<std::uint32_t>(lane);
        auto const& b = launch_.block;
        // In the words of the CUDA driver, because programs and their tests look for this line.
        return text(1) + ":" +
               std::to_string(static_cast<std::uint32_t>(argument(warp, frame, call.arguments[2], i))) + ": " +
               text(3) + ": block: " + three(cta.id[0], cta.id[1], cta.id[2]) +
               ", thread: " + three(t % b[0], t / b[0] % b[1], t / b[0] / b[1]) + " Assertion `" + text(0) +
               "` failed.";
    };
    int const first = std::countr_zero(mask);
    std::string others;
    for (LaneMask m = mask & (mask - 1); m != 0; m &= m - 1)
        others += (others.empty() ? "" : "\n") + line(std::countr_zero(m));
    std::string const trace = execution_.faults.call_trace(warp);
    fault(cta, warp, op, first, FaultKind::assertion, line(first),
          others + (others.empty() || trace.empty() ? "" : "\n") + trace);
}

bool DeviceRuntime::performs(ir::Builtin function) {
    using ir::Builtin;
    return function > Builtin::free && function != Builtin::device_synchronize &&
           function != Builtin::memcpy_3d_async && function != Builtin::memset_3d_async &&
           function != Builtin::graph_launch;
}

void RuntimeCalls::write_byte(Cta& cta, Warp& warp, Op const& op, std::size_t lane, std::uint64_t address,
                              std::byte value) {
    Windows const& w = launch_.windows;
    std::byte* to = nullptr;
    if (Windows::inside(address, w.shared)) {
        if (address - w.shared < launch_.shared_bytes) to = cta.shared.get() + (address - w.shared);
    } else if (Windows::inside(address, w.local)) {
        std::uint64_t const offset = address - w.local;
        if (offset < warp.running_frame().local_end) to = warp.local.data() + interleaved(offset, lane);
    } else if (launch_.allocations.find(address) != nullptr ||
               (launch_.host_trust && !launch_.memory.owns(address) && !try_host_memory(address, 1, true))) {
        to = reinterpret_cast<std::byte*>(address);
    }
    if (to == nullptr) {
        fault(cta, warp, op, static_cast<int>(lane), FaultKind::illegal_address,
              "illegal address: the device runtime writes its answer to " + hexadecimal(address));
    }
    *to = value;
}

void RuntimeCalls::call_device_runtime(Cta& cta, Warp& warp, Op const& op, CallPlan const& call, int lane) {
    Frame const& frame = warp.running_frame();
    auto const i = static_cast<std::size_t>(lane);
    std::array<std::uint64_t, 2> arguments[8];
    std::size_t const count = std::min(std::size(arguments), call.arguments.size());
    for (std::size_t k = 0; k < count; ++k) arguments[k] = wide_argument(warp, frame, call.arguments[k], i);
    DeviceRuntime::Call const asked{call.builtin,
                                    cta.linear,
                                    32 * warp.index + static_cast<std::uint32_t>(lane),
                                    {arguments, count},
                                    [&](std::uint64_t address, void const* from, std::size_t bytes) {
                                        sinks_.tell<RuntimeAccessEvent>([&] {
                                            return RuntimeAccessEvent{site(cta, warp, op), lane, address,
                                                                      static_cast<std::uint32_t>(bytes), true};
                                        });
                                        for (std::size_t b = 0; b < bytes; ++b) {
                                            write_byte(cta, warp, op, i, address + b,
                                                       static_cast<std::byte const*>(from)[b]);
                                        }
                                    }};
    give_back(warp, frame, call, i, launch_.runtime->call(asked));
}

Flow RuntimeCalls::carry_out(WarpInstruction& i) {
    i.stop_here();
    i.parts.runtime_calls.call(i.cta, i.warp, i.op, i.mask);
    return Flow::next;
}

void RuntimeCalls::call(Cta& cta, Warp& warp, Op const& op, LaneMask mask) {
    Frame const& frame = warp.running_frame();
    CallPlan const& call = frame.function->calls[op.target];
    sinks_.tell<CallEvent>([&] { return CallEvent{site(cta, warp, op), mask, nullptr, call.builtin}; });
    if (call.builtin == ir::Builtin::assert_fail) fail_assertion(cta, warp, op, call, mask);
    for (LaneMask m = mask; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        auto const i = static_cast<std::size_t>(lane);
        if (call.builtin > ir::Builtin::free) {
            if (model_ != nullptr) model_->heap_call(cta, warp, op, lane, 0);
            else call_device_runtime(cta, warp, op, call, lane);
            continue;
        }
        std::uint64_t const first = argument(warp, frame, call.arguments[0], i);
        switch (call.builtin) {
            case ir::Builtin::vprintf:
                give_back(warp, frame, call, i,
                          print(cta, warp, op, lane, first, argument(warp, frame, call.arguments[1], i)));
                break;
            default:
                if (model_ != nullptr) model_->heap_call(cta, warp, op, lane, first);
                else call_heap(cta, warp, op, warp.running_frame(), lane, first);
                break;
        }
    }
    ++cta.changes;  // visible to the outside world
}

void RuntimeCalls::call_heap(Cta& cta, Warp& warp, Op const& op, Frame& frame, int lane, std::uint64_t argument) {
    CallPlan const& call = frame.function->calls[op.target];
    if (call.builtin > ir::Builtin::free) return call_device_runtime(cta, warp, op, call, lane);
    std::uint32_t const thread = 32 * warp.index + static_cast<std::uint32_t>(lane);
    if (call.builtin == ir::Builtin::malloc) {
        std::uint64_t const address = launch_.heap->allocate(argument);
        give_back(warp, frame, call, static_cast<std::size_t>(lane), address);
        sinks_.tell<AllocationEvent>([&] {
            return AllocationEvent{AllocationSource::device_heap, false, address, argument, cta.id, thread};
        });
        return;
    }
    switch (launch_.heap->free(argument)) {
        case DeviceHeap::Freed::now:
            sinks_.tell<AllocationEvent>(
                [&] { return AllocationEvent{AllocationSource::device_heap, true, argument, 0, cta.id, thread}; });
            break;
        case DeviceHeap::Freed::before:
            return refuse_free(cta, warp, op, lane, "double free: " + hexadecimal(argument) + " was freed before");
        case DeviceHeap::Freed::never_allocated:
            return refuse_free(cta, warp, op, lane,
                               "invalid free: " + hexadecimal(argument) + " is not an address that malloc gave");
    }
}

/// A checker that leaves bad accesses out leaves this out, too.
void RuntimeCalls::refuse_free(Cta const& cta, Warp const& warp, Op const& op, int lane, std::string what) const {
    if (!launch_.drops_bad_accesses) fault(cta, warp, op, lane, FaultKind::heap_misuse, std::move(what));
    Fault left_out = execution_.faults.blame(cta, warp, op, lane);
    left_out.kind = FaultKind::heap_misuse;
    left_out.what = std::move(what);
    left_out.details = execution_.faults.call_trace(warp);
    sinks_.tell<UndefinedEvent>([&] { return UndefinedEvent{left_out}; });
}

}  // namespace warpsim::sim
