#include "runtime/plan/sequence.hpp"

#include "runtime/plan/npy.hpp"
#include "runtime/plan/png.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace warpsim::plan {

namespace {

__extension__ using Wide = __int128;

[[noreturn]] void bad(std::string const& message) { throw Error(ErrorKind::plan, message); }

struct OpenFile {
    std::ifstream stream;
    std::uint64_t bytes = 0;
};

OpenFile open_file(std::string const& path) {
    std::error_code error;
    auto const status = std::filesystem::status(path, error);
    if (!std::filesystem::exists(status)) bad("'" + path + "': no such file");
    // A pipe or device has no size, and opening one may block forever.
    if (!std::filesystem::is_regular_file(status)) bad("'" + path + "': not a regular file");
    OpenFile file;
    file.bytes = std::filesystem::file_size(path, error);
    file.stream.open(path, std::ios::binary);
    if (error || !file.stream) bad("'" + path + "': cannot be read");
    return file;
}

struct Extent {
    std::uint64_t offset = 0;  // of the data, in bytes
    std::uint64_t count = 0;   // elements
};

Extent measure(OpenFile& file, std::string const& path, Type type) {
    if (path.ends_with(".bin")) {
        if (file.bytes % size_of(type) != 0)
            bad("'" + path + "': its " + std::to_string(file.bytes) + " bytes are no multiple of the " +
                std::to_string(size_of(type)) + " of " + std::string(isa::name(type)));
        return {0, file.bytes / size_of(type)};
    }
    std::vector<std::byte> start(std::min<std::uint64_t>(file.bytes, std::uint64_t{1} << 20));
    file.stream.read(reinterpret_cast<char*>(start.data()), static_cast<std::streamsize>(start.size()));
    NpyHeader header;
    try {
        header = read_npy_header(start, file.bytes);
    } catch (Error const& e) {
        bad("'" + path + "': " + e.what());
    }
    // Kind and size decide; '<', '|' and '=' mean the same here.
    if (std::string_view(header.dtype).substr(1) != npy_dtype(type).substr(1))
        bad("'" + path + "': its elements are '" + header.dtype + "', but " + std::string(isa::name(type)) +
            " wants '" + std::string(npy_dtype(type)) + "'");
    return {header.data_offset, header.count};
}

bool is_png(std::string const& path) { return path.ends_with(".png"); }

std::uint64_t png_count(Init const& init, Type type) {
    if (type != Type::u8) bad("'" + init.file + "': its elements are u8");
    PngSize size = png_size(init.file);
    if (init.channels != 0) size.channels = init.channels;
    return size.bytes();
}

std::vector<std::byte> read_elements(Init const& init, Type type, std::uint64_t count) {
    std::string const& path = init.file;
    if (is_png(path)) {
        std::vector<std::byte> bytes = read_png(path, init.channels);
        if (bytes.size() != count) bad("'" + path + "': changed while it was being read");
        return bytes;
    }
    OpenFile file = open_file(path);
    Extent const extent = measure(file, path, type);
    if (extent.count != count) bad("'" + path + "': changed while it was being read");
    std::vector<std::byte> bytes(count * size_of(type));
    file.stream.clear();
    file.stream.seekg(static_cast<std::streamoff>(extent.offset));
    file.stream.read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    if (!file.stream) bad("'" + path + "': cannot be read");
    return bytes;
}

// Computes start + step * index; false when 64 bits and a sign cannot hold it.
bool integer_element(Init const& init, std::uint64_t index, Number& result) {
    auto const wide = [](Number const& n) {
        return n.negative ? -static_cast<Wide>(n.magnitude) : static_cast<Wide>(n.magnitude);
    };
    Wide value = 0;
    if (__builtin_mul_overflow(wide(init.step), static_cast<Wide>(index), &value)) return false;
    if (__builtin_add_overflow(value, wide(init.start), &value)) return false;
    result = Number{};
    result.negative = value < 0;
    if (value < 0) value = -value;
    if (value > static_cast<Wide>(UINT64_MAX)) return false;
    result.magnitude = static_cast<std::uint64_t>(value);
    return true;
}

Number real_element(Init const& init, std::uint64_t index) {
    return Number::of(init.start.as_double() + init.step.as_double() * static_cast<double>(index));
}

// Integers written as 4.0 or 1e3 count as integers.
Number as_integer(Number const& number) {
    std::byte bytes[8];
    if (!number.is_real || !encode(number, Type::s64, IntegerRange::exact, bytes).empty()) return number;
    return Number::integer(decode_signed(Type::s64, bytes));
}

Init normalised(Init init, Type type) {
    if (!isa::is_float(type))
        for (Number* n : {&init.start, &init.step, &init.low, &init.high}) *n = as_integer(*n);
    return init;
}

std::string check_iota(Init const& written, Type type, std::uint64_t count) {
    std::byte scratch[8];
    if (isa::is_float(type)) {
        for (Number const& n : {written.start, written.step})
            if (std::string message = encode(n, type, IntegerRange::exact, scratch); !message.empty())
                return message;
        return encode(real_element(written, count - 1), type, IntegerRange::exact, scratch);
    }
    Init const init = normalised(written, type);
    for (Number const& n : {init.start, init.step})
        if (n.is_real) return to_text(n) + " is not an integer, as " + std::string(isa::name(type)) + " wants";
    if (std::string message = encode(init.start, type, IntegerRange::exact, scratch); !message.empty())
        return message;
    Number last;
    if (!integer_element(init, count - 1, last))
        return "its last element is out of range for " + std::string(isa::name(type));
    std::string const message = encode(last, type, IntegerRange::exact, scratch);
    return message.empty() ? message : "its last element, " + message;
}

std::string check_uniform(Init const& init, Type type) {
    std::byte scratch[8];
    for (Number const& n : {init.low, init.high}) {
        if (n.is_real && !std::isfinite(n.real)) return "the bounds must be finite";
        // `high` itself is never drawn, so the largest integer plus one is a valid bound.
        Type const wide = isa::is_float(type) || &n == &init.low ? type : n.negative ? Type::s64 : Type::u64;
        if (std::string message = encode(n, wide, IntegerRange::exact, scratch); !message.empty()) return message;
    }
    if (isa::is_float(type)) {
        if (!std::isfinite(init.high.as_double() - init.low.as_double())) return "the bounds are too far apart";
        return init.low.as_double() > init.high.as_double() ? "low is above high" : "";
    }
    Init const whole = normalised(init, type);
    Number below = whole.high;  // the largest value that can be drawn
    if (below.negative) ++below.magnitude;
    else if (below.magnitude > 0) --below.magnitude;
    else below = Number::integer(-1);
    bool const empty = whole.low.negative != below.negative ? below.negative
                       : below.negative                     ? whole.low.magnitude < below.magnitude
                                                            : whole.low.magnitude > below.magnitude;
    if (empty) return "low must be below high";
    return encode(below, type, IntegerRange::exact, scratch);
}

/// Calls `store(i, value)` for all elements. They use as many random bits as the fraction of their type has, which keeps a uniform
/// [0, 1) below 1 in every type.
template <class Store> void uniform_reals(Init const& init, int precision, std::uint64_t count, Store&& store) {
    double const low = init.low.as_double(), range = init.high.as_double() - low;
    double const step = std::ldexp(1.0, -precision);
    for (std::uint64_t i = 0; i < count; ++i) {
        double const u = static_cast<double>(random_bits(init.seed, i) >> (64 - precision)) * step;
        store(i, low + u * range);
    }
}

/// Arrays of these types have millions of elements.
template <class Real>
void fill_uniform_as(Init const& init, int precision, std::vector<std::byte>& bytes, std::uint64_t count) {
    double const high = init.high.as_double();
    auto const low = static_cast<Real>(init.low.as_double());
    uniform_reals(init, precision, count, [&](std::uint64_t i, double value) {
        auto const rounded = static_cast<Real>(value);
        Real const element = static_cast<double>(rounded) >= high ? low : rounded;
        std::memcpy(bytes.data() + i * sizeof(Real), &element, sizeof(Real));
    });
}

/// Where rounding a real gives `high`, the element is `low`.
void fill_uniform(Init const& init, Type type, std::vector<std::byte>& bytes, std::uint64_t count) {
    std::size_t const size = size_of(type);
    if (!isa::is_float(type)) {
        Init const whole = normalised(init, type);
        auto const bits = [](Number const& n) { return n.negative ? 0 - n.magnitude : n.magnitude; };
        std::uint64_t const low = bits(whole.low);
        std::uint64_t const range = bits(whole.high) - low;  // modulo 2^64: 0 stands for 2^64, since low < high
        for (std::uint64_t i = 0; i < count; ++i) {
            __extension__ using Product = unsigned __int128;
            Product const random = random_bits(init.seed, i);
            std::uint64_t const value =
                low + static_cast<std::uint64_t>(range == 0 ? random : random * range >> 64);
            std::memcpy(bytes.data() + i * size, &value, size);
        }
        return;
    }
    if (type == Type::f64) return fill_uniform_as<double>(init, 53, bytes, count);
    if (type == Type::f32) return fill_uniform_as<float>(init, 24, bytes, count);
    uniform_reals(init, type == Type::f16 ? 11 : 8, count, [&](std::uint64_t i, double value) {
        std::byte* const to = bytes.data() + i * size;
        encode(Number::of(value), type, IntegerRange::exact, to);
        if (decode_float(type, to) >= init.high.as_double()) encode(init.low, type, IntegerRange::exact, to);
    });
}

void fill_iota(Init const& written, Type type, std::vector<std::byte>& bytes, std::uint64_t count) {
    Init const init = normalised(written, type);
    std::size_t const size = size_of(type);
    for (std::uint64_t i = 0; i < count; ++i) {
        Number value;
        if (isa::is_float(type)) value = real_element(init, i);
        else integer_element(init, i, value);
        encode(value, type, IntegerRange::exact, bytes.data() + i * size);
    }
}

}  // namespace

