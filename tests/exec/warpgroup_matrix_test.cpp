// wgmma against matrices that are put into shared memory and registers by the manual's formulas.
#include "tests/support/catch.hpp"
#include "tests/support/described_matrix.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/sparse_matrices.hpp"

#include <cstring>
#include <random>

namespace warpgroup_matrix_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::matrix::Major;

namespace {

Form const warpgroup_forms[] = {
    {64, 16, ".f16.f16.f16", Type::f16, Type::f16, Type::f16},
    {64, 16, ".f32.f16.f16", Type::f32, Type::f16, Type::f16},
    {64, 16, ".f32.bf16.bf16", Type::f32, Type::bf16, Type::bf16},
    {64, 8, ".f32.tf32.tf32", Type::f32, Type::tf32, Type::tf32},
    {64, 32, ".f32.e4m3.e5m2", Type::f32, Type::e4m3, Type::e5m2},
    {64, 32, ".f16.e5m2.e4m3", Type::f16, Type::e5m2, Type::e4m3},
    {64, 32, ".s32.s8.s8", Type::s32, Type::s8, Type::s8},
    {64, 32, ".satfinite.s32.u8.s8", Type::s32, Type::u8, Type::s8},
    {64, 256, ".s32.b1.b1.and.popc", Type::s32, Type::b1, Type::b1},
};

/// What an instruction does beside multiplying.
struct WarpgroupChoices {
    bool a_is_shared = true, adds = true;
    int scale_a = 1, scale_b = 1;
    int selector = -1;  // of the metadata of a sparse a
    Canonical a, b;
};

bool has_transposes(Form const& form) { return form.a == Type::f16 || form.a == Type::bf16; }

sim::MatrixConfig warpgroup_numerics() {
    sim::MatrixConfig config = sim::load_config("h100").sm.matrix;
    config.f8 = config.wgmma_f8;
    return config;
}

/// Rows of the matrix (of b: columns), put where the layout has them. b_is_transposed: rows of the matrix are k.
void put_shared(std::vector<std::uint8_t>& shared, std::size_t base, Canonical const& layout, Matrix const& m,
                bool rows_are_k, int bits) {
    for (int r = 0; r < m.rows; ++r) {
        for (int c = 0; c < m.columns; ++c) {
            int const k = rows_are_k ? r : c, row = rows_are_k ? c : r, bit = k * bits;
            std::uint32_t const code = m.at(r, c);
            for (int part = 0; part < std::max(1, bits / 8); ++part) {
                std::size_t const at = base + layout.byte(static_cast<std::uint32_t>(row),
                                                          static_cast<std::uint32_t>(bit / 8 + part));
                if (at >= shared.size()) shared.resize(at + 1);
                shared[at] = static_cast<std::uint8_t>(shared[at] | (code >> (8 * part) & 0xff) << (bit % 8));
            }
        }
    }
}

/// A kernel of one warpgroup: fills shared memory with the first bytes of `in`, loads each thread's registers
/// ([register][thread]) from behind them, executes and stores the first `results` registers.
std::string warpgroup_kernel(std::size_t bytes, int results, int registers, bool are_f32,
                             std::string const& instruction) {
    std::string const type = are_f32 ? "f32" : "b32";
    auto const number = [](auto value) { return std::to_string(value); };
    std::string text =
        ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param "
        ".u64 p_in)\n{\n.shared .align 1024 .b8 s[" +
        number(bytes) + "];\n.reg .pred %p<3>; .reg .b32 %t, %i, %a, %v; .reg .b64 %out, %in, %o, %d<3>;\n" +
        ".reg ." + type + " %c<" + number(results) + ">; .reg .b32 %r<8>;\n" +
        "ld.param.u64 %out, [p_out]; ld.param.u64 %in, [p_in]; mov.u32 %t, %tid.x; shl.b32 %i, %t, 2;\n"
        "cvt.u64.u32 %o, %i; add.u64 %out, %out, %o; add.u64 %in, %in, %o; mov.u32 %a, s;\n"
        "cvt.u64.u32 %d2, %a; shr.u64 %d2, %d2, 4; add.u32 %a, %a, %i;\n"
        "L: ld.global.b32 %v, [%in]; st.shared.b32 [%a], %v; add.u64 %in, %in, 512;\n"
        "add.u32 %a, %a, 512; add.u32 %i, %i, 512; setp.lt.u32 %p0, %i, " +
        number(bytes) + "; @%p0 bra L;\nbar.sync 0;\n";
    for (int r = 0; r < results; ++r)
        text += "ld.global." + type + " %c" + number(r) + ", [%in+" + number(512 * r) + "];\n";
    for (int r = results; r < registers; ++r)
        text += "ld.global.b32 %r" + number(r - results) + ", [%in+" + number(512 * r) + "];\n";
    text += "wgmma.fence.sync.aligned;\n" + instruction +
            "wgmma.commit_group.sync.aligned;\nwgmma.wait_group.sync.aligned 0;\n";
    for (int r = 0; r < results; ++r)
        text += "st.global." + type + " [%out+" + number(512 * r) + "], %c" + number(r) + ";\n";
    return text + "ret;\n}\n";
}

Matrix rows_of(Matrix const& m, int first, int count, int first_column, int columns) {
    Matrix part(count, columns);
    for (int r = 0; r < count; ++r) {
        for (int c = 0; c < columns; ++c) part.at(r, c) = m.at(first + r, first_column + c);
    }
    return part;
}

/// The registers of four warps, one warp after the other in each.
void append_warps(std::vector<std::uint32_t>& in, std::vector<Registers> const& warps) {
    for (std::size_t r = 0; r < warps[0].size(); ++r)
        for (Registers const& warp : warps) in.insert(in.end(), warp[r].begin(), warp[r].end());
}

std::vector<std::uint32_t> sums_of_warps(Matrix const& c, int bits) {
    std::vector<Registers> warps(4);
    for (int w = 0; w < 4; ++w) {
        for (int n = 0; n < c.columns; n += 8) {
            Registers const tile = fragments_of_c(rows_of(c, 16 * w, 16, n, 8), bits);
            warps[static_cast<std::size_t>(w)].insert(warps[static_cast<std::size_t>(w)].end(), tile.begin(),
                                                      tile.end());
        }
    }
    std::vector<std::uint32_t> all;
    append_warps(all, warps);
    return all;
}

void negate(Matrix& m, Type type) {
    for (std::uint32_t& code : m.codes) code ^= 1u << (bits_of(type) - 1);
}

std::string warpgroup_instruction(Form const& form, int n, WarpgroupChoices const& x, int results,
                                  std::size_t b_base) {
    std::string text = "add.u64 %d0, %d2, " + std::to_string(x.a.descriptor()) + ";\nadd.u64 %d1, %d2, " +
                       std::to_string(x.b.descriptor() + b_base / 16) + ";\nsetp.eq.u32 %p1, 0, " +
                       std::to_string(x.adds ? 0 : 1) + ";\nwgmma.mma_async" + (x.selector < 0 ? "" : ".sp") +
                       ".sync.aligned.m64n" + std::to_string(n) + "k" + std::to_string(form.k) + form.text + " " +
                       list("c", 0, results) + ", " + (x.a_is_shared ? "%d0" : list("r", 0, 4)) + ", %d1";
    if (x.selector >= 0) text += ", %r4, " + std::to_string(x.selector);
    text += ", %p1";
    if (isa::is_float(form.a)) text += ", " + std::to_string(x.scale_a) + ", " + std::to_string(x.scale_b);
    auto const transpose = [](Canonical const& layout) { return layout.major == Major::mn ? ", 1" : ", 0"; };
    if (has_transposes(form) && x.a_is_shared) text += transpose(x.a);
    if (has_transposes(form)) text += transpose(x.b);
    return text + ";\n";
}

/// The registers of d. `more` are registers of all warps behind those of a.
std::vector<std::uint32_t> run_warpgroup(Form const& form, WarpgroupChoices const& x, Matrix const& a,
                                         Matrix const& b, Matrix const& c, std::vector<Registers> const& more,
                                         std::string const& control_flow) {
    int const bits = bits_of(form.a);
    std::vector<std::uint8_t> shared;
    put_shared(shared, 0, x.a, a, false, bits);
    std::size_t const b_base = (shared.size() + 1023) / 1024 * 1024;
    put_shared(shared, b_base, x.b, b, true, bits);
    shared.resize((shared.size() + 511) / 512 * 512);
    std::vector<std::uint32_t> in(shared.size() / 4);
    std::memcpy(in.data(), shared.data(), shared.size());
    std::vector<std::uint32_t> const sums = sums_of_warps(c, bits_of(form.d));
    in.insert(in.end(), sums.begin(), sums.end());
    std::vector<Registers> of_a;
    for (int w = 0; w < 4; ++w) of_a.push_back(fragments_of_a(rows_of(a, 16 * w, 16, 0, a.columns), bits));
    append_warps(in, of_a);
    if (!more.empty()) append_warps(in, more);

    int const results = static_cast<int>(sums.size() / 128), registers = results + 4 + (more.empty() ? 0 : 1);
    std::string const text = warpgroup_kernel(shared.size(), results, registers, form.d == Type::f32,
                                              warpgroup_instruction(form, b.columns, x, results, b_base));
    Program program(text, control_flow);
    program.in = program.device.upload(in);
    return program.run<std::uint32_t>(sums.size(), {{128, 1, 1}, {1, 1, 1}, 0});
}

std::string description(Form const& form, int n, WarpgroupChoices const& x) {
    return form.text + ", n " + std::to_string(n) + ", a: " + x.a.name() + ", b: " + x.b.name();
}

void check_warpgroup(Form const& form, int n, WarpgroupChoices const& x, std::string const& control_flow) {
    std::mt19937 random(static_cast<unsigned>(n + form.k));
    Matrix a = random_matrix(random, 64, form.k, form.a);
    Matrix const b = random_matrix(random, form.k, n, form.b), c = random_matrix(random, 64, n, form.d);
    INFO(description(form, n, x) << ", " << control_flow);
    std::vector<std::uint32_t> const got = run_warpgroup(form, x, a, b, c, {}, control_flow);
    if (x.scale_a != x.scale_b) negate(a, form.a);
    Matrix const want = product(form, a, b, x.adds ? c : Matrix(64, n), warpgroup_numerics());
    CHECK(got == sums_of_warps(want, bits_of(form.d)));
}

/// Each warp has metadata of its own.
void check_sparse_warpgroup(Form const& form, int n, WarpgroupChoices const& x) {
    std::mt19937 random(static_cast<unsigned>(n + form.k));
    Matrix const b = random_matrix(random, form.k, n, form.b), c = random_matrix(random, 64, n, form.d);
    Matrix a(64, form.k / 2), want(64, n);
    std::vector<Registers> metadata;
    for (int w = 0; w < 4; ++w) {
        SparseMatrix const rows = random_sparse(random, form.k, form.a, x.selector);
        metadata.push_back(rows.metadata);
        Matrix const part = sparse_product(form, rows, b, rows_of(c, 16 * w, 16, 0, n), warpgroup_numerics());
        for (int r = 0; r < 16; ++r) {
            for (int k = 0; k < a.columns; ++k) a.at(16 * w + r, k) = rows.packed.at(r, k);
            for (int column = 0; column < n; ++column) want.at(16 * w + r, column) = part.at(r, column);
        }
    }
    INFO(description(form, n, x) << ", selector " << x.selector);
    CHECK(run_warpgroup(form, x, a, b, c, metadata, "independent") == sums_of_warps(want, bits_of(form.d)));
}

WarpgroupChoices plain_choices(int n) {
    WarpgroupChoices x;
    x.a = canonical_layouts(64, 32).front();
    x.b = canonical_layouts(static_cast<std::uint32_t>(n), 32).front();
    return x;
}

}  // namespace

