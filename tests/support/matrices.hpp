// Matrices of codes, the registers of a warp that hold them as the PTX ISA's sections "Matrix Fragments for ..." say, and
// kernels that execute an instruction on them.
#pragma once

#include "frontend/isa/types.hpp"
#include "sim/matrix/reference.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

namespace warpsim::test {

using isa::Type;

using Registers = std::vector<std::vector<std::uint32_t>>;  // [register][lane]

inline std::string list(std::string const& prefix, int first, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ", %") + prefix + std::to_string(first + i);
    return text + "}";
}

/// A kernel that loads `count` registers of each lane from `in` ([register][lane]), executes `instruction` on them
/// (%r0 ...), and stores `results` registers from %r<first> on.
inline std::string with_registers(int count, std::string const& instruction, int first, int results) {
    std::string body =
        "shl.b32 %r30, %i, 2; cvt.u64.u32 %d0, %r30; add.u64 %d1, %in, %d0; add.u64 %d2, %out, %d0;\n";
    for (int r = 0; r < count; ++r) {
        body += "ld.global.b32 %r" + std::to_string(r) + ", [%d1+" + std::to_string(128 * r) + "];\n";
    }
    body += instruction + "\n";
    for (int r = 0; r < results; ++r) {
        body += "st.global.b32 [%d2+" + std::to_string(128 * r) + "], %r" + std::to_string(first + r) + ";\n";
    }
    return body;
}

inline std::string for_target(std::string const& body, std::string const& target, std::string const& before = {}) {
    std::string text = kernel(body, before);
    std::string const header = ptx_header();
    return ".version 9.3\n.target " + target + "\n.address_size 64\n" + text.substr(header.size());
}

/// Copies so many bytes from `in` to the variable `tile` of shared memory, whose address is then in %r30.
inline std::string fill_tile(int bytes) {
    return R"(
mov.u32 %r30, tile;
mov.u32 %r28, %i;
FILL: shl.b32 %r27, %r28, 2;
cvt.u64.u32 %d1, %r27;
add.u64 %d1, %in, %d1;
ld.global.b32 %r26, [%d1];
add.u32 %r27, %r27, %r30;
st.shared.b32 [%r27], %r26;
add.u32 %r28, %r28, 32;
setp.lt.u32 %p0, %r28, )" +
           std::to_string(bytes / 4) + R"(;
@%p0 bra FILL;
bar.warp.sync -1;
)";
}

/// On the GPU of the tests, of the generation that the text is for.
inline Registers run(std::string const& text, Registers const& given, int results, std::string const& control_flow,
                     std::vector<std::string> overrides = {}) {
    if (contains(text, ".target sm_1")) {
        std::string const number = text.substr(text.find(".target sm_") + 11, 2);
        overrides.push_back("compute_capability=" + number + ".0");
    }
    Program program(text, control_flow, Program::one_thread(), std::move(overrides));
    std::vector<std::uint32_t> in;
    for (auto const& r : given) in.insert(in.end(), r.begin(), r.end());
    program.in = program.device.upload(in);
    auto const out = program.run<std::uint32_t>(32 * static_cast<std::size_t>(results));
    Registers got;
    for (int r = 0; r < results; ++r) got.emplace_back(out.begin() + 32 * r, out.begin() + 32 * (r + 1));
    return got;
}

/// Matrices of codes.
struct Matrix {
    Matrix(int r, int c) : rows(r), columns(c), codes(static_cast<std::size_t>(r * c)) {}
    std::uint32_t& at(int r, int c) { return codes[static_cast<std::size_t>(r * columns + c)]; }
    std::uint32_t at(int r, int c) const { return codes[static_cast<std::size_t>(r * columns + c)]; }
    int rows, columns;
    std::vector<std::uint32_t> codes;
};

inline int bits_of(Type type) {
    switch (type) {
        case Type::tf32: return 32;
        case Type::e3m2:
        case Type::e2m3:
        case Type::e2m1: return 8;
        default: return isa::width(type);
    }
}

