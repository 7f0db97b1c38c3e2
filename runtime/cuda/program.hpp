// Device code that a host program has handed over, and the kernels and variables in it.
#pragma once

#include "runtime/device.hpp"
#include "runtime/fatbin/fatbin.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::cuda {

class Gpu;

/// One image: nvcc's code of one translation unit (of all, when linked with -rdc), or PTX text. It is read, checked
/// and placed on a device when the first of its kernels or variables is asked for there.
class Program {
public:
    /// `image` as image_kind() tells: a wrapper and a container must stay where they are. Throws Failure.
    explicit Program(void const* image);

    /// The module on that device. Throws Failure, after telling the user why: no PTX, or PTX with errors.
    std::shared_ptr<runtime::Module> module(Gpu& gpu);
    /// Whether module() of that device has been called with success.
    bool is_loaded(Gpu const& gpu) const;

private:
    std::vector<runtime::PtxText> texts(Gpu const& gpu) const;

    void const* image_ = nullptr;              // of a wrapper or container
    std::string text_;                         // of PTX text
    mutable std::mutex mutex_;
    std::map<Gpu const*, std::shared_ptr<runtime::Module>> modules_;
};

/// One kernel of a program, and what the host has set for it.
class Kernel {
public:
    Kernel(std::shared_ptr<Program> of, std::string called) : program(std::move(of)), name(std::move(called)) {}

    struct Parameter {
        std::uint64_t offset = 0;   // in the parameter block
        std::uint64_t size = 0;
    };
    /// Throws what Program::module() throws, and Failure(not_found) when the program has no such kernel.
    std::vector<Parameter> const& parameters(Gpu& gpu);

    std::shared_ptr<Program> const program;
    std::string const name;
    std::atomic<std::uint32_t> dynamic_shared_limit{0};   // bytes; 0: not set
    std::atomic<int> preferred_carve_out{-1};             // per cent of the SM's; -1: the driver decides
    std::atomic<bool> non_portable_cluster{false};

private:
    std::once_flag known_;
    std::vector<Parameter> parameters_;        // the same on all devices
};

}  // namespace warpsim::cuda
