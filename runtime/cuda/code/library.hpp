// A loaded image with handles for its kernels: a library of the process, or a module of a context.
#pragma once

#include "runtime/cuda/code/program.hpp"
#include "runtime/cuda/core/handles.hpp"
#include "runtime/cuda/memory/memory.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace warpsim::cuda {

class Library {
public:
    /// `of` is the context of a module, or null for a library.
    Library(std::shared_ptr<Program> program, void* of, Handles<Kernel>& kernels, Memory& memory)
        : context(of), program_(std::move(program)), kernels_of_process_(kernels), memory_(memory) {}
    /// Removes the handles of its kernels, and tells the memory that its variables are gone.
    ~Library();
    Library(Library const&) = delete;
    Library& operator=(Library const&) = delete;

    void* const context;

    Program& program() const { return *program_; }
    /// The handle of a kernel, the same for each call. Throws Failure(not_found).
    void* kernel(Gpu& gpu, char const* name);
    std::vector<void*> kernels(Gpu& gpu);
    struct Variable {
        std::uint64_t address = 0;
        std::uint64_t size = 0;
    };
    /// Throws Failure(not_found).
    Variable variable(Gpu& gpu, char const* name, bool must_be_managed = false);
    /// Its own handle, which its kernels know too.
    void* handle = nullptr;

private:
    std::shared_ptr<Program> const program_;
    Handles<Kernel>& kernels_of_process_;
    Memory& memory_;
    std::mutex mutex_;
    std::map<std::string, void*, std::less<>> kernels_;
    std::set<std::uint64_t> variables_;  // addresses that were registered with the memory
};

/// The libraries and modules of a process.
class Libraries : public Handles<Library> {
public:
    Libraries(HandleTable& handles, Handles<Kernel>& kernels, Memory& memory)
        : Handles<Library>(handles, HandleKind::library), kernels_(kernels), memory_(memory) {}

    /// Returns the handle. `context` is that of a module, or null for a library.
    void* load(std::shared_ptr<Program> program, void* context);

private:
    Handles<Kernel>& kernels_;
    Memory& memory_;
};

}  // namespace warpsim::cuda
