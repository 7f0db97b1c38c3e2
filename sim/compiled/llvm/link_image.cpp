#include "sim/compiled/llvm/link_image.hpp"

#include "sim/compiled/llvm/expected.hpp"

#include <algorithm>
#include <cstring>
#include <llvm/BinaryFormat/ELF.h>
#include <llvm/Object/ELFObjectFile.h>
#include <map>
#include <stdexcept>

namespace warpsim::sim {

namespace {

namespace object = llvm::object;

/// Sections follow one another, then come jumps to imported functions, then the table of their addresses.
class ImageLinker {
public:
    ImageLinker(object::ObjectFile const& file, CodeImage& image) : file_(file), image_(image) {}

    void link(std::vector<std::string> const& names) {
        place_sections();
        collect_imports();
        for (object::SectionRef const& section : file_.sections()) {
            auto const relocated = or_throw(section.getRelocatedSection());
            if (relocated == file_.section_end() || !places_.contains(relocated->getIndex())) continue;
            std::uint64_t const base = places_.at(relocated->getIndex());
            for (object::RelocationRef const& relocation : section.relocations()) relocate(base, relocation);
        }
        for (object::SymbolRef const& symbol : file_.symbols()) {
            auto const named = std::find(names.begin(), names.end(), or_throw(symbol.getName()));
            if (named == names.end() || named->empty()) continue;
            auto const function = static_cast<std::size_t>(named - names.begin());
            image_.functions[function].begin = static_cast<std::uint32_t>(*address_of(symbol));
        }
    }

private:
    static constexpr std::size_t stub_bytes = 8;

    void align(std::size_t bytes) {
        while (image_.bytes.size() % bytes != 0) image_.bytes.push_back('\xcc');
    }

    void place_sections() {
        for (object::SectionRef const& section : file_.sections()) {
            object::ELFSectionRef const elf(section);
            if ((elf.getFlags() & llvm::ELF::SHF_ALLOC) == 0 || section.getSize() == 0) continue;
            if ((elf.getFlags() & (llvm::ELF::SHF_WRITE | llvm::ELF::SHF_TLS)) != 0 || section.isVirtual())
                throw std::runtime_error("native code has variables");
            align(section.getAlignment().value());
            places_[section.getIndex()] = image_.bytes.size();
            image_.bytes.append(or_throw(section.getContents()).str());
        }
    }

    /// Where the symbol is; none: not in the object.
    std::optional<std::uint64_t> address_of(object::SymbolRef const& symbol) const {
        auto const section = or_throw(symbol.getSection());
        if (section == file_.section_end()) return std::nullopt;
        return places_.at(section->getIndex()) + or_throw(symbol.getValue());
    }

    void collect_imports() {
        for (object::SymbolRef const& symbol : file_.symbols()) {
            bool const is_undefined = (or_throw(symbol.getFlags()) & object::BasicSymbolRef::SF_Undefined) != 0;
            std::string const name = or_throw(symbol.getName()).str();
            if (is_undefined && !name.empty()) image_.imports.push_back(name);
        }
        align(16);
        stubs_ = image_.bytes.size();
        std::size_t const table = stubs_ + stub_bytes * image_.imports.size();
        image_.imports_at = static_cast<std::uint32_t>(table);
        image_.bytes.resize(table + 8 * image_.imports.size());
        for (std::size_t i = 0; i < image_.imports.size(); ++i) {
            char const jump[] = {'\xff', '\x25'};  // jmp *distance(%rip)
            std::size_t const at = stubs_ + stub_bytes * i;
            std::memcpy(&image_.bytes[at], jump, sizeof jump);
            write32(at + 2, static_cast<std::int64_t>(table + 8 * i) - static_cast<std::int64_t>(at + 6));
        }
    }
    std::size_t import_of(object::SymbolRef const& symbol) const {
        auto const& list = image_.imports;
        auto const at = std::find(list.begin(), list.end(), or_throw(symbol.getName()));
        if (at == list.end()) throw std::runtime_error("native code refers to what is nowhere");
        return static_cast<std::size_t>(at - list.begin());
    }

    void relocate(std::uint64_t base, object::RelocationRef const& relocation) {
        std::uint64_t const at = base + relocation.getOffset();
        std::int64_t const addend = or_throw(object::ELFRelocationRef(relocation).getAddend());
        object::SymbolRef const symbol = *relocation.getSymbol();
        std::optional<std::uint64_t> target = address_of(symbol);
        switch (relocation.getType()) {
            case llvm::ELF::R_X86_64_PC32:
            case llvm::ELF::R_X86_64_PLT32:
                if (!target) target = stubs_ + stub_bytes * import_of(symbol);
                break;
            case llvm::ELF::R_X86_64_GOTPCREL:
            case llvm::ELF::R_X86_64_GOTPCRELX:
            case llvm::ELF::R_X86_64_REX_GOTPCRELX: target = image_.imports_at + 8 * import_of(symbol); break;
            default: throw std::runtime_error("native code has addresses that a place in memory decides");
        }
        write32(at, static_cast<std::int64_t>(*target) + addend - static_cast<std::int64_t>(at));
    }
    void write32(std::uint64_t at, std::int64_t value) {
        auto const narrow = static_cast<std::int32_t>(value);
        if (narrow != value || at + sizeof narrow > image_.bytes.size())
            throw std::runtime_error("native code is too large");
        std::memcpy(&image_.bytes[at], &narrow, sizeof narrow);
    }

    object::ObjectFile const& file_;
    CodeImage& image_;
    std::map<std::uint64_t, std::uint64_t> places_;  // of sections, by their index
    std::size_t stubs_ = 0;
};

}  // namespace

void link_image(llvm::StringRef object, std::vector<std::string> const& names, CodeImage& image) {
    auto const file = or_throw(object::ObjectFile::createELFObjectFile(llvm::MemoryBufferRef(object, "kernel")));
    ImageLinker(*file, image).link(names);
}

}  // namespace warpsim::sim
