// tcgen05.mma with block scaling: scales stand in tensor memory.
#include "sim/matrix/reference.hpp"
#include "tests/support/tensor_products.hpp"

#include <random>

namespace tensor_scaled_product_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct ScaledForm {
    std::string kind, vector;
    Type a, b;
    std::uint32_t k, code_a, code_b;
    std::uint32_t scales;  // of a row
    bool is_e4m3 = false;
    std::uint32_t id_a = 0, id_b = 0;
    std::uint32_t first_chunk =
        0;  // of 128 bytes, where K = 96: rows that reach their end go on at their beginning
};

/// Bits that the elements take in memory: of those of 4 and 6 bits 16 stand together, with padding where they are not packed.
int memory_bits(Type type) { return type == Type::e2m1 ? 4 : type == Type::e2m3 || type == Type::e3m2 ? 6 : 8; }

void check_scaled(ScaledForm const& form, std::uint32_t ctas, std::uint32_t m, std::uint32_t n,
                  TensorWay const& way) {
    std::mt19937 random(m + n + form.k + form.id_a);
    bool const is_long = form.k == 96, is_packed = form.k == 64 || is_long;
    TensorKernel kernel;
    if (is_long) kernel.target = "sm_103a";
    kernel.ctas = ctas;
    kernel.columns = 512;
    kernel.shared = 32768;
    std::uint32_t const rows = m / ctas, columns = n / ctas, column_of_scales = 400;
    auto const codes_of = [&](Type type) {
        std::vector<std::uint32_t> codes(form.k);
        for (std::uint32_t& code : codes)
            code = static_cast<std::uint32_t>(random()) & ((1u << memory_bits(type)) - 1);
        // No NaN and no infinity.
        for (std::uint32_t& code : codes)
            if (memory_bits(type) == 8) code &= 0xb7;
        return codes;
    };
    auto const put_line = [&](std::vector<std::uint8_t>& bytes, std::size_t base, std::uint32_t line,
                              std::uint32_t lines, std::vector<std::uint32_t> const& codes, Type type) {
        int const bits = memory_bits(type);
        for (std::uint32_t k = 0; k < form.k; ++k) {
            // Two chunks of 16 bytes, one column of core matrices after the other.
            std::uint32_t const in_chunk = is_packed ? 32 : 16;
            std::size_t const row = base + line * 128;
            std::size_t const chunk = is_long ? row + ((form.first_chunk + k / in_chunk) % 8 ^ line % 8) * 16
                                              : base + k / in_chunk * lines * 16 + line * 16;
            std::uint32_t const bit = k % in_chunk * static_cast<std::uint32_t>(bits);
            for (int b = 0; b < bits; ++b) {
                std::size_t const at = bit + static_cast<std::uint32_t>(b);
                bytes[chunk + at / 8] =
                    static_cast<std::uint8_t>(bytes[chunk + at / 8] | (codes[k] >> b & 1) << (at % 8));
            }
        }
    };
    std::vector<std::vector<std::uint8_t>> bytes(ctas, std::vector<std::uint8_t>(kernel.shared));
    std::vector<TensorCells> given(ctas, TensorCells(512));
    std::vector<std::vector<std::uint32_t>> a, b;
    std::vector<std::vector<std::uint8_t>> scales_a, scales_b;
    auto const scales_of = [&] {
        std::vector<std::uint8_t> scales(form.scales);
        for (std::uint8_t& s : scales)
            s = static_cast<std::uint8_t>(form.is_e4m3 ? random() % 0x78 : 124 + random() % 6);
        return scales;
    };
    TensorChoices x;
    x.m = m;
    x.n = n;
    x.ctas = ctas;
    // 128 rows in four columns of 32 lanes, in all four quarters: byte 0 to 3 of a word are neighbours in k.
    auto const put_scales = [&](TensorCells& cells, std::uint32_t column, std::uint32_t number,
                                std::uint32_t quarters, std::vector<std::uint8_t> const& scales, std::uint32_t id,
                                std::uint32_t numbers) {
        // The fifth of a row and the next stand behind the first four of all of 128 or 256.
        std::uint32_t const stride = numbers <= 128 ? 4 : 8;
        for (std::uint32_t q = 0; q < 4; ++q) {
            if ((quarters >> q & 1) == 0) continue;
            for (std::uint32_t s = 0; s < scales.size(); ++s)
                cells.at(32 * q + number % 32, column + number / 32 + (id + s) / 4 * stride) |=
                    std::uint32_t{scales[s]} << (8 * ((id + s) % 4));
        }
    };
    for (std::uint32_t row = 0; row < m; ++row) {
        a.push_back(codes_of(form.a));
        scales_a.push_back(scales_of());
        put_line(bytes[row / rows], 0, row % rows, rows, a.back(), form.a);
        put_scales(given[row / rows], column_of_scales, row % rows, 15, scales_a.back(), form.id_a, rows);
    }
    for (std::uint32_t column = 0; column < n; ++column) {
        b.push_back(codes_of(form.b));
        scales_b.push_back(scales_of());
        put_line(bytes[column / columns], base_of_b, column % columns, columns, b.back(), form.b);
        for (TensorCells& cells : given) {
            bool const is_halved = ctas == 2 && m == 128;  // half of the columns for each half of the lanes
            std::uint32_t const half = column / (n / 2);
            put_scales(cells, column_of_scales + 16, is_halved ? column % (n / 2) : column,
                       is_halved ? (half == 0 ? 3u : 12u) : 15u, scales_b.back(), form.id_b,
                       is_halved ? n / 2 : n);
        }
    }
    std::uint32_t const idesc = form.id_b << 4 | form.code_a << 7 | form.code_b << 10 | n / 8 << 17 |
                                (form.is_e4m3 ? 0u : 1u << 23) | m / 128 << 27 | form.id_a << 29 |
                                (is_long ? 1u << 31 : 0u);
    auto const number = [](std::uint64_t value) { return std::to_string(value); };
    auto const descriptor = [&](std::uint32_t start, std::uint32_t lines) {
        if (is_long)
            return std::uint64_t{start / 16 + form.first_chunk} | std::uint64_t{start / 16} << 16 |
                   std::uint64_t{64} << 32 | std::uint64_t{65} << 46 | std::uint64_t{2} << 61;
        return std::uint64_t{start / 16} | std::uint64_t{lines} << 16 | std::uint64_t{8} << 32 |
               std::uint64_t{1} << 46;
    };
    kernel.body = committed(
        kernel,
        "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; mad.lo.u64 %d1, %d1, " +
            number(is_long ? 65536 : 0) + ", %d1; add.u64 %d2, %d1, " + number(descriptor(base_of_b, columns)) +
            "; add.u64 %d1, %d1, " + number(descriptor(0, rows)) + "; mov.b32 %r0, " + number(idesc) +
            "; setp.eq.u32 %p5, 0, 0; add.u32 %r1, %ta, 400; add.u32 %r2, %ta, 416; "
            "mov.b32 %r3, %ta;\ntcgen05.mma" +
            kernel.group() + ".kind::" + form.kind + ".block_scale" + form.vector +
            " [%r3], %d1, %d2, %r0, [%r1], [%r2], %p5;\n");
    sim::matrix::FloatProduct floats;
    floats.a = form.a;
    floats.b = form.b;
    floats.is_packed = is_packed;
    floats.accumulator = sim::load_config("h100").sm.matrix.f8;
    floats.scale_block = static_cast<int>(form.k / form.scales);
    floats.scales_are_e4m3 = form.is_e4m3;
    // In bytes, elements of four bits stand in the middle.
    auto const line = [&](std::vector<std::uint32_t> codes, Type type) {
        if (is_packed) return packed_line(codes, 4);
        for (std::uint32_t& code : codes)
            if (type == Type::e2m1) code <<= 2;
        return packed_line(codes, 8);
    };
    for (TensorCells& cells : given)
        for (std::uint32_t c = 0; c < n; ++c)
            for (std::uint32_t lane = 0; lane < 128; ++lane) cells.at(lane, c) = random_code(random, Type::f32);
    std::vector<TensorCells> want = given;
    for (std::uint32_t row = 0; row < m; ++row) {
        std::vector<std::uint32_t> const of_a = line(a[row], form.a);
        for (std::uint32_t column = 0; column < n; ++column) {
            auto const [cta, lane, at] = cell_of_d(x, row, column);
            std::vector<std::uint32_t> const of_b = line(b[column], form.b);
            want[cta].at(lane, at) = sim::matrix::reference(
                floats, {of_a.data(), 1, scales_a[row].data(), 1}, {of_b.data(), 1, scales_b[column].data(), 1},
                static_cast<int>(of_a.size()), given[cta].at(lane, at));
        }
    }
    INFO(form.kind << form.vector << " " << form.code_a << form.code_b << ", M " << m << ", N " << n << ", "
                   << way.name());
    CHECK(differing_words(kernel.run(bytes, given, way), want) == 0);
}

}  // namespace

