// mma and movmatrix against matrices that are put together by the manual's formulas.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

#include <algorithm>
#include <cfenv>
#include <cmath>
#include <cstring>
#include <random>

namespace matrix_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

Form const forms[] = {
    {16, 8, ".f16.f16.f16.f16", Type::f16, Type::f16, Type::f16},
    {16, 8, ".f32.f16.f16.f32", Type::f32, Type::f16, Type::f16},
    {16, 8, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16},
    {16, 16, ".f16.f16.f16.f16", Type::f16, Type::f16, Type::f16},
    {16, 16, ".f32.f16.f16.f32", Type::f32, Type::f16, Type::f16},
    {16, 16, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16},
    {16, 4, ".f32.tf32.tf32.f32", Type::f32, Type::tf32, Type::tf32},
    {16, 8, ".f32.tf32.tf32.f32", Type::f32, Type::tf32, Type::tf32},
    {8, 16, ".s32.s8.u8.s32", Type::s32, Type::s8, Type::u8},
    {16, 16, ".s32.u8.u8.s32", Type::s32, Type::u8, Type::u8},
    {16, 32, ".satfinite.s32.s8.s8.s32", Type::s32, Type::s8, Type::s8},
    {8, 32, ".s32.s4.s4.s32", Type::s32, Type::s4, Type::s4},
    {16, 32, ".s32.u4.s4.s32", Type::s32, Type::u4, Type::s4},
    {16, 64, ".satfinite.s32.s4.u4.s32", Type::s32, Type::s4, Type::u4},
    {8, 128, ".s32.b1.b1.s32.xor.popc", Type::s32, Type::b1, Type::b1},
    {16, 128, ".s32.b1.b1.s32.and.popc", Type::s32, Type::b1, Type::b1},
    {16, 256, ".s32.b1.b1.s32.xor.popc", Type::s32, Type::b1, Type::b1},
    {16, 16, ".f32.e4m3.e5m2.f32", Type::f32, Type::e4m3, Type::e5m2},
    {16, 16, ".f16.e5m2.e5m2.f16", Type::f16, Type::e5m2, Type::e5m2},
    {16, 32, ".f32.e4m3.e4m3.f32", Type::f32, Type::e4m3, Type::e4m3},
    {16, 32, ".f16.e4m3.e4m3.f16", Type::f16, Type::e4m3, Type::e4m3},
    {16, 32, ".kind::f8f6f4.f32.e3m2.e2m1.f32", Type::f32, Type::e3m2, Type::e2m1, "sm_120a"},
    {16, 32, ".kind::f8f6f4.f32.e2m3.e5m2.f32", Type::f32, Type::e2m3, Type::e5m2, "sm_120a"},
    {16, 32, ".kind::f8f6f4.f16.e2m1.e4m3.f16", Type::f16, Type::e2m1, Type::e4m3, "sm_120a"},
};

/// "Matrix Fragments for mma.m8n8k4 with .f16": lanes 4 p to 4 p + 3 and 16 more compute product p.
struct Volta {
    bool a_is_column, b_is_row, c_is_f16, d_is_f16;

    static int upper(int lane) { return lane < 16 ? 0 : 4; }
    static int product_of(int lane) { return lane % 16 / 4; }
    std::pair<int, int> a(int lane, int i) const {
        if (a_is_column) return {i + upper(lane), lane % 4};
        return {lane % 4 + upper(lane), i};
    }
    std::pair<int, int> b(int lane, int i) const {
        if (b_is_row) return {lane % 4, i + upper(lane)};
        return {i, lane % 4 + upper(lane)};
    }
    static std::pair<int, int> sum(int lane, int i, bool is_f16) {
        if (is_f16) return {lane % 4 + upper(lane), i};
        return {(lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1)};
    }
    std::string instruction() const {
        std::string const c = c_is_f16 ? list("r", 4, 4) : list("f", 0, 8);
        std::string move, back;
        for (int i = 0; i < 8; ++i) {
            std::string const f = "%f" + std::to_string(i), r = "%r" + std::to_string(4 + i);
            if (!c_is_f16) move += "mov.b32 " + f + ", " + r + ";\n";
            if (!d_is_f16) back += "mov.b32 " + r + ", " + f + ";\n";
        }
        return move + "mma.sync.aligned.m8n8k4." + (a_is_column ? "col." : "row.") + (b_is_row ? "row." : "col.") +
               (d_is_f16 ? "f16" : "f32") + ".f16.f16." + (c_is_f16 ? "f16 " : "f32 ") +
               (d_is_f16 ? list("r", 4, 4) : list("f", 0, 8)) + ", " + list("r", 0, 2) + ", " + list("r", 2, 2) +
               ", " + c + ";\n" + back;
    }
};

