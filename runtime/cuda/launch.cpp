#include "runtime/cuda/launch.hpp"

#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

std::uint64_t product(std::array<std::uint32_t, 3> const& v) { return std::uint64_t{v[0]} * v[1] * v[2]; }

void submit(Kernel& kernel, runtime::LaunchShape const& shape, runtime::Arguments arguments, Stream& stream) {
    Gpu& gpu = Process::get().gpu_of(stream);
    check_shape(gpu, kernel, shape);
    std::shared_ptr<runtime::Module> module = kernel.program->module(gpu);
    try {
        gpu.device.check(*module, kernel.name, shape, arguments.bytes().size());
    } catch (Error const& error) {
        log::plain(log::Level::error, error.what());
        throw Failure(shape.cooperative ? Result::cooperative_launch_too_large : Result::launch_out_of_resources);
    }
    gpu.launch(stream, std::move(module), kernel.name, shape, std::move(arguments));
}

}  // namespace

void check_shape(Gpu& gpu, Kernel& kernel, runtime::LaunchShape const& shape) {
    sim::LimitsConfig const& limits = gpu.device.config().limits;
    sim::SharedConfig const& shared = gpu.device.config().sm.shared;
    for (std::size_t i = 0; i < 3; ++i) {
        bool const fits = shape.grid[i] != 0 && shape.grid[i] <= limits.max_grid_size[i] && shape.block[i] != 0 &&
                          shape.block[i] <= limits.max_cta_size[i];
        if (!fits) throw Failure(Result::invalid_configuration);
    }
    if (product(shape.block) > limits.max_threads_per_cta) throw Failure(Result::invalid_configuration);
    // More than the default needs the program's word for it, as on the hardware.
    std::uint32_t const opted_in = kernel.dynamic_shared_limit;
    std::uint32_t const dynamic = opted_in != 0 ? opted_in : shared.cta_default_bytes();
    if (shape.dynamic_shared > dynamic) throw Failure(Result::invalid_value);
}

void launch(Kernel& kernel, runtime::LaunchShape const& shape, void* const* arguments, Stream& stream) {
    Gpu& gpu = Process::get().gpu_of(stream);
    gpu.check();
    std::vector<Kernel::Parameter> const& parameters = kernel.parameters(gpu);
    if (arguments == nullptr && !parameters.empty()) throw Failure(Result::invalid_value);
    runtime::Arguments block;
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (arguments[i] == nullptr) throw Failure(Result::invalid_value);
        block.place(parameters[i].offset, arguments[i], parameters[i].size);
    }
    submit(kernel, shape, std::move(block), stream);
}

void launch_packed(Kernel& kernel, runtime::LaunchShape const& shape, void const* bytes, std::size_t size, Stream& stream) {
    Gpu& gpu = Process::get().gpu_of(stream);
    gpu.check();
    runtime::Arguments block;
    if (size != 0) block.place(0, bytes, size);
    submit(kernel, shape, std::move(block), stream);
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