TEST_CASE("Products with scales take these from tensor memory", "[exec]") {
    std::vector<ScaledForm> const forms{
        {"mxf8f6f4", "", Type::e4m3, Type::e5m2, 32, 0, 1, 1, false, 3, 1},
        {"mxf8f6f4", ".scale_vec::1X", Type::e2m3, Type::e2m1, 32, 3, 5, 1, false, 0, 2},
        {"mxf8f6f4", ".block32", Type::e3m2, Type::e4m3, 32, 4, 0, 1},
        {"mxf4", "", Type::e2m1, Type::e2m1, 64, 1, 1, 2, false, 2, 0},
        {"mxf4nvf4", ".scale_vec::2X", Type::e2m1, Type::e2m1, 64, 1, 1, 2, false, 0, 2},
        {"mxf4nvf4", ".scale_vec::4X", Type::e2m1, Type::e2m1, 64, 1, 1, 4, true},
        {"mxf4nvf4", ".block16", Type::e2m1, Type::e2m1, 64, 1, 1, 4},
    };
    for (ScaledForm const& form : forms) check_scaled(form, 1, 128, 72, {});
    check_scaled(forms[3], 1, 128, 256, {"independent", false, true});
    for (std::uint32_t const m : {128u, 256u}) {
        check_scaled(forms[0], 2, m, 96, {});
        check_scaled(forms[5], 2, m, 192, {"independent", false, true});
    }
}

