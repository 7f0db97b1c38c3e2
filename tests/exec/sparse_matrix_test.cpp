// mma.sp and products with scaled blocks, against the definition applied to the elements that are there.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/sparse_matrices.hpp"

#include <array>
#include <random>

namespace sparse_matrix_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// As the manual names them: of 2:4 forms, elements are chosen by one; of 4:8 forms of 4-bit elements by pairs; tf32 has one
/// of two, whose place is told by two indices of halves.
struct SparseForm {
    int k;
    std::string text;
    Type d, a, b;
    int selectors;
    std::string target = "sm_90";
};

SparseForm const sparse_forms[] = {
    {16, ".f32.f16.f16.f32", Type::f32, Type::f16, Type::f16, 4},
    {32, ".f32.f16.f16.f32", Type::f32, Type::f16, Type::f16, 2},
    {32, ".f16.f16.f16.f16", Type::f16, Type::f16, Type::f16, 2},
    {16, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16, 4},
    {32, ".f32.bf16.bf16.f32", Type::f32, Type::bf16, Type::bf16, 2},
    {8, ".f32.tf32.tf32.f32", Type::f32, Type::tf32, Type::tf32, 4},
    {16, ".f32.tf32.tf32.f32", Type::f32, Type::tf32, Type::tf32, 2},
    {32, ".s32.s8.u8.s32", Type::s32, Type::s8, Type::u8, 2},
    {64, ".satfinite.s32.u8.s8.s32", Type::s32, Type::u8, Type::s8, 1},
    {64, ".s32.s4.u4.s32", Type::s32, Type::s4, Type::u4, 2},
    {128, ".s32.u4.u4.s32", Type::s32, Type::u4, Type::u4, 1},
    {64, ".f32.e4m3.e5m2.f32", Type::f32, Type::e4m3, Type::e5m2, 1},
    {64, ".kind::f8f6f4.f32.e3m2.e2m1.f32", Type::f32, Type::e3m2, Type::e2m1, 1, "sm_120a"},
    {64, ".kind::f8f6f4.f16.e2m3.e4m3.f16", Type::f16, Type::e2m3, Type::e4m3, 1, "sm_120a"},
};

void append(Registers& to, Registers const& more) { to.insert(to.end(), more.begin(), more.end()); }

/// An instruction whose sums are in %r<first> to %r<first + 3>, or half as many of f16.
std::string with_sums(bool are_f32, int first, int count, std::string const& before, std::string const& after) {
    std::string move, back;
    for (int i = 0; i < count && are_f32; ++i) {
        std::string const f = "%f" + std::to_string(i), r = "%r" + std::to_string(first + i);
        move += "mov.b32 " + f + ", " + r + ";\n";
        back += "mov.b32 " + r + ", " + f + ";\n";
    }
    std::string const sums = are_f32 ? list("f", 0, count) : list("r", first, count);
    return move + before + sums + ", " + after + sums;
}

void check_sparse(SparseForm const& form, bool is_ordered, int selector, bool has_infinity,
                  std::string const& control_flow, bool is_legal = true, unsigned seed = 0) {
    std::mt19937 random(static_cast<unsigned>(form.k + selector) + 1000 * seed);
    SparseMatrix const a = random_sparse(random, form.k, form.a, selector, is_legal);
    Matrix b = random_matrix(random, form.k, 8, form.b);
    if (has_infinity) b.at(3, 2) = form.b == Type::bf16 ? 0x7f80 : 0x7c00;
    Matrix const c = random_matrix(random, 16, 8, form.d);
    Registers given = fragments_of_a(a.packed, bits_of(form.a));
    int const of_a = static_cast<int>(given.size());
    append(given, fragments_of_b(b, bits_of(form.b)));
    int const of_b = static_cast<int>(given.size()) - of_a;
    append(given, fragments_of_c(c, bits_of(form.d)));
    int const of_c = static_cast<int>(given.size()) - of_a - of_b, sums = of_a + of_b;
    append(given, a.metadata);
    bool const are_f32 = form.d == Type::f32;
    std::string const name = std::string("mma.sp") + (is_ordered ? "::ordered_metadata" : "") +
                             ".sync.aligned.m16n8k" + std::to_string(form.k) + ".row.col" + form.text + " ";
    std::string move =
        with_sums(are_f32, sums, of_c, name, list("r", 0, of_a) + ", " + list("r", of_a, of_b) + ", ") + ", %r" +
        std::to_string(sums + of_c) + ", " + std::to_string(selector) + ";\n";
    for (int i = 0; i < of_c && are_f32; ++i)
        move += "mov.b32 %r" + std::to_string(sums + i) + ", %f" + std::to_string(i) + ";\n";
    INFO(move << control_flow);
    Registers const got =
        run(for_target(with_registers(sums + of_c + 1, move, sums, of_c), form.target), given, of_c, control_flow);
    CHECK(got == fragments_of_c(sparse_product({16, form.k, form.text, form.d, form.a, form.b}, a, b, c),
                                bits_of(form.d)));
}

}  // namespace

