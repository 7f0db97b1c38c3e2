// Atomics of floating point, scalar, packed and in vectors: rounding, subnormals, NaN, and what each lane gets.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace float_atomics_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// A 16-bit format by its definition.
struct Format {
    char const* name;
    int exponent_bits, digits;  // stored digits
    std::uint16_t one;

    double value(std::uint16_t bits) const {
        int const exponent = bits >> digits & ((1 << exponent_bits) - 1);
        int const fraction = bits & ((1 << digits) - 1);
        int const bias = (1 << (exponent_bits - 1)) - 1;
        double const sign = (bits & 0x8000) != 0 ? -1 : 1;
        if (exponent == (1 << exponent_bits) - 1) return fraction != 0 ? std::nan("") : sign * HUGE_VAL;
        if (exponent == 0) return sign * std::ldexp(fraction, 1 - bias - digits);
        return sign * std::ldexp((1 << digits) + fraction, exponent - bias - digits);
    }
    /// The number nearest to an exact one, ties to even: found among all there are.
    std::uint16_t nearest(double exact, bool negative_zero) const {
        if (std::isnan(exact)) return 0x7fff;
        int const infinity = ((1 << exponent_bits) - 1) << digits;
        int low = 0, high = infinity;
        double const magnitude = std::fabs(exact);
        while (high - low > 1) {
            int const middle = (low + high) / 2;
            (value(static_cast<std::uint16_t>(middle)) <= magnitude ? low : high) = middle;
        }
        // Overflow rounds as if the next power of two were there.
        double const above = high == infinity ? 2 * value(static_cast<std::uint16_t>(low)) -
                                                    value(static_cast<std::uint16_t>(low - 1))
                                              : value(static_cast<std::uint16_t>(high));
        double const half_way = (value(static_cast<std::uint16_t>(low)) + above) / 2;
        bool const up = magnitude > half_way || (magnitude == half_way && low % 2 != 0);
        bool const negative = exact == 0 ? negative_zero : exact < 0;
        return static_cast<std::uint16_t>((std::isinf(exact) ? infinity
                                           : up              ? high
                                                             : low) |
                                          (negative ? 0x8000 : 0));
    }
    std::uint16_t combined(std::string const& operation, std::uint16_t a, std::uint16_t b) const {
        double const x = value(a), y = value(b);
        if (operation == "add") return nearest(x + y, (a & b & 0x8000) != 0);
        if (std::isnan(x) && std::isnan(y)) return 0x7fff;
        if (std::isnan(x) || std::isnan(y)) return std::isnan(x) ? b : a;
        bool const first_is_less = x < y || (x == y && (a & 0x8000) != 0);
        return (operation == "min") == first_is_less ? a : b;
    }
};
Format const formats[] = {{"f16", 5, 10, 0x3c00}, {"bf16", 8, 7, 0x3f80}};

/// Values near each other, where rounding matters, with subnormals, zeros of both signs, infinities and NaN.
std::uint16_t sample(Format const& format, std::uint32_t i) {
    static constexpr std::uint16_t special[] = {0x0000, 0x8000, 0x0001, 0x8003, 0x0080, 0x03ff};
    std::uint32_t const random = (i + 1) * 2654435761u;
    if (i % 7 == 3) return special[random >> 8 & 3 ? i / 7 % 6 : 0];
    if (i % 61 == 60)
        return static_cast<std::uint16_t>(i % 2 != 0 ? 0x7fff
                                                     : (((1 << format.exponent_bits) - 1) << format.digits));
    return static_cast<std::uint16_t>(format.one + (random >> 12 & 0x3ff) + (random & 0x8000));
}

std::string list(char const* letter, unsigned first, unsigned count) {
    std::string text = "{";
    for (unsigned i = 0; i < count; ++i)
        text += (i == 0 ? "" : ", ") + std::string("%") + letter + std::to_string(first + i);
    return text + "}";
}

/// One atomic of `halves` 16-bit numbers (vector elements or halves of packed ones) by 32 lanes, `lanes_per_cell`
/// on one cell each.
struct Shape {
    unsigned vector;  // 1: a scalar
    bool packed;
    unsigned halves() const { return vector * (packed ? 2 : 1); }
};