TEST_CASE("wgmma multiplies matrices of all types and widths", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (Form const& form : warpgroup_forms) {
            for (int const n : {8, 24, 64, 192}) {
                WarpgroupChoices x = plain_choices(n);
                for (bool const a_is_shared : {true, false}) {
                    x.a_is_shared = a_is_shared;
                    check_warpgroup(form, n, x, control_flow);
                }
            }
        }
    }
    check_warpgroup(warpgroup_forms[1], 256, plain_choices(256), "independent");
}

TEST_CASE("wgmma reads every canonical layout of shared memory", "[exec]") {
    for (Form const& form : warpgroup_forms) {
        for (std::size_t i = 0; i < canonical_layouts(64, 32).size(); ++i) {
            WarpgroupChoices x;
            x.a = canonical_layouts(64, 32)[i];
            x.b = canonical_layouts(72, 32)[(i + 3) % canonical_layouts(72, 32).size()];
            int const n = form.a == Type::s8 || form.a == Type::u8 || form.a == Type::b1 ? 64 : 72;
            bool const has_mn = x.a.major == Major::mn || x.b.major == Major::mn;
            if (has_mn && !has_transposes(form)) continue;
            check_warpgroup(form, n, x, "independent");
        }
    }
}

TEST_CASE("wgmma negates its factors and starts from zero as it is told", "[exec]") {
    for (Form const& form : warpgroup_forms) {
        WarpgroupChoices x = plain_choices(16);
        x.adds = false;
        check_warpgroup(form, 16, x, "independent");
        if (!isa::is_float(form.a)) continue;
        for (int const scale_a : {1, -1}) {
            for (int const scale_b : {1, -1}) {
                x.scale_a = scale_a;
                x.scale_b = scale_b;
                x.adds = scale_a == 1;
                check_warpgroup(form, 16, x, "independent");
            }
        }
    }
}