std::uint32_t widened(std::uint32_t half) {
    int const exponent = static_cast<int>(half >> 10 & 31);
    std::uint32_t const sign = (half & 0x8000) << 16;
    return sign | static_cast<std::uint32_t>(exponent + 112) << 23 | (half & 0x3ff) << 13;  // of normal numbers
}

void check_volta(Volta const& v, std::mt19937& random, std::string const& control_flow) {
    std::vector<Matrix> a, b, c;
    for (int p = 0; p < 4; ++p) {
        a.push_back(random_matrix(random, 8, 4, Type::f16));
        b.push_back(random_matrix(random, 4, 8, Type::f16));
        c.push_back(random_matrix(random, 8, 8, v.c_is_f16 ? Type::f16 : Type::f32));
    }
    Registers given(12, std::vector<std::uint32_t>(32));
    for (int lane = 0; lane < 32; ++lane) {
        auto const l = static_cast<std::size_t>(lane), p = static_cast<std::size_t>(Volta::product_of(lane));
        for (int i = 0; i < 4; ++i) {
            auto const [row, k] = v.a(lane, i);
            auto const [k_of_b, column] = v.b(lane, i);
            set(given[static_cast<std::size_t>(i / 2)][l], 16, i % 2, a[p].at(row, k));
            set(given[static_cast<std::size_t>(2 + i / 2)][l], 16, i % 2, b[p].at(k_of_b, column));
        }
        for (int i = 0; i < 8; ++i) {
            auto const [row, column] = Volta::sum(lane, i, v.c_is_f16);
            if (v.c_is_f16) set(given[static_cast<std::size_t>(4 + i / 2)][l], 16, i % 2, c[p].at(row, column));
            else given[static_cast<std::size_t>(4 + i)][l] = c[p].at(row, column);
        }
    }
    std::string const instruction = v.instruction();
    INFO(instruction);
    int const results = v.d_is_f16 ? 4 : 8;
    Registers const got =
        run(for_target(with_registers(12, instruction, 4, results), "sm_70"), given, results, control_flow);
    Form const form{8, 4, "", v.d_is_f16 ? Type::f16 : Type::f32, Type::f16, Type::f16};
    for (std::size_t p = 0; p < 4; ++p) {
        if (v.c_is_f16 && !v.d_is_f16) {
            for (std::uint32_t& code : c[p].codes) code = widened(code);
        }
        Matrix const want = product(form, a[p], b[p], c[p]);
        for (int lane = 0; lane < 32; ++lane) {
            if (Volta::product_of(lane) != static_cast<int>(p)) continue;
            for (int i = 0; i < 8; ++i) {
                auto const [row, column] = Volta::sum(lane, i, v.d_is_f16);
                auto const l = static_cast<std::size_t>(lane);
                std::uint32_t const d = v.d_is_f16
                                            ? got[static_cast<std::size_t>(i / 2)][l] >> (16 * (i % 2)) & 0xffff
                                            : got[static_cast<std::size_t>(i)][l];
                CHECK(d == want.at(row, column));
            }
        }
    }
}

}  // namespace

TEST_CASE("mma multiplies the fragments that the manual shows, in every shape and type", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        std::mt19937 random(7);
        for (Form const& form : forms) {
            Matrix const a = random_matrix(random, form.m, form.k, form.a),
                         b = random_matrix(random, form.k, 8, form.b),
                         c = random_matrix(random, form.m, 8, form.d);
            Registers given = fragments_of_a(a, bits_of(form.a));
            int const of_a = static_cast<int>(given.size());
            Registers const more = fragments_of_b(b, bits_of(form.b));
            Registers const addend = fragments_of_c(c, bits_of(form.d));
            int const of_b = static_cast<int>(more.size()), of_c = static_cast<int>(addend.size());
            given.insert(given.end(), more.begin(), more.end());
            given.insert(given.end(), addend.begin(), addend.end());
            bool const is_f32 = form.d == Type::f32;
            std::string const c_list = is_f32 ? list("f", 0, of_c) : list("r", of_a + of_b, of_c);
            std::string move, back;
            for (int i = 0; i < of_c && is_f32; ++i) {
                move += "mov.b32 %f" + std::to_string(i) + ", %r" + std::to_string(of_a + of_b + i) + ";\n";
                back += "mov.b32 %r" + std::to_string(of_a + of_b + i) + ", %f" + std::to_string(i) + ";\n";
            }
            std::string const shape = ".m" + std::to_string(form.m) + "n8k" + std::to_string(form.k);
            std::string const instruction = move + "mma.sync.aligned" + shape + ".row.col" + form.text + " " +
                                            c_list + ", " + list("r", 0, of_a) + ", " + list("r", of_a, of_b) +
                                            ", " + c_list + ";\n" + back;
            INFO(instruction);
            Registers const got =
                run(for_target(with_registers(of_a + of_b + of_c, instruction, of_a + of_b, of_c), form.target),
                    given, of_c, control_flow);
            CHECK(got == fragments_of_c(product(form, a, b, c), bits_of(form.d)));
        }
    }
}

