// tcgen05.mma against matrices that are put into shared and tensor memory by the manual's formulas and figures.
#include "sim/matrix/reference.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"
#include "tests/support/tensor_memory.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <random>

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// A canonical layout, for elements of so many bytes: PTX ISA, "Canonical Layouts", in units of 16 bytes of elements.
struct SharedLayout {
    bool is_across_k = false;
    std::uint32_t swizzle = 0;  // bytes; 129 stands for 128 bytes in units of 32
    std::uint32_t start = 0, leading = 0, stride = 0;

    std::uint32_t byte(std::uint32_t row, std::uint32_t k, std::uint32_t size) const {
        std::uint32_t const t = 16 / size, width = swizzle == 0 ? 1 : swizzle / 32 * 2;  // chunks of a line
        std::uint32_t const along = is_across_k ? row : k, across = is_across_k ? k : row;
        std::uint32_t const chunk = along / t, lines = swizzle == 129 ? 4 : 8;
        // Without a swizzle the offsets change places where k is not contiguous.
        std::uint32_t const next_chunks = is_across_k && swizzle == 0 ? stride : leading;
        std::uint32_t const next_lines = is_across_k && swizzle == 0 ? leading : stride;
        std::uint32_t const at = start + along % t * size + chunk % width * 16 + chunk / width * next_chunks +
                                 across % lines * width * 16 + across / lines * next_lines;
        if (swizzle == 129) return at ^ (at >> 2 & 0x60);
        return at ^ (at >> 3 & (swizzle == 0 ? 0 : swizzle - 16));
    }
    std::uint64_t descriptor() const {
        std::uint64_t const mode = swizzle == 128   ? 2
                                   : swizzle == 129 ? 1
                                   : swizzle == 64  ? 4
                                   : swizzle == 32  ? 6
                                                    : 0;
        return start / 16 | std::uint64_t{leading / 16} << 16 | std::uint64_t{stride / 16} << 32 |
               std::uint64_t{1} << 46 | mode << 61;
    }
};

/// Without gaps, for so many rows and bytes of k.
SharedLayout layout_of(bool is_across_k, std::uint32_t swizzle, std::uint32_t rows, std::uint32_t k,
                       std::uint32_t size) {
    SharedLayout l{is_across_k, swizzle, 0, 0, 0};
    std::uint32_t const width = swizzle == 0 ? 16 : swizzle / 32 * 32;
    if (!is_across_k) {
        l.stride = 8 * width;
        l.leading = rows / 8 * 8 * width;
    } else if (swizzle == 0) {
        l.stride = 128;                               // to the next chunk of rows
        l.leading = 128 * ((rows * size + 15) / 16);  // to the next eight of k
    } else {
        std::uint32_t const lines = swizzle == 129 ? 4 : 8;
        l.stride = lines * width;               // to the next lines of k
        l.leading = k / lines * lines * width;  // to the next rows
    }
    return l;
}

struct TensorForm {
    std::string kind;
    Type d, a, b;
    std::uint32_t k;
    std::uint32_t code_d, code_a, code_b;  // in the instruction descriptor
    int bits = 8;                          // of an element in its container
};
std::vector<TensorForm> const tensor_forms{
    {"f16", Type::f32, Type::f16, Type::f16, 16, 1, 0, 0, 16},
    {"f16", Type::f16, Type::f16, Type::f16, 16, 0, 0, 0, 16},
    {"f16", Type::f32, Type::bf16, Type::bf16, 16, 1, 1, 1, 16},
    {"tf32", Type::f32, Type::tf32, Type::tf32, 8, 1, 2, 2, 32},
    {"f8f6f4", Type::f32, Type::e4m3, Type::e5m2, 32, 1, 0, 1},
    {"f8f6f4", Type::f16, Type::e5m2, Type::e4m3, 32, 0, 1, 0},
    {"i8", Type::s32, Type::s8, Type::u8, 32, 2, 1, 0},
};

struct TensorChoices {
    std::uint32_t m = 128, n = 64;
    std::uint32_t ctas = 1;
    bool is_weight_stationary = false, a_is_shared = true, adds = true, negates = false;
    std::uint32_t swizzle_a = 0, swizzle_b = 0;
    bool transposes_a = false, transposes_b = false;
    std::uint32_t upper = 0;  // 16: D in the upper halves of the quarters
    std::array<std::uint32_t, 8> disabled{};
    bool disables = false;
    std::string more;  // behind enable-input-d
    int scale = 0;
};

/// Where an element of D is: figures "Layout organization for M = ...".
struct CellOfD {
    std::uint32_t cta, lane, column;
};
CellOfD cell_of_d(TensorChoices const& x, std::uint32_t row, std::uint32_t column) {
    if (x.ctas == 2 && x.m == 256) return {row / 128, row % 128, column};                              // A
    if (x.ctas == 2) return {row / 64, row % 64 + (column < x.n / 2 ? 0u : 64u), column % (x.n / 2)};  // B
    if (x.m == 128) return {0, row, column};                                                           // D
    if (x.m == 32) return {0, row + 32 * (column / (x.n / 4)), column % (x.n / 4)};                    // G
    if (x.is_weight_stationary) return {0, row + (column < x.n / 2 ? 0u : 64u), column % (x.n / 2)};   // E
    return {0, row / 16 * 32 + row % 16 + x.upper, column};                                            // F
}
/// The lanes that compute with a row of a: copies of it must stand in all of them.
std::vector<std::uint32_t> lanes_of_row(TensorChoices const& x, std::uint32_t row) {
    std::vector<std::uint32_t> lanes;
    for (std::uint32_t column = 0; column < x.n; column += x.n / 4) {
        std::uint32_t const lane = cell_of_d(x, row, column).lane;
        if (lanes.empty() || lanes.back() != lane) lanes.push_back(lane);
    }
    return lanes;
}