TEST_CASE("wgmma multiplies a sparse matrix by what its metadata says", "[exec]") {
    Form const sparse_forms[] = {
        {64, 32, ".f32.f16.f16", Type::f32, Type::f16, Type::f16},
        {64, 32, ".f16.f16.f16", Type::f16, Type::f16, Type::f16},
        {64, 32, ".f32.bf16.bf16", Type::f32, Type::bf16, Type::bf16},
        {64, 16, ".f32.tf32.tf32", Type::f32, Type::tf32, Type::tf32},
        {64, 64, ".f32.e4m3.e5m2", Type::f32, Type::e4m3, Type::e5m2},
        {64, 64, ".s32.u8.s8", Type::s32, Type::u8, Type::s8},
    };
    for (Form const& form : sparse_forms) {
        for (Canonical const& layout : canonical_layouts(48, 64)) {
            if (layout.major == Major::mn && !has_transposes(form)) continue;
            WarpgroupChoices x;
            x.a = canonical_layouts(64, 32)[layout.major == Major::mn ? 1 : 0];
            x.b = layout;
            bool const is_wide = bits_of(form.a) > 8;
            for (x.selector = 0; x.selector < (is_wide ? 2 : 1); ++x.selector) {
                for (bool const a_is_shared : {true, false}) {
                    x.a_is_shared = a_is_shared;
                    check_sparse_warpgroup(form, 48, x);
                }
            }
        }
    }
}

