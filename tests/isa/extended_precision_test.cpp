// Sums, differences and products of many words, held together by the carry, against the compiler's 128-bit
// integers.
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <string>

namespace extended_precision_test {

using namespace warpsim;
using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

__extension__ using Wide = unsigned __int128;

std::uint64_t low_bits(Wide value, int bits) {
    return bits == 64 ? static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value) & 0xffffffffu;
}
Wide sign_extended(std::uint64_t value, int bits) {
    int const unused = 64 - bits;
    auto const extended = static_cast<std::int64_t>(value << unused) >> unused;
    __extension__ using SignedWide = __int128;
    return static_cast<Wide>(static_cast<SignedWide>(extended));
}

struct Expected {
    std::uint64_t value;
    bool carry;
};
Expected expected(std::string const& operation, Type type, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                  bool carry) {
    int const bits = width(type);
    if (operation == "sub" || operation == "subc") {
        Wide const sum = Wide{a} + low_bits(~Wide{b}, bits) + (operation == "sub" || carry ? 1 : 0);
        return {low_bits(sum, bits), sum >> bits != 0};
    }
    Wide left = a;
    if (operation == "lo" || operation == "hi") {
        Wide const product = is_signed(type) ? sign_extended(a, bits) * sign_extended(b, bits) : Wide{a} * b;
        left = low_bits(operation == "hi" ? product >> bits : product, bits);
    }
    Wide const sum = left + (operation == "add" ? b : c) + carry;
    return {low_bits(sum, bits), sum >> bits != 0};
}

struct Line {
    std::string mnemonic;
    std::string operation;
    bool takes_carry;
};

}  // namespace

TEST_CASE("Every step of extended precision gives its word and its carry", "[isa]") {
    Line const lines[] = {{"add.cc", "add", false},   {"addc.cc", "add", true},   {"sub.cc", "sub", false},
                          {"subc.cc", "subc", true},  {"mad.lo.cc", "lo", false}, {"mad.hi.cc", "hi", false},
                          {"madc.lo.cc", "lo", true}, {"madc.hi.cc", "hi", true}};
    Random random;
    for (HostIsa const host : hosts()) {
        for (Line const& line : lines) {
            for (Type const type : {Type::u32, Type::s32, Type::u64, Type::s64}) {
                std::string const mnemonic = line.mnemonic + "." + std::string(name(type));
                auto const instruction = isa::test::find(host, mnemonic);
                INFO(mnemonic << " on " << name(host));
                REQUIRE(instruction.has_value());
                std::size_t const written = instruction->variant->source_count - 1u;
                for (int round = 0; round < 60; ++round) {
                    std::vector<Lanes> sources;
                    for (std::size_t i = 0; i < written; ++i) sources.push_back(random.values(type));
                    sources.push_back(line.takes_carry ? random.lanes() : everywhere(0));
                    LaneMask const mask = round % 3 == 0 ? all_lanes : random.mask();
                    LaneMask carry = 0;
                    Lanes const result = isa::test::run(*instruction, sources, mask, &carry);
                    CHECK((carry & ~mask) == 0);
                    for (std::size_t i = 0; i < warp_size; ++i) {
                        if ((mask >> i & 1) == 0) continue;
                        Expected const e = expected(line.operation, type, sources[0][i], sources[1][i],
                                                    sources[written - 1][i], (sources[written][i] & 1) != 0);
                        bool const is_right = result[i] == e.value && (carry >> i & 1) == e.carry;
                        INFO("lane " << i << " " << std::hex << sources[0][i] << " " << sources[1][i]);
                        REQUIRE(is_right);
                    }
                }
            }
        }
    }
}

namespace {

std::vector<std::uint64_t> random_words(std::size_t count) {
    Random random;
    std::vector<std::uint64_t> words;
    while (words.size() < count) {
        for (std::uint64_t const word : random.values(Type::u64)) words.push_back(word);
    }
    words.resize(count);
    return words;
}

/// Loads four 64-bit words of each thread to %d0-3, and stores %d8 %d9 to its 16 bytes of `out`.
std::string with_words(std::string const& body) {
    return warpsim::test::kernel("mul.wide.u32 %d20, %i, 32; add.u64 %d20, %d20, %in;\n"
                                 "ld.global.v2.u64 {%d0, %d1}, [%d20];\nld.global.v2.u64 {%d2, %d3}, [%d20+16];\n"
                                 "mul.wide.u32 %d21, %i, 16; add.u64 %d21, %d21, %out;\n" +
                                 body + "\nst.global.v2.u64 [%d21], {%d8, %d9};\n");
}

void check_words(std::string const& body, Wide (*f)(std::uint64_t const* words)) {
    std::size_t const threads = 96;
    std::vector<std::uint64_t> const words = random_words(4 * threads);
    for (std::string const& model : warpsim::test::control_flows()) {
        warpsim::test::Program program(with_words(body), model);
        program.in = program.device.upload(words);
        auto const result = program.run<std::uint64_t>(2 * threads, {.block = {96, 1, 1}});
        for (std::size_t i = 0; i < threads; ++i) {
            Wide const wanted = f(words.data() + 4 * i);
            INFO("thread " << i << " with " << model);
            REQUIRE(result[2 * i] == static_cast<std::uint64_t>(wanted));
            REQUIRE(result[2 * i + 1] == static_cast<std::uint64_t>(wanted >> 64));
        }
    }
}

Wide wide(std::uint64_t low, std::uint64_t high) { return Wide{high} << 64 | low; }

}  // namespace

