// Which bits of memory nobody has written: a byte of shadow for each byte, as far as it is neither all defined nor all
// undefined. A set bit is undefined.
#pragma once

#include "runtime/check/init/origin.hpp"
#include "runtime/check/init/rule.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace warpsim::check {

using ShadowByte = std::uint8_t;
inline constexpr ShadowByte undefined_byte = 0xff;

/// The shadow of so many bytes; any of them set?
bool has_undefined(ShadowByte const* bytes, std::size_t count);
/// Sets them to 0 and counts those that were not.
std::size_t define_bytes(ShadowByte* bytes, std::size_t count);

/// Memory of one CTA, from 0 on.
struct FlatShadow {
    std::vector<ShadowByte> bytes;
    std::vector<OriginId> origins;  // for each word, of undefined values that were stored; empty: none was

    void reset(std::size_t size);
    void set_origin(std::uint64_t at, OriginId origin);
    OriginId origin(std::uint64_t at) const { return origins.empty() ? 0 : origins[at / 4]; }
};

/// Memory of the threads of a warp, in which the words of its lanes are adjacent: local memory, parameters of calls.
class InterleavedShadow {
public:
    /// Makes all of the lanes' bytes from `begin` to `end` undefined.
    void undefine(std::uint64_t begin, std::uint64_t end, std::uint32_t lanes);
    void grow(std::uint64_t end);
    ShadowByte& at(std::uint64_t byte, unsigned lane) { return flat_.bytes[place(byte, lane)]; }
    FlatShadow& flat() { return flat_; }
    static std::size_t place(std::uint64_t byte, unsigned lane) { return byte / 4 * 128 + lane * 4 + byte % 4; }
    std::uint64_t size() const { return flat_.bytes.size() / 32; }

private:
    FlatShadow flat_;
};

/// Memory that the program has allocated on the device. All other addresses are defined: variables of modules are zero at
/// first, and what the host writes through pointers of its own cannot be seen.
class GlobalShadow {
public:
    struct Region {
        std::uint64_t begin = 0, end = 0, number = 0;
        std::string made_by;             // the host's call, a name, or the thread; may be empty
        bool is_of_heap = false;         // of a thread
        std::uint8_t element_sizes = 0;  // of elements that kernels have stored: a bit for each power of two
    };

    void add(std::uint64_t begin, std::uint64_t bytes, std::string made_by, bool is_of_heap);
    void remove(std::uint64_t begin);
    /// The region with the address; null: none.
    Region* find(std::uint64_t address);

    bool is_defined(std::uint64_t begin, std::uint64_t end);
    void define(std::uint64_t begin, std::uint64_t end);
    void undefine(std::uint64_t begin, std::uint64_t end);
    /// Between memory and as many bytes of shadow.
    void read(std::uint64_t address, std::size_t bytes, ShadowByte* to);
    void write(std::uint64_t address, std::size_t bytes, ShadowByte const* from, OriginId origin);
    /// Of an undefined value that was stored there; 0: nothing was stored.
    OriginId origin(std::uint64_t address);
    /// Bytes of the host that the shadow takes.
    std::uint64_t size() const { return mixed_pages_ * sizeof(Page); }

private:
    static constexpr std::uint64_t page_bytes = 4096;
    struct Page {
        std::array<ShadowByte, page_bytes> bytes;
        std::uint32_t undefined = 0;  // how many bytes are
        std::unique_ptr<std::array<OriginId, page_bytes / 4>> origins;
    };
    enum class State : std::uint8_t { undefined, defined, mixed };
    struct Pages : Region {
        std::vector<State> states;
        std::vector<std::unique_ptr<Page>> pages;
    };
    struct Part {
        Pages* region;  // null: not allocated, and defined
        std::uint64_t begin, end;
    };

    Part part(std::uint64_t address);
    template <class Each> void for_each_piece(std::uint64_t begin, std::uint64_t end, Each const& each);
    Page& mixed(Pages& region, std::size_t page);
    void settle(Pages& region, std::size_t page, Page& with);

    std::map<std::uint64_t, std::unique_ptr<Pages>> regions_;  // by begin
    std::uint64_t last_number_ = 0, mixed_pages_ = 0;
    std::array<Part, 4> recent_{};
    unsigned next_recent_ = 0;
};

}  // namespace warpsim::check
