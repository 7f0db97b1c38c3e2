#include "tests/support/isa_cases.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <stdexcept>

namespace warpsim::isa::test {
namespace {

std::vector<std::string> words(std::string const& text) {
    std::istringstream in(text);
    std::vector<std::string> list;
    for (std::string word; in >> word;) list.push_back(word);
    return list;
}

void read(std::filesystem::path const& path, std::vector<Case>& cases) {
    std::ifstream in(path);
    std::string line;
    for (int number = 1; std::getline(in, line); ++number) {
        if (words(line).empty() || words(line)[0].starts_with('#')) continue;
        std::vector<std::string> fields;
        std::istringstream parts(line);
        for (std::string field; std::getline(parts, field, '|');) fields.push_back(field);
        std::string const place = path.filename().string() + ":" + std::to_string(number);
        if (fields.size() < 3) throw std::runtime_error(place + ": a case is `mnemonic | sources | result`");
        std::vector<std::string> const mnemonic = words(fields[0]);
        std::vector<std::string> const result = words(fields[2]);
        if (mnemonic.size() != 1 || result.size() != 1)
            throw std::runtime_error(place + ": one mnemonic, one result");
        cases.push_back({place, mnemonic[0], words(fields[1]), result[0]});
    }
}

/// Digits of the mantissa after the point, and exponent bias.
struct Format {
    int digits;
    int bias;
};
Format format_of(Type type) {
    switch (type) {
        case Type::f16: return {10, 15};
        case Type::bf16: return {7, 127};
        case Type::f32: return {23, 127};
        default: return {52, 1023};
    }
}

std::uint64_t encode(double number, Type type) {
    if (type == Type::f64) {
        std::uint64_t bits;
        std::memcpy(&bits, &number, 8);
        return bits;
    }
    Format const f = format_of(type);
    int const total = width(type);
    std::uint64_t const sign = std::signbit(number) ? std::uint64_t{1} << (total - 1) : 0;
    std::uint64_t const top = static_cast<std::uint64_t>(2 * f.bias + 1) << f.digits;
    if (std::isnan(number)) return (std::uint64_t{1} << (total - 1)) - 1;
    if (std::isinf(number)) return sign | top;
    double const magnitude = std::fabs(number);
    int exponent = magnitude == 0 ? 1 - f.bias : std::max(std::ilogb(magnitude), 1 - f.bias);
    double const units = std::nearbyint(std::ldexp(magnitude, f.digits - exponent));
    auto const scaled = static_cast<std::uint64_t>(units);
    // A carry out of the mantissa increments the exponent; without the hidden bit it is a subnormal.
    return sign | (scaled + (static_cast<std::uint64_t>(exponent + f.bias - 1) << f.digits));
}

}  // namespace

std::vector<Case> read_cases() {
    std::vector<Case> cases;
    std::vector<std::filesystem::path> files;
    for (auto const& entry : std::filesystem::directory_iterator(std::string(WARPSIM_SOURCE_DIR) + "/tests/isa")) {
        if (entry.path().extension() == ".cases") files.push_back(entry.path());
    }
    std::sort(files.begin(), files.end());
    for (auto const& file : files) read(file, cases);
    return cases;
}

std::uint64_t value_of(std::string const& literal, Type type) {
    if (type == Type::pred) {
        if (literal != "true" && literal != "false") throw std::runtime_error(literal + " is no predicate");
        return literal == "true" ? 1 : 0;
    }
    bool const negative = literal.starts_with('-');
    std::string const digits = negative ? literal.substr(1) : literal;
    bool const hexadecimal = digits.starts_with("0x") && digits.find('p') == std::string::npos;
    int const bits = width(type);
    std::uint64_t const mask = bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
    char* end = nullptr;
    if (hexadecimal || !is_float(type) || type == Type::f16x2 || type == Type::bf16x2) {
        std::uint64_t const value = std::strtoull(digits.c_str(), &end, 0);
        if (end == digits.c_str() || *end != '\0') throw std::runtime_error(literal + " is no integer");
        return (negative ? std::uint64_t{0} - value : value) & mask;
    }
    double const number = std::strtod(literal.c_str(), &end);
    if (*end != '\0') throw std::runtime_error(literal + " is no number");
    return encode(number, type);
}

double number_of(std::uint64_t bits, Type type) {
    if (type == Type::f64) {
        double number;
        std::memcpy(&number, &bits, 8);
        return number;
    }
    Format const f = format_of(type);
    int const total = width(type);
    double const sign = (bits >> (total - 1) & 1) != 0 ? -1.0 : 1.0;
    std::uint64_t const fraction = bits & ((std::uint64_t{1} << f.digits) - 1);
    int const exponent = static_cast<int>(bits >> f.digits & static_cast<std::uint64_t>(2 * f.bias + 1));
    if (exponent == 2 * f.bias + 1) {
        return fraction != 0 ? std::numeric_limits<double>::quiet_NaN()
                             : sign * std::numeric_limits<double>::infinity();
    }
    if (exponent == 0) return sign * std::ldexp(static_cast<double>(fraction), 1 - f.bias - f.digits);
    return sign * std::ldexp(static_cast<double>(fraction + (std::uint64_t{1} << f.digits)),
                             exponent - f.bias - f.digits);
}

bool agrees(std::uint64_t bits, std::string const& expected, Type type) {
    if (expected == "nan?") return std::isnan(number_of(bits, type));
    std::size_t const tilde = expected.find('~');
    if (tilde == std::string::npos) return bits == value_of(expected, type);
    double const wanted = std::strtod(expected.substr(0, tilde).c_str(), nullptr);
    double const error = std::strtod(expected.substr(tilde + 1).c_str(), nullptr);
    return std::fabs(number_of(bits, type) - wanted) <= std::max(std::fabs(wanted), 1e-300) * error;
}

}  // namespace warpsim::isa::test
