// What nvcc's code registers before main(): which device code a program has, and which of its functions and
// variables stand for which kernels and device variables.
#pragma once

#include "runtime/cuda/process/process.hpp"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>

namespace warpsim::cuda {

class Registrations {
public:
    struct Variable {
        std::shared_ptr<Program> program;
        std::string name;
        std::size_t size = 0;
        void** managed = nullptr;                  // where the host expects the address of a managed variable
        std::map<int, std::uint64_t> places = {};  // by device, once requested
    };

    /// Never destroyed, like the process.
    static Registrations& get();

    void** add_image(void const* wrapper);
    /// `process` is null while no process has been created.
    void end_image(Process* process, void** image);
    void add_function(void** image, void const* host, char const* name);
    /// For a managed variable, `host` is where its address is expected: the program later passes that pointer to
    /// identify the variable.
    void add_variable(void** image, void const* host, char const* name, std::size_t size, void** managed);

    /// The kernel that a host function stands for, or that a handle names. Throws
    /// Failure(invalid_device_function).
    std::shared_ptr<Kernel> kernel(Process& process, void const* function_or_handle);
    void* kernel_handle(Process& process, void const* host);
    /// Throws Failure(invalid_symbol).
    Variable variable(void const* host);
    /// The address of a variable on a device, and its size in bytes.
    std::pair<std::uint64_t, std::size_t> place(Process& process, void const* host, Gpu& gpu);
    /// A part of a variable; throws Failure(invalid_value) when it does not lie inside.
    void* part(Process& process, void const* host, std::size_t bytes, std::size_t offset, Gpu& gpu);
    /// Loads the programs that have managed variables, and tells the host their addresses. Done once.
    void place_managed_variables(Process& process);
    /// Reads all programs, as CUDA_MODULE_LOADING=EAGER asks for at the first launch.
    void load_all(Process& process);
    /// Unloads all modules from that device; they are created again on demand.
    void unload(Process& process, Gpu const& gpu);

private:
    std::unordered_map<void const*, Variable>::iterator find_variable(void const* host);

    std::mutex mutex_;
    std::unordered_map<void**, std::shared_ptr<Program>> images_;
    std::unordered_map<void const*, std::shared_ptr<Kernel>> functions_;
    std::unordered_map<void const*, void*> handles_;
    std::unordered_map<void const*, Variable> variables_;
    bool has_unplaced_managed_ = false;
    std::atomic<bool> has_loaded_all_{false};
};

}  // namespace warpsim::cuda
