// A linked module as bytes, from which it comes back much faster than from its text: what every kernel is called
// and takes at once, its body when it is wanted.
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

/// Changes with every file that has a part in what a text becomes. Bytes that were packed under another stamp mean
/// nothing.
std::string_view archive_stamp();

/// A module without errors, with its warnings; the texts of its sources are not among the bytes. Empty when the
/// module has something that cannot be packed.
std::string pack(Linked const& linked);

/// The other way. No bytes are too wrong for it: every count, index and place is checked against what it counts or
/// leads into.
class PackedModule {
public:
    /// `bytes` as pack() of this stamp made them, `sources` as the module had them. Nothing: the bytes are
    /// damaged, or of other sources.
    static std::optional<PackedModule> open(std::string bytes, std::vector<std::shared_ptr<Source const>> sources);

    std::string const& report() const { return report_; }
    /// The module with all functions, of which none has its body yet: no registers, instructions or blocks. It
    /// refers to memory of this object. Once.
    ir::Module take_module() { return std::move(module_); }

    /// Gives bodies to `function` and all that it may call, directly or through a pointer; the functions lie in a
    /// module of take_module(). False: the bytes are damaged.
    bool complete(ir::Module& module, std::uint32_t function);
    /// Gives all functions that have none yet the bodies of `again`, the same module read from its texts.
    void complete(ir::Module& module, ir::Module again);
    /// How many functions have got their bodies.
    std::size_t completed() const { return completed_; }

private:
    struct Body {
        std::size_t begin = 0, end = 0;    // in bytes_; equal: it has none, or has been read
        std::vector<std::uint32_t> named;  // functions that its operands name
        bool is_indirect = false;          // it calls through pointers
    };

    void read_module();
    void read_body(ir::Module& module, std::uint32_t function);

    std::string bytes_;
    std::unique_ptr<std::string const> spellings_;  // what views of forms lie in
    ir::Module module_;
    std::string report_;
    std::vector<Body> bodies_;              // per function
    std::vector<std::uint32_t> in_tables_;  // functions that initializers of variables name
    std::size_t completed_ = 0;
};

}  // namespace warpsim::frontend
