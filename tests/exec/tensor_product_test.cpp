// tcgen05.mma against matrices that are put into shared and tensor memory by the manual's formulas and figures.
#include "tests/support/tensor_products.hpp"

#include <array>
#include <random>

namespace tensor_product_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// An f16 or f32 that is half of the element, as often as said.
Matrix scaled_down(Matrix c, Type type, int times) {
    for (std::uint32_t& code : c.codes) {
        if (times != 0) code -= static_cast<std::uint32_t>(times) << (type == Type::f16 ? 10 : 23);
    }
    return c;
}

std::string product_text(TensorKernel const& kernel, TensorForm const& form, TensorChoices const& x,
                         SharedLayout const& a, SharedLayout const& b) {
    auto const number = [](std::uint64_t value) { return std::to_string(value); };
    std::uint32_t const idesc = form.code_d << 4 | form.code_a << 7 | form.code_b << 10 |
                                (x.negates ? 1u << 13 : 0) | (x.transposes_a ? 1u << 15 : 0) |
                                (x.transposes_b ? 1u << 16 : 0) | x.n / 8 << 17 | x.m / 16 << 24;
    std::string text =
        "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; add.u64 %d2, %d1, " +
        number(b.descriptor() + base_of_b / 16) + "; add.u64 %d1, %d1, " + number(a.descriptor()) +
        "; mov.b32 %r0, " + number(idesc) + "; setp.eq.u32 %p5, 0, " + (x.adds ? "0" : "1") +
        "; add.u32 %r1, %ta, " + number(column_of_d + (std::uint64_t{x.upper} << 16)) + "; add.u32 %r2, %ta, " +
        number(column_of_a + (std::uint64_t{x.upper} << 16)) + ";\n";
    std::string mask;
    for (std::uint32_t w = 0; x.disables && w < 4 * x.ctas; ++w) {
        text += "mov.b32 %r" + number(4 + w) + ", " + number(x.disabled[w]) + ";\n";
        mask += (w == 0 ? ", {%r" : ", %r") + number(4 + w);
    }
    if (x.disables) mask += "}";
    return text + "tcgen05.mma" + (x.is_weight_stationary ? ".ws" : "") + kernel.group() + ".kind::" + form.kind +
           " [%r1], " + (x.a_is_shared ? "%d1" : "[%r2]") + ", %d2, %r0" + mask + ", %p5" + x.more + ";\n";
}

void check_product(TensorForm const& form, TensorChoices const& x, TensorWay const& way) {
    std::mt19937 random(x.m + x.n + form.k);
    auto const size = static_cast<std::uint32_t>(form.bits / 8);
    Matrix a = random_matrix(random, static_cast<int>(x.m), static_cast<int>(form.k), form.a);
    Matrix const b = random_matrix(random, static_cast<int>(form.k), static_cast<int>(x.n), form.b);
    Matrix const c = random_matrix(random, static_cast<int>(x.m), static_cast<int>(x.n), form.d);
    TensorKernel kernel;
    kernel.ctas = x.ctas;
    kernel.columns = 512;
    kernel.shared = 32768;
    std::uint32_t const rows = x.m / x.ctas, columns = x.n / x.ctas;
    SharedLayout const of_a = layout_of(x.transposes_a, x.swizzle_a, rows, form.k, size);
    SharedLayout const of_b = layout_of(x.transposes_b, x.swizzle_b, columns, form.k, size);
    kernel.body = committed(kernel, product_text(kernel, form, x, of_a, of_b));
    std::vector<std::vector<std::uint8_t>> bytes(x.ctas, std::vector<std::uint8_t>(kernel.shared));
    std::vector<TensorCells> given(x.ctas, TensorCells(512));
    for (TensorCells& cells : given)
        for (std::uint32_t& word : cells.words) word = static_cast<std::uint32_t>(random());
    for (std::uint32_t k = 0; k < form.k; ++k) {
        for (std::uint32_t row = 0; row < x.m; ++row) {
            std::uint32_t const code = a.at(static_cast<int>(row), static_cast<int>(k));
            put(bytes[row / rows], of_a.byte(row % rows, k, size), code, size);
            for (std::uint32_t const lane : lanes_of_row(x, row)) {
                std::uint32_t& word = given[row / rows].at(lane, column_of_a + k * size / 4);
                std::uint32_t const shift = 8 * (k * size % 4),
                                    all = size == 4 ? UINT32_MAX : (1u << form.bits) - 1;
                word = (word & ~(all << shift)) | code << shift;
            }
        }
        for (std::uint32_t n = 0; n < x.n; ++n)
            put(bytes[n / columns], base_of_b + of_b.byte(n % columns, k, size),
                b.at(static_cast<int>(k), static_cast<int>(n)), size);
    }
    if (x.negates)
        for (std::uint32_t& code : a.codes) code ^= 1u << (form.bits - 1);
    Form const plain{static_cast<int>(x.m), static_cast<int>(form.k), "", form.d, form.a, form.b};
    Matrix const sums = product(plain, a, b, x.adds ? scaled_down(c, form.d, x.scale) : Matrix(c.rows, c.columns));
    std::vector<TensorCells> want;
    for (std::uint32_t row = 0; row < x.m; ++row) {
        for (std::uint32_t n = 0; n < x.n; ++n) {
            auto const [cta, lane, column] = cell_of_d(x, row, n);
            given[cta].at(lane, column_of_d + column) = c.at(static_cast<int>(row), static_cast<int>(n));
        }
    }
    want = given;
    for (std::uint32_t row = 0; row < x.m; ++row) {
        for (std::uint32_t n = 0; n < x.n; ++n) {
            auto const [cta, lane, column] = cell_of_d(x, row, n);
            if (x.disables && (x.disabled[4 * cta + lane / 32] >> (lane % 32) & 1) != 0) continue;
            want[cta].at(lane, column_of_d + column) = sums.at(static_cast<int>(row), static_cast<int>(n));
        }
    }
    INFO(form.kind << ", codes " << form.code_d << form.code_a << form.code_b << ", M " << x.m << ", N " << x.n
                   << ", " << x.ctas << " CTAs, swizzles " << x.swizzle_a << " " << x.swizzle_b << ", transposed "
                   << x.transposes_a << x.transposes_b << ", " << way.name());
    CHECK(differing_words(kernel.run(bytes, given, way), want) == 0);
}

}  // namespace

