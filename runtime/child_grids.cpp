#include "runtime/child_grids.hpp"

#include "runtime/log.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

namespace warpsim::runtime {

namespace {

using ir::Builtin;

constexpr std::uint64_t parameter_pool_bytes = std::uint64_t{16} << 20;
constexpr std::uint64_t text_bytes = 64;                       // of an error's name or description
constexpr std::uint64_t tail_launch = 3, fire_and_forget = 4;  // streams

struct ErrorText {
    int number;
    char const* name;
    char const* description;
};
constexpr ErrorText error_texts[] = {
    {0, "cudaSuccess", "no error"},
    {1, "cudaErrorInvalidValue", "invalid argument"},
    {2, "cudaErrorMemoryAllocation", "out of memory"},
    {9, "cudaErrorInvalidConfiguration", "invalid configuration argument"},
    {65, "cudaErrorLaunchMaxDepthExceeded", "launch would exceed maximum depth of nested launches"},
    {69, "cudaErrorLaunchPendingCountExceeded", "launch would exceed the pending launch count"},
    {98, "cudaErrorInvalidDeviceFunction", "invalid device function"},
    {215, "cudaErrorUnsupportedLimit", "limit is not supported on this architecture"},
    {400, "cudaErrorInvalidResourceHandle", "invalid resource handle"},
    {701, "cudaErrorLaunchOutOfResources", "too many resources requested for launch"},
    {801, "cudaErrorNotSupported", "operation not supported"},
    {-1, "cudaErrorUnknown", "unrecognized error code"},
};

/// Places for parameters and for texts that kernels may read; made once a device.
void make_pools(Device::State& device) {
    if (device.parameters) return;
    device.parameters =
        std::make_unique<sim::DeviceHeap>(device.memory->allocate(parameter_pool_bytes), parameter_pool_bytes);
    device.error_texts = device.memory->allocate(std::size(error_texts) * 2 * text_bytes);
    auto* at = reinterpret_cast<char*>(device.error_texts);
    for (ErrorText const& text : error_texts) {
        for (char const* const one : {text.name, text.description}) {
            std::memcpy(at, one, std::strlen(one) + 1);
            at += text_bytes;
        }
    }
}

std::array<std::uint32_t, 3> three(std::array<std::uint64_t, 2> const& words) {
    return {static_cast<std::uint32_t>(words[0]), static_cast<std::uint32_t>(words[0] >> 32),
            static_cast<std::uint32_t>(words[1])};
}

/// cudaFuncAttributes as CUDA 13 lays it out.
struct FunctionAttributes {
    std::uint64_t shared, constant, local;
    std::int32_t max_threads, registers, ptx_version, binary_version, cache_mode, max_dynamic_shared, carve_out,
        cluster_must_be_set;
    std::int32_t cluster[3];
    std::int32_t policy, non_portable_cluster, reserved[16];
};
static_assert(sizeof(FunctionAttributes) == 144);

}  // namespace

ChildGrids::ChildGrids(Device::State& device, Module::State& module, LaunchShape const& parent,
                       std::uint32_t depth)
    : device_(device), module_(module), parent_(parent), depth_(depth) {
    make_pools(device);
}

ChildGrids::~ChildGrids() {
    for (auto const& [address, prepared] : state_.buffers) device_.parameters->free(address);
    for (ChildWork const& work : state_.work) device_.parameters->free(work.buffer);  // of a grid that failed
}

/// With the memory that was handed out; its bytes are the device's.
struct ChildGrids::SavedState final : Saved {
    State state;
    sim::DeviceHeap::Ranges parameters, heap;
};

std::unique_ptr<sim::DeviceRuntime::Saved const> ChildGrids::save() const {
    auto saved = std::make_unique<SavedState>();
    std::lock_guard const lock(mutex_);
    saved->state = state_;
    saved->parameters = device_.parameters->ranges();
    if (device_.heap) saved->heap = device_.heap->ranges();
    return saved;
}

void ChildGrids::restore(Saved const& saved) {
    auto const& from = static_cast<SavedState const&>(saved);
    std::lock_guard const lock(mutex_);
    state_ = from.state;
    device_.parameters->restore(from.parameters);
    if (device_.heap) device_.heap->restore(from.heap);
}

std::uint32_t ChildGrids::kernel_at(std::uint64_t function) const {
    std::uint32_t const index = sim::function_at(function, module_.module.functions.size());
    if (index == ir::none) return ir::none;
    ir::Function const& f = module_.module.functions[index];
    return f.is_entry && f.has_body ? index : ir::none;
}

/// Looks at a launch of `function` whose grid, block and shared memory are the arguments from `first` on.
ChildGrids::Status ChildGrids::prepare(Prepared& out, std::uint64_t function, Call const& call,
                                       std::size_t first) {
    out.kernel = kernel_at(function);
    if (out.kernel == ir::none) return invalid_device_function;
    out.shape.grid = three(call.arguments[first]);
    out.shape.block = three(call.arguments[first + 1]);
    out.shape.dynamic_shared = static_cast<std::uint32_t>(call.arguments[first + 2][0]);
    out.shape.host_trust = parent_.host_trust;
    sim::LimitsConfig const& limits = device_.config.limits;
    std::uint64_t threads = 1;
    for (std::size_t i = 0; i < 3; ++i) {
        bool const fits = out.shape.grid[i] != 0 && out.shape.grid[i] <= limits.max_grid_size[i] &&
                          out.shape.block[i] != 0 && out.shape.block[i] <= limits.max_cta_size[i];
        if (!fits) return invalid_configuration;
        threads *= out.shape.block[i];
    }
    if (threads > limits.max_threads_per_cta) return invalid_configuration;
    ir::Function const& kernel = module_.module.functions[out.kernel];
    sim::KernelPlan const& plan = module_.plan(out.kernel);  // what cannot run at all is no status, but an error
    out.bytes = kernel.param_bytes;
    try {
        check_launch(device_.config, kernel, plan, module_.registers(out.kernel, device_.config),
                     placed_shape(device_.config, kernel, out.shape), kernel.param_bytes);
    } catch (Error const& error) {
        std::lock_guard const lock(mutex_);
        if (!has_told_) log::warning(std::string("launch by a kernel: ") + error.what());
        has_told_ = true;
        return out_of_resources;
    }
    return success;
}

ChildGrids::Status ChildGrids::get_buffer(Prepared prepared, std::uint64_t& address) {
    std::uint64_t const bytes = std::max<std::uint64_t>(prepared.bytes, 1);
    address = device_.parameters->allocate(bytes);
    if (address == 0) return pending_count_exceeded;
    device_.sinks.tell<sim::AllocationEvent>(
        [&] { return sim::AllocationEvent{sim::AllocationSource::parameters, false, address, bytes, {}, 0}; });
    std::lock_guard const lock(mutex_);
    state_.buffers[address] = std::move(prepared);
    return success;
}

ChildGrids::Status ChildGrids::check_stream(std::uint64_t stream) const {
    std::lock_guard const lock(mutex_);
    return stream <= fire_and_forget || state_.handles.contains(stream) ? success : invalid_handle;
}

ChildGrids::Status ChildGrids::check_event(std::uint64_t event) const {
    std::lock_guard const lock(mutex_);
    return state_.handles.contains(event) ? success : invalid_handle;
}

/// What is asked for by the present call of its thread, which has been counted.
ChildRequest ChildGrids::request_of(Call const& call, std::uint64_t stream) {
    ChildRequest request{0, call.cta, call.thread, state_.requests[{call.cta, call.thread}], stream};
    request.is_in_order = stream != fire_and_forget;
    request.is_tail = stream == tail_launch;
    return request;
}

/// `given`: what is launched, where the buffer alone does not say.
ChildGrids::Status ChildGrids::launch(Call const& call, std::uint64_t buffer, std::uint64_t stream,
                                      Prepared const* given) {
    if (Status const status = check_stream(stream); status != success) return status;
    ChildWork work;
    work.is_tail = stream == tail_launch;
    work.depth = work.is_tail ? depth_ : depth_ + 1;
    work.cta = call.cta;
    std::lock_guard const lock(mutex_);
    work.request = request_of(call, stream);
    auto const at = state_.buffers.find(buffer);
    if (at == state_.buffers.end() && (given == nullptr || given->bytes != 0)) return invalid_value;
    Prepared const& prepared = given != nullptr ? *given : at->second;
    if (prepared.kernel == UINT32_MAX || (at != state_.buffers.end() && at->second.bytes < prepared.bytes))
        return invalid_value;
    work.kernel = prepared.kernel;
    work.shape = prepared.shape;
    work.buffer = at != state_.buffers.end() ? buffer : 0;
    work.buffer_bytes = prepared.bytes;
    if (at != state_.buffers.end()) state_.buffers.erase(at);
    bool const is_too_deep = work.depth > most_depth;
    // In timing mode the stores to the buffer happen later than the call; take() comes after all of them.
    if (is_too_deep || device_.options.mode == Mode::functional) take_arguments(work);
    if (is_too_deep) return max_depth_exceeded;
    state_.work.push_back(std::move(work));
    return success;
}

void ChildGrids::take_arguments(ChildWork& work) {
    if (work.buffer == 0) return;
    if (work.buffer_bytes != 0)
        work.arguments.place(0, reinterpret_cast<void const*>(work.buffer), work.buffer_bytes);
    device_.parameters->free(work.buffer);
    work.buffer = 0;
}

ChildGrids::Status ChildGrids::copy_or_fill(Call const& call) {
    auto const a = [&](std::size_t i) { return call.arguments[i][0]; };
    ChildWork work;
    work.cta = call.cta;
    std::uint64_t stream = 0;
    switch (call.function) {
        case Builtin::memcpy_async:
            work.kind = ChildWork::Kind::copy;
            work.to = a(0), work.from = a(1), work.width = a(2), stream = a(4);
            break;
        case Builtin::memcpy_2d_async:
            work.kind = ChildWork::Kind::copy;
            work.to = a(0), work.to_distance = a(1), work.from = a(2), work.from_distance = a(3);
            work.width = a(4), work.height = a(5), stream = a(7);
            break;
        case Builtin::memset_async:
            work.kind = ChildWork::Kind::fill;
            work.to = a(0), work.value = static_cast<std::uint8_t>(a(1)), work.width = a(2), stream = a(3);
            break;
        default:
            work.kind = ChildWork::Kind::fill;
            work.to = a(0), work.to_distance = a(1), work.value = static_cast<std::uint8_t>(a(2));
            work.width = a(3), work.height = a(4), stream = a(5);
            break;
    }
    if (Status const status = check_stream(stream); status != success) return status;
    if (work.height > 1 && (work.to_distance < work.width ||
                            (work.kind == ChildWork::Kind::copy && work.from_distance < work.width))) {
        return invalid_value;
    }
    work.is_tail = stream == tail_launch;
    std::lock_guard const lock(mutex_);
    work.request = request_of(call, stream);
    if (work.width != 0 && work.height != 0) state_.work.push_back(std::move(work));
    return success;
}

/// Streams and events of kernels keep no order of their own: work is done in the order in which it was asked for.
ChildGrids::Status ChildGrids::create_handle(Call const& call, std::uint64_t flags, std::uint64_t wanted) {
    if (flags != wanted) return invalid_value;
    std::uint64_t handle = 0;
    {
        std::lock_guard const lock(mutex_);
        handle = state_.next_handle;
        state_.next_handle += 16;
        state_.handles.insert(handle);
    }
    call.write(call.arguments[0][0], &handle, sizeof handle);
    return success;
}

ChildGrids::Status ChildGrids::destroy_handle(std::uint64_t handle) {
    std::lock_guard const lock(mutex_);
    return state_.handles.erase(handle) != 0 ? success : invalid_handle;
}

ChildGrids::Status ChildGrids::allocate(Call const& call) {
    std::uint64_t const bytes = call.arguments[1][0], address = bytes == 0 ? 0 : device_.heap->allocate(bytes);
    if (bytes != 0 && address == 0) return out_of_memory;
    call.write(call.arguments[0][0], &address, sizeof address);
    return success;
}

ChildGrids::Status ChildGrids::give_attributes(Call const& call) {
    std::uint32_t const kernel = kernel_at(call.arguments[1][0]);
    if (kernel == ir::none) return invalid_device_function;
    KernelAttributes const a = kernel_attributes(device_.config, module_, kernel);
    FunctionAttributes out{};
    out.shared = a.shared_bytes;
    out.constant = a.constant_bytes;
    out.local = a.local_bytes;
    out.max_threads = static_cast<std::int32_t>(a.max_threads_per_cta);
    out.registers = static_cast<std::int32_t>(a.registers_per_thread);
    out.ptx_version = a.target;
    out.binary_version = device_.config.compute_capability.number();
    std::uint64_t const room = device_.config.sm.shared.cta_default_bytes();
    out.max_dynamic_shared = static_cast<std::int32_t>(room - std::min<std::uint64_t>(room, a.shared_bytes));
    out.carve_out = -1;
    out.cluster_must_be_set = a.required_cluster[0] != 0;
    for (std::size_t i = 0; i < 3; ++i) out.cluster[i] = static_cast<std::int32_t>(a.required_cluster[i]);
    call.write(call.arguments[0][0], &out, sizeof out);
    return success;
}

ChildGrids::Status ChildGrids::give_occupancy(Call const& call) {
    std::uint32_t const kernel = kernel_at(call.arguments[1][0]);
    if (kernel == ir::none) return invalid_device_function;
    LaunchShape shape;
    shape.block = {static_cast<std::uint32_t>(call.arguments[2][0]), 1, 1};
    std::uint64_t const shared = call.arguments[3][0];
    if (shape.block[0] == 0 || shape.block[0] > device_.config.limits.max_threads_per_cta || shared > UINT32_MAX)
        return invalid_value;
    shape.dynamic_shared = static_cast<std::uint32_t>(shared);
    auto const ctas = static_cast<std::int32_t>(
        ctas_per_sm(device_.config, module_.plan(kernel), module_.registers(kernel, device_.config), shape));
    call.write(call.arguments[0][0], &ctas, sizeof ctas);
    return success;
}

ChildGrids::Status ChildGrids::give_limit(Call const& call) {
    std::uint64_t value = 0;
    switch (static_cast<std::uint32_t>(call.arguments[1][0])) {
        case 0: value = device_.stack_bytes; break;
        case 1: value = device_.print_bytes; break;
        case 2: value = device_.heap_bytes; break;
        default: return unsupported_limit;
    }
    call.write(call.arguments[0][0], &value, sizeof value);
    return success;
}

/// The functions that only return how they ended.
ChildGrids::Status ChildGrids::perform(Call const& call) {
    auto const a = [&](std::size_t i) { return call.arguments[i][0]; };
    auto const give = [&](std::int32_t value) {
        call.write(a(0), &value, sizeof value);
        return success;
    };
    switch (call.function) {
        case Builtin::launch_device_v2: return launch(call, a(0), a(1), nullptr);
        case Builtin::launch_device: {
            Prepared prepared;
            if (Status const status = prepare(prepared, a(0), call, 2); status != success) return status;
            return launch(call, a(1), a(5), &prepared);
        }
        case Builtin::stream_create_with_flags: return create_handle(call, a(1), 1);  // non-blocking ones only
        case Builtin::event_create_with_flags: return create_handle(call, a(1), 2);   // without time only
        case Builtin::stream_destroy:
        case Builtin::event_destroy: return destroy_handle(a(0));
        case Builtin::stream_wait_event: return check_stream(a(0)) == success ? check_event(a(1)) : invalid_handle;
        case Builtin::event_record:
        case Builtin::event_record_with_flags:
            return check_stream(a(1)) == success ? check_event(a(0)) : invalid_handle;
        case Builtin::memcpy_async:
        case Builtin::memcpy_2d_async:
        case Builtin::memset_async:
        case Builtin::memset_2d_async: return copy_or_fill(call);
        case Builtin::device_malloc: return allocate(call);
        case Builtin::device_free:
            return device_.heap->free(a(0)) == sim::DeviceHeap::Freed::now ? success : invalid_value;
        case Builtin::get_device: return give(device_.options.ordinal);
        case Builtin::get_device_count: return give(device_.options.devices);
        case Builtin::device_get_cache_config:
        case Builtin::device_get_shared_mem_config: return give(0);
        case Builtin::runtime_get_version: return give(13000);
        case Builtin::device_get_attribute:
            if (!device_.options.attribute) return not_supported;
            return give(device_.options.attribute(static_cast<int>(a(1))));
        case Builtin::device_get_limit: return give_limit(call);
        case Builtin::func_get_attributes: return give_attributes(call);
        case Builtin::occupancy:
        case Builtin::occupancy_with_flags: return give_occupancy(call);
        default: return not_supported;
    }
}

std::uint64_t ChildGrids::text_address(bool is_name, std::uint64_t error) {
    auto const* const found =
        std::find_if(std::begin(error_texts), std::end(error_texts) - 1,
                     [&](ErrorText const& t) { return t.number == static_cast<std::int32_t>(error); });
    return device_.error_texts + static_cast<std::uint64_t>(found - std::begin(error_texts)) * 2 * text_bytes +
           (is_name ? 0 : text_bytes);
}

std::uint64_t ChildGrids::call(Call const& call) {
    std::pair const thread(call.cta, call.thread);
    auto const last_error = [&](bool forget) {
        std::lock_guard const lock(mutex_);
        auto const at = state_.errors.find(thread);
        if (at == state_.errors.end()) return success;
        Status const status = at->second;
        if (forget) state_.errors.erase(at);
        return status;
    };
    std::uint64_t buffer = 0;
    Status status = success;
    switch (call.function) {
        case Builtin::get_last_error: return static_cast<std::uint64_t>(last_error(true));
        case Builtin::peek_at_last_error: return static_cast<std::uint64_t>(last_error(false));
        case Builtin::get_error_name: return text_address(true, call.arguments[0][0]);
        case Builtin::get_error_string: return text_address(false, call.arguments[0][0]);
        case Builtin::get_parameter_buffer: {
            Prepared prepared;
            prepared.bytes = call.arguments[1][0];
            status = get_buffer(std::move(prepared), buffer);
            break;
        }
        case Builtin::get_parameter_buffer_v2: {
            Prepared prepared;
            status = prepare(prepared, call.arguments[0][0], call, 1);
            if (status == success) status = get_buffer(std::move(prepared), buffer);
            break;
        }
        default: {
            if (asks_for_work(call.function)) {
                std::lock_guard const lock(mutex_);
                ++state_.requests[thread];
            }
            status = perform(call);
            break;
        }
    }
    if (status != success) {
        std::lock_guard const lock(mutex_);
        state_.errors[thread] = status;
    }
    bool const gives_buffer =
        call.function == Builtin::get_parameter_buffer || call.function == Builtin::get_parameter_buffer_v2;
    return gives_buffer ? buffer : static_cast<std::uint64_t>(status);
}

std::vector<ChildWork> ChildGrids::take() {
    std::lock_guard const lock(mutex_);
    std::vector<ChildWork> list = std::move(state_.work);
    state_.work.clear();
    for (ChildWork& work : list) take_arguments(work);
    if (device_.options.mode == Mode::timing) {
        std::stable_sort(list.begin(), list.end(),
                         [](ChildWork const& a, ChildWork const& b) { return a.cta < b.cta; });
    }
    std::stable_partition(list.begin(), list.end(), [](ChildWork const& w) { return !w.is_tail; });
    return list;
}

}  // namespace warpsim::runtime