constexpr std::uint32_t column_of_d = 0, column_of_a = 256, base_of_b = 16384;

void put(std::vector<std::uint8_t>& bytes, std::size_t at, std::uint32_t code, std::uint32_t size) {
    for (std::uint32_t i = 0; i < size; ++i) bytes.at(at + i) = static_cast<std::uint8_t>(code >> (8 * i));
}

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

std::size_t differing_words(std::vector<TensorCells> const& got, std::vector<TensorCells> const& want) {
    REQUIRE(got.size() == want.size());
    std::size_t count = 0;
    for (std::size_t cta = 0; cta < want.size(); ++cta)
        for (std::size_t w = 0; w < want[cta].words.size(); ++w) count += got[cta].words[w] != want[cta].words[w];
    return count;
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
        {"mov.b64 %d2, %d1; mov.b32 %r0, 135266320;", "bits 46 to 48 are 0 instead of 1"},
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

namespace {

/// The words of a row of a or a column of b, for the definition of an element.
std::vector<std::uint32_t> packed_line(std::vector<std::uint32_t> const& codes, int bits) {
    std::vector<std::uint32_t> words(codes.size() * static_cast<std::size_t>(bits) / 32);
    for (std::size_t k = 0; k < codes.size(); ++k)
        words[k * static_cast<std::size_t>(bits) / 32] |= codes[k] << (k * static_cast<std::size_t>(bits) % 32);
    return words;
}

struct ScaledForm {
    std::string kind, vector;
    Type a, b;
    std::uint32_t k, code_a, code_b;
    std::uint32_t scales;  // of a row
    bool is_e4m3 = false;
    std::uint32_t id_a = 0, id_b = 0;
};

/// Bits that the elements take in memory: of those of 4 and 6 bits 16 stand together, with padding where they are not packed.
int memory_bits(Type type) { return type == Type::e2m1 ? 4 : type == Type::e2m3 || type == Type::e3m2 ? 6 : 8; }

void check_scaled(ScaledForm const& form, std::uint32_t ctas, std::uint32_t m, std::uint32_t n,
                  TensorWay const& way) {
    std::mt19937 random(m + n + form.k + form.id_a);
    bool const is_packed = form.k == 64;
    TensorKernel kernel;
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
            std::size_t const chunk = base + k / in_chunk * lines * 16 + line * 16;
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
                                std::uint32_t quarters, std::vector<std::uint8_t> const& scales,
                                std::uint32_t id) {
        for (std::uint32_t q = 0; q < 4; ++q) {
            if ((quarters >> q & 1) == 0) continue;
            for (std::uint32_t s = 0; s < scales.size(); ++s)
                cells.at(32 * q + number % 32, column + number / 32) |= std::uint32_t{scales[s]} << (8 * (id + s));
        }
    };
    for (std::uint32_t row = 0; row < m; ++row) {
        a.push_back(codes_of(form.a));
        scales_a.push_back(scales_of());
        put_line(bytes[row / rows], 0, row % rows, rows, a.back(), form.a);
        put_scales(given[row / rows], column_of_scales, row % rows, 15, scales_a.back(), form.id_a);
    }
    for (std::uint32_t column = 0; column < n; ++column) {
        b.push_back(codes_of(form.b));
        scales_b.push_back(scales_of());
        put_line(bytes[column / columns], base_of_b, column % columns, columns, b.back(), form.b);
        for (TensorCells& cells : given) {
            bool const is_halved = ctas == 2 && m == 128;  // half of the columns for each half of the lanes
            std::uint32_t const half = column / (n / 2);
            put_scales(cells, column_of_scales + 16, is_halved ? column % (n / 2) : column,
                       is_halved ? (half == 0 ? 3u : 12u) : 15u, scales_b.back(), form.id_b);
        }
    }
    std::uint32_t const idesc = form.id_b << 4 | form.code_a << 7 | form.code_b << 10 | n / 8 << 17 |
                                (form.is_e4m3 ? 0u : 1u << 23) | m / 128 << 27 | form.id_a << 29;
    auto const number = [](std::uint64_t value) { return std::to_string(value); };
    auto const descriptor = [&](std::uint32_t start, std::uint32_t lines) {
        return std::uint64_t{start / 16} | std::uint64_t{lines} << 16 | std::uint64_t{8} << 32 |
               std::uint64_t{1} << 46;
    };
    kernel.body = committed(
        kernel,
        "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 %d1, %a; add.u64 %d2, %d1, " +
            number(descriptor(base_of_b, columns)) + "; add.u64 %d1, %d1, " + number(descriptor(0, rows)) +
            "; mov.b32 %r0, " + number(idesc) +
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
    for (int round = 0; round < 300; ++round) {
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
        CHECK((contains(error, "illegal operand: ") || contains(error, "illegal address: ")));
        CHECK(contains(error, "tcgen05.mma.cta_group::1.kind::" + kind));
    }
    CHECK(reported > 50);
    CHECK(done > 5);
}
