// A linked module as bytes, from which it can be restored much faster than from its text: the signatures of all
// kernels at once, the body of a kernel when it is needed.
#pragma once

#include "frontend/link/link.hpp"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

/// Changes whenever a file changes that affects what a text decodes to. Bytes packed under another stamp are
/// meaningless.
std::string_view archive_stamp();

/// Packs a module without errors, with its warnings but without the texts of its sources. Empty when the module
/// contains something that cannot be packed.
std::string pack(Linked const& linked);

/// Reads packed modules. Any bytes are safe to read: every count, index and place is checked against what it
/// counts or refers to.
class PackedModule {
public:
    /// `bytes` as pack() made them under this stamp, `sources` as the module had them. Returns nothing when the
    /// bytes are damaged or belong to other sources.
    static std::optional<PackedModule> open(std::string bytes, std::vector<std::shared_ptr<Source const>> sources);

    std::string const& report() const { return report_; }
    /// The module with all its functions, none of which has a body yet: no registers, instructions or blocks. It
    /// refers to memory of this object. To be called once.
    ir::Module take_module() { return std::move(module_); }

    /// Reads the bodies of `function` and of all functions that it may call, directly or through a pointer;
    /// `module` must come from take_module(). False: the bytes are damaged.
    bool complete(ir::Module& module, std::uint32_t function);
    /// Gives all functions that have none yet the bodies of `again`, the same module read from its texts.
    void complete(ir::Module& module, ir::Module again);
    /// How many functions have received their bodies.
    std::size_t completed() const { return completed_; }

private:
    struct Body {
        std::size_t begin = 0, end = 0;    // in bytes_; equal when there is no body, or when it has been read
        std::vector<std::uint32_t> named;  // functions that its operands refer to
        bool is_indirect = false;          // whether it calls through pointers
    };

    void read_module();
    void read_body(ir::Module& module, std::uint32_t function);

    std::string bytes_;
    std::unique_ptr<std::string const> spellings_;  // the text that the views of forms point into
    ir::Module module_;
    std::string report_;
    std::vector<Body> bodies_;              // one per function
    std::vector<std::uint32_t> in_tables_;  // functions that initializers of variables refer to
    std::size_t completed_ = 0;
};

}  // namespace warpsim::frontend
