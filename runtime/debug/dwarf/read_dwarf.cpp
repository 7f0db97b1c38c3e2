#include "runtime/debug/dwarf/variables.hpp"

#include <cxxabi.h>
#include <dwarf.h>
#include <elf.h>
#include <elfutils/libdw.h>
#include <gelf.h>

#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>

namespace warpsim::debug {

namespace {

/// A file for elfutils, whose only contents are these sections.
std::vector<char> elf_of(Sections const& sections) {
    std::string names(1, '\0');
    std::vector<Elf64_Shdr> headers(1);
    std::vector<char> file(sizeof(Elf64_Ehdr));
    auto const add = [&](std::string const& name, char const* bytes, std::size_t size, std::uint32_t type) {
        Elf64_Shdr header{};
        header.sh_name = static_cast<Elf64_Word>(names.size());
        header.sh_type = type;
        header.sh_offset = file.size();
        header.sh_size = size;
        header.sh_addralign = 1;
        names += name + '\0';
        headers.push_back(header);
        if (type == SHT_STRTAB) return;
        file.insert(file.end(), bytes, bytes + size);
    };
    for (auto const& [name, bytes] : sections)
        add(name, reinterpret_cast<char const*>(bytes.data()), bytes.size(), SHT_PROGBITS);
    add(".shstrtab", nullptr, 0, SHT_STRTAB);
    headers.back().sh_size = names.size();
    file.insert(file.end(), names.begin(), names.end());
    while (file.size() % 8 != 0) file.push_back(0);
    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_DATA] = ELFDATA2LSB;
    head.e_ident[EI_VERSION] = EV_CURRENT;
    head.e_type = ET_EXEC;
    head.e_machine = EM_X86_64;
    head.e_version = EV_CURRENT;
    head.e_shoff = file.size();
    head.e_ehsize = sizeof head;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<Elf64_Half>(headers.size());
    head.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    auto const* const table = reinterpret_cast<char const*>(headers.data());
    file.insert(file.end(), table, table + headers.size() * sizeof(Elf64_Shdr));
    std::memcpy(file.data(), &head, sizeof head);
    return file;
}

using MutableType = std::shared_ptr<ValueType>;

class Reader {
public:
    explicit Reader(SourceVariables& variables) : variables_(variables) {}

