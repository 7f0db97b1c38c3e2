// wmma: matrices in memory in, matrices in memory out. Where fragments hold their elements is not looked at, but for what
// programs rely on: elements of c and d with one number belong together, whatever their types.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

#include <cmath>
#include <cstring>
#include <random>

namespace wmma_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct WmmaForm {
    int m, n, k;
    std::string types;  // of wmma.mma
    Type d, a, b, c;
    int a_registers, b_registers;
    bool has_layouts = true;  // else row and column
    std::string operation = "";
};

WmmaForm const wmma_forms[] = {
    {16, 16, 16, ".f32.f32", Type::f32, Type::f16, Type::f16, Type::f32, 8, 8},
    {16, 16, 16, ".f16.f16", Type::f16, Type::f16, Type::f16, Type::f16, 8, 8},
    {16, 16, 16, ".f32.f16", Type::f32, Type::f16, Type::f16, Type::f16, 8, 8},
    {16, 16, 16, ".f16.f32", Type::f16, Type::f16, Type::f16, Type::f32, 8, 8},
    {8, 32, 16, ".f32.f32", Type::f32, Type::f16, Type::f16, Type::f32, 8, 8},
    {8, 32, 16, ".f16.f16", Type::f16, Type::f16, Type::f16, Type::f16, 8, 8},
    {32, 8, 16, ".f32.f32", Type::f32, Type::f16, Type::f16, Type::f32, 8, 8},
    {32, 8, 16, ".f16.f16", Type::f16, Type::f16, Type::f16, Type::f16, 8, 8},
    {16, 16, 16, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16, Type::f32, 4, 4},
    {8, 32, 16, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16, Type::f32, 2, 8},
    {32, 8, 16, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16, Type::f32, 8, 2},
    {16, 16, 16, ".s32.s8.s8.s32", Type::s32, Type::s8, Type::s8, Type::s32, 2, 2},
    {8, 32, 16, ".s32.u8.u8.s32.satfinite", Type::s32, Type::u8, Type::u8, Type::s32, 1, 4},
    {32, 8, 16, ".s32.s8.s8.s32", Type::s32, Type::s8, Type::s8, Type::s32, 4, 1},
    {16, 16, 8, ".f32.tf32.tf32.f32", Type::f32, Type::tf32, Type::tf32, Type::f32, 4, 4},
    {8, 8, 32, ".s32.s4.s4.s32", Type::s32, Type::s4, Type::s4, Type::s32, 1, 1, false},
    {8, 8, 32, ".s32.u4.u4.s32", Type::s32, Type::u4, Type::u4, Type::s32, 1, 1, false},
    {8, 8, 128, ".s32.b1.b1.s32", Type::s32, Type::b1, Type::b1, Type::s32, 1, 1, false, ".xor.popc"},
    {8, 8, 128, ".s32.b1.b1.s32", Type::s32, Type::b1, Type::b1, Type::s32, 1, 1, false, ".and.popc"},
};

/// A matrix in memory, row after row or column after column, `padding` elements apart.
std::vector<std::uint8_t> stored(Matrix const& m, int bits, bool is_column, int stride) {
    int const lines = is_column ? m.columns : m.rows;
    std::vector<std::uint8_t> bytes(static_cast<std::size_t>(lines * stride * bits / 8 + 16), 0xa5);
    for (int row = 0; row < m.rows; ++row) {
        for (int column = 0; column < m.columns; ++column) {
            int const at = (is_column ? column * stride + row : row * stride + column) * bits;
            std::uint32_t const code = m.at(row, column);
            for (int b = 0; b < bits; ++b) {
                auto const byte = static_cast<std::size_t>((at + b) / 8);
                auto const bit = static_cast<unsigned>((at + b) % 8);
                bytes[byte] = static_cast<std::uint8_t>((bytes[byte] & ~(1u << bit)) | (code >> b & 1) << bit);
            }
        }
    }
    return bytes;
}
std::uint32_t code_at(std::vector<std::uint8_t> const& bytes, int index, int bits) {
    std::uint32_t code = 0;
    std::memcpy(&code, &bytes[static_cast<std::size_t>(index * bits / 8)], static_cast<std::size_t>(bits / 8));
    return code;
}

int sum_registers(WmmaForm const& f, Type type) { return f.m * f.n / 32 * bits_of(type) / 32; }
std::string type_text(Type type) { return "." + std::string(isa::name(type)); }

struct Setting {
    bool a_is_column, b_is_column, c_is_column, d_is_column;
    std::string space;  // ".global", ".shared" or "": generic
    int padding;        // elements of 16 bytes
};

/// Where a, b and c begin in `in` and in shared memory.
constexpr std::size_t place_of_b = 4096, place_of_c = 8192, all_bytes = 16384;

