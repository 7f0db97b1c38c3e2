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

/// Texts to be linked, as one text that Program accepts as an image.
std::string linked_text(std::vector<runtime::PtxText> const& texts);
/// These again, or the one text that `text` is.
std::vector<runtime::PtxText> parts_of(std::string const& text);

/// Explains, once per process, how to build a program that has NVIDIA's own runtime linked in.
void tell_of_linked_runtime();

/// One image: nvcc's code of one translation unit (of all, when linked with -rdc), or PTX text. It is read,
/// checked and placed on a device when the first of its kernels or variables is requested there.
class Program {
public:
    /// `image` as image_kind() classifies it: a wrapper and a container must stay where they are. Throws Failure.
    explicit Program(void const* image, runtime::LoadOptions const& options = {});

    /// From now on the image may change or go away. Throws Failure(invalid_image).
    void keep_copy();

    /// The module on that device. Throws Failure when there is no PTX or the PTX has errors, after stating the
    /// reason in the log, or in `report` if given.
    std::shared_ptr<runtime::Module> module(Gpu& gpu, std::string* report = nullptr);
    /// Destroys the module on that device; it is created again on demand.
    void unload(Gpu const& gpu);
    /// The image goes away: no module can be created from it any more. Modules in use end with the work that uses
    /// them.
    void end();
    /// The PTX that the device accepts. `load` gets the most registers that nvcc's -maxrregcount allowed its kernels, and those
    /// that machine code for the device takes. Throws Error(ptx), Failure(no_binary_for_gpu).
    std::vector<runtime::PtxText> texts(Gpu const& gpu, std::string* report = nullptr,
                                        runtime::LoadOptions* load = nullptr) const;
    /// Whether module() has succeeded for that device.
    bool is_loaded(Gpu const& gpu) const;

private:
    std::vector<fatbin::Bytes> containers() const;

    void const* image_ = nullptr;      // of a wrapper or container
    std::string text_;                 // of PTX text
    std::vector<std::string> copies_;  // of the containers, after keep_copy()
    runtime::LoadOptions const options_;
    mutable std::mutex mutex_;
    bool has_ended_ = false;
    std::map<Gpu const*, std::shared_ptr<runtime::Module>> modules_;
};

/// One kernel of a program, and what the host has set for it.
class Kernel {
public:
    Kernel(std::shared_ptr<Program> of, std::string called) : program(std::move(of)), name(std::move(called)) {}

    struct Parameter {
        std::uint64_t offset = 0;  // in the parameter block
        std::uint64_t size = 0;
    };
    /// Throws what Program::module() throws, and Failure(not_found) when the program has no such kernel.
    std::vector<Parameter> const& parameters(Gpu& gpu);

    /// Bytes of shared memory that it takes in any launch. Throws what Program::module() throws, Error.
    std::uint64_t fixed_shared(Gpu& gpu);

    std::shared_ptr<Program> const program;
    std::string const name;
    std::atomic<std::uint32_t> dynamic_shared_limit{0};  // bytes; 0: not set
    std::atomic<int> preferred_carve_out{-1};            // per cent of the SM's; -1: the driver decides
    std::atomic<bool> non_portable_cluster{false};
    std::atomic<int> cache_preference{0};
    std::atomic<int> cluster_policy{0};
    void* library = nullptr;  // its handle; null: of a program's own code

private:
    // The same on all devices:
    std::once_flag known_, shared_known_;
    std::vector<Parameter> parameters_;
    std::uint64_t fixed_shared_ = 0;
};

}  // namespace warpsim::cuda
