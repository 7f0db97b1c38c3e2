// Whether two declarations of a function in different modules agree: sizes, arrays, registers, and integer versus
// float. As in the CUDA linker, the signedness of integers and the names do not count.
#include "frontend/link/symbols.hpp"

#include <charconv>
#include <span>

namespace warpsim::frontend {

namespace {

struct Formal {
    isa::Type type;
    std::uint64_t size;  // bytes
    bool is_array;
    bool in_register;
};

std::vector<Formal> formals(ir::Function const& f, bool returns) {
    auto const& list = returns ? f.returns : f.parameters;
    auto const& in_register = returns ? f.return_in_register : f.parameter_in_register;
    std::vector<Formal> result;
    for (std::size_t i = 0; i < list.size(); ++i) {
        if (in_register[i]) {
            isa::Type const type = f.registers[list[i]].type;
            result.push_back({type, static_cast<std::uint64_t>(isa::width(type) + 7) / 8, false, true});
        } else {
            ir::Variable const& v = f.variables[list[i]];
            result.push_back({v.type, v.size, v.is_array, false});
        }
    }
    return result;
}

std::string described(Formal const& formal) {
    std::string text = formal.in_register ? ".reg ." : ".param .";
    text += isa::name(formal.type);
    if (formal.is_array) text += ", an array of " + std::to_string(formal.size) + " bytes";
    return text;
}

bool same(Formal const& a, Formal const& b) {
    return a.size == b.size && a.is_array == b.is_array && a.in_register == b.in_register &&
           isa::is_float(a.type) == isa::is_float(b.type);
}

std::string difference(std::vector<Formal> const& a, std::vector<Formal> const& b, std::string const& what) {
    if (a.size() != b.size()) {
        return std::to_string(a.size()) + " " + what + (a.size() == 1 ? "" : "s") + " here, " +
               std::to_string(b.size()) + " there";
    }
    for (std::size_t i = 0; i < a.size(); ++i) {
        if (!same(a[i], b[i])) {
            return what + " " + std::to_string(i + 1) + " is " + described(a[i]) + " here, " + described(b[i]) +
                   " there";
        }
    }
    return {};
}

/// Removes the first word of a list of types and returns it.
std::string_view next_word(std::string_view& list) {
    std::size_t const end = std::min(list.find(' '), list.size());
    std::string_view const word = list.substr(0, end);
    list.remove_prefix(std::min(end + 1, list.size()));
    return word;
}

bool matches(std::vector<Formal> const& written, std::string_view wanted, int address_bits) {
    for (Formal const& formal : written) {
        std::string_view const word = next_word(wanted);
        std::size_t const bracket = word.find('[');
        if (word.empty() || formal.is_array != (bracket != std::string_view::npos)) return false;
        std::uint64_t size = 0;
        std::string_view const digits = formal.is_array ? word.substr(bracket + 1) : word.substr(1);
        std::from_chars(digits.data(), digits.data() + digits.size(), size);
        if (!formal.is_array) size /= 8;
        if (size == 8) size = static_cast<std::uint64_t>(address_bits) / 8;  // pointers, and other sizes as wide
        if (formal.size != size || isa::is_float(formal.type)) return false;
    }
    return wanted.empty();
}

}  // namespace

std::string prototype_difference(ir::Function const& a, ir::Function const& b) {
    if (a.is_entry != b.is_entry)
        return std::string("a ") + (a.is_entry ? "kernel" : "function") + " here, a " +
               (b.is_entry ? "kernel" : "function") + " there";
    // A result that a declaration has and the definition lacks is not handed over.
    bool const is_dropped = !a.has_body && b.has_body && b.returns.empty();
    std::string const returns =
        is_dropped ? std::string() : difference(formals(a, true), formals(b, true), "return value");
    return returns.empty() ? difference(formals(a, false), formals(b, false), "parameter") : returns;
}

std::string prototype_text(ir::BuiltinFunction const& builtin) {
    std::string text;
    if (!builtin.returns.empty()) text += '(' + std::string(builtin.returns) + ") ";
    text += std::string(builtin.name) + " (";
    for (char const c : builtin.parameters) text += c == ' ' ? std::string(", ") : std::string(1, c);
    return text + ')';
}

bool matches(ir::Function const& function, ir::BuiltinFunction const& builtin, int address_bits) {
    std::vector<Formal> const returns = formals(function, true);
    return (returns.empty() || matches(returns, builtin.returns, address_bits)) &&
           matches(formals(function, false), builtin.parameters, address_bits);
}

}  // namespace warpsim::frontend
