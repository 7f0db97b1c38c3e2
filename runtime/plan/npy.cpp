#include "runtime/plan/npy.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <charconv>
#include <limits>

namespace warpsim::plan {

namespace {

using isa::Type;

[[noreturn]] void bad(std::string const& message) { throw Error(ErrorKind::plan, message); }

// The header is a Python literal: {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }
class HeaderText {
public:
    explicit HeaderText(std::string_view text) : rest_(text) {}

    NpyHeader read() {
        NpyHeader header;
        bool descr = false;
        bool order = false;
        bool shape = false;
        expect('{');
        while (!accept('}')) {
            std::string const key = quoted();
            expect(':');
            if (key == "descr" && !descr) {
                header.dtype = dtype();
                descr = true;
            } else if (key == "fortran_order" && !order) {
                header.fortran_order = boolean();
                order = true;
            } else if (key == "shape" && !shape) {
                header.shape = tuple();
                shape = true;
            } else {
                bad("not a .npy file that can be read: unexpected key '" + key + "' in its header");
            }
            if (!accept(',')) {
                expect('}');
                break;
            }
        }
        if (!descr || !order || !shape)
            bad("not a .npy file: its header lacks 'descr', 'fortran_order' or 'shape'");
        return header;
    }

private:
    void skip_space() {
        while (!rest_.empty() && (rest_.front() == ' ' || rest_.front() == '\n' || rest_.front() == '\t'))
            rest_.remove_prefix(1);
    }
    bool accept(char c) {
        skip_space();
        if (rest_.empty() || rest_.front() != c) return false;
        rest_.remove_prefix(1);
        return true;
    }
    void expect(char c) {
        if (!accept(c)) bad(std::string("not a .npy file: '") + c + "' expected in its header");
    }
    std::string quoted() {
        skip_space();
        if (rest_.empty() || (rest_.front() != '\'' && rest_.front() != '"'))
            bad("not a .npy file: no key in its header");
        auto const end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) bad("not a .npy file: a string in its header does not end");
        std::string text(rest_.substr(1, end - 1));
        rest_.remove_prefix(end + 1);
        return text;
    }
    std::string dtype() {
        skip_space();
        if (!rest_.empty() && rest_.front() == '[') bad("an array of records, not of numbers");
        return quoted();
    }
    bool boolean() {
        skip_space();
        for (auto const& [word, value] :
             {std::pair{std::string_view("True"), true}, {std::string_view("False"), false}})
            if (rest_.starts_with(word)) {
                rest_.remove_prefix(word.size());
                return value;
            }
        bad("not a .npy file: 'fortran_order' is neither True nor False");
    }
    std::vector<std::uint64_t> tuple() {
        std::vector<std::uint64_t> numbers;
        expect('(');
        while (!accept(')')) {
            skip_space();
            std::uint64_t n = 0;
            auto const [end, error] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), n);
            if (error != std::errc{}) bad("not a .npy file: a dimension of its shape is not a number");
            rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
            if (numbers.size() == 32) bad("more than 32 dimensions");
            numbers.push_back(n);
            accept('L');  // Python 2 wrote long integers with an L
            if (!accept(',')) {
                expect(')');
                break;
            }
        }
        return numbers;
    }

    std::string_view rest_;
};

std::uint64_t checked_product(std::uint64_t a, std::uint64_t b) {
    if (b != 0 && a > std::numeric_limits<std::uint64_t>::max() / b)
        bad("its shape has more elements than a file can hold");
    return a * b;
}

// "<f4", "|u1", "|b1": byte order, kind, number of bytes.
std::uint64_t element_bytes(std::string const& dtype) {
    std::string_view const text = dtype;
    std::uint64_t bytes = 0;
    bool const known = text.size() == 3 &&
                       (text[1] == 'f' || text[1] == 'i' || text[1] == 'u' || text[1] == 'b') && text[2] >= '1' &&
                       text[2] <= '8';
    if (!known) bad("its elements are '" + dtype + "', not plain numbers");
    bytes = static_cast<std::uint64_t>(text[2] - '0');
    if (text[0] == '>') bad("its elements are big-endian ('" + dtype + "'); only little-endian files can be read");
    if (text[0] != '<' && text[0] != '|' && text[0] != '=')
        bad("its elements have an unknown byte order: '" + dtype + "'");
    return bytes;
}

std::uint32_t little_endian(std::span<std::byte const> bytes) {
    std::uint32_t value = 0;
    for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8 | std::to_integer<std::uint32_t>(bytes[i]);
    return value;
}

}  // namespace

NpyHeader read_npy_header(std::span<std::byte const> start, std::uint64_t file_bytes) {
    std::string_view const magic("\x93NUMPY", 6);
    auto const* const characters = reinterpret_cast<char const*>(start.data());
    if (start.size() < 10 || std::string_view(characters, 6) != magic) bad("not a .npy file");
    unsigned const version = std::to_integer<unsigned>(start[6]);
    if (version < 1 || version > 3) bad("a .npy file of unknown version " + std::to_string(version));
    std::size_t const length_bytes = version == 1 ? 2 : 4;
    std::size_t const text_at = 8 + length_bytes;
    if (start.size() < text_at) bad("a .npy file that ends in its header");
    std::uint64_t const length = little_endian(start.subspan(8, length_bytes));
    if (length > start.size() - text_at) bad("a .npy file that ends in its header, or whose header is too long");
    NpyHeader header = HeaderText(std::string_view(characters + text_at, length)).read();
    header.data_offset = text_at + length;
    header.element_bytes = element_bytes(header.dtype);
    // Fortran order equals C order when at most one dimension is not 1.
    if (header.fortran_order &&
        std::count_if(header.shape.begin(), header.shape.end(), [](auto n) { return n != 1; }) > 1)
        bad("its elements are in Fortran order; save it with numpy.ascontiguousarray()");
    for (std::uint64_t const n : header.shape) header.count = checked_product(header.count, n);
    std::uint64_t const bytes = checked_product(header.count, header.element_bytes);
    if (file_bytes - header.data_offset != bytes)
        bad("its shape wants " + std::to_string(bytes) + " bytes of data, but it has " +
            std::to_string(file_bytes - header.data_offset));
    return header;
}

std::string_view npy_dtype(Type type) {
    switch (type) {
        case Type::u8: return "|u1";
        case Type::s8: return "|i1";
        case Type::u16: return "<u2";
        case Type::s16: return "<i2";
        case Type::u32: return "<u4";
        case Type::s32: return "<i4";
        case Type::u64: return "<u8";
        case Type::s64: return "<i8";
        case Type::f16: return "<f2";
        case Type::bf16: return "<u2";
        case Type::f32: return "<f4";
        case Type::f64: return "<f8";
        default: return "";
    }
}

std::string npy_header_bytes(Type type, std::uint64_t count) {
    std::string text = "{'descr': '" + std::string(npy_dtype(type)) + "', 'fortran_order': False, 'shape': (" +
                       std::to_string(count) + ",), }";
    // The format wants the data to begin at a multiple of 64 bytes, and the header to end with a newline.
    std::size_t const before = 10;
    text.append(63 - (before + text.size()) % 64, ' ');
    text += '\n';
    std::string bytes("\x93NUMPY\x01\x00", 8);
    bytes += static_cast<char>(text.size() & 0xff);
    bytes += static_cast<char>(text.size() >> 8);
    return bytes + text;
}

}  // namespace warpsim::plan
