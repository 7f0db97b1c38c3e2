#include "runtime/cuda/runtime_api/registration.hpp"

#include "runtime/cuda/runtime_api/call.hpp"

#include <algorithm>

namespace warpsim::cuda {

Registrations& Registrations::get() {
    static Registrations* const registrations = new Registrations;
    return *registrations;
}

void** Registrations::add_image(void const* wrapper) {
    auto program = std::make_shared<Program>(wrapper);
    // The handle is the address of a word of its own: nvcc's code passes it around and never dereferences it.
    auto** const image = new void*(const_cast<void*>(wrapper));
    std::lock_guard const lock(mutex_);
    images_.emplace(image, std::move(program));
    return image;
}

void Registrations::end_image(Process* process, void** image) {
    std::lock_guard const lock(mutex_);
    auto const at = images_.find(image);
    if (at == images_.end()) return;
    std::shared_ptr<Program> const program = at->second;
    // Another library may have been loaded to the same addresses.
    std::erase_if(functions_, [&](auto const& f) {
        if (f.second->program != program) return false;
        auto const handle = handles_.extract(f.first);
        if (handle && process != nullptr) process->kernels.forget(handle.mapped());
        return true;
    });
    std::erase_if(variables_, [&](auto const& v) {
        if (v.second.program != program) return false;
        for (auto const& [device, address] : v.second.places) {
            if (process != nullptr) process->memory.remove_variable(address);
        }
        return true;
    });
    images_.erase(at);
    delete image;
    if (process != nullptr && wants_all_code() && !program->is_loaded(process->gpu(0))) {
        std::string not_told;
        try {
            program->module(process->gpu(0), &not_told);
        } catch (Failure const&) {
            // The program has not asked for it.
        }
    }
    program->end();
}

void Registrations::add_function(void** image, void const* host, char const* name) {
    std::lock_guard const lock(mutex_);
    auto const at = images_.find(image);
    if (at != images_.end()) functions_[host] = std::make_shared<Kernel>(at->second, name);
}

void Registrations::add_variable(void** image, void const* host, char const* name, std::size_t size,
                                 void** managed) {
    std::lock_guard const lock(mutex_);
    auto const at = images_.find(image);
    if (at == images_.end()) return;
    variables_[host] = {at->second, name, size, managed};
    has_unplaced_managed_ = has_unplaced_managed_ || managed != nullptr;
}

std::shared_ptr<Kernel> Registrations::kernel(Process& process, void const* function_or_handle) {
    {
        std::lock_guard const lock(mutex_);
        auto const at = functions_.find(function_or_handle);
        if (at != functions_.end()) return at->second;
    }
    return process.kernels.get(function_or_handle, Result::invalid_device_function);
}

void* Registrations::kernel_handle(Process& process, void const* host) {
    std::lock_guard const lock(mutex_);
    auto const at = functions_.find(host);
    if (at == functions_.end()) throw Failure(Result::invalid_device_function);
    void*& handle = handles_[host];
    if (handle == nullptr) handle = process.kernels.add(at->second);
    return handle;
}

/// A managed variable is also known by the address of its memory, which is what the host uses.
std::unordered_map<void const*, Registrations::Variable>::iterator Registrations::find_variable(void const* host) {
    auto const at = variables_.find(host);
    if (at != variables_.end()) return at;
    return std::find_if(variables_.begin(), variables_.end(), [host](auto const& v) {
        return v.second.managed != nullptr && *v.second.managed == host;
    });
}

Registrations::Variable Registrations::variable(void const* host) {
    std::lock_guard const lock(mutex_);
    auto const at = find_variable(host);
    if (at == variables_.end()) throw Failure(Result::invalid_symbol);
    return at->second;
}

std::pair<std::uint64_t, std::size_t> Registrations::place(Process& process, void const* host, Gpu& gpu) {
    Variable const v = variable(host);
    try {
        std::uint64_t const at = v.program->module(gpu)->symbol(v.name).address;
        process.memory.add_variable(at, v.size, gpu.ordinal, v.managed != nullptr);
        std::lock_guard const lock(mutex_);
        if (auto const known = find_variable(host); known != variables_.end())
            known->second.places[gpu.ordinal] = at;
        return {at, v.size};
    } catch (Error const&) {
        throw Failure(Result::invalid_symbol);
    }
}

void* Registrations::part(Process& process, void const* host, std::size_t bytes, std::size_t offset, Gpu& gpu) {
    auto const [begin, size] = place(process, host, gpu);
    if (offset > size || bytes > size - offset) throw Failure(Result::invalid_value);
    return reinterpret_cast<void*>(begin + offset);
}

void Registrations::unload(Process& process, Gpu const& gpu) {
    std::lock_guard const lock(mutex_);
    for (auto const& [image, program] : images_) program->unload(gpu);
    for (auto& [host, v] : variables_) {
        has_unplaced_managed_ = has_unplaced_managed_ || v.managed != nullptr;
        if (auto const place = v.places.extract(gpu.ordinal)) process.memory.remove_variable(place.mapped());
    }
}

void Registrations::load_all(Process& process) {
    std::vector<std::shared_ptr<Program>> list;
    {
        std::lock_guard const lock(mutex_);
        for (auto const& [image, program] : images_) list.push_back(program);
    }
    for (std::shared_ptr<Program> const& program : list) {
        try {
            program->module(process.current());
        } catch (Failure const&) {
            // Reported already, and again to a caller that asks for one of its kernels.
        }
    }
}

void Registrations::place_managed_variables(Process& process) {
    if (process.is_eager && !has_loaded_all_.exchange(true)) load_all(process);
    std::vector<std::pair<void const*, void**>> list;
    {
        std::lock_guard const lock(mutex_);
        if (!has_unplaced_managed_) return;
        has_unplaced_managed_ = false;
        for (auto const& [host, v] : variables_) {
            if (v.managed != nullptr) list.emplace_back(host, v.managed);
        }
    }
    for (auto const& [host, out] : list)
        *out = reinterpret_cast<void*>(place(process, host, process.current()).first);
}

}  // namespace warpsim::cuda

