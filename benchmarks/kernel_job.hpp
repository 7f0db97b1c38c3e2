// A device with one kernel, ready to be launched repeatedly, and the kernels that both modes are measured with.
#pragma once

#include "runtime/check/checkers.hpp"
#include "runtime/device.hpp"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::benchmarks {

/// Where the kernel runs: mode, configuration, number of host threads; whether memory statistics are counted; what
/// executes functional mode; and who looks for mistakes.
struct Machine {
    runtime::Mode mode;
    std::string config;
    std::int64_t threads;
    bool counts_memory = false;
    runtime::Engine engine = runtime::Engine::automatic;
    check::Checkers* checkers = nullptr;
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
        options.memory_statistics = machine.counts_memory;
        options.engine = machine.engine;
        if (machine.checkers != nullptr) machine.checkers->observe(options);
        device = std::make_unique<runtime::Device>(sim::load_config(machine.config), options);
        module = device->load_file(file);
    }
    KernelJob(std::string const& name, Machine const& machine)
        : KernelJob(name, machine, WARPSIM_KERNELS + name + ".ptx") {}

    runtime::DevicePointer buffer(std::uint64_t words) { return device->allocate(words * 4); }
    runtime::LaunchResult launch() { return device->launch(*module, kernel, shape, arguments); }
};

/// 512 x 512 points, at most 256 iterations. Not inlined: with the numbers in sight GCC 12 warns of a block of parameters
/// without bytes.
[[gnu::noinline]] inline KernelJob mandelbrot_job(Machine const& machine, std::uint32_t width = 16,
                                                  std::uint32_t height = 16) {
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

/// Two barriers for every seven arithmetic instructions.
inline KernelJob stencil_shared_job(Machine const& machine) {
    int const n = 1 << 16;
    KernelJob job("stencil_shared", machine);
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(job.buffer(n), job.buffer(n), 100);
    return job;
}

/// Atomics in shared memory, on random bytes or on equal ones, for which all lanes of a warp collide.
inline KernelJob histogram_job(Machine const& machine, bool is_random) {
    std::uint32_t const n = 1 << 22;
    KernelJob job("histogram", machine);
    std::vector<std::uint8_t> bytes(n, 7);
    std::uint32_t random = 1;
    for (std::uint8_t& byte : bytes) {
        random = random * 1664525 + 1013904223;
        if (is_random) byte = static_cast<std::uint8_t>(random >> 24);
    }
    job.shape.grid = {256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(static_cast<int>(n), job.device->upload(bytes), job.buffer(256));
    return job;
}

/// Half of each warp loads neighbours, the other half elements 33 apart.
inline KernelJob divergent_load_job(Machine const& machine) {
    std::uint32_t const n = 1 << 16;
    std::uint32_t const rounds = 64;
    std::uint32_t const stride = 33;
    KernelJob job("divergent_load", machine);
    job.shape.grid = {n / 256, 1, 1};
    job.shape.block = {256, 1, 1};
    job.arguments = runtime::Arguments::of(n, rounds, stride, job.buffer(n), job.buffer(n));
    return job;
}

/// 2^16 keys, sorted 1024 at a time.
inline KernelJob bitonic_job(Machine const& machine) {
    std::uint32_t const n = 1 << 16;
    KernelJob job("bitonic_shared", machine, WARPSIM_KERNELS "bitonic.ptx");
    std::vector<std::uint32_t> keys(n);
    for (std::uint32_t i = 0; i < n; ++i) keys[i] = i * 2654435761u;
    job.shape.grid = {n / 1024, 1, 1};
    job.shape.block = {512, 1, 1};
    job.shape.dynamic_shared = 4096;
    job.arguments = runtime::Arguments::of(job.device->upload(keys), 2u, 1024u);
    return job;
}

/// One step over 1024 x 1024 cells.
inline KernelJob stencil_job(Machine const& machine) {
    int const size = 1024;
    KernelJob job("stencil", machine);
    job.shape.grid = {size / 32, size / 8, 1};
    job.shape.block = {32, 8, 1};
    job.arguments =
        runtime::Arguments::of(size, size, 0.5f, 0.125f, job.buffer(size * size), job.buffer(size * size));
    return job;
}

/// 1024 x 1024 elements.
inline KernelJob transpose_job(Machine const& machine) {
    int const size = 1024;
    KernelJob job("transpose", machine);
    job.shape.grid = {size / 32, size / 32, 1};
    job.shape.block = {32, 8, 1};
    job.arguments = runtime::Arguments::of(size, size, job.buffer(size * size), job.buffer(size * size));
    return job;
}

}  // namespace warpsim::benchmarks
