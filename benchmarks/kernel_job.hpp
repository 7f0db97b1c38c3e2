// A device with one kernel, ready to be launched repeatedly, and the kernels that both modes are measured with.
#pragma once

#include "runtime/device.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace warpsim::benchmarks {

/// Where the kernel runs: mode, configuration, number of host threads.
struct Machine {
    runtime::Mode mode;
    std::string config;
    std::int64_t threads;
};

struct KernelJob {
    std::unique_ptr<runtime::Device> device;
    std::shared_ptr<runtime::Module> module;
    std::string kernel;
    runtime::LaunchShape shape;
    runtime::Arguments arguments;

    KernelJob(std::string name, Machine const& machine, std::string const& file) : kernel(std::move(name)) {
        runtime::DeviceOptions options;
        options.mode = machine.mode;
        options.threads = static_cast<int>(machine.threads);
        device = std::make_unique<runtime::Device>(sim::load_config(machine.config), options);
        module = device->load_file(file);
    }
    KernelJob(std::string const& name, Machine const& machine)
        : KernelJob(name, machine, WARPSIM_KERNELS + name + ".ptx") {}

    runtime::DevicePointer buffer(std::uint64_t words) { return device->allocate(words * 4); }
    runtime::LaunchResult launch() { return device->launch(*module, kernel, shape, arguments); }
};

/// 512 x 512 points, at most 256 iterations.
inline KernelJob mandelbrot_job(Machine const& machine, std::uint32_t width = 16, std::uint32_t height = 16) {
    int const size = 512;
    KernelJob job("mandelbrot", machine);
    job.shape.grid = {size / width, size / height, 1};
    job.shape.block = {width, height, 1};
    job.arguments =
        runtime::Arguments::of(job.buffer(size * size), size, size, -2.0f, -1.0f, 3.0f / size, 2.0f / size, 256);
    return job;
}

/// Matrices of 256 x 256 elements.
inline KernelJob matmul_job(Machine const& machine) {
    int const n = 256;
    KernelJob job("matmul", machine);
    job.shape.grid = {n / 16, n / 16, 1};
    job.shape.block = {16, 16, 1};
    job.arguments = runtime::Arguments::of(n, job.buffer(n * n), job.buffer(n * n), job.buffer(n * n));
    return job;
}

/// 2^20 elements.
inline KernelJob saxpy_job(Machine const& machine) {
    int const n = 1 << 20;
    KernelJob job("saxpy", machine);
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(n, 2.0f, job.buffer(n), job.buffer(n));
    return job;
}

/// 2^22 elements, 1024 CTAs.
inline KernelJob reduce_job(Machine const& machine) {
    int const n = 1 << 22;
    KernelJob job("reduce", machine);
    job.shape.grid = {1024, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(n, job.buffer(n), job.buffer(1));
    return job;
}

}  // namespace warpsim::benchmarks