std::uint64_t random_bits(std::uint64_t seed, std::uint64_t index) {
    std::uint64_t z = seed + (index + 1) * 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

std::optional<std::uint64_t> own_count(Init const& init, Type type) {
    if (init.kind == Init::Kind::values) return init.bytes.size() / size_of(type);
    if (init.kind != Init::Kind::file) return std::nullopt;
    OpenFile file = open_file(init.file);
    if (is_png(init.file)) return png_count(init, type);
    return measure(file, init.file, type).count;
}

std::string check(Init const& init, Type type, std::uint64_t count) {
    switch (init.kind) {
        case Init::Kind::values:
        case Init::Kind::file: {
            std::uint64_t const own = *own_count(init, type);
            if (own == count) return {};
            return "wrong count: " + std::to_string(own) + " elements are given, " + std::to_string(count) +
                   " are wanted";
        }
        case Init::Kind::iota: return check_iota(init, type, count);
        case Init::Kind::uniform: return check_uniform(init, type);
        default: return {};
    }
}

void write_references(std::vector<ReferencePatch> const& patches, std::vector<std::byte>& bytes,
                      Resolve const& resolve) {
    for (ReferencePatch const& patch : patches) {
        std::uint64_t const number = resolve(patch.reference);
        std::memcpy(bytes.data() + patch.at, &number, sizeof number);
    }
}

std::vector<std::byte> make_bytes(Init const& init, Type type, std::uint64_t count, Resolve const& resolve) {
    if (init.kind == Init::Kind::file) return read_elements(init, type, count);
    std::vector<std::byte> bytes;
    if (init.kind == Init::Kind::values) {
        bytes = init.bytes;
        write_references(init.references, bytes, resolve);
        return bytes;
    }
    bytes.resize(count * size_of(type));
    if (init.kind == Init::Kind::fill)
        for (std::size_t at = 0; at < bytes.size(); at += init.bytes.size())
            std::memcpy(bytes.data() + at, init.bytes.data(), init.bytes.size());
    if (init.kind == Init::Kind::iota) fill_iota(init, type, bytes, count);
    if (init.kind == Init::Kind::uniform) fill_uniform(init, type, bytes, count);
    return bytes;
}

}  // namespace warpsim::plan
