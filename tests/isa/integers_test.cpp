// Integer instructions against plain C++ in 128 bits, for random values and masks on every host.
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"

#include <bit>
#include <functional>
#include <string>

namespace integers_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

__extension__ using Wide = __int128;
/// The result from the mathematical values of the sources and their width; only its low bits count.
using Oracle = std::function<Wide(std::vector<Wide> const&, int width)>;

Wide value(std::uint64_t bits, Type type) {
    int const unused = 64 - width(type);
    return is_signed(type) ? Wide{static_cast<std::int64_t>(bits << unused) >> unused}
                           : Wide{bits << unused >> unused};
}

void check(std::string const& mnemonic, Oracle const& oracle) {
    Random random;
    for (HostIsa const host : hosts()) {
        auto const instruction = find(host, mnemonic);
        INFO(mnemonic << " on " << name(host));
        REQUIRE(instruction.has_value());
        Variant const& v = *instruction->variant;
        for (int round = 0; round < 40; ++round) {
            std::vector<Lanes> sources;
            for (std::size_t i = 0; i < v.source_count; ++i) sources.push_back(random.values(v.sources[i]));
            LaneMask const mask = round % 2 == 0 ? all_lanes : random.mask();
            Lanes const result = run(*instruction, sources, mask);
            for (std::size_t lane = 0; lane < warp_size; ++lane) {
                if ((mask >> lane & 1) == 0) continue;
                std::vector<Wide> operands;
                for (std::size_t i = 0; i < v.source_count; ++i)
                    operands.push_back(value(sources[i][lane], v.sources[i]));
                Wide const wanted = oracle(operands, width(v.types[0]));
                std::uint64_t const keep =
                    width(v.result) == 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width(v.result)) - 1;
                if (result[lane] != (static_cast<std::uint64_t>(wanted) & keep)) {
                    FAIL("lane " << lane << ": " << std::hex << sources[0][lane] << " "
                                 << (sources.size() > 1 ? sources[1][lane] : 0) << " "
                                 << (sources.size() > 2 ? sources[2][lane] : 0) << " gives " << result[lane]
                                 << ", not " << (static_cast<std::uint64_t>(wanted) & keep));
                }
            }
        }
    }
    SUCCEED(mnemonic);
}

void check_types(std::string const& stem, std::vector<std::string> const& types, Oracle const& oracle) {
    for (std::string const& type : types) check(stem + "." + type, oracle);
}

std::vector<std::string> const all{"u16", "s16", "u32", "s32", "u64", "s64"};
std::vector<std::string> const narrow{"u16", "s16", "u32", "s32"};
std::vector<std::string> const bits{"b16", "b32", "b64"};

Wide clamp32(Wide x) { return x > 0x7fffffff ? Wide{0x7fffffff} : x < -Wide{0x80000000} ? -Wide{0x80000000} : x; }
Wide low(Wide x, Wide n) { return n >= 64 ? x : x & ((Wide{1} << n) - 1); }

/// A product of 128 bits that wraps, where a signed one must not.
Wide product(Wide a, Wide b) {
    __extension__ using U = unsigned __int128;
    return static_cast<Wide>(static_cast<U>(a) * static_cast<U>(b));
}

}  // namespace

TEST_CASE("Integer sums and products wrap as in C++", "[isa]") {
    check_types("add", all, [](auto const& v, int) { return v[0] + v[1]; });
    check_types("sub", all, [](auto const& v, int) { return v[0] - v[1]; });
    check_types("mul.lo", all, [](auto const& v, int) {
        __extension__ using U = unsigned __int128;  // wraps where a signed one must not
        return static_cast<Wide>(static_cast<U>(v[0]) * static_cast<U>(v[1]));
    });
    check_types("mul.hi", all, [](auto const& v, int w) {
        // An unsigned product of 64 bits fills all 128.
        __extension__ using U = unsigned __int128;
        return v[0] < 0 || v[1] < 0 ? (product(v[0], v[1])) >> w
                                    : static_cast<Wide>((static_cast<U>(v[0]) * static_cast<U>(v[1])) >> w);
    });
    check_types("mul.wide", narrow, [](auto const& v, int) { return product(v[0], v[1]); });
    check_types("mad.wide", narrow, [](auto const& v, int) { return product(v[0], v[1]) + v[2]; });
    check_types("mad.lo", all, [](auto const& v, int) { return product(v[0], v[1]) + v[2]; });
    check_types("mad.hi", narrow, [](auto const& v, int w) { return ((product(v[0], v[1])) >> w) + v[2]; });
    check("add.sat.s32", [](auto const& v, int) { return clamp32(v[0] + v[1]); });
    check("sub.sat.s32", [](auto const& v, int) { return clamp32(v[0] - v[1]); });
    check("mad.hi.sat.s32", [](auto const& v, int) { return clamp32(((product(v[0], v[1])) >> 32) + v[2]); });
}

TEST_CASE("Integer division truncates and never traps", "[isa]") {
    check_types("div", all, [](auto const& v, int) { return v[1] == 0 ? Wide{-1} : v[0] / v[1]; });
    check_types("rem", all, [](auto const& v, int) { return v[1] == 0 ? Wide{-1} : v[0] % v[1]; });
}