TEST_CASE("Products of all kinds stand where the data path has them", "[exec]") {
    for (TensorForm const& form : tensor_forms) {
        TensorChoices x;
        check_product(form, x, {});
        x.m = 64;
        x.n = 32;
        check_product(form, x, {"stack", true, false});
        x.upper = 16;
        x.a_is_shared = false;
        check_product(form, x, {});
        x = {};
        x.is_weight_stationary = true;
        for (std::uint32_t const m : {32u, 64u, 128u}) {
            x.m = m;
            x.a_is_shared = m != 64;
            check_product(form, x, {});
        }
    }
}

TEST_CASE("A pair of blocks multiplies with the memory of both", "[exec][engine]") {
    for (TensorForm const& form : {tensor_forms[0], tensor_forms[3], tensor_forms[6]}) {
        for (std::uint32_t const m : {128u, 256u}) {
            for (bool const a_is_shared : {true, false}) {
                TensorChoices x;
                x.ctas = 2;
                x.m = m;
                x.a_is_shared = a_is_shared;
                for (TensorWay const& way : tensor_ways) check_product(form, x, way);
            }
        }
    }
}

TEST_CASE("Products read matrices in all layouts of shared memory", "[exec]") {
    for (TensorForm const& form : {tensor_forms[0], tensor_forms[3], tensor_forms[4]}) {
        std::uint32_t const size = static_cast<std::uint32_t>(form.bits / 8);
        for (std::uint32_t const swizzle : {0u, 32u, 64u, 128u}) {
            for (bool const transposed : {false, true}) {
                TensorChoices x;
                x.n = 128;
                if (size == 4 && transposed && swizzle != 0) continue;
                x.swizzle_a = x.swizzle_b = size == 4 && transposed ? 129 : swizzle;
                x.transposes_a = x.transposes_b = transposed;
                check_product(form, x, {});
                if (size == 4 && transposed) continue;
                x.swizzle_b = 128 - swizzle;
                x.swizzle_b = x.swizzle_b == 96 ? 64 : x.swizzle_b;
                x.transposes_b = false;
                check_product(form, x, {});
            }
        }
    }
}

TEST_CASE("Products leave lanes out, scale the sum, negate, and begin anew", "[exec]") {
    TensorChoices x;
    x.disables = true;
    x.disabled = {0x80000001, 0xffff0000, 0, 0x00ff00ff, 0xffffffff, 1, 2, 4};
    check_product(tensor_forms[0], x, {});
    check_product(tensor_forms[6], x, {});
    x.ctas = 2;
    check_product(tensor_forms[0], x, {"independent", false, true});
    x = {};
    x.adds = false;
    check_product(tensor_forms[0], x, {});
    x.negates = true;
    check_product(tensor_forms[3], x, {});
    x = {};
    x.more = ", 2";
    x.scale = 2;
    check_product(tensor_forms[0], x, {});
    check_product(tensor_forms[1], x, {});
}