void check(Format const& format, std::string const& operation, Shape shape, std::string const& space,
           unsigned lanes_per_cell) {
    INFO(operation << " of " << shape.vector << (shape.packed ? " packed " : " ") << format.name << " on " << space
                   << ", " << lanes_per_cell << " lanes a cell");
    unsigned const bytes = shape.halves() * 2;
    std::string const place = space == "generic" ? "" : "." + space;
    std::string const type = std::string(format.name) + (shape.packed ? "x2" : "");
    char const* const letter = shape.packed ? "r" : "h";
    std::string const bits = shape.packed ? ".b32" : ".b16";
    std::string moves, value = "%" + std::string(letter) + "10", old = "%" + std::string(letter) + "20", vec;
    if (shape.vector > 1) {
        vec = ".v" + std::to_string(shape.vector);
        value = list(letter, 10, shape.vector);
        old = list(letter, 20, shape.vector);
    }
    // in: 32 cells, then 32 operands; out: 32 old values, then the cells
    std::string body = "mul.wide.u32 %d0, %i, " + std::to_string(bytes) +
                       "; add.u64 %d1, %in, %d0; add.u64 %d2, %out, %d0;\n" + "div.u32 %r0, %i, " +
                       std::to_string(lanes_per_cell) + "; mul.wide.u32 %d3, %r0, " + std::to_string(bytes) +
                       ";\n";
    std::string const cells = std::to_string(32 * bytes);
    body += space == "shared"
                ? "mov.u64 %d4, cells; add.u64 %d5, %d4, %d0; add.u64 %d6, %d4, %d3;\n"
                : "add.u64 %d5, %d2, " + cells + "; add.u64 %d6, %out, %d3; add.u64 %d6, %d6, " + cells + ";\n";
    for (unsigned i = 0; i < shape.vector; ++i) {
        std::string const offset = "+" + std::to_string(i * bytes / shape.vector), n = std::to_string(i);
        body += "ld.global" + bits + " %" + letter + "1, [%d1" + offset + "]; st" +
                (space == "shared" ? ".shared" : "") + bits + " [%d5" + offset + "], %" + letter + "1;\n";
        body += "ld.global" + bits + " %" + letter + std::to_string(10 + i) + ", [%d1+" + cells + offset + "];\n";
    }
    body += "bar.sync 0;\natom" + place + "." + operation + ".noftz" + vec + "." + type + " " + old + ", [%d6], " +
            value + ";\nbar.sync 0;\n";
    for (unsigned i = 0; i < shape.vector; ++i) {
        std::string const offset = "+" + std::to_string(i * bytes / shape.vector);
        body += "st.global" + bits + " [%d2" + offset + "], %" + letter + std::to_string(20 + i) + ";\n";
        if (space == "shared") {
            body += "ld.shared" + bits + " %" + letter + "1, [%d5" + offset + "]; st.global" + bits + " [%d2+" +
                    cells + offset + "], %" + letter + "1;\n";
        }
    }
    Program program(kernel(body, ".shared .align 16 .b8 cells[512];"));
    std::size_t const halves = 32 * shape.halves();
    auto const in = each<std::uint16_t>(
        2 * halves, [&](std::uint32_t i) { return sample(format, i * 3 + (i >= halves ? 17 : 0)); });
    std::vector<std::uint16_t> want(2 * halves);
    std::copy_n(in.begin(), halves, want.begin() + static_cast<std::ptrdiff_t>(halves));
    for (std::size_t lane = 0; lane < 32; ++lane) {
        for (std::size_t h = 0; h < shape.halves(); ++h) {
            std::uint16_t& cell = want[halves + lane / lanes_per_cell * shape.halves() + h];
            want[lane * shape.halves() + h] = cell;
            cell = format.combined(operation, cell, in[halves + lane * shape.halves() + h]);
        }
    }
    program.in = program.device.upload(in);
    CHECK(program.run<std::uint16_t>(2 * halves) == want);
}

}  // namespace

TEST_CASE("Atomics of 16-bit floating point round their sums once and keep subnormals", "[exec]") {
    for (Format const& format : formats) {
        for (bool const packed : {false, true}) {
            for (std::string const space : {"global", "shared", "generic"}) {
                for (unsigned const lanes_per_cell : {1u, 8u})
                    check(format, "add", {1, packed}, space, lanes_per_cell);
            }
        }
    }
}

TEST_CASE("Vector atomics are atomics of their elements", "[exec]") {
    for (Format const& format : formats) {
        for (std::string const operation : {"add", "min", "max"}) {
            for (unsigned const vector : {2u, 4u, 8u}) {
                for (std::string const space : {"global", "generic"}) {
                    check(format, operation, {vector, false}, space, 4);
                    if (vector < 8) check(format, operation, {vector, true}, space, 4);
                }
            }
        }
    }
}