// "Matrix Fragments for mma.m16n8kK": with p elements in a register, a register of a has row = lane / 4, or 8 more in odd
// registers, and k = p * (lane % 4) + element, 4 p more in every second pair; b has k likewise and column = lane / 4; c and d
// have column = 2 * (lane % 4) + (i & 1) and row = lane / 4, or 8 more from the third element on.
inline void set(std::uint32_t& word, int bits, int element, std::uint32_t code) {
    word |= bits == 32 ? code : (code & ((1u << bits) - 1)) << (bits * element);
}
inline Registers fragments_of_a(Matrix const& a, int bits) {
    int const in_word = 32 / bits, halves = a.rows / 8;
    Registers registers(static_cast<std::size_t>(halves * a.columns / (4 * in_word)),
                        std::vector<std::uint32_t>(32));
    for (std::size_t r = 0; r < registers.size(); ++r) {
        for (int lane = 0; lane < 32; ++lane) {
            for (int e = 0; e < in_word; ++e) {
                int const row = lane / 4 + 8 * (static_cast<int>(r) % halves);
                int const k = in_word * (lane % 4) + e + 4 * in_word * (static_cast<int>(r) / halves);
                set(registers[r][static_cast<std::size_t>(lane)], bits, e, a.at(row, k));
            }
        }
    }
    return registers;
}
inline Registers fragments_of_b(Matrix const& b, int bits) {
    int const in_word = 32 / bits;
    Registers registers(static_cast<std::size_t>(b.rows / (4 * in_word)), std::vector<std::uint32_t>(32));
    for (std::size_t r = 0; r < registers.size(); ++r) {
        for (int lane = 0; lane < 32; ++lane) {
            for (int e = 0; e < in_word; ++e) {
                int const k = in_word * (lane % 4) + e + 4 * in_word * static_cast<int>(r);
                set(registers[r][static_cast<std::size_t>(lane)], bits, e, b.at(k, lane / 4));
            }
        }
    }
    return registers;
}
inline Registers fragments_of_c(Matrix const& c, int bits) {
    int const elements = c.rows / 4, in_word = 32 / bits;
    Registers registers(static_cast<std::size_t>(elements / in_word), std::vector<std::uint32_t>(32));
    for (int i = 0; i < elements; ++i) {
        for (int lane = 0; lane < 32; ++lane) {
            int const row = lane / 4 + (i >= 2 ? 8 : 0), column = 2 * (lane % 4) + (i & 1);
            set(registers[static_cast<std::size_t>(i / in_word)][static_cast<std::size_t>(lane)], bits,
                i % in_word, c.at(row, column));
        }
    }
    return registers;
}

inline std::uint32_t random_code(std::mt19937& random, Type type) {
    auto const bits = static_cast<std::uint32_t>(random());
    std::uint32_t const step = bits >> 28 & 3;
    switch (type) {
        case Type::f16: return (bits & 0x83ff) | (12 + step) << 10;
        case Type::bf16: return (bits & 0x807f) | (124 + step) << 7;
        case Type::f32:
        case Type::tf32: return (bits & 0x807fffff) | (124 + step) << 23;
        case Type::e4m3: return (bits & 0x87) | (4 + step) << 3;
        case Type::e5m2: return (bits & 0x83) | (12 + step) << 2;
        case Type::s32: return bits;
        default: return bits & ((1u << bits_of(type)) - 1);
    }
}
inline Matrix random_matrix(std::mt19937& random, int rows, int columns, Type type) {
    Matrix m(rows, columns);
    for (std::uint32_t& code : m.codes) code = random_code(random, type);
    return m;
}

inline std::int64_t integer(std::uint32_t code, Type type) {
    int const bits = isa::width(type);
    bool const is_negative = isa::is_signed(type) && (code >> (bits - 1) & 1) != 0;
    return static_cast<std::int64_t>(code) - (is_negative ? std::int64_t{1} << bits : 0);
}

/// A product of matrices by its types, as they are written.
struct Form {
    int m, k;
    std::string text;  // behind the shape
    Type d, a, b;
    std::string target = "sm_90";
};

inline sim::AccumulatorConfig accumulator_of(sim::MatrixConfig const& config, Type type) {
    return type == Type::f16 || type == Type::bf16 ? config.f16 : type == Type::tf32 ? config.tf32 : config.f8;
}

inline Matrix product(Form const& form, Matrix const& a, Matrix const& b, Matrix const& c,
                      sim::MatrixConfig const& config = sim::load_config("h100").sm.matrix) {
    std::string const& text = form.text;
    bool const saturates = contains(text, "satfinite");
    Matrix d(a.rows, b.columns);
    sim::matrix::FloatProduct floats;
    floats.a = form.a;
    floats.b = form.b;
    floats.result_is_f16 = form.d == Type::f16;
    floats.accumulator = accumulator_of(config, form.a);
    int const bits = bits_of(form.a), in_word = 32 / bits;
    for (int row = 0; row < a.rows; ++row) {
        for (int column = 0; column < b.columns; ++column) {
            if (isa::is_float(form.a)) {
                std::vector<std::uint32_t> of_a(static_cast<std::size_t>(a.columns / in_word)), of_b(of_a.size());
                for (int k = 0; k < a.columns; ++k) {
                    set(of_a[static_cast<std::size_t>(k / in_word)], bits, k % in_word, a.at(row, k));
                    set(of_b[static_cast<std::size_t>(k / in_word)], bits, k % in_word, b.at(k, column));
                }
                d.at(row, column) = sim::matrix::reference(floats, {of_a.data()}, {of_b.data()},
                                                           static_cast<int>(of_a.size()), c.at(row, column));
                continue;
            }
            std::int64_t sum = integer(c.at(row, column), Type::s32);
            for (int k = 0; k < a.columns; ++k) {
                std::int64_t const x = integer(a.at(row, k), form.a), y = integer(b.at(k, column), form.b);
                sum += form.a != Type::b1 ? x * y : contains(text, ".and") ? x & y : x ^ y;
            }
            if (saturates) sum = std::min<std::int64_t>(std::max<std::int64_t>(sum, INT32_MIN), INT32_MAX);
            d.at(row, column) = static_cast<std::uint32_t>(sum);
        }
    }
    return d;
}

}  // namespace warpsim::test