TEST_CASE("Wrong descriptors of products are reported", "[exec]") {
    struct Wrong {
        std::string operands;  // set %r0 (instruction), %d1 (a), %d2 (b), %r1 (D)
        std::string says;
    };
    std::string const version = "or.b64 %d1, %d1, 70368744177664; mov.b64 %d2, %d1; ";
    std::vector<Wrong> const all{
        {version + "mov.b32 %r0, 135266320;", ""},  // as it should be: 0x08100010
        {version + "mov.b32 %r0, 135266324;", "bit 2 says that A is sparse"},
        {version + "mov.b32 %r0, 135266328;", "bit 3, saturation"},
        {version + "mov.b32 %r0, 135266352;", "bits 4 and 5, the type of D, are 3"},
        {version + "mov.b32 %r0, 135266384;", "bits 6 to 6 are reserved"},
        {version + "mov.b32 %r0, 135267088;", "no type of A"},
        {version + "mov.b32 %r0, 134217744;", "N is 0"},
        {version + "mov.b32 %r0, 151519248;", "M is 144"},
        {"mov.b64 %d2, %d1; mov.b32 %r0, 135266320;", ""},  // as Triton before 3.5 writes it, without bit 46
        {"or.b64 %d1, %d1, 140737488355328; mov.b64 %d2, %d1; mov.b32 %r0, 135266320;",
         "bits 46 to 48 are 2 instead of 1"},
        {version + "or.b64 %d1, %d1, 6917529027641081856; mov.b32 %r0, 135266320;", "which is no swizzle"},
        {version + "or.b64 %d1, %d1, 4503599627370496; mov.b32 %r0, 135266320;",
         "the leading dimension an address"},
        {version + "or.b64 %d2, %d2, 2305843009213693952; mov.b32 %r0, 135266320;",
         "only a transposed matrix of 32 bits"},
        {version + "or.b64 %d2, %d2, 16383; mov.b32 %r0, 135266320;", "16 bytes of matrix B at shared"},
        {version + "mov.b32 %r0, 135266320; add.u32 %r1, %r1, 65536;", "its lane must be 0"},
        {version + "mov.b32 %r0, 135266320; add.u32 %r1, %r1, 96;",
         "columns 96 to 159 of tensor memory are not allocated"},
    };
    for (Wrong const& wrong : all) {
        TensorKernel kernel;
        kernel.shared = 8192;
        kernel.body = committed(
            kernel,
            "and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; mov.u32 %r1, %ta; " +
                wrong.operands +
                " setp.eq.u32 %p5, 0, 0;\ntcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d2, %r0, %p5;\n");
        std::string const error = kernel.error();
        INFO(wrong.operands << "\n" << error);
        if (wrong.says.empty()) CHECK(error.empty());
        else CHECK(contains(error, wrong.says));
    }
}

TEST_CASE("An mbarrier of products has a generic address, or the lower half of one", "[exec]") {
    for (std::string const more : {"", "cvta.shared.u64 %d3, %d3; "}) {
        TensorKernel kernel;
        kernel.shared = 8192;
        kernel.body = committed(
            kernel,
            "and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; or.b64 %d1, %d1, 70368744177664; "
            "mov.u32 %r1, %ta; mov.b32 %r0, 135266320; setp.eq.u32 %p5, 0, 0;\n"
            "tcgen05.mma.cta_group::1.kind::f16 [%r1], %d1, %d1, %r0, %p5; cvt.u64.u32 %d3, %ba; " +
                more + "\n");
        std::string const by_space = "one.shared::cluster.b64 [%ba]";
        kernel.body.replace(kernel.body.find(by_space), by_space.size(), "one.b64 [%d3]");
        std::string const error = kernel.error();  // else the mbarrier is waited for in vain
        INFO(kernel.body << "\n" << error);
        CHECK(error.empty());
    }
}