TEST_CASE("Integer minimum, maximum, sign and difference", "[isa]") {
    check_types("min", all, [](auto const& v, int) { return v[0] < v[1] ? v[0] : v[1]; });
    check_types("max", all, [](auto const& v, int) { return v[0] > v[1] ? v[0] : v[1]; });
    check_types("abs", {"s16", "s32", "s64"}, [](auto const& v, int) { return v[0] < 0 ? -v[0] : v[0]; });
    check_types("neg", {"s16", "s32", "s64"}, [](auto const& v, int) { return -v[0]; });
    check_types("sad", all, [](auto const& v, int) { return v[2] + (v[0] < v[1] ? v[1] - v[0] : v[0] - v[1]); });
}

TEST_CASE("Shifts clamp their amount", "[isa]") {
    check_types("shl", bits, [](auto const& v, int w) { return v[1] >= w ? Wide{0} : v[0] << v[1]; });
    check_types("shr", {"b16", "b32", "b64", "u16", "u32", "u64", "s16", "s32", "s64"},
                [](auto const& v, int w) { return v[0] >> (v[1] >= w ? Wide{w} : v[1]); });
    check("shf.l.wrap.b32", [](auto const& v, int) { return ((v[1] << 32 | v[0]) << (v[2] & 31)) >> 32; });
    check("shf.r.clamp.b32",
          [](auto const& v, int) { return (v[1] << 32 | v[0]) >> (v[2] > 32 ? Wide{32} : v[2]); });
}

TEST_CASE("Bits are combined, counted and moved", "[isa]") {
    check_types("and", bits, [](auto const& v, int) { return v[0] & v[1]; });
    check_types("or", bits, [](auto const& v, int) { return v[0] | v[1]; });
    check_types("xor", bits, [](auto const& v, int) { return v[0] ^ v[1]; });
    check_types("not", bits, [](auto const& v, int) { return ~v[0]; });
    check_types("cnot", bits, [](auto const& v, int) { return Wide{v[0] == 0}; });
    check_types("popc", {"b32", "b64"},
                [](auto const& v, int) { return Wide{std::popcount(static_cast<std::uint64_t>(v[0]))}; });
    check_types("clz", {"b32", "b64"}, [](auto const& v, int w) {
        return Wide{std::countl_zero(static_cast<std::uint64_t>(v[0])) - (64 - w)};
    });
    check_types("bfind", {"u32", "u64", "s32", "s64"}, [](auto const& v, int) {
        return Wide{63 - std::countl_zero(static_cast<std::uint64_t>(v[0] < 0 ? ~v[0] : v[0]))};
    });
    check("lop3.b32", [](auto const& v, int) {
        Wide d = 0;
        for (int i = 0; i < 32; ++i)
            d |= (v[3] >> ((v[0] >> i & 1) * 4 + (v[1] >> i & 1) * 2 + (v[2] >> i & 1)) & 1) << i;
        return d;
    });
    for (bool const is_signed : {false, true}) {
        check_types("bfe",
                    is_signed ? std::vector<std::string>{"s32", "s64"} : std::vector<std::string>{"u32", "u64"},
                    [is_signed](auto const& v, int w) {
                        // Bit by bit, as in the manual: bits beyond the field are copies of its last bit.
                        Wide const counted = w == 32 ? 0xff : 0xffffffff;
                        Wide const position = v[1] & counted, length = v[2] & counted;
                        Wide const last = position + length - 1 < w - 1 ? position + length - 1 : Wide{w - 1};
                        Wide const sign = is_signed && length != 0 ? v[0] >> last & 1 : Wide{0};
                        Wide d = 0;
                        for (int i = 0; i < w; ++i) {
                            d |= (i < length && position + i <= w - 1 ? v[0] >> (position + i) & 1 : sign) << i;
                        }
                        return d;
                    });
    }
    check_types("bfi", {"b32", "b64"}, [](auto const& v, int w) {
        Wide f = v[1];
        Wide const counted = w == 32 ? 0xff : 0xffffffff;
        for (Wide i = 0; i < (v[3] & counted) && (v[2] & counted) + i < w; ++i) {
            Wide const at = (v[2] & counted) + i;
            f = (f & ~(Wide{1} << at)) | (i < w ? v[0] >> i & 1 : Wide{0}) << at;
        }
        return f;
    });
    check("bmsk.clamp.b32",
          [](auto const& v, int) { return v[0] > 31 ? Wide{0} : low(-1, v[1] > 32 ? Wide{32} : v[1]) << v[0]; });
}

TEST_CASE("Integer conversions extend, cut off or clamp", "[isa]") {
    std::vector<std::string> const types{"u8", "s8", "u16", "s16", "u32", "s32", "u64", "s64"};
    for (std::string const& to : types) {
        Type const d = type_named(to);
        Wide const lowest = is_signed(d) ? -(Wide{1} << (width(d) - 1)) : Wide{0};
        Wide const highest = (Wide{1} << (is_signed(d) ? width(d) - 1 : width(d))) - 1;
        for (std::string const& from : types) {
            check("cvt." + to + "." + from, [](auto const& v, int) { return v[0]; });
            Type const a = type_named(from);
            int const missing =
                is_signed(d) && !is_signed(a) ? 1 : 0;  // ptxas accepts .sat only where it can change something
            if (width(a) + missing <= width(d) && (is_signed(d) || !is_signed(a))) continue;
            check("cvt.sat." + to + "." + from, [&](auto const& v, int) {
                return v[0] < lowest ? lowest : v[0] > highest ? highest : v[0];
            });
        }
    }
}

}  // namespace integers_test