namespace {

std::string error_of_warpgroup(std::string const& before, std::string const& guard, std::uint32_t threads) {
    std::string const text = warpgroup_kernel(
        4096, 4, 4, true,
        before + guard +
            " wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %d0, %d1, 1, "
            "1, 1, 0, 0;\n");
    Program program(text);
    program.in = program.device.upload(std::vector<std::uint32_t>(4096));
    return program.error(4096, {{threads, 1, 1}, {1, 1, 1}, 0});
}

}  // namespace

TEST_CASE("Wrong use of wgmma is reported with its place", "[exec]") {
    std::string const sound = "mov.b64 %d0, 0; mov.b64 %d1, 0;\n";
    CHECK(contains(error_of_warpgroup(sound, "", 96), "a warpgroup is four warps, from warp 0 on"));
    CHECK(contains(error_of_warpgroup(sound + "setp.ne.u32 %p2, %t, 37;\n", "@%p2", 128),
                   "not all threads of the warp execute"));
    CHECK(contains(error_of_warpgroup("mov.b64 %d0, 0; mov.b64 %d1, 0x400;\n", "", 128),
                   "16 bytes of matrix b at shared 16384, past the end"));
    CHECK(contains(error_of_warpgroup("cvt.u64.u32 %d0, %t; mov.b64 %d1, 0;\n", "", 128),
                   "the descriptor of a is not the same in all threads of the warp"));
}

}  // namespace warpgroup_matrix_test
