// tcgen05.mma.sp: metadata of a stand in tensor memory.
#include "sim/matrix/reference.hpp"
#include "tests/support/tensor_products.hpp"

#include <random>

namespace tensor_sparse_product_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Sparse products: metadata of four bits for each chunk, which stand in tensor memory as CUTLASS's layouts for them say.
void check_sparse_product(TensorForm const& form, std::uint32_t m, std::uint32_t ctas, bool is_weight_stationary,
                          std::uint32_t selector, TensorWay const& way) {
    std::mt19937 random(m + form.k + selector);
    auto const size = static_cast<std::uint32_t>(form.bits / 8);
    TensorChoices x;
    x.m = m;
    x.ctas = ctas;
    x.is_weight_stationary = is_weight_stationary;
    std::uint32_t const k = 2 * form.k, chunk = size == 4 ? 2 : 4, rows = m / ctas, columns = x.n / ctas,
                        column_of_meta = 300;
    auto const cell = [&](std::uint32_t row, std::uint32_t column) -> CellOfD {
        if (ctas == 2 && m == 128) return {row / 64, row % 64 / 16 * 32 + row % 16, column};  // C
        return cell_of_d(x, row, column);
    };
    TensorKernel kernel;
    kernel.ctas = ctas;
    kernel.columns = 512;
    kernel.shared = 32768;
    Matrix const packed = random_matrix(random, static_cast<int>(m), static_cast<int>(form.k), form.a);
    Matrix const b = random_matrix(random, static_cast<int>(k), static_cast<int>(x.n), form.b);
    Matrix const c = random_matrix(random, static_cast<int>(m), static_cast<int>(x.n), form.d);
    Matrix full(static_cast<int>(m), static_cast<int>(k));
    SharedLayout const of_a = layout_of(false, 32, rows, form.k, size),
                       of_b = layout_of(false, 64, columns, k, size);
    std::vector<std::vector<std::uint8_t>> bytes(ctas, std::vector<std::uint8_t>(kernel.shared));
    std::vector<TensorCells> given(ctas, TensorCells(512));
    constexpr std::uint32_t pairs[6][2] = {{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}};
    for (std::uint32_t row = 0; row < m; ++row) {
        for (std::uint32_t e = 0; e < form.k; ++e)
            put(bytes[row / rows], of_a.byte(row % rows, e, size),
                packed.at(static_cast<int>(row), static_cast<int>(e)), size);
        for (std::uint32_t i = 0; i < k / chunk; ++i) {
            auto const& pair = size == 4 ? pairs[random() % 2 == 0 ? 0 : 5] : pairs[random() % 6];
            for (std::uint32_t j = 0; j < chunk / 2; ++j) {
                std::uint32_t const place = size == 4 ? pair[0] / 2 : pair[j];
                full.at(static_cast<int>(row), static_cast<int>(i * chunk + place)) =
                    packed.at(static_cast<int>(row), static_cast<int>(i * chunk / 2 + j));
            }
            std::uint32_t const bits = pair[0] | pair[1] << 2;
            for (std::uint32_t column = 0; column < x.n; column += x.n / 4) {
                std::uint32_t lane = cell(row, column).lane, bit = 4 * i, at = column_of_meta;
                if (size > 1) {
                    // Rows by 16: eight lanes have the first half of k, eight the second; a word has two rows.
                    lane = lane / 16 * 16 + row % 8 + 8 * (i / 4);
                    bit = 16 * (row / 8 % 2) + 4 * (i % 4);
                    at += selector;
                }
                std::uint32_t& word = given[row / rows].at(lane, at + bit / 32);
                word = (word & ~(15u << (bit % 32))) | bits << (bit % 32);
            }
        }
    }
    for (std::uint32_t n = 0; n < x.n; ++n) {
        for (std::uint32_t e = 0; e < k; ++e)
            put(bytes[n / columns], base_of_b + of_b.byte(n % columns, e, size),
                b.at(static_cast<int>(e), static_cast<int>(n)), size);
        for (std::uint32_t row = 0; row < m; ++row) {
            auto const [cta, lane, at] = cell(row, n);
            given[cta].at(lane, at) = c.at(static_cast<int>(row), static_cast<int>(n));
        }
    }
    std::uint32_t const idesc =
        selector | 4u | form.code_d << 4 | form.code_a << 7 | form.code_b << 10 | x.n / 8 << 17 | m / 16 << 24;
    auto const number = [](std::uint64_t value) { return std::to_string(value); };
    kernel.body = committed(
        kernel,
        "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; add.u64 %d2, %d1, " +
            number(of_b.descriptor() + base_of_b / 16) + "; add.u64 %d1, %d1, " + number(of_a.descriptor()) +
            "; mov.b32 %r0, " + number(idesc) +
            "; setp.eq.u32 %p5, 0, 0; add.u32 %r1, %ta, 300; mov.b32 %r3, %ta;\ntcgen05.mma" +
            (is_weight_stationary ? ".ws" : "") + ".sp" + kernel.group() + ".kind::" + form.kind +
            " [%r3], %d1, %d2, [%r1], %r0, %p5;\n");
    // Groups of products have as many elements that are there as dense ones have.
    sim::matrix::FloatProduct floats;
    floats.a = form.a;
    floats.b = form.b;
    floats.result_is_f16 = form.d == Type::f16;
    floats.a_is_sparse = true;
    floats.accumulator = accumulator_of(sim::load_config("h100").sm.matrix, form.a);
    std::vector<TensorCells> want = given;
    for (std::uint32_t row = 0; row < m; ++row) {
        std::vector<std::uint32_t> of_a_codes(k), of_b_codes(k);
        for (std::uint32_t n = 0; n < x.n; ++n) {
            std::int64_t sum = static_cast<std::int32_t>(c.at(static_cast<int>(row), static_cast<int>(n)));
            for (std::uint32_t e = 0; e < k; ++e) {
                of_a_codes[e] = full.at(static_cast<int>(row), static_cast<int>(e));
                of_b_codes[e] = b.at(static_cast<int>(e), static_cast<int>(n));
                if (!isa::is_float(form.a)) sum += integer(of_a_codes[e], form.a) * integer(of_b_codes[e], form.b);
            }
            std::vector<std::uint32_t> const words_a = packed_line(of_a_codes, form.bits),
                                             words_b = packed_line(of_b_codes, form.bits);
            auto const [cta, lane, at] = cell(row, n);
            want[cta].at(lane, at) =
                isa::is_float(form.a)
                    ? sim::matrix::reference(floats, {words_a.data()}, {words_b.data()},
                                             static_cast<int>(words_a.size()), given[cta].at(lane, at))
                    : static_cast<std::uint32_t>(sum);
        }
    }
    INFO(form.kind << " " << form.code_a << ", M " << m << ", " << ctas << " CTAs, selector " << selector
                   << (is_weight_stationary ? " .ws" : ""));
    CHECK(differing_words(kernel.run(bytes, given, way), want) == 0);
}

}  // namespace

TEST_CASE("Sparse products take metadata from tensor memory", "[exec]") {
    for (TensorForm const& form : {tensor_forms[0], tensor_forms[3], tensor_forms[4], tensor_forms[6]}) {
        check_sparse_product(form, 128, 1, false, 0, {});
        check_sparse_product(form, 64, 1, false, 0, {});
        check_sparse_product(form, 128, 2, false, 0, {});
        check_sparse_product(form, 256, 2, false, 0, {"independent", false, true});
        check_sparse_product(form, 32, 1, true, 0, {});
        if (form.bits > 8) check_sparse_product(form, 128, 1, false, 1, {});
    }
}

}  // namespace tensor_sparse_product_test
