// For the libraries that stand in for NVIDIA's compilers.
#pragma once

#include "runtime/device.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::cuda {

/// A fat binary that holds the PTX. Throws Error(ptx).
std::string fat_binary(std::string_view ptx, std::string_view options = {});

/// What is linked into one program without a device.
class PtxLinker {
public:
    explicit PtxLinker(std::uint32_t architecture) : architecture_(architecture) {}

    /// Adds PTX text or what holds it: a fat binary, or a host's object file or archive with fat binaries in it. Throws
    /// Error(ptx) for what holds none.
    void add(std::string const& bytes, std::string const& name);
    /// Checks the whole and returns a fat binary. Throws Error(ptx) with all diagnostics.
    std::string link(std::string_view options) const;
    std::vector<runtime::PtxText> const& texts() const { return texts_; }

private:
    void add_container(void const* container, std::string const& name);

    std::uint32_t architecture_;
    std::vector<runtime::PtxText> texts_;
};

}  // namespace warpsim::cuda