    void read_unit(Dwarf_Die& unit) { read_children(unit, 0, UINT64_MAX); }

private:
    static std::string name_of(Dwarf_Die& die) {
        char const* const name = dwarf_diename(&die);
        if (name == nullptr) return "";
        // What the source gives no name has one of the linker here.
        std::string_view const text = name;
        bool const is_unnamed = text.starts_with("_Z") && text.find("Ut_") != std::string_view::npos;
        return is_unnamed ? "struct {...}" : name;
    }
    /// nvcc gives enumerators the names of linkers: "_ZN5Color4blueE" is "Color::blue".
    static std::string demangled(std::string const& name) {
        if (!name.starts_with("_Z")) return name;
        int status = 0;
        std::unique_ptr<char, void (*)(void*)> const text(
            abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
        return text ? text.get() : name;
    }
    static std::uint64_t number(Dwarf_Die& die, unsigned which, std::uint64_t otherwise) {
        Dwarf_Attribute attribute;
        Dwarf_Word value = 0;
        if (dwarf_attr_integrate(&die, which, &attribute) == nullptr || dwarf_formudata(&attribute, &value) != 0)
            return otherwise;
        return value;
    }

    void read_children(Dwarf_Die& parent, std::uint64_t low, std::uint64_t high) {
        Dwarf_Die die;
        if (dwarf_child(&parent, &die) != 0) return;
        do {
            switch (dwarf_tag(&die)) {
                case DW_TAG_variable:
                case DW_TAG_formal_parameter: read_variable(die, low, high); break;
                case DW_TAG_subprogram:
                case DW_TAG_inlined_subroutine:
                case DW_TAG_lexical_block: {
                    Dwarf_Addr from = low, until = high;
                    if (dwarf_lowpc(&die, &from) != 0 || dwarf_highpc(&die, &until) != 0) {
                        from = low;
                        until = high;
                    }
                    read_children(die, from, until);
                    break;
                }
                case DW_TAG_namespace: read_children(die, low, high); break;
                case DW_TAG_structure_type:
                case DW_TAG_class_type:
                case DW_TAG_union_type:
                case DW_TAG_typedef:
                case DW_TAG_enumeration_type:
                case DW_TAG_base_type:
                    if (std::string const name = name_of(die); !name.empty())
                        variables_.types.emplace(name, type(die));
                    break;
                default: break;
            }
        } while (dwarf_siblingof(&die, &die) == 0);
    }

    /// The register's name stands in its number: its letters, the last one lowest.
    static std::string register_name(std::uint64_t number) {
        std::string name;
        for (; number != 0; number >>= 8) name.insert(name.begin(), static_cast<char>(number & 0xff));
        return name;
    }

    static bool read_location(Dwarf_Op const* ops, std::size_t count, VariableLocation& location) {
        if (count == 0) return false;
        if (ops[0].atom == DW_OP_regx && count == 1) {
            location.register_name = register_name(ops[0].number);
            return true;
        }
        if (ops[0].atom != DW_OP_addr) return false;
        location.address = ops[0].number;
        for (std::size_t i = 1; i < count; ++i) {
            if (ops[i].atom == DW_OP_plus_uconst) location.offset += ops[i].number;
            else return false;
        }
        return true;
    }

    void read_variable(Dwarf_Die& die, std::uint64_t low, std::uint64_t high) {
        SourceVariable variable;
        variable.name = name_of(die);
        variable.type = type_of(die);
        variable.low = low;
        variable.high = high;
        variable.is_parameter = dwarf_tag(&die) == DW_TAG_formal_parameter;
        if (variable.name.empty() || !variable.type) return;
        Dwarf_Attribute attribute;
        if (dwarf_attr_integrate(&die, DW_AT_location, &attribute) != nullptr) {
            Dwarf_Op* ops = nullptr;
            std::size_t count = 0;
            Dwarf_Addr base = 0, begin = 0, end = 0;
            if (dwarf_getlocation(&attribute, &ops, &count) == 0) {
                VariableLocation location;
                if (read_location(ops, count, location)) variable.locations.push_back(std::move(location));
            } else {
                for (std::ptrdiff_t at = 0;
                     (at = dwarf_getlocations(&attribute, at, &base, &begin, &end, &ops, &count)) > 0;) {
                    VariableLocation location{.low = begin, .high = end, .register_name = {}};
                    if (read_location(ops, count, location)) variable.locations.push_back(std::move(location));
                }
            }
        }
        variables_.all.push_back(std::move(variable));
    }

    TypePointer type_of(Dwarf_Die& die) {
        Dwarf_Attribute attribute;
        Dwarf_Die target;
        if (dwarf_attr_integrate(&die, DW_AT_type, &attribute) == nullptr ||
            dwarf_formref_die(&attribute, &target) == nullptr)
            return nullptr;
        return type(target);
    }

    /// Types may lead back to themselves, by pointers.
    TypePointer type(Dwarf_Die die) {
        Dwarf_Off const at = dwarf_dieoffset(&die);
        auto const known = types_.find(at);
        if (known != types_.end()) return known->second;
        int const tag = dwarf_tag(&die);
        if (tag == DW_TAG_const_type || tag == DW_TAG_volatile_type || tag == DW_TAG_restrict_type ||
            tag == DW_TAG_typedef) {
            TypePointer const same = type_of(die);
            types_[at] = same;
            return same;
        }
        if (tag == DW_TAG_unspecified_type) return nullptr;
        auto made = std::make_shared<ValueType>();
        types_[at] = made;
        made->name = name_of(die);
        made->bytes = number(die, DW_AT_byte_size, 0);
        switch (tag) {
            case DW_TAG_base_type: fill_base(die, *made); break;
            case DW_TAG_pointer_type:
            case DW_TAG_reference_type:
            case DW_TAG_rvalue_reference_type:
                made->kind = ValueType::Kind::pointer;
                made->bytes = 8;
                made->element = type_of(die);
                break;
            case DW_TAG_array_type: fill_array(die, *made); break;
            case DW_TAG_enumeration_type: fill_enumeration(die, *made); break;
            case DW_TAG_structure_type:
            case DW_TAG_class_type:
            case DW_TAG_union_type:
                variables_.structures.push_back(made);
                fill_structure(die, *made);
                break;
            default: break;
        }
        return made;
    }

    static void fill_base(Dwarf_Die& die, ValueType& type) {
        switch (number(die, DW_AT_encoding, 0)) {
            case DW_ATE_boolean: type.kind = ValueType::Kind::boolean; break;
            case DW_ATE_float:
                type.kind = ValueType::Kind::floating;
                type.format = type.bytes == 8 ? isa::Type::f64 : type.bytes == 4 ? isa::Type::f32 : isa::Type::f16;
                break;
            case DW_ATE_signed_char:
            case DW_ATE_unsigned_char:
                type.kind = ValueType::Kind::character;
                type.is_signed = number(die, DW_AT_encoding, 0) == DW_ATE_signed_char;
                break;
            default:
                type.kind = ValueType::Kind::integer;
                type.is_signed = number(die, DW_AT_encoding, 0) == DW_ATE_signed;
        }
    }

    void fill_array(Dwarf_Die& die, ValueType& type) {
        std::vector<std::uint64_t> counts;
        Dwarf_Die child;
        if (dwarf_child(&die, &child) == 0) {
            do {
                if (dwarf_tag(&child) != DW_TAG_subrange_type) continue;
                std::uint64_t const bound = number(child, DW_AT_upper_bound, UINT64_MAX);
                counts.push_back(bound != UINT64_MAX ? bound + 1 : number(child, DW_AT_count, 0));
            } while (dwarf_siblingof(&child, &child) == 0);
        }
        TypePointer element = type_of(die);
        if (!element || counts.empty()) return;
        for (std::size_t i = counts.size(); i-- > 1;) {
            auto inner = std::make_shared<ValueType>();
            inner->kind = ValueType::Kind::array;
            inner->count = counts[i];
            inner->bytes = counts[i] * element->bytes;
            inner->element = std::exchange(element, inner);
        }
        type.kind = ValueType::Kind::array;
        type.count = counts.front();
        type.bytes = type.count * element->bytes;
        type.element = element;
    }

    static void fill_enumeration(Dwarf_Die& die, ValueType& type) {
        type.kind = ValueType::Kind::integer;
        type.is_signed = true;
        if (type.bytes == 0) type.bytes = 4;
        Dwarf_Die child;
        if (dwarf_child(&die, &child) != 0) return;
        do {
            Dwarf_Attribute attribute;
            Dwarf_Sword value = 0;
            if (dwarf_attr(&child, DW_AT_const_value, &attribute) != nullptr &&
                dwarf_formsdata(&attribute, &value) == 0)
                type.enumerators.push_back({demangled(name_of(child)), value});
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    /// Where a member is: DWARF 2 has an expression for it.
    static std::uint64_t member_offset(Dwarf_Die& die) {
        Dwarf_Attribute attribute;
        if (dwarf_attr_integrate(&die, DW_AT_data_member_location, &attribute) == nullptr) return 0;
        Dwarf_Word value = 0;
        if (dwarf_formudata(&attribute, &value) == 0) return value;
        Dwarf_Op* ops = nullptr;
        std::size_t count = 0;
        if (dwarf_getlocation(&attribute, &ops, &count) == 0 && count == 1) return ops[0].number;
        return 0;
    }

    void fill_structure(Dwarf_Die& die, ValueType& type) {
        type.kind = ValueType::Kind::structure;
        Dwarf_Die child;
        if (dwarf_child(&die, &child) != 0) return;
        do {
            int const tag = dwarf_tag(&child);
            bool const is_static = dwarf_hasattr(&child, DW_AT_external) != 0;
            if ((tag != DW_TAG_member && tag != DW_TAG_inheritance) || is_static) continue;
            TypePointer const member = type_of(child);
            if (member && member->bytes != 0)
                type.members.push_back({tag == DW_TAG_inheritance ? "<" + member->name + ">" : name_of(child),
                                        member, member_offset(child)});
        } while (dwarf_siblingof(&child, &child) == 0);
    }

    SourceVariables& variables_;
    std::map<Dwarf_Off, TypePointer> types_;
};

}  // namespace

}  // namespace warpsim::debug

extern "C" __attribute__((visibility("default"))) void
warpsim_read_dwarf(warpsim::debug::Sections const& sections, warpsim::debug::SourceVariables& variables) {
    std::vector<char> file = warpsim::debug::elf_of(sections);
    elf_version(EV_CURRENT);
    Elf* const elf = elf_memory(file.data(), file.size());
    Dwarf* const dwarf = elf != nullptr ? dwarf_begin_elf(elf, DWARF_C_READ, nullptr) : nullptr;
    if (dwarf != nullptr) {
        warpsim::debug::Reader reader(variables);
        Dwarf_Off at = 0, next = 0;
        std::size_t header = 0;
        while (dwarf_nextcu(dwarf, at, &next, &header, nullptr, nullptr, nullptr) == 0) {
            Dwarf_Die unit;
            if (dwarf_offdie(dwarf, at + header, &unit) != nullptr) reader.read_unit(unit);
            at = next;
        }
        dwarf_end(dwarf);
    }
    if (elf != nullptr) elf_end(elf);
}
