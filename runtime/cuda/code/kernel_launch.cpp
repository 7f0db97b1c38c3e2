#include "runtime/cuda/code/kernel_launch.hpp"

#include "runtime/log.hpp"
#include "sim/launch_error.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::cuda {

namespace {

std::uint64_t product(std::array<std::uint32_t, 3> const& v) { return std::uint64_t{v[0]} * v[1] * v[2]; }

Result result_of_launch(Error const& error, bool is_cooperative) {
    auto const* const why = dynamic_cast<LaunchError const*>(&error);
    if (why != nullptr && why->reason() != LaunchError::Reason::resources) return result_of(why->reason());
    return is_cooperative ? Result::cooperative_launch_too_large : Result::launch_out_of_resources;
}

std::string dims(std::array<std::uint32_t, 3> const& v) {
    return "(" + std::to_string(v[0]) + "," + std::to_string(v[1]) + "," + std::to_string(v[2]) + ")";
}

Failure too_much_shared(std::uint64_t wanted, std::uint64_t most) {
    return Failure(Result::invalid_value,
                   std::to_string(wanted) + " bytes of dynamic shared memory, at most " + std::to_string(most) +
                       " unless cudaFuncSetAttribute(cudaFuncAttributeMaxDynamicSharedMemorySize) allows more");
}

/// As on hardware, a program must ask explicitly for more than the default; check_shape() has checked the dynamic
/// part.
void check_default_shared(Gpu& gpu, KernelWork const& work) {
    if (work.shape.dynamic_shared == 0 || work.kernel->dynamic_shared_limit != 0) return;
    std::uint64_t const fixed = work.kernel->fixed_shared(gpu);
    std::uint64_t const room = gpu.device.config().sm.shared.cta_default_bytes();
    if (fixed + work.shape.dynamic_shared > room)
        throw too_much_shared(work.shape.dynamic_shared, room - std::min(fixed, room));
}

}  // namespace

void check_shape(Gpu& gpu, Kernel& kernel, runtime::LaunchShape const& shape) {
    sim::LimitsConfig const& limits = gpu.device.config().limits;
    sim::SharedConfig const& shared = gpu.device.config().sm.shared;
    if (product(shape.block) > limits.max_threads_per_cta)
        throw Failure(Result::invalid_configuration, "a block of " + std::to_string(product(shape.block)) +
                                                         " threads, at most " +
                                                         std::to_string(limits.max_threads_per_cta));
    for (std::size_t i = 0; i < 3; ++i) {
        bool const fits = shape.grid[i] != 0 && shape.grid[i] <= limits.max_grid_size[i] && shape.block[i] != 0 &&
                          shape.block[i] <= limits.max_cta_size[i];
        if (fits) continue;
        throw Failure(Result::invalid_configuration, "grid " + dims(shape.grid) + ", block " + dims(shape.block) +
                                                         "; at most " + dims(limits.max_grid_size) + " and " +
                                                         dims(limits.max_cta_size) + ", at least 1");
    }
    std::uint32_t const opted_in = kernel.dynamic_shared_limit;
    std::uint32_t const dynamic = opted_in != 0 ? opted_in : shared.cta_default_bytes();
    if (shape.dynamic_shared > dynamic) throw too_much_shared(shape.dynamic_shared, dynamic);
}

void check(Gpu& gpu, KernelWork const& work) {
    check_shape(gpu, *work.kernel, work.shape);
    std::shared_ptr<runtime::Module> const module = work.kernel->program->module(gpu);
    try {
        gpu.device.check(*module, work.kernel->name, work.shape, work.arguments.bytes().size());
    } catch (Error const& error) {
        log::failure_once(error.what());
        throw Failure(result_of_launch(error, work.shape.cooperative));
    }
    check_default_shared(gpu, work);
}

runtime::Arguments arguments_of(Gpu& gpu, Kernel& kernel, void* const* arguments) {
    std::vector<Kernel::Parameter> const& parameters = kernel.parameters(gpu);
    if (arguments == nullptr && !parameters.empty()) throw Failure(Result::invalid_value);
    runtime::Arguments block;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (arguments[i] == nullptr) throw Failure(Result::invalid_value);
        block.place(parameters[i].offset, arguments[i], parameters[i].size);
    }
    return block;
}

runtime::Arguments packed_arguments(void const* bytes, std::size_t size) {
    runtime::Arguments block;
    if (size != 0) block.place(0, bytes, size);
    return block;
}

runtime::Arguments arguments_from(Gpu& gpu, Kernel& kernel, void* const* arguments, void* const* extra) {
    if (extra == nullptr) return arguments_of(gpu, kernel, arguments);
    if (arguments != nullptr) throw Failure(Result::invalid_value);
    enum Tag : std::uintptr_t { end = 0, buffer = 1, buffer_size = 2 };
    auto const tag = [&](std::size_t i) { return reinterpret_cast<std::uintptr_t>(extra[i]); };
    void const* block = nullptr;
    std::size_t const* size = nullptr;
    for (std::size_t i = 0; tag(i) != end; i += 2) {
        if (tag(i) == buffer) block = extra[i + 1];
        else if (tag(i) == buffer_size) size = static_cast<std::size_t const*>(extra[i + 1]);
        else throw Failure(Result::invalid_value);
    }
    if (block == nullptr || size == nullptr) throw Failure(Result::invalid_value);
    return packed_arguments(block, *size);
}

namespace {

template <class T> T value_of(LaunchAttribute const& attribute) {
    T value;
    std::memcpy(&value, attribute.value, sizeof value);
    return value;
}

}  // namespace

void apply(LaunchAttribute const& a, KernelWork& work) {
    if (a.id > LaunchAttribute::last) throw Failure(Result::invalid_value);
    switch (a.id) {
        case LaunchAttribute::cooperative: work.shape.cooperative = value_of<int>(a) != 0; break;
        case LaunchAttribute::cluster_dimension:
            work.shape.cluster = value_of<std::array<std::uint32_t, 3>>(a);
            break;
        case LaunchAttribute::programmatic_serialization: work.begins_early = value_of<int>(a) != 0; break;
        case LaunchAttribute::priority: work.priority = value_of<int>(a); break;
        case LaunchAttribute::updatable_node:
            if (value_of<int>(a) != 0) throw Failure(Result::not_supported);
            break;
        default: break;
    }
}

int occupancy(Gpu& gpu, Kernel& kernel, std::uint32_t threads, std::size_t dynamic_shared) {
    runtime::LaunchShape shape;
    shape.block = {threads, 1, 1};
    shape.dynamic_shared = static_cast<std::uint32_t>(std::min<std::size_t>(dynamic_shared, ~std::uint32_t{0}));
    if (threads == 0) throw Failure(Result::invalid_value);
    if (threads > gpu.device.config().limits.max_threads_per_cta) return 0;
    return static_cast<int>(gpu.device.ctas_per_sm(*kernel.program->module(gpu), kernel.name, shape));
}

}  // namespace warpsim::cuda