TEST_CASE("A mask takes columns of b for zeros, and a shift takes later ones", "[exec]") {
    // Columns 0 to 2 of every 7 are zeros; b begins with its third column.
    std::uint64_t const mask = std::uint64_t{2} << 40 | std::uint64_t{3} << 48 | std::uint64_t{1} << 39 |
                               std::uint64_t{1} << 32 | std::uint64_t{2} << 56;
    std::mt19937 random(4);
    TensorKernel kernel;
    kernel.columns = 64;
    kernel.shared = 16384;
    Matrix const a = random_matrix(random, 128, 16, Type::f16), b = random_matrix(random, 16, 72, Type::f16);
    SharedLayout const of_a = layout_of(false, 32, 128, 16, 2), of_b = layout_of(false, 32, 72, 16, 2);
    std::vector<std::uint8_t> bytes(kernel.shared);
    for (int k = 0; k < 16; ++k) {
        for (int row = 0; row < 128; ++row)
            put(bytes, of_a.byte(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(k), 2), a.at(row, k),
                2);
        for (int n = 0; n < 72; ++n)
            put(bytes, 8192 + of_b.byte(static_cast<std::uint32_t>(n), static_cast<std::uint32_t>(k), 2),
                b.at(k, n), 2);
    }
    std::uint32_t const idesc = 1u << 4 | 64 / 8 << 17 | 128 / 16 << 24 | 1u << 30;
    kernel.body =
        committed(kernel, "and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; add.u64 %d2, %d1, " +
                              std::to_string(of_b.descriptor() + 8192 / 16) + "; add.u64 %d1, %d1, " +
                              std::to_string(of_a.descriptor()) + "; mov.b32 %r0, " + std::to_string(idesc) +
                              "; mov.b64 %d3, " + std::to_string(mask) +
                              "; setp.eq.u32 %p5, 0, 1; mov.b32 %r1, %ta;\n"
                              "tcgen05.mma.ws.cta_group::1.kind::f16 [%r1], %d1, %d2, %r0, %p5, %d3;\n");
    Matrix shifted(16, 64);
    for (int k = 0; k < 16; ++k)
        for (int n = 0; n < 64; ++n) shifted.at(k, n) = n % 7 < 3 ? 0 : b.at(k, n + 2);
    Matrix const sums = product({128, 16, "", Type::f32, Type::f16, Type::f16}, a, shifted, Matrix(128, 64));
    TensorCells want(64);
    for (std::uint32_t row = 0; row < 128; ++row)
        for (std::uint32_t n = 0; n < 64; ++n)
            want.at(row, n) = sums.at(static_cast<int>(row), static_cast<int>(n));
    CHECK(kernel.run({bytes}, {TensorCells(64)}, {})[0] == want);
}

TEST_CASE("Descriptors at random end in a report or in a product, and nothing else changes", "[exec]") {
    std::mt19937 random(11);
    int reported = 0, done = 0;
    for (int round = 0; round < 100; ++round) {
        std::string const kind = std::array<std::string, 4>{"f16", "tf32", "f8f6f4", "i8"}[random() % 4];
        auto const word = [&] { return std::uint64_t{random()} << 32 | random(); };
        std::uint64_t a = word(), b = word();
        std::uint32_t idesc = static_cast<std::uint32_t>(random());
        if (round % 2 == 0) {
            // Most of it right, so that some are executed.
            std::uint32_t const code = kind == "tf32" ? 2 : 0, d = kind == "i8" ? 2 : 1;
            idesc = d << 4 | code << 7 | code << 10 | static_cast<std::uint32_t>(random() % 33) << 17 | 8u << 24;
            for (std::uint64_t* const descriptor : {&a, &b})
                *descriptor =
                    (*descriptor & 0x0000007f007f0000) | std::uint64_t{random() % 1024} | std::uint64_t{1} << 46;
        }
        TensorKernel kernel;
        kernel.shared = 32768;
        kernel.columns = 256;
        kernel.body = committed(kernel, "mov.b64 %d1, " + std::to_string(a) + "; mov.b64 %d2, " +
                                            std::to_string(b) + "; mov.b32 %r0, " + std::to_string(idesc) +
                                            "; add.u32 %r1, %ta, " + std::to_string(random() % 3 * 64) +
                                            "; setp.eq.u32 %p5, 0, 0;\ntcgen05.mma.cta_group::1.kind::" + kind +
                                            " [%r1], %d1, %d2, %r0, %p5;\n");
        std::string const error = kernel.error();
        INFO(kind << " " << a << " " << b << " " << idesc << ": " << error);
        if (error.empty()) {
            ++done;
            continue;
        }
        ++reported;
        bool const is_refused = contains(error, "leading dimension is an address");
        CHECK((is_refused || contains(error, "illegal operand: ") || contains(error, "illegal address: ")));
        CHECK(contains(error, "tcgen05.mma.cta_group::1.kind::" + kind));
    }
    CHECK(reported > 20);
    CHECK(done > 5);
}

}  // namespace tensor_product_test