TEST_CASE("mma.sp multiplies what its metadata says, with every selector", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (SparseForm const& form : sparse_forms) {
            for (int selector = 0; selector < form.selectors; ++selector) {
                if (!contains(form.text, "kind")) check_sparse(form, false, selector, false, control_flow);
                check_sparse(form, true, selector, false, control_flow);
            }
        }
    }
}

TEST_CASE("Metadata of any bits chooses elements of b, also twice or in descending order", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (SparseForm const& form : sparse_forms) {
            if (form.a == Type::tf32) continue;  // of whose places only two have a meaning
            for (unsigned seed = 1; seed <= 4; ++seed)
                check_sparse(form, true, static_cast<int>(seed) % form.selectors, false, control_flow, false,
                             seed);
        }
    }
}

TEST_CASE("An infinity of b does not meet elements of a that are absent", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (SparseForm const& form : {sparse_forms[0], sparse_forms[1], sparse_forms[4]})
            check_sparse(form, true, 1, true, control_flow);
    }
}

namespace {

struct ScaledForm {
    int k;
    std::string kind, types, scale_type;
    Type a, b;
    int scales;
    bool is_packed;
};

ScaledForm const scaled_forms[] = {
    {32, ".kind::mxf8f6f4.block_scale.scale_vec::1X", ".f32.e4m3.e5m2.f32", ".ue8m0", Type::e4m3, Type::e5m2, 1,
     false},
    {32, ".kind::mxf8f6f4.block_scale", ".f32.e2m3.e2m1.f32", ".ue8m0", Type::e2m3, Type::e2m1, 1, false},
    {64, ".kind::mxf4.block_scale", ".f32.e2m1.e2m1.f32", ".ue8m0", Type::e2m1, Type::e2m1, 2, true},
    {64, ".kind::mxf4nvf4.block_scale.scale_vec::2X", ".f32.e2m1.e2m1.f32", ".ue8m0", Type::e2m1, Type::e2m1, 2,
     true},
    {64, ".kind::mxf4nvf4.block_scale.scale_vec::4X", ".f32.e2m1.e2m1.f32", ".ue4m3", Type::e2m1, Type::e2m1, 4,
     true},
    {64, ".kind::mxf4nvf4.block_scale.scale_vec::4X", ".f32.e2m1.e2m1.f32", ".ue8m0", Type::e2m1, Type::e2m1, 4,
     true},
};

/// The selectors that are legal: bytes in steps of as many as there are scales.
struct Selectors {
    int a_byte, a_thread, b_byte, b_thread;
};

void check_scaled(ScaledForm const& form, bool is_sparse, Selectors const& s, std::string const& control_flow) {
    std::mt19937 random(static_cast<unsigned>(form.k + s.b_thread));
    int const k = is_sparse ? 2 * form.k : form.k, bits = form.is_packed ? 4 : 8;
    SparseMatrix sparse{Matrix(16, form.k), {}, {}};
    // Places are chosen by pairs of 4-bit elements: those of s4 are like them.
    if (is_sparse) sparse = random_sparse(random, k, form.is_packed ? Type::s4 : form.a, 0);
    Matrix const a = is_sparse ? sparse.packed : random_matrix(random, 16, k, form.is_packed ? Type::s4 : form.a);
    Matrix const b = random_matrix(random, k, 8, form.is_packed ? Type::s4 : form.b);
    Matrix const c = random_matrix(random, 16, 8, Type::f32);
    Registers given = fragments_of_a(a, bits);
    int const of_a = static_cast<int>(given.size());
    append(given, fragments_of_b(b, bits));
    int const of_b = static_cast<int>(given.size()) - of_a, sums = of_a + of_b;
    append(given, fragments_of_c(c, 32));
    for (int r = 0; r < 2; ++r) {
        given.emplace_back(32);
        // Around 1, and no NaN.
        std::uint32_t const around = form.scale_type == ".ue4m3" ? 0x38383838u : 0x78787878u;
        for (std::uint32_t& word : given.back())
            word = (static_cast<std::uint32_t>(random()) & 0x07070707u) | around;
    }
    std::string text =
        with_sums(true, sums, 4,
                  std::string("mma") + (is_sparse ? ".sp::ordered_metadata" : "") + ".sync.aligned.m16n8k" +
                      std::to_string(k) + ".row.col" + form.kind + form.types + form.scale_type + " ",
                  list("r", 0, of_a) + ", " + list("r", of_a, of_b) + ", ");
    if (is_sparse) {
        append(given, sparse.metadata);
        text += ", %r" + std::to_string(sums + 6) + ", 0";
    }
    text += ", %r" + std::to_string(sums + 4) + ", {" + std::to_string(s.a_byte) + ", " +
            std::to_string(s.a_thread) + "}, %r" + std::to_string(sums + 5) + ", {" + std::to_string(s.b_byte) +
            ", " + std::to_string(s.b_thread) + "};\n";
    for (int i = 0; i < 4; ++i)
        text += "mov.b32 %r" + std::to_string(sums + i) + ", %f" + std::to_string(i) + ";\n";
    INFO(text << control_flow);
    int const registers = sums + (is_sparse ? 7 : 6);
    Registers const got =
        run(for_target(with_registers(registers, text, sums, 4), "sm_120a"), given, 4, control_flow);

    sim::matrix::FloatProduct floats;
    floats.a = form.a;
    floats.b = form.b;
    floats.is_packed = form.is_packed;
    floats.accumulator = sim::load_config("h100").sm.matrix.f8;
    int const packed = is_sparse ? k / 2 : k;
    floats.scale_block = packed / form.scales;
    floats.scales_are_e4m3 = form.scale_type == ".ue4m3";
    Matrix d(16, 8);
    auto const& scale_a = given[static_cast<std::size_t>(sums + 4)];
    auto const& scale_b = given[static_cast<std::size_t>(sums + 5)];
    for (int row = 0; row < 16; ++row) {
        for (int n = 0; n < 8; ++n) {
            std::vector<std::uint32_t> x(static_cast<std::size_t>(packed * bits / 32)), y(x.size());
            for (int j = 0; j < packed; ++j) {
                int const column =
                    is_sparse ? sparse.columns[static_cast<std::size_t>(row)][static_cast<std::size_t>(j)] : j;
                set(x[static_cast<std::size_t>(j * bits / 32)], bits, j % (32 / bits), a.at(row, j));
                set(y[static_cast<std::size_t>(j * bits / 32)], bits, j % (32 / bits), b.at(column, n));
            }
            // "Block Scaling for mma.sync": of a, the lower or upper pair of four threads has rows g and g + 8.
            std::uint32_t const word_a =
                scale_a[static_cast<std::size_t>(4 * (row % 8) + 2 * s.a_thread + row / 8)];
            std::uint32_t const word_b = scale_b[static_cast<std::size_t>(4 * n + s.b_thread)];
            std::array<std::uint8_t, 4> of_row{}, of_column{};
            for (std::size_t i = 0; i < static_cast<std::size_t>(form.scales); ++i) {
                of_row[i] = static_cast<std::uint8_t>(word_a >> (8 * (static_cast<std::size_t>(s.a_byte) + i)));
                of_column[i] = static_cast<std::uint8_t>(word_b >> (8 * (static_cast<std::size_t>(s.b_byte) + i)));
            }
            d.at(row, n) =
                sim::matrix::reference(floats, {x.data(), 1, of_row.data(), 1}, {y.data(), 1, of_column.data(), 1},
                                       static_cast<int>(x.size()), c.at(row, n));
        }
    }
    CHECK(got == fragments_of_c(d, 32));
}

}  // namespace