using namespace warpsim::cuda;

WARPSIM_API void** __cudaRegisterFatBinary(void* wrapper) {
    void** image = nullptr;
    call([&] { image = Registrations::get().add_image(wrapper); });
    return image;
}

WARPSIM_API void __cudaRegisterFatBinaryEnd(void**) {}

WARPSIM_API void __cudaUnregisterFatBinary(void** image) {
    // Libraries are also unloaded when the program ends: that must not create a process, but where coverage wants to know of
    // kernels that never ran.
    if (Process::exists() || wants_all_code())
        call([&](Process& process) { Registrations::get().end_image(&process, image); });
    else call([&] { Registrations::get().end_image(nullptr, image); });
}

WARPSIM_API void __cudaRegisterFunction(void** image, char const* host, char*, char const* name, int, void*, void*,
                                        void*, void*, int*) {
    call([&] { Registrations::get().add_function(image, host, name); });
}

WARPSIM_API void __cudaRegisterVar(void** image, char* host, char*, char const* name, int, std::size_t size, int,
                                   int) {
    call([&] { Registrations::get().add_variable(image, host, name, size, nullptr); });
}

WARPSIM_API void __cudaRegisterManagedVar(void** image, void** host, char*, char const* name, int,
                                          std::size_t size, int, int) {
    call([&] { Registrations::get().add_variable(image, host, name, size, host); });
}

/// Called before the host first touches a managed variable.
WARPSIM_API char __cudaInitModule(void**) {
    return call([](Process& process) { Registrations::get().place_managed_variables(process); }) == 0;
}

WARPSIM_API cudaError_t __cudaGetKernel(cudaKernel_t* kernel, void const* host) {
    return call([&](Process& process) { give(kernel, Registrations::get().kernel_handle(process, host)); });
}

WARPSIM_API cudaError_t cudaGetKernel(cudaKernel_t* kernel, void const* host) {
    Arguments const said(kernel, host);
    return __cudaGetKernel(kernel, host);
}
