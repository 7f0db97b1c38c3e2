// A loaded image with handles for its kernels: a library of the process, or a module of one context.
#pragma once

#include "runtime/cuda/code/program.hpp"

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
    /// `of`: the context of a module; null for a library.
    Library(std::shared_ptr<Program> program, void* of) : context(of), program_(std::move(program)) {}
    /// Takes the handles of its kernels away, and tells the memory that its variables are gone.
    ~Library();
    Library(Library const&) = delete;
    Library& operator=(Library const&) = delete;

    void* const context;

    Program& program() const { return *program_; }
    /// The handle of a kernel, always the same. Throws Failure(not_found).
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
    std::mutex mutex_;
    std::map<std::string, void*, std::less<>> kernels_;
    std::set<std::uint64_t> variables_;  // addresses that the memory was told of
};

/// Puts a library among the process's and returns its handle.
void* add_library(std::shared_ptr<Program> program, void* context);

}  // namespace warpsim::cuda