TEST_CASE("Vector atomics of f32 give back old values in registers that were operands", "[exec]") {
    Program program(kernel(R"(
        cvt.rn.f32.u32 %f0, %i; mov.f32 %f1, 0f41200000; mov.f32 %f2, 0f42C80000; mov.f32 %f3, 0f447A0000;
        atom.global.add.v4.f32 {%f3, %f2, _, %f0}, [%out], {%f0, %f1, %f2, %f3};
        red.global.v2.f32.add [%out+16], {%f1, %f2};
        setp.eq.u32 %p0, %i, 31; mul.wide.u32 %d0, %i, 16; add.u64 %d0, %d0, %out;
        st.global.v4.f32 [%d0+32], {%f3, %f2, %f1, %f0};)"));
    auto const got = program.run<float>(8 + 32 * 4);
    float second = 0;
    for (std::uint32_t i = 0; i < 32; ++i) {
        float const n = static_cast<float>(i);
        CHECK(got[8 + 4 * i] == n * (n - 1) / 2);
        CHECK(got[8 + 4 * i + 1] == 10 * n);
        CHECK(got[8 + 4 * i + 2] == 10);
        CHECK(got[8 + 4 * i + 3] == 1000 * n);
        second += 10 * n;  // what each lane added there: %f2 holds its old value
    }
    CHECK(std::vector<float>(got.begin(), got.begin() + 6) ==
          std::vector<float>{496, 320, 3200, 32000, 320, second});
}

TEST_CASE("Sums of f32 in global memory flush subnormals, those in shared memory keep them", "[exec]") {
    // The PTX manual says so of current hardware ("atom").
    std::string const body = R"(
        setp.ne.u32 %p0, %i, 0; @%p0 ret;
        st.global.b32 [%out], 0x00000003; st.global.b32 [%out+4], 0x80800001; st.global.b32 [%out+8], 0x80000001;
        st.shared.b32 [cells], 0x00000003; st.shared.b32 [cells+4], 0x80800001; st.shared.b32 [cells+8], 0x80000001;
        mov.b32 %f0, 0x00000005; mov.b32 %f1, 0x00800000; mov.b32 %f2, 0x80000000;
        PLACE
        ld.shared.b32 %r1, [cells]; ld.shared.b32 %r2, [cells+4]; ld.shared.b32 %r3, [cells+8];
        st.global.b32 [%out+12], %r1; st.global.b32 [%out+16], %r2; st.global.b32 [%out+20], %r3;)";
    for (bool const generic : {false, true}) {
        std::string text = body;
        text.replace(text.find("PLACE"), 5,
                     generic ? R"(
            mov.u64 %d0, cells; cvta.shared.u64 %d0, %d0;
            atom.add.f32 %f3, [%out], %f0; red.add.f32 [%out+4], %f1; atom.add.f32 %f3, [%out+8], %f2;
            atom.add.f32 %f3, [%d0], %f0; red.add.f32 [%d0+4], %f1; atom.add.f32 %f3, [%d0+8], %f2;)"
                             : R"(
            atom.global.add.f32 %f3, [%out], %f0; red.global.add.f32 [%out+4], %f1; atom.global.add.f32 %f3, [%out+8], %f2;
            atom.shared.add.f32 %f3, [cells], %f0; red.shared.add.f32 [cells+4], %f1; atom.shared.add.f32 %f3, [cells+8], %f2;)");
        Program program(kernel(text, ".shared .align 4 .b8 cells[12];"));
        CHECK(program.run<std::uint32_t>(6) ==
              std::vector<std::uint32_t>{0, 0x80000000, 0x80000000, 8, 0x80000001, 0x80000001});
    }
}

TEST_CASE("Floating-point atomics give the NaN of additions", "[exec]") {
    Program program(kernel(R"(
        setp.ne.u32 %p0, %i, 0; @%p0 ret;
        st.global.b32 [%out], 0x7f800000; mov.b32 %f0, 0xff800000; atom.global.add.f32 %f1, [%out], %f0;
        st.global.b32 [%out+4], 0xffc12345; mov.b32 %f0, 0x3f800000; red.global.add.f32 [%out+4], %f0;
        st.global.b64 [%out+8], 0x7ff0000000000000; mov.b64 %g0, 0xbff0000000000000; atom.global.add.f64 %g1, [%out+8], %g0;)"));
    CHECK(program.run<std::uint32_t>(4) == std::vector<std::uint32_t>{0x7fffffff, 0x7fffffff, 0, 0x7ff00000});
}

TEST_CASE("Sums of 16-bit floating point by many host threads lose nothing", "[exec]") {
    for (int const threads : {1, 2, 8}) {
        runtime::DeviceOptions options;
        options.threads = threads;
        Program program(kernel(R"(
            mov.b16 %h0, 0x3c00; mov.b32 %r0, 0x3c003c00; mov.b32 %r1, {%h0, %h0};
            red.global.add.noftz.f16 [%out], %h0;
            red.relaxed.gpu.global.add.noftz.v4.f16x2 [%out+16], {%r0, %r0, %r0, %r0};
            mov.f64 %g0, 0d3FF0000000000000; red.global.add.f64 [%out+8], %g0;)"),
                        "independent", options);
        // 2048 ones can be counted in f16
        auto const got = program.run<std::uint16_t>(16, {.block = {64, 1, 1}, .grid = {32, 1, 1}});
        CHECK(got == std::vector<std::uint16_t>{0x6800, 0, 0, 0, 0, 0, 0, 0x40a0, 0x6800, 0x6800, 0x6800, 0x6800,
                                                0x6800, 0x6800, 0x6800, 0x6800});
    }
}

}  // namespace float_atomics_test
