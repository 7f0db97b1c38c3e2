#include "runtime/cuda/curand/output.hpp"

#include "runtime/cuda/interface/call.hpp"
#include "runtime/cuda/streams/capture.hpp"
#include "runtime/log.hpp"
#include "sim/hexadecimal.hpp"

#include <limits>
#include <string>

namespace warpsim::curand {

using namespace cuda;

namespace {

bool is_of_capture(Result result) {
    switch (result) {
        case Result::stream_capture_unsupported:
        case Result::stream_capture_invalidated:
        case Result::stream_capture_implicit: return true;
        default: return false;
    }
}

/// enter(), with what cuRAND calls the errors; `function`, as it says what is wrong.
template <class F> Status enter_for(char const* function, F&& work) {
    std::string why;
    Result const result = enter([&](Process& process) {
        try {
            work(process);
        } catch (Failure const& failure) {
            why = failure.reason();
            throw;
        }
    });
    if (result == Result::success) return success;
    if (result == Result::out_of_memory) return allocation_failed;
    if (is_of_capture(result))
        why = "numbers for a captured stream are not supported, since they are made on the host before they are "
              "copied";
    if (why.empty()) {
        char const* const text = description(static_cast<int>(result));
        why = text != nullptr ? text : "error " + std::to_string(static_cast<int>(result));
    }
    log::failure_once(std::string(function) + ": " + why);
    return launch_failure;
}

void check_memory(Process& process, Gpu const& gpu, Output const& output) {
    if (output.address % output.element_bytes != 0)
        throw BadMemory(Result::misaligned_address, "numbers of " + std::to_string(output.element_bytes) +
                                                        " bytes cannot be stored at " +
                                                        sim::hexadecimal(output.address));
    Memory const& memory = process.memory;
    memory.check(output.address, output.bytes());
    auto const range = memory.find(output.address);
    if (!range)
        throw BadMemory(Result::invalid_value,
                        "memory of the device must be at " + memory.describe(output.address));
    bool const is_of_device = range->kind == MemoryKind::device || range->kind == MemoryKind::variable;
    bool const is_within_reach =
        range->is_mapped ? process.virtual_memory.has_access(output.address, gpu) : range->device == gpu.ordinal;
    if (is_of_device && !is_within_reach)
        throw BadMemory(Result::invalid_value, sim::hexadecimal(output.address) + " is memory of device " +
                                                   std::to_string(range->device) +
                                                   ", and the stream is of device " + std::to_string(gpu.ordinal));
}

}  // namespace

std::uint64_t Output::bytes() const {
    constexpr std::uint64_t all = std::numeric_limits<std::uint64_t>::max();
    return count > all / element_bytes ? all : count * element_bytes;
}

Status begin_device() {
    bool const is_there = enter([](Process& process) { process.current(); }) == Result::success;
    return is_there ? success : initialization_failed;
}

Status check(Output const& output) {
    bool has_failed = false;
    Status const status = enter_for(output.function, [&](Process& process) {
        auto const stream = process.stream(output.stream);
        has_failed = true;
        stream->gpu.check();
        has_failed = false;
        refuse_when_captured(process, *stream);
        check_memory(process, stream->gpu, output);
    });
    return status != success && has_failed ? preexisting_failure : status;
}

Status write(Output const& output, std::shared_ptr<std::byte const> const& numbers) {
    return enter_for(output.function, [&](Process& process) {
        auto const stream = process.stream(output.stream);
        refuse_when_captured(process, *stream);
        // In simulated time the memory is filled; what the kernel computes takes none.
        std::uint64_t const bytes = output.bytes();
        Extent const extent{bytes, 1, 1};
        FillWork const fill{{output.address, bytes, bytes}, extent, 0, 1};
        CopyWork const copy{fill.to, {reinterpret_cast<std::uint64_t>(numbers.get()), bytes, bytes}, extent};
        CopyDevices const devices = devices_of(process, stream->gpu, copy);
        stream->last_kernel.store(nullptr);
        stream->gpu.submit(*stream, in_time(process, stream->gpu, fill),
                           [copy, devices, numbers] { move(devices, copy.to, copy.from, copy.extent); });
    });
}

}  // namespace warpsim::curand