TEST_CASE("Chains of 64-bit sums and differences are those of 128-bit integers", "[isa]") {
    check_words("add.cc.u64 %d8, %d0, %d2; addc.u64 %d9, %d1, %d3;",
                [](std::uint64_t const* w) { return wide(w[0], w[1]) + wide(w[2], w[3]); });
    check_words("sub.cc.u64 %d8, %d0, %d2; subc.u64 %d9, %d1, %d3;",
                [](std::uint64_t const* w) { return wide(w[0], w[1]) - wide(w[2], w[3]); });
}

TEST_CASE("A difference leaves the complement of its borrow, which sums and products take as their carry",
          "[isa]") {
    check_words("sub.cc.u64 %d9, %d0, %d2; addc.u64 %d8, 0, 0; mov.u64 %d9, 0;",
                [](std::uint64_t const* w) { return Wide{w[0] >= w[2] ? 1u : 0u}; });
    check_words("mov.b64 %d8, 0; mov.u32 %r0, 0x627adf75; sub.cc.u32 %r0, %r0, 0x864ccef5; addc.u32 %r1, 0, 0;\n"
                "cvt.u64.u32 %d9, %r1;",
                [](std::uint64_t const*) { return Wide{0}; });
    check_words("sub.cc.u64 %d9, %d0, %d2; madc.lo.u64 %d8, %d1, 3, 4; mov.u64 %d9, 0;",
                [](std::uint64_t const* w) {
                    return Wide{static_cast<std::uint64_t>(3 * w[1] + 4 + (w[0] >= w[2] ? 1 : 0))};
                });
    check_words("sub.cc.u64 %d9, %d0, 0; addc.u64 %d8, 0, 0; mov.u64 %d9, 0;",
                [](std::uint64_t const*) { return Wide{1}; });
}

TEST_CASE("A difference that continues a sum takes its carry as the complement of a borrow", "[isa]") {
    check_words("add.cc.u64 %d8, %d0, %d2; subc.u64 %d9, %d1, %d3;", [](std::uint64_t const* w) {
        std::uint64_t const sum = w[0] + w[2];
        return wide(sum, w[1] - w[3] - (sum < w[0] ? 0 : 1));
    });
    check_words("mad.lo.cc.u64 %d8, %d0, 1, %d2; subc.u64 %d9, %d1, %d3;", [](std::uint64_t const* w) {
        std::uint64_t const sum = w[0] + w[2];
        return wide(sum, w[1] - w[3] - (sum < w[0] ? 0 : 1));
    });
}

TEST_CASE("A chain of four 32-bit sums carries through all of them", "[isa]") {
    check_words(
        "mov.b64 {%r0, %r1}, %d0; mov.b64 {%r2, %r3}, %d1; mov.b64 {%r4, %r5}, %d2; mov.b64 {%r6, %r7}, %d3;\n"
        "add.cc.u32 %r8, %r0, %r4; addc.cc.u32 %r9, %r1, %r5; addc.cc.u32 %r10, %r2, %r6; addc.u32 %r11, %r3, "
        "%r7;\n"
        "mov.b64 %d8, {%r8, %r9}; mov.b64 %d9, {%r10, %r11};",
        [](std::uint64_t const* w) { return wide(w[0], w[1]) + wide(w[2], w[3]); });
}

TEST_CASE("A 64 by 64 bit product is put together from 32-bit ones", "[isa]") {
    check_words("mov.b64 {%r0, %r1}, %d0; mov.b64 {%r2, %r3}, %d2;\n"
                "mul.lo.u32 %r8, %r0, %r2; mul.hi.u32 %r9, %r0, %r2;\n"
                "mad.lo.cc.u32 %r9, %r1, %r2, %r9; madc.hi.u32 %r10, %r1, %r2, 0;\n"
                "mad.lo.cc.u32 %r9, %r0, %r3, %r9; madc.hi.cc.u32 %r10, %r0, %r3, %r10; addc.u32 %r11, 0, 0;\n"
                "mad.lo.cc.u32 %r10, %r1, %r3, %r10; madc.hi.u32 %r11, %r1, %r3, %r11;\n"
                "mov.b64 %d8, {%r8, %r9}; mov.b64 %d9, {%r10, %r11};",
                [](std::uint64_t const* w) { return Wide{w[0]} * w[2]; });
}

TEST_CASE("A guarded step leaves the carry of the other threads alone", "[isa]") {
    check_words("setp.lt.u64 %p0, %d2, %d3; mov.u64 %d8, 0;\nadd.cc.u64 %d9, -1, 1;\n"
                "@%p0 add.cc.u64 %d9, 0, 0;\nadd.u64 %d10, 1, 2;\naddc.u64 %d8, 0, 0; mov.u64 %d9, 0;",
                [](std::uint64_t const* w) { return Wide{w[2] < w[3] ? 0u : 1u}; });
}

TEST_CASE("The carry is read as it is until the next step that writes it, but not beyond a call", "[isa]") {
    std::string const function = ".func (.reg .b32 %x) f() { add.cc.u32 %x, -1, 1; ret; }\n";
    std::string const body =
        "add.cc.u32 %r0, -1, 1; addc.u32 %r1, 0, 0; addc.u32 %r2, 0, 0;\n"
        "add.cc.u32 %r0, -1, 1; call (%r3), f, (); addc.u32 %r3, 0, 0;\n"
        "mad.lo.u32 %r4, %r2, 10, %r1; mad.lo.u32 %r4, %r3, 100, %r4; st.global.u32 [%o4], %r4;";
    for (std::string const& model : warpsim::test::control_flows()) {
        warpsim::test::Program program(warpsim::test::kernel(body, function), model);
        auto const result = program.run<std::uint32_t>(32);
        CHECK(std::all_of(result.begin(), result.end(), [](std::uint32_t v) { return v == 11; }));
    }
}

}  // namespace extended_precision_test