TEST_CASE("Products of K = 96 read rows of three chunks and more scales", "[exec]") {
    std::vector<ScaledForm> const forms{
        {"mxf4", "", Type::e2m1, Type::e2m1, 96, 1, 1, 3, false, 0, 3, 0},
        {"mxf4nvf4", ".block32", Type::e2m1, Type::e2m1, 96, 1, 1, 3, false, 2, 1, 3},
        {"mxf4nvf4", ".block16", Type::e2m1, Type::e2m1, 96, 1, 1, 6, true, 0, 2, 6},
        {"mxf4nvf4", ".scale_vec::4X", Type::e2m1, Type::e2m1, 96, 1, 1, 6, true, 2, 0, 7},
    };
    for (ScaledForm const& form : forms) check_scaled(form, 1, 128, 72, {});
    check_scaled(forms[2], 1, 128, 112, {"independent", false, true});
    check_scaled(forms[3], 2, 128, 192, {});
    check_scaled(forms[2], 2, 256, 192, {"independent", false, true});
}

TEST_CASE("Descriptors of products of K = 96 are checked", "[exec]") {
    auto const error_of = [](std::string const& target, std::string const& descriptors) {
        TensorKernel kernel;
        kernel.target = target;
        kernel.columns = 512;
        kernel.shared = 8192;
        kernel.body = committed(
            kernel, descriptors + " setp.eq.u32 %p5, 0, 0; add.u32 %r1, %ta, 400; add.u32 %r2, %ta, 416;\n"
                                  "tcgen05.mma.cta_group::1.kind::mxf4.block_scale [%ta], %d1, %d2, %r3, "
                                  "[%r1], [%r2], %p5;\n");
        return kernel.error();
    };
    // M is 128, N is 64, factors are e2m1 and scales ue8m0.
    std::string const matrices = "mov.b64 %d1, 0x0000400800080000; mov.b64 %d2, %d1; ";
    CHECK(contains(error_of("sm_100a", matrices + "mov.b32 %r3, 0x88900480;"),
                   "bit 31: products of K = 96 are for sm_103a"));
    CHECK(contains(error_of("sm_103a", "mov.b64 %d2, 0x0000400800080000; mov.b64 %d1, 0x0010400800080000; "
                                       "mov.b32 %r3, 0x88900480;"),
                   "the descriptor of matrix A: its bit 52 makes the leading dimension an address, which needs"));
}

}  // namespace tensor_scaled_product_test
