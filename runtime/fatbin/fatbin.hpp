// The container in which nvcc embeds device code in a program: entries of PTX, machine code and LTO code, each for
// one architecture and possibly compressed. It is read as it is in memory; sizes inside it are never trusted.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::fatbin {

using Bytes = std::span<std::byte const>;

enum class Kind : std::uint8_t { ptx, cubin, lto, other };
enum class Coding : std::uint8_t { raw, lz4, zstd };
/// sm_90: any later device, sm_90a: exactly this one, sm_100f: the family.
enum class Variant : std::uint8_t { any, family, exact };

struct Entry {
    Kind kind = Kind::other;
    Coding coding = Coding::raw;
    Variant variant = Variant::any;
    std::uint32_t architecture = 0;  // 90 for sm_90
    std::uint16_t isa_major = 0;     // of PTX entries: the .version
    std::uint16_t isa_minor = 0;
    bool debug = false;
    Bytes payload;                 // as stored, inside the container
    std::uint64_t plain_size = 0;  // bytes after decoding
    std::string_view name;         // the source file, if nvcc recorded it
    std::string_view options;      // such as "--generate-line-info"
};

/// "sm_90", "sm_90a", "sm_100f".
std::string architecture_name(Entry const& entry);

/// The kind of image that a program hands to the driver, recognised by its first bytes.
enum class Image : std::uint8_t { wrapper, container, elf, text, unknown };
/// Reads at most 8 bytes of `image`, fewer if a NUL comes earlier.
Image image_kind(void const* image);

/// The containers that a wrapper points to: one, or those of all translation units of a program linked with -rdc.
/// Throws Error(ptx) when the wrapper is damaged.
std::vector<Bytes> containers(void const* wrapper);
/// The container at `image`, whose header gives its length. Throws Error(ptx) when there is none.
Bytes container(void const* image);
/// The entries of a container, in order. Throws Error(ptx) when it is damaged.
std::vector<Entry> entries(Bytes container);
/// An entry's decoded bytes; for PTX, the text without its terminating NUL. Throws Error(ptx) when it is damaged.
std::string contents(Entry const& entry);

/// The registers of a thread that the recorded options allow; 0: no limit.
std::uint32_t max_registers(Entry const& entry);

/// The PTX entry that a device of compute capability `device` (90 for 9.0) uses.
struct Choice {
    Entry const* entry = nullptr;  // null: there is no PTX
    bool above_device = false;     // all PTX is for newer devices, or for `a` and `f` targets of other devices
};
Choice choose(std::vector<Entry> const& entries, std::uint32_t device);

/// The machine code that a device of that compute capability executes: for its own or an earlier minor version. Null: none.
Entry const* choose_machine_code(std::vector<Entry> const& entries, std::uint32_t device);

/// Tells a user whose program has no PTX what it contains instead, and which option of nvcc adds PTX.
std::string advice_without_ptx(std::vector<Entry> const& entries, std::uint32_t device);
/// Tells how to rebuild a program with NVIDIA's own runtime linked in so that it runs here.
std::string advice_on_linked_runtime();

}  // namespace warpsim::fatbin
