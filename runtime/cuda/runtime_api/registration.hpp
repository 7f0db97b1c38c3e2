// What nvcc's code tells before main(): which device code a program has, and which of its functions and variables
// stand for which kernels and device variables.
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
        void** managed = nullptr;                  // where the host wants the address of a managed variable
        std::map<int, std::uint64_t> places = {};  // by device, where it has been asked for
    };

    /// Never destroyed, like the process.
    static Registrations& get();

    void** add_image(void const* wrapper);
    /// `process` is null while no process has been made.
    void end_image(Process* process, void** image);
    void add_function(void** image, void const* host, char const* name);
    /// Of a managed variable, `host` is where its address is wanted: what the program passes as the variable later
    /// on.
    void add_variable(void** image, void const* host, char const* name, std::size_t size, void** managed);

    /// The kernel that a host function stands for, or that a handle names. Throws
    /// Failure(invalid_device_function).
    std::shared_ptr<Kernel> kernel(Process& process, void const* function_or_handle);
    void* kernel_handle(Process& process, void const* host);
    /// Throws Failure(invalid_symbol).
    Variable variable(void const* host);
    /// Where a variable lies on a device, and how many bytes it has.
    std::pair<std::uint64_t, std::size_t> place(Process& process, void const* host, Gpu& gpu);
    /// A part of a variable; throws Failure(invalid_value) when it is not inside.
    void* part(Process& process, void const* host, std::size_t bytes, std::size_t offset, Gpu& gpu);
    /// Loads the programs that have managed variables, and tells the host where they are. Done once.
    void place_managed_variables(Process& process);
    /// Reads all programs, as CUDA_MODULE_LOADING=EAGER asks for at the first launch.
    void load_all(Process& process);
    /// Ends all modules on that device; they are made anew when they are wanted again.
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