std::string program_of(WmmaForm const& f, Setting const& s, int const (&strides)[4]) {
    std::string const shape = ".m" + std::to_string(f.m) + "n" + std::to_string(f.n) + "k" + std::to_string(f.k);
    auto const layout = [](bool is_column) { return is_column ? std::string(".col") : std::string(".row"); };
    std::string const base = s.space == ".shared" ? "%r30" : "%d0";
    auto const load = [&](char const* which, bool is_column, Type type, std::string const& to, std::size_t at,
                          int stride) {
        std::string const end = stride == 0 ? ";\n" : ", %r29;\n";
        return (stride == 0 ? std::string() : "mov.u32 %r29, " + std::to_string(stride) + ";\n") + "wmma.load." +
               which + ".sync.aligned" + layout(is_column) + shape + s.space + type_text(type) + " " + to + ", [" +
               base + "+" + std::to_string(at) + "]" + end;
    };
    std::string body =
        s.space == ".global" ? "mov.b64 %d0, %in;\n" : fill_tile(16384) + "cvta.shared.u64 %d0, tile;\n";
    bool const c_is_f32 = f.c == Type::f32, d_is_f32 = f.d == Type::f32;
    std::string const a = list("r", 0, f.a_registers), b = list("r", 8, f.b_registers);
    std::string const c = list(c_is_f32 ? "f" : "r", 16, sum_registers(f, f.c));
    std::string const d = list(d_is_f32 ? "f" : "r", 16, sum_registers(f, f.d));
    body += load("a", s.a_is_column, f.a, a, 0, strides[0]) +
            load("b", s.b_is_column, f.b, b, place_of_b, strides[1]) +
            load("c", s.c_is_column, f.c, c, place_of_c, strides[2]);
    body += "wmma.mma" + f.operation + ".sync.aligned" + layout(s.a_is_column) + layout(s.b_is_column) + shape +
            f.types + " " + d + ", " + a + ", " + b + ", " + c + ";\n";
    body += "wmma.store.d.sync.aligned" + layout(s.d_is_column) + shape + ".global" + type_text(f.d) +
            " [%out], " + d + ", " + std::to_string(strides[3]) + ";\n";
    return for_target(body, "sm_80", ".shared .align 128 .b8 tile[16384];");
}

void check_wmma(WmmaForm const& f, Setting const& s, std::string const& control_flow) {
    std::mt19937 random(static_cast<unsigned>(f.m + f.k));
    Matrix const a = random_matrix(random, f.m, f.k, f.a), b = random_matrix(random, f.k, f.n, f.b),
                 c = random_matrix(random, f.m, f.n, f.c);
    auto const stride = [&](int rows, int columns, bool is_column, Type type) {
        return (is_column ? rows : columns) + s.padding * 128 / bits_of(type);
    };
    int const of_a = stride(f.m, f.k, s.a_is_column, f.a), of_b = stride(f.k, f.n, s.b_is_column, f.b),
              of_c = stride(f.m, f.n, s.c_is_column, f.c), of_d = stride(f.m, f.n, s.d_is_column, f.d);
    std::vector<std::uint8_t> in(all_bytes);
    auto const put = [&](std::size_t at, std::vector<std::uint8_t> const& bytes) {
        std::copy(bytes.begin(), bytes.end(), in.begin() + static_cast<std::ptrdiff_t>(at));
    };
    put(0, stored(a, bits_of(f.a), s.a_is_column, of_a));
    put(place_of_b, stored(b, bits_of(f.b), s.b_is_column, of_b));
    put(place_of_c, stored(c, bits_of(f.c), s.c_is_column, of_c));
    bool const has_default = s.padding == 0;
    std::string const text =
        program_of(f, s, {has_default ? 0 : of_a, has_default ? 0 : of_b, has_default ? 0 : of_c, of_d});
    INFO(text << control_flow);
    Program program(text, control_flow);
    program.in = program.device.upload(in);
    auto const out = program.run<std::uint8_t>(all_bytes);

    Matrix addend = c;
    if (f.c == Type::f16 && f.d == Type::f32) {
        for (std::uint32_t& code : addend.codes)
            code = (code & 0x8000) << 16 | ((code >> 10 & 31) + 112) << 23 | (code & 0x3ff) << 13;
    }
    bool const sums_in_f32 = f.d == Type::f16 && f.c == Type::f32;
    Form const form{f.m, f.k, f.types + f.operation, sums_in_f32 ? Type::f32 : f.d, f.a, f.b};
    Matrix want = product(form, a, b, addend);
    for (int row = 0; row < f.m; ++row) {
        for (int column = 0; column < f.n; ++column) {
            int const index = s.d_is_column ? column * of_d + row : row * of_d + column;
            std::uint32_t const got = code_at(out, index, bits_of(f.d));
            if (!sums_in_f32) {
                CHECK(got == want.at(row, column));
                continue;
            }
            // To nearest: no other number of f16 is nearer.
            float sum = 0;
            std::memcpy(&sum, &want.at(row, column), sizeof sum);
            auto const value = [](std::uint32_t half) {
                double const magnitude = std::ldexp(static_cast<double>((half & 0x3ff) | 0x400),
                                                    static_cast<int>(half >> 10 & 31) - 25);
                return (half & 0x8000) != 0 ? -magnitude : magnitude;
            };
            double const error = std::abs(value(got) - sum);
            CHECK(error <= std::abs(value(got + 1) - sum));
            CHECK(error <= std::abs(value(got - 1) - sum));
        }
    }
}

}  // namespace

