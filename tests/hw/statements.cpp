#include "tests/hw/statements.hpp"

#include "tests/hw/numbers.hpp"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <map>
#include <stdexcept>

namespace warpsim::hw {

namespace {

/// A register of a statement: its name and what its name says of its type.
struct Register {
    std::string name, type;
    int operand = 0;  // 0 is the destination
};

bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; }

std::vector<Register> registers_of(std::string_view statement) {
    std::vector<Register> found;
    int operand = 0, depth = 0;
    std::size_t at = statement.find_first_of(" \t");
    for (; at < statement.size(); ++at) {
        char const c = statement[at];
        if (c == '{') ++depth;
        if (c == '}') --depth;
        if (c == ',' && depth == 0) ++operand;
        if (c != '%') continue;
        std::size_t end = at + 1;
        while (end < statement.size() && is_name(statement[end])) ++end;
        std::string name(statement.substr(at, end - at));
        std::string type = name.substr(1, name.rfind('_') - 1);
        found.push_back({std::move(name), std::move(type), operand});
        at = end - 1;
    }
    return found;
}

std::vector<std::string> modifiers_of(std::string_view statement) {
    std::vector<std::string> all;
    std::string_view const mnemonic = statement.substr(0, statement.find_first_of(" \t"));
    for (std::size_t at = mnemonic.find('.'); at < mnemonic.size();) {
        std::size_t const end = std::min(mnemonic.find('.', at + 1), mnemonic.size());
        all.emplace_back(mnemonic.substr(at + 1, end - at - 1));
        at = end;
    }
    return all;
}

int bits_of(std::string const& type) {
    if (type == "pred") return 1;
    if (type.ends_with("x2")) return 32;
    return std::stoi(type.substr(1));
}

/// Kinds of elements that a modifier may name, as far as they decide which numbers make sense.
bool is_element(std::string const& modifier) {
    static char const* const all[] = {"f16",    "bf16",   "f16x2", "bf16x2", "f32", "f64", "tf32", "e4m3", "e5m2",
                                      "e4m3x2", "e5m2x2", "s8",    "u8",     "s4",  "u4",  "b1",   "s32",  "u32"};
    return std::find(std::begin(all), std::end(all), modifier) != std::end(all);
}

Kind kind_of_matrix(std::string const& element, int bits) {
    if (element == "f16") return Kind::matrix_f16;
    if (element == "bf16") return Kind::matrix_bf16;
    if (element == "f32" || element == "tf32") return Kind::matrix_f32;
    if (element == "e4m3" || element == "e5m2") return Kind::matrix_f8;
    return bits == 64 ? Kind::matrix_f64 : Kind::bits;
}

/// Which table a source is read from.
Kind kind_of(Register const& source, std::string_view statement, std::vector<std::string> const& modifiers) {
    int const bits = bits_of(source.type);
    if (statement.starts_with("mma")) {
        std::vector<std::string> elements;
        std::copy_if(modifiers.begin(), modifiers.end(), std::back_inserter(elements), is_element);
        if (elements.size() != 4) return Kind::bits;
        if (source.operand == 4) return elements[1] == "tf32" ? Kind::pairs_metadata : Kind::metadata;
        if (bits == 64) return Kind::matrix_f64;
        return kind_of_matrix(elements[static_cast<std::size_t>(source.operand)], bits);
    }
    auto const has = [&](char const* name) {
        return std::find(modifiers.begin(), modifiers.end(), name) != modifiers.end();
    };
    if (source.type == "f32") return Kind::f32;
    if (source.type == "f64") return Kind::f64;
    // Of a conversion's types the last is the source's.
    std::string element;
    for (std::string const& modifier : modifiers) {
        if (is_element(modifier)) element = modifier;
    }
    if (bits <= 32 && (element == "f16" || element == "f16x2" || source.type == "f16x2" || source.type == "f16"))
        return Kind::f16;
    if (bits <= 32 && (element == "bf16" || element == "bf16x2")) return Kind::bf16;
    if (bits == 32 && (element == "f32" || element == "tf32")) return Kind::f32;
    if (bits == 64 && has("f64")) return Kind::f64;
    return Kind::integers;
}

struct Sources {
    std::vector<Register> results, sources;
};

Sources divide(std::string_view statement) {
    Sources parts;
    for (Register const& reg : registers_of(statement)) {
        auto& into = reg.operand == 0 ? parts.results : parts.sources;
        bool const is_known =
            std::any_of(into.begin(), into.end(), [&](Register const& other) { return other.name == reg.name; });
        if (!is_known) into.push_back(reg);
    }
    return parts;
}

bool is_carry_user(std::string_view statement) {
    std::string_view const operation = statement.substr(0, statement.find('.'));
    return operation == "addc" || operation == "subc" || operation == "madc";
}
bool is_carry(std::string_view statement) {
    return is_carry_user(statement) ||
           statement.substr(0, statement.find(' ')).find(".cc") != std::string_view::npos;
}
bool is_difference(std::string_view statement) { return statement.starts_with("sub"); }

std::string read(Register const& source, Kind kind, std::size_t number, bool is_matrix) {
    // Threads go through the tables in orders of their own. Those of a matrix keep together, since the numbers of a
    // product should be alike.
    std::uint32_t const factor = is_matrix ? 1 : 2 * static_cast<std::uint32_t>(number * number + number) + 1;
    std::uint32_t const turn = is_matrix ? 256 * static_cast<std::uint32_t>(2 * number + 3)
                                         : 7919 * static_cast<std::uint32_t>(number + 1);
    std::uint32_t const first =
        is_matrix ? 256 * static_cast<std::uint32_t>(13 * number) : 4099 * static_cast<std::uint32_t>(number);
    std::string text = "mad.lo.u32 %w_x, %w_i, " + std::to_string(factor) + ", " + std::to_string(first) +
                       "; mad.lo.u32 %w_x, %w_turn, " + std::to_string(turn) +
                       ", %w_x; and.b32 %w_x, %w_x, 65535; mad.wide.u32 %w_at, %w_x, 8, %w_in; "
                       "ld.global.b64 %w_bits, [%w_at+" +
                       std::to_string(static_cast<std::uint64_t>(kind) * table_numbers * 8) + "];\n";
    int const bits = bits_of(source.type);
    if (bits == 1)
        return text + "cvt.u32.u64 %w_low, %w_bits; and.b32 %w_low, %w_low, 1; setp.ne.u32 " + source.name +
               ", %w_low, 0;\n";
    if (bits == 8) return text + "cvt.u8.u64 " + source.name + ", %w_bits;\n";
    if (bits == 16) return text + "cvt.u16.u64 %w_half, %w_bits; mov.b16 " + source.name + ", %w_half;\n";
    if (bits == 32) return text + "cvt.u32.u64 %w_low, %w_bits; mov.b32 " + source.name + ", %w_low;\n";
    if (bits == 64) return text + "mov.b64 " + source.name + ", %w_bits;\n";
    return text + "not.b64 %w_high, %w_bits; mov.b128 " + source.name + ", {%w_bits, %w_high};\n";
}

/// Products of warpgroups read their matrices from a tile of shared memory, 128 threads a block. `%w_a` and `%w_b`
/// become descriptors of matrices without swizzles.
std::string fill_tile(Kind kind) {
    return ".shared .align 1024 .b8 w_tile[36864]; .reg .b64 %w_a, %w_b; .reg .pred %w_more;\n"
           "mov.u32 %w_turn, %ctaid.x; shl.b32 %w_turn, %w_turn, 11; mov.u32 %w_x, %tid.x; mov.u32 %w_s, w_tile;\n"
           "FILL: add.u32 %w_low, %w_x, %w_turn; and.b32 %w_low, %w_low, 65535; mad.wide.u32 %w_at, %w_low, 8, "
           "%w_in; ld.global.b64 %w_bits, [%w_at+" +
           std::to_string(static_cast<std::uint64_t>(kind) * table_numbers * 8) +
           "]; mad.lo.u32 %w_low, %w_x, 8, %w_s; st.shared.b64 [%w_low], %w_bits; add.u32 %w_x, %w_x, 128; "
           "setp.lt.u32 %w_more, %w_x, 4608; @%w_more bra FILL;\n"
           "fence.proxy.async.shared::cta; bar.sync 0; shr.u32 %w_turn, %w_turn, 27;\n"
           "shr.u32 %w_s, %w_s, 4; cvt.u64.u32 %w_bits, %w_s; or.b64 %w_a, %w_bits, 0x1000080000; "
           "add.u64 %w_bits, %w_bits, 256; or.b64 %w_b, %w_bits, 0x2000080000;\n";
}

/// The sources of a product of warpgroups: what it adds to, a matrix in registers, metadata, the predicate that all
/// threads of the block share.
std::string read_product(Sources const& parts, std::vector<std::string> const& modifiers) {
    std::vector<std::string> elements;
    std::copy_if(modifiers.begin(), modifiers.end(), std::back_inserter(elements), is_element);
    std::string text = fill_tile(kind_of_matrix(elements[1], 32));
    for (std::size_t k = 0; k < parts.results.size(); ++k)
        text += read(parts.results[k], kind_of_matrix(elements[0], 32), k, true);
    for (std::size_t k = 0; k < parts.sources.size(); ++k) {
        Register const& source = parts.sources[k];
        if (source.type == "pred") {
            text += "mov.u32 %w_low, %ctaid.x; and.b32 %w_low, %w_low, 1; setp.ne.u32 " + source.name +
                    ", %w_low, 0;\n";
        } else if (source.type == "u64") {
            text += "mov.b64 " + source.name + (source.name.ends_with("_1") ? ", %w_a;\n" : ", %w_b;\n");
        } else {
            bool const is_metadata = source.name.ends_with("_290");
            Kind const positions = elements[1] == "tf32" ? Kind::pairs_metadata : Kind::metadata;
            text += read(source, is_metadata ? positions : kind_of_matrix(elements[1], 32), k + 1, true);
        }
    }
    return text + "wgmma.fence.sync.aligned;\n";
}

std::string write(Register const& result, std::size_t number) {
    std::string const store = "mad.wide.u32 %w_at, %w_count, " + std::to_string(8 * number) +
                              ", %w_out; st.global.b64 [%w_at], %w_bits;\n";
    int const bits = bits_of(result.type);
    if (bits == 1) return "selp.u64 %w_bits, 1, 0, " + result.name + "; " + store;
    if (bits == 8) return "cvt.u64.u8 %w_bits, " + result.name + "; " + store;
    if (bits == 16) return "mov.b16 %w_half, " + result.name + "; cvt.u64.u16 %w_bits, %w_half; " + store;
    if (bits == 32) return "mov.b32 %w_low, " + result.name + "; cvt.u64.u32 %w_bits, %w_low; " + store;
    if (bits == 64) return "mov.b64 %w_bits, " + result.name + "; " + store;
    return "mov.b128 {%w_bits, %w_high}, " + result.name + "; mad.lo.u64 %w_bits, %w_high, 3, %w_bits; " + store;
}

std::string kernel_of(std::string const& statement, std::size_t number) {
    Sources const parts = divide(statement);
    std::vector<std::string> const modifiers = modifiers_of(statement);
    std::string text = ".visible .entry f" + std::to_string(number) +
                       "(.param .u64 p_in, .param .u64 p_out, .param .u32 p_count)\n{\n"
                       ".reg .b16 %w_half; .reg .b32 %w_i, %w_s, %w_x, %w_low, %w_turn, %w_count; .reg .b64 "
                       "%w_in, %w_out, %w_at, %w_bits, %w_high;\n";
    for (auto const* list : {&parts.results, &parts.sources}) {
        for (Register const& reg : *list) {
            bool const is_both = list == &parts.sources &&
                                 std::any_of(parts.results.begin(), parts.results.end(),
                                             [&](Register const& other) { return other.name == reg.name; });
            if (!is_both) text += ".reg ." + reg.type + " " + reg.name + "; ";
        }
    }
    text += "\nld.param.u64 %w_in, [p_in]; ld.param.u64 %w_out, [p_out]; ld.param.u32 %w_count, [p_count];\n"
            "mov.u32 %w_i, %ctaid.x; mov.u32 %w_s, %ntid.x; mov.u32 %w_x, %tid.x; mad.lo.u32 %w_i, %w_i, %w_s, "
            "%w_x; mad.wide.u32 %w_out, %w_i, 8, %w_out; shr.u32 %w_turn, %w_i, 16;\n";
    bool const is_matrix = statement.starts_with("mma");
    bool const is_product_of_warpgroup = statement.starts_with("wgmma");
    if (is_product_of_warpgroup) text += read_product(parts, modifiers);
    for (std::size_t k = 0; k < parts.sources.size() && !is_product_of_warpgroup; ++k) {
        Register const& source = parts.sources[k];
        text += read(source, kind_of(source, statement, modifiers), k, is_matrix);
    }
    if (is_carry_user(statement)) {
        text += "shl.b32 %w_low, %w_i, 31; ";
        text += is_difference(statement) ? "sub.cc.u32 %w_x, 0, %w_low;\n" : "add.cc.u32 %w_x, %w_low, %w_low;\n";
    }
    text += statement + "\n";
    if (is_product_of_warpgroup) text += "wgmma.commit_group.sync.aligned; wgmma.wait_group.sync.aligned 0;\n";
    if (is_carry(statement)) {
        text += is_difference(statement) ? "subc.u32 %w_x, 0, 0;\n" : "addc.u32 %w_x, 0, 0;\n";
    }
    for (std::size_t k = 0; k < parts.results.size(); ++k) text += write(parts.results[k], k);
    if (is_carry(statement)) text += write({"%w_x", "b32", 0}, parts.results.size());
    return text + "ret;\n}\n";
}

}  // namespace

std::vector<std::string> read_statements(std::string const& path) {
    std::ifstream in(path);
    if (!in) throw std::runtime_error(path + ": cannot be opened");
    std::vector<std::string> statements;
    for (std::string line; std::getline(in, line);) {
        if (!line.empty() && !line.starts_with('#')) statements.push_back(line);
    }
    return statements;
}

std::uint32_t result_count(std::string_view statement) {
    return static_cast<std::uint32_t>(divide(statement).results.size() + is_carry(statement));
}

std::string module_of(std::span<std::string const> statements) {
    std::string text = ".version 8.7\n.target sm_90a\n.address_size 64\n";
    for (std::size_t i = 0; i < statements.size(); ++i) text += kernel_of(statements[i], i);
    return text;
}

std::uint64_t digest(std::span<std::uint64_t const> results) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < results.size(); ++i) {
        std::uint64_t x = results[i] + 0x9e3779b97f4a7c15u * (i + 1);
        x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
        x = (x ^ x >> 27) * 0x94d049bb133111ebu;
        sum += x ^ x >> 31;
    }
    return sum;
}

}  // namespace warpsim::hw
