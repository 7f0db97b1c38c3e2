// A launch plan: which kernels to launch on which data, what to save and what to expect. Plain data; reading
// checks everything that can be known before a module is loaded.
#pragma once

#include "runtime/device.hpp"
#include "runtime/launch.hpp"
#include "runtime/plan/element.hpp"
#include "sim/tensor/tensor_map.hpp"
#include "sim/texture/image.hpp"
#include "sim/texture/sampler.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace warpsim::plan {

/// The address of a buffer, plus an offset in bytes.
struct Address {
    std::string buffer;
    std::uint64_t offset = 0;
};

/// Texels in a buffer, row after row, and how a kernel sees them.
struct Picture {
    /// As an array, which has the contents of the buffer while a launch runs, and is laid out in tiles; or where they
    /// are, in rows or a line of memory.
    enum class Layout : std::uint8_t { array, rows, line };
    Layout layout = Layout::array;
    sim::texture::Format format{};
    sim::texture::Geometry geometry = sim::texture::Geometry::d2;
    sim::texture::ArrayShape shape{};  // with the extent of memory, too
    std::uint64_t pitch = 0;           // of rows
    Address address;

    /// In the buffer, from the address on: slices follow one another without gaps, and levels do.
    std::uint64_t bytes() const;
};
/// What the plan says of a sampler: else it is as the variable that it is bound to declares it.
struct SamplerKeys {
    bool has_filter = false, has_address = false, has_normalized = false;
};
struct TextureArgument {
    Picture picture;
    sim::texture::Sampler sampler;
    SamplerKeys keys;
};
struct SurfaceArgument {
    Picture picture;
};
struct SamplerArgument {
    sim::texture::Sampler sampler;
    SamplerKeys keys;
};
/// What kernels know by a handle.
using TextureObject = std::variant<TextureArgument, SurfaceArgument, SamplerArgument>;

/// What becomes a number of 64 bits once the buffers have their addresses: one of these, or a handle.
using Reference = std::variant<Address, TextureObject>;
using Resolve = std::function<std::uint64_t(Reference const&)>;

/// A reference to be written into bytes.
struct ReferencePatch {
    std::uint64_t at = 0;  // byte offset
    Reference reference;
};

/// How the elements of an array are produced.
struct Init {
    enum class Kind : std::uint8_t { zero, undefined, fill, values, iota, uniform, file };
    Kind kind = Kind::zero;
    std::vector<std::byte> bytes;            // fill: one element; values: all (or as written in "hex")
    std::vector<ReferencePatch> references;  // values
    Number start;                            // iota
    Number step;
    std::uint64_t seed = 0;  // uniform, see sequence.hpp
    Number low;
    Number high;
    std::string file;            // path, already resolved
    std::uint32_t channels = 0;  // of a PNG file; 0: as many as it has
};

/// A buffer in device memory, or a variable of the module.
struct Array {
    std::string name;
    Type type = Type::u8;
    std::uint64_t count = 0;  // elements; 0 for a symbol: as many as the variable has
    Init init;
    bool is_symbol = false;
    bool has_init = false;  // whether one was written; a variable without one keeps the module's value

    std::uint64_t bytes() const { return count * size_of(type); }
};

/// A struct, or any argument given as bytes.
struct ArgumentBytes {
    std::vector<std::byte> bytes;
    std::vector<ReferencePatch> references;
    std::size_t alignment = 1;
};

/// A map of a tensor in a buffer: what it says is checked, but its address is not known yet.
struct TensorMapArgument {
    sim::tensor::TensorMap map;
    Address address;
};

/// An argument before its kernel is known: a number takes the type of the parameter.
using Argument = std::variant<Number, Address, ArgumentBytes, TensorMapArgument, TextureObject>;

/// A variable of the module that refers to a texture, a surface or a sampler.
struct ObjectSymbol {
    std::string name;
    TextureObject object;
};

/// Bytes of a region of memory, from its beginning.
struct MemoryPart {
    std::uint64_t at = 0, bytes = 0;
};
/// Memory at an address that it had when a launch was captured.
struct MemoryRegion {
    std::uint64_t address = 0, bytes = 0;
    std::vector<MemoryPart> touched, written;
};
/// What a captured launch needs of memory: parts of regions, whose bytes stand one after another in a file.
struct CapturedMemory {
    std::string before,
        after;  // files; of the touched parts, and of the written ones afterwards; empty: not known
    std::vector<MemoryRegion> regions;
    std::vector<std::uint64_t> placement;  // addresses of the module's variables
};

struct Launch {
    std::string kernel;  // empty: the module's only kernel
    runtime::LaunchShape shape;
    std::vector<Argument> arguments;
    std::uint64_t repeat = 1;
    std::uint32_t registers = 0;      // of a thread, as machine code takes them; 0: unknown
    std::uint32_t max_registers = 0;  // as .maxnreg; 0: no limit
};

struct Save {
    std::string name;                     // of an array
    std::string file;                     // as written, relative to the output folder
    std::uint32_t width = 0, height = 0;  // of a PNG file
};

struct Expectation {
    std::string name;  // of an array
    Init want;
    double absolute = 0;
    double relative = 0;
};

struct LaunchPlan {
    std::string path;                      // for messages
    bool one_line = false;                 // made from the command line, so messages name options
    std::string folder;                    // what paths are relative to: "" or a folder ending in '/'
    std::vector<std::string> modules;      // files
    std::optional<runtime::PtxText> text;  // the module itself, in place of files
    std::string config;                    // name or path; empty: not given
    std::string mode;                      // "functional", "timing"; empty: not given
    std::vector<std::string> overrides;    // KEY=VALUE
    std::vector<Array> arrays;             // buffers, then symbols
    std::vector<ObjectSymbol> objects;     // further symbols
    std::optional<CapturedMemory> memory;
    std::vector<Launch> launches;
    std::vector<Save> saves;
    std::vector<Expectation> expectations;

    Array const* array(std::string_view name) const;
};

/// Throws Error(plan): `saxpy.json: launches[0].gird: unknown key; did you mean 'grid'?`
/// `path` is used in messages and gives the folder.
LaunchPlan parse_plan(std::string const& path, std::string_view text);
/// The same, and its modules have to be there.
LaunchPlan read_plan(std::string const& path, std::string_view text);

/// "; did you mean 'grid'?", or the known names when none is near and there are few of them, or "".
std::string suggestion(std::string_view word, std::vector<std::string_view> const& known);

}  // namespace warpsim::plan
