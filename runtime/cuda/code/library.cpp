#include "runtime/cuda/code/library.hpp"

#include "runtime/cuda/devices/gpu.hpp"
#include "sim/error.hpp"

namespace warpsim::cuda {

Library::~Library() {
    for (auto const& [name, kernel] : kernels_) kernels_of_process_.forget(kernel);
    for (std::uint64_t const address : variables_) memory_.remove_variable(address);
}

void* Library::kernel(Gpu& gpu, char const* name) {
    if (name == nullptr) throw Failure(Result::invalid_value);
    std::shared_ptr<runtime::Module> const module = program_->module(gpu);
    if (!module->has_kernel(name)) throw Failure(Result::not_found);
    std::lock_guard const lock(mutex_);
    void*& handle_of_it = kernels_[name];
    if (handle_of_it == nullptr) {
        auto made = std::make_shared<Kernel>(program_, name);
        made->library = handle;
        handle_of_it = kernels_of_process_.add(std::move(made));
    }
    return handle_of_it;
}

std::vector<void*> Library::kernels(Gpu& gpu) {
    std::vector<void*> list;
    for (std::string const& name : program_->module(gpu)->kernels()) list.push_back(kernel(gpu, name.c_str()));
    return list;
}

Library::Variable Library::variable(Gpu& gpu, char const* name, bool must_be_managed) {
    if (name == nullptr) throw Failure(Result::invalid_value);
    std::shared_ptr<runtime::Module> const module = program_->module(gpu);
    runtime::Module::Symbol symbol;
    try {
        symbol = module->symbol(name);
    } catch (Error const&) {
        throw Failure(Result::not_found);
    }
    if (must_be_managed && !symbol.is_managed) throw Failure(Result::not_found);
    std::lock_guard const lock(mutex_);
    if (variables_.insert(symbol.address).second) {
        memory_.add_variable(symbol.address, symbol.size, gpu.ordinal, symbol.is_managed);
    }
    return {symbol.address, symbol.size};
}

void* Libraries::load(std::shared_ptr<Program> program, void* context) {
    auto library = std::make_shared<Library>(std::move(program), context, kernels_, memory_);
    Library& made = *library;
    return made.handle = add(std::move(library));
}

}  // namespace warpsim::cuda
