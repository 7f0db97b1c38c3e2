// The container as it is in memory, little-endian.
#pragma once

#include <cstdint>

namespace warpsim::fatbin::layout {

inline constexpr std::uint32_t wrapper_magic = 0x466243b1;
inline constexpr std::uint32_t container_magic = 0xba55ed50;

struct Wrapper {
    std::uint32_t magic;
    std::uint32_t version;         // 1, or 2 when linked with -rdc
    void const* data;              // a container
    void const* const* prelinked;  // version 2: containers, terminated by null
};
struct ContainerHeader {
    std::uint32_t magic;
    std::uint16_t version;
    std::uint16_t header_size;
    std::uint64_t body_size;  // without the header
};
struct EntryHeader {
    std::uint16_t kind;
    std::uint16_t version;
    std::uint32_t header_size;      // including the strings after it; the payload follows
    std::uint64_t payload_size;     // padded to a multiple of 8
    std::uint32_t compressed_size;  // without the padding; 0: not compressed
    std::uint32_t options_offset;
    std::uint16_t minor;
    std::uint16_t major;
    std::uint32_t architecture;
    std::uint32_t name_offset;
    std::uint32_t name_size;
    std::uint64_t flags;
    std::uint64_t reserved;
    std::uint64_t plain_size;  // 0: not compressed
};
/// Where EntryHeader::options_offset points to.
struct OptionsRecord {
    std::uint32_t offset;
    std::uint32_t size;
};
static_assert(sizeof(Wrapper) == 24 && sizeof(ContainerHeader) == 16 && sizeof(EntryHeader) == 64);

enum Kinds : std::uint16_t { ptx = 1, cubin = 2, lto = 8 };
enum Flags : std::uint64_t {
    wide = 0x1,
    debug = 0x2,
    linux_host = 0x10,
    lz4 = 0x2000,
    zstd = 0x8000,
    exact_architecture = 0x100000,
    family_architecture = 0x200000,
};

}  // namespace warpsim::fatbin::layout