TEST_CASE("wmma multiplies matrices in memory, in every shape, type, layout and space", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (WmmaForm const& f : wmma_forms) {
            int turn = 0;
            for (int bits = 0; bits < 16; ++bits) {
                Setting s{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0, "", 0};
                if (!f.has_layouts && (s.a_is_column || !s.b_is_column)) continue;
                s.space = turn % 3 == 0 ? ".global" : turn % 3 == 1 ? ".shared" : "";
                s.padding = turn++ % 2;
                check_wmma(f, s, control_flow);
            }
        }
    }
}

TEST_CASE("wmma of f64 multiplies by a chain of fused multiply-adds", "[exec]") {
    std::mt19937 random(3);
    std::vector<double> in;
    for (int i = 0; i < 128; ++i)
        in.push_back(std::ldexp(static_cast<double>(random()), -31) - 1);  // a, b; c from 64 on
    for (std::string const& control_flow : control_flows()) {
        std::string const body = R"(
wmma.load.a.sync.aligned.row.m8n8k4.global.f64 {%g0}, [%in];
wmma.load.b.sync.aligned.col.m8n8k4.global.f64 {%g1}, [%in+256], 4;
wmma.load.c.sync.aligned.col.m8n8k4.f64 {%g2, %g3}, [%in+512], 8;
wmma.mma.sync.aligned.row.col.m8n8k4.f64.f64.f64.f64 {%g4, %g5}, {%g0}, {%g1}, {%g2, %g3};
wmma.store.d.sync.aligned.row.m8n8k4.f64 [%out], {%g4, %g5};
)";
        Program program(for_target(body, "sm_80"), control_flow);
        program.in = program.device.upload(in);
        auto const got = program.run<double>(64);
        for (std::size_t row = 0; row < 8; ++row) {
            for (std::size_t column = 0; column < 8; ++column) {
                double sum = in[64 + 8 * column + row];
                for (std::size_t k = 0; k < 4; ++k) sum = std::fma(in[4 * row + k], in[32 + 4 * column + k], sum);
                CHECK(got[8 * row + column] == sum);
            }
        }
    }
}

TEST_CASE("Elements of c and d with one number belong together, in f16 and f32", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (std::string const shape : {"m16n16k16", "m8n32k16", "m32n8k16"}) {
            // Elements of f32, twice as large, become those of f16.
            std::string body =
                "wmma.load.c.sync.aligned.row." + shape + ".global.f32 " + list("f", 0, 8) + ", [%in];\n";
            for (int i = 0; i < 8; ++i) {
                std::string const n = std::to_string(i);
                body +=
                    "add.f32 %f" + n + ", %f" + n + ", %f" + n + ";\ncvt.rn.f16.f32 %h" + n + ", %f" + n + ";\n";
            }
            for (int i = 0; i < 4; ++i)
                body += "mov.b32 %r" + std::to_string(i) + ", {%h" + std::to_string(2 * i) + ", %h" +
                        std::to_string(2 * i + 1) + "};\n";
            body += "wmma.store.d.sync.aligned.row." + shape + ".global.f16 [%out], " + list("r", 0, 4) + ";\n";
            INFO(body << control_flow);
            Program program(for_target(body, "sm_80"), control_flow);
            std::vector<float> in(256);
            for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<float>(i) / 2;
            program.in = program.device.upload(in);
            auto const got = program.run<std::uint16_t>(256);
            for (std::size_t i = 1; i < in.size(); ++i) {
                double const value = std::ldexp((got[i] & 0x3ff) | 0x400, (got[i] >> 10) - 25);
                CHECK(value == static_cast<double>(i));
            }
        }
    }
}

TEST_CASE("Wrong addresses and strides of wmma are reported with their place", "[exec]") {
    std::string const load = "wmma.load.a.sync.aligned.row.m16n16k16.global.f16 " + list("r", 0, 8) + ", ";
    for (std::string const& control_flow : control_flows()) {
        INFO(control_flow);
        std::string const misaligned = Program(for_target(load + "[%in+8];", "sm_80"), control_flow).error();
        CHECK(contains(misaligned, "the address is not a multiple of 16 bytes"));
        std::string const stride = Program(for_target(load + "[%in], 20;", "sm_80"), control_flow).error();
        CHECK(contains(stride, "the stride is not a multiple of 16 bytes"));
        std::string const different = Program(for_target(load + "[%o4];", "sm_80"), control_flow).error();
        CHECK(contains(different, "not the same in all threads"));
        CHECK(contains(different, "thread (1,0,0)"));
        std::string const outside = Program(for_target(load + "[%out], 1024;", "sm_80"), control_flow).error(4096);
        CHECK(contains(outside, "illegal address"));
        CHECK(contains(outside, "wmma.load.a.sync"));
    }
}

}  // namespace wmma_test