TEST_CASE("mma of f64 is a chain of fused multiply-adds with its rounding", "[exec]") {
    for (auto const& [m, k] : {std::pair{8, 4}, std::pair{16, 4}, std::pair{16, 8}, std::pair{16, 16}}) {
        int const of_a = m * k / 32, of_b = k / 4, of_c = m / 4;
        std::string body;
        for (int r = 0; r < of_a + of_b + of_c; ++r) {
            body += "ld.global.f64 %g" + std::to_string(r) + ", [%d1+" + std::to_string(256 * r) + "];\n";
        }
        body = "shl.b32 %r30, %i, 3; cvt.u64.u32 %d0, %r30; add.u64 %d1, %in, %d0;\n" + body +
               "mma.sync.aligned.m" + std::to_string(m) + "n8k" + std::to_string(k) +
               ".row.col.rz.f64.f64.f64.f64 " + list("g", of_a + of_b, of_c) + ", " + list("g", 0, of_a) + ", " +
               list("g", of_a, of_b) + ", " + list("g", of_a + of_b, of_c) + ";\n";
        for (int r = 0; r < of_c; ++r) {
            body += "add.u64 %d2, %o8, " + std::to_string(256 * r) + "; st.global.f64 [%d2], %g" +
                    std::to_string(of_a + of_b + r) + ";\n";
        }
        std::mt19937 random(3);
        std::vector<double> in;
        for (int i = 0; i < 32 * (of_a + of_b + of_c); ++i)
            in.push_back(std::ldexp(static_cast<double>(random()), -31) - 1);
        Program program(for_target(body, "sm_90"));
        program.in = program.device.upload(in);
        auto const got = program.run<double>(static_cast<std::size_t>(32 * of_c));
        auto const value = [&](int r, int lane) { return in[static_cast<std::size_t>(32 * r + lane)]; };
        for (int i = 0; i < of_c; ++i) {
            for (int lane = 0; lane < 32; ++lane) {
                int const row = lane / 4, half = i / 2, column = 2 * (lane % 4) + i % 2;
                double sum = value(of_a + of_b + i, lane);
                int const saved = std::fegetround();
                std::fesetround(FE_TOWARDZERO);
                for (int kk = 0; kk < k; ++kk) {
                    double const x = value(kk / 4 * (m / 8) + half, 4 * row + kk % 4);
                    double const y = value(of_a + kk / 4, 4 * column + kk % 4);
                    sum = std::fma(x, y, sum);
                }
                std::fesetround(saved);
                INFO("m " << m << " k " << k << " register " << i << " lane " << lane);
                CHECK(got[static_cast<std::size_t>(32 * i + lane)] == sum);
            }
        }
    }
}

TEST_CASE("mma of Volta computes four products, with both layouts of a and b", "[exec]") {
    std::mt19937 random(11);
    for (std::string const& control_flow : control_flows()) {
        for (int bits = 0; bits < 16; ++bits) {
            Volta const v{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
            if (v.d_is_f16 && !v.c_is_f16) continue;  // there is none
            check_volta(v, random, control_flow);
        }
    }
}

TEST_CASE("movmatrix transposes a matrix in registers", "[exec]") {
    Registers given(1, std::vector<std::uint32_t>(32));
    for (std::uint32_t lane = 0; lane < 32; ++lane)
        given[0][lane] = 2 * lane | (2 * lane + 1) << 16;  // row * 8 + column
    for (std::string const& control_flow : control_flows()) {
        Registers const got =
            run(kernel(with_registers(1, "movmatrix.sync.aligned.m8n8.trans.b16 %r0, %r0;", 0, 1)), given, 1,
                control_flow);
        for (std::uint32_t lane = 0; lane < 32; ++lane) {
            std::uint32_t const row = lane / 4, column = 2 * (lane % 4);
            CHECK(got[0][lane] == ((column * 8 + row) | ((column + 1) * 8 + row) << 16));
        }
    }
}

TEST_CASE("Wrong uses of matrix instructions are reported with their place", "[exec]") {
    std::string const mma =
        "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, "
        "%r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3};";
    for (std::string const& control_flow : control_flows()) {
        INFO(control_flow);
        std::string const partial = Program(kernel("setp.lt.u32 %p0, %i, 31;\n@%p0 " + mma), control_flow).error();
        CHECK(contains(partial, "not all threads of the warp execute: without lane 31"));
        CHECK(contains(partial, "thread (31,0,0)"));
        CHECK(contains(partial, "mma.sync.aligned.m16n8k16"));
    }
}

}  // namespace matrix_test