TEST_CASE("Products with scaled blocks take the scales that their selectors name", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (ScaledForm const& form : scaled_forms) {
            for (int byte = 0; byte + form.scales <= 4; byte += form.scales) {
                for (int thread = 0; thread < 4; ++thread) {
                    Selectors const s{byte, thread % 2, (byte + form.scales) % 4 / form.scales * form.scales,
                                      thread};
                    check_scaled(form, false, s, control_flow);
                    check_scaled(form, true, s, control_flow);
                }
            }
        }
    }
}

TEST_CASE("Selectors of scales that do not exist are reported", "[exec]") {
    std::string const text = "mov.u32 %r0, %i; cvt.u16.u32 %h0, %i;\n"
                             "mma.sync.aligned.m16n8k64.row.col.kind::mxf4.block_scale.f32.e2m1.e2m1.f32.ue8m0 "
                             "{%f0, %f1, %f2, %f3}, {%r0, %r1, "
                             "%r2, %r3}, {%r4, %r5}, {%f0, %f1, %f2, %f3}, %r6, {0, 0}, %r7, {%h0, 0};";
    Program program(for_target(text, "sm_120a"), "independent", Program::one_thread(),
                    {"compute_capability=12.0"});
    std::string const report = program.error();
    CHECK(contains(report, "the scales are selected by byte 1 and thread 0"));
    CHECK(contains(report, "thread (1,0,0)"));
}

}  // namespace sparse_matrix_test
