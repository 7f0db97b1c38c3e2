#include "runtime/fatbin/fatbin.hpp"

#include "runtime/fatbin/decode.hpp"
#include "runtime/fatbin/layout.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace warpsim::fatbin {

namespace {

constexpr std::uint32_t elf_magic = 0x464c457f;

using layout::container_magic;
using layout::ContainerHeader;
using layout::EntryHeader;
using layout::Wrapper;
using layout::wrapper_magic;

[[noreturn]] void damaged(std::string const& what) {
    throw Error(ErrorKind::ptx, "error: the device code of this program is damaged: " + what + "\n");
}

template <class T> T read(Bytes bytes, std::size_t at) {
    T value;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

std::string_view text_at(Bytes header, std::uint64_t offset, std::uint64_t size) {
    if (offset > header.size() || size > header.size() - offset) damaged("a string lies outside of its entry");
    std::string_view const text(reinterpret_cast<char const*>(header.data()) + offset, size);
    return text.substr(0, text.find('\0'));
}

std::string_view options_of(Bytes header, std::uint32_t record) {
    if (record == 0) return {};
    if (record > header.size() || header.size() - record < 8)
        damaged("an option record lies outside of its entry");
    std::string_view text =
        text_at(header, read<std::uint32_t>(header, record), read<std::uint32_t>(header, record + 4));
    while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
    while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
    return text;
}

Entry entry_of(EntryHeader const& h, Bytes header, Bytes payload) {
    Entry e;
    e.kind = h.kind == layout::ptx     ? Kind::ptx
             : h.kind == layout::cubin ? Kind::cubin
             : h.kind == layout::lto   ? Kind::lto
                                       : Kind::other;
    e.coding = h.flags & layout::zstd ? Coding::zstd : h.flags & layout::lz4 ? Coding::lz4 : Coding::raw;
    e.variant = h.flags & layout::exact_architecture    ? Variant::exact
                : h.flags & layout::family_architecture ? Variant::family
                                                        : Variant::any;
    e.architecture = h.architecture;
    e.isa_major = h.major;
    e.isa_minor = h.minor;
    e.debug = (h.flags & layout::debug) != 0;
    e.payload = payload;
    if (e.coding != Coding::raw) {
        if (h.compressed_size > payload.size()) damaged("a compressed entry is larger than its place");
        e.payload = payload.first(h.compressed_size);
    }
    e.plain_size = e.coding == Coding::raw ? payload.size() : h.plain_size;
    e.name = h.name_size != 0 ? text_at(header, h.name_offset, h.name_size) : std::string_view();
    e.options = options_of(header, h.options_offset);
    return e;
}

}  // namespace

std::string architecture_name(Entry const& entry) {
    char const* const suffix = entry.variant == Variant::exact ? "a" : entry.variant == Variant::family ? "f" : "";
    return "sm_" + std::to_string(entry.architecture) + suffix;
}

std::uint32_t max_registers(Entry const& entry) {
    for (std::string_view const name : {"-maxrregcount=", "-maxrregcount "}) {
        std::size_t const at = entry.options.find(name);
        if (at == std::string_view::npos) continue;
        std::string_view const value = entry.options.substr(at + name.size());
        std::uint32_t number = 0;
        std::from_chars(value.data(), value.data() + value.size(), number);
        return number;
    }
    return 0;
}

Image image_kind(void const* image) {
    unsigned char first[4] = {};
    auto const* const bytes = static_cast<unsigned char const*>(image);
    for (std::size_t i = 0; i < sizeof first; ++i) {
        first[i] = bytes[i];
        if (first[i] == 0) return i == 0 ? Image::unknown : Image::text;
    }
    std::uint32_t word;
    std::memcpy(&word, first, sizeof word);
    if (word == wrapper_magic) return Image::wrapper;
    if (word == container_magic) return Image::container;
    if (word == elf_magic) return Image::elf;
    bool const is_text = std::all_of(std::begin(first), std::end(first), [](unsigned char c) {
        return (c >= 0x20 && c < 0x7f) || (c >= '\t' && c <= '\r');
    });
    return is_text ? Image::text : Image::unknown;
}

Bytes container(void const* image) {
    ContainerHeader header;
    std::memcpy(&header, image, sizeof header);
    if (header.magic != container_magic) damaged("a container without its mark");
    if (header.version != 1 || header.header_size < sizeof header) {
        damaged("a container of version " + std::to_string(header.version) + ", which is not known");
    }
    return {static_cast<std::byte const*>(image), header.header_size + header.body_size};
}

std::vector<Bytes> containers(void const* wrapper) {
    Wrapper w;
    std::memcpy(&w, wrapper, sizeof w);
    if (w.magic != wrapper_magic) damaged("a wrapper without its mark");
    if (w.version != 1 && w.version != 2) {
        damaged("a wrapper of version " + std::to_string(w.version) + ", which is not known");
    }
    std::vector<Bytes> list;
    // The device linker's output for a -rdc program contains only machine code; the linked parts have the PTX.
    if (w.version == 2 && w.prelinked != nullptr) {
        for (void const* const* unit = w.prelinked; *unit != nullptr; ++unit) list.push_back(container(*unit));
    }
    if (list.empty() && w.data != nullptr) list.push_back(container(w.data));
    return list;
}

std::vector<Entry> entries(Bytes container) {
    if (container.size() < sizeof(ContainerHeader)) damaged("a container shorter than its header");
    auto const head = read<ContainerHeader>(container, 0);
    if (head.magic != container_magic) damaged("a container without its mark");
    if (head.header_size > container.size() || head.body_size > container.size() - head.header_size) {
        damaged("a container longer than the place it lies in");
    }
    std::vector<Entry> list;
    Bytes rest = container.subspan(head.header_size, head.body_size);
    while (!rest.empty()) {
        if (rest.size() < sizeof(EntryHeader)) damaged("an entry shorter than its header");
        auto const h = read<EntryHeader>(rest, 0);
        if (h.header_size < sizeof h || h.header_size > rest.size() ||
            h.payload_size > rest.size() - h.header_size) {
            damaged("an entry longer than its container");
        }
        list.push_back(entry_of(h, rest.first(h.header_size), rest.subspan(h.header_size, h.payload_size)));
        rest = rest.subspan(h.header_size + h.payload_size);
    }
    return list;
}

std::string contents(Entry const& entry) {
    // No compiler writes more; a damaged size must not exhaust the machine's memory.
    constexpr std::uint64_t most = std::uint64_t{1} << 31;
    if (entry.plain_size > most) damaged("an entry of " + std::to_string(entry.plain_size) + " bytes");
    std::string plain;
    if (entry.coding == Coding::raw) {
        plain.assign(reinterpret_cast<char const*>(entry.payload.data()), entry.payload.size());
    } else {
        bool const good = entry.coding == Coding::zstd ? decode_zstd(entry.payload, entry.plain_size, plain)
                                                       : decode_lz4(entry.payload, entry.plain_size, plain);
        if (!good) damaged("an entry for " + architecture_name(entry) + " cannot be decompressed");
    }
    if (entry.kind == Kind::ptx) plain.resize(std::min(plain.size(), plain.find('\0')));
    return plain;
}

}  // namespace warpsim::fatbin
