// The few calls of CUDA's driver that asking a GPU takes, found in libcuda.so.1 at run time: neither headers nor
// libraries of CUDA are needed to build this.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace warpsim::hw {

class Driver {
public:
    using Pointer = unsigned long long;

    /// Opens the library and a context of the first device. Throws std::runtime_error.
    Driver();

    std::string device_name() const;
    /// None when the driver refuses the text; `log` says why.
    void* load(std::string const& ptx, std::string& log) const;
    void unload(void* module) const;
    Pointer allocate(std::size_t bytes) const;
    void upload(Pointer to, void const* from, std::size_t bytes) const;
    void download(void* to, Pointer from, std::size_t bytes) const;
    void fill(Pointer to, std::uint8_t value, std::size_t bytes) const;
    /// A one-dimensional launch, and a wait for its end.
    void launch(void* module, std::string const& kernel, unsigned blocks, unsigned threads,
                void** arguments) const;

private:
    void* library_ = nullptr;
    template <class F> F* find(char const* name) const;
    void check(int status, char const* call) const;
};

}  // namespace warpsim::hw
