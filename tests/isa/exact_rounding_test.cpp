// Floating-point arithmetic of every width against MPFR, in every rounding mode. WARPSIM_NIGHTLY in the
// environment makes ten thousand values of each operation a million, and sweeps more pairs of 16-bit values.
#include "tests/support/catch.hpp"
#include "tests/support/isa_cases.hpp"
#include "tests/support/isa_instruction.hpp"

#include <string>

#ifdef WARPSIM_HAS_MPFR

#include <bit>
#include <cmath>
#include <cstdlib>
#include <mpfr.h>
#include <stdexcept>
#include <utility>
#include <vector>

namespace exact_rounding_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

bool is_nightly() { return std::getenv("WARPSIM_NIGHTLY") != nullptr; }

struct Format {
    Type type;
    mpfr_prec_t precision;
    mpfr_exp_t lowest, highest;  // of a mantissa in [0.5, 1)
    std::uint64_t nan;
};
constexpr Format formats[] = {
    {Type::f16, 11, -23, 16, 0x7fff},
    {Type::bf16, 8, -132, 128, 0x7fff},
    {Type::f32, 24, -148, 128, 0x7fffffff},
    {Type::f64, 53, -1073, 1024, 0x7fffffffffffffff},
};
Format const& format_of(Type type) {
    for (Format const& format : formats) {
        if (format.type == type) return format;
    }
    throw std::logic_error("no such format");
}

/// The bits of a number that the format holds.
std::uint64_t bits_of(double x, Format const& format) {
    if (std::isnan(x)) return format.nan;
    if (format.type == Type::f64) return std::bit_cast<std::uint64_t>(x);
    if (format.type == Type::f32) return std::bit_cast<std::uint32_t>(static_cast<float>(x));
    if (format.type == Type::bf16) return std::bit_cast<std::uint32_t>(static_cast<float>(x)) >> 16;
    std::uint64_t const sign = std::signbit(x) ? 0x8000 : 0;
    if (std::isinf(x)) return sign | 0x7c00;
    double const magnitude = std::fabs(x);
    if (magnitude < 0x1p-14) return sign | static_cast<std::uint64_t>(magnitude * 0x1p24);
    int const exponent = std::ilogb(magnitude);
    return sign | (static_cast<std::uint64_t>(std::ldexp(magnitude, 10 - exponent)) +
                   static_cast<std::uint64_t>(exponent + 14) * 1024);
}
std::uint64_t flushed(std::uint64_t bits, Format const& format) {
    double const x = number_of(bits, format.type);
    double const smallest = std::ldexp(1.0, static_cast<int>(format.lowest + format.precision) - 2);
    return std::fabs(x) < smallest ? bits_of(std::copysign(0.0, x), format) : bits;
}

enum class Operation { add, sub, mul, fma, div, rcp, sqrt };
struct Named {
    Operation operation;
    char const* mnemonic;
};

/// One value at a time, rounded once, subnormals and overflow included. With `flushes`, products and what is added to
/// them are zero where they are no normal numbers when exponents have no end.
class Exact {
public:
    Exact() { mpfr_inits2(64, a_, b_, c_, nullptr); }
    ~Exact() { mpfr_clears(a_, b_, c_, nullptr); }
    Exact(Exact const&) = delete;
    Exact& operator=(Exact const&) = delete;

    std::uint64_t operator()(Operation operation, double a, double b, double c, Format const& format,
                             mpfr_rnd_t mode, bool flushes = false) {
        mpfr_set_emin(mpfr_get_emin_min());
        mpfr_set_emax(mpfr_get_emax_max());
        mpfr_set_d(a_, a, MPFR_RNDN);
        mpfr_set_d(b_, b, MPFR_RNDN);
        mpfr_set_d(c_, c, MPFR_RNDN);
        mpfr_t result;
        mpfr_init2(result, format.precision);
        mpfr_set_emin(format.lowest);
        mpfr_set_emax(format.highest);
        int inexact = 0;
        switch (operation) {
            case Operation::add: inexact = mpfr_add(result, a_, b_, mode); break;
            case Operation::sub: inexact = mpfr_sub(result, a_, b_, mode); break;
            case Operation::mul: inexact = mpfr_mul(result, a_, b_, mode); break;
            case Operation::fma: inexact = mpfr_fma(result, a_, b_, c_, mode); break;
            case Operation::div: inexact = mpfr_div(result, a_, b_, mode); break;
            case Operation::rcp: inexact = mpfr_ui_div(result, 1, a_, mode); break;
            case Operation::sqrt: inexact = mpfr_sqrt(result, a_, mode); break;
        }
        bool const is_product = operation == Operation::mul || operation == Operation::fma;
        if (flushes && is_product && mpfr_regular_p(result) != 0 &&
            mpfr_get_exp(result) < format.lowest + format.precision - 1)
            mpfr_set_zero(result, mpfr_signbit(result) != 0 ? -1 : 1);
        mpfr_subnormalize(result, inexact, mode);
        double const value = mpfr_get_d(result, MPFR_RNDN);
        mpfr_clear(result);
        return bits_of(value, format);
    }

private:
    mpfr_t a_, b_, c_;
};

/// For f64, one operand that is NaN passes on its payload: of a quotient the first, else b before c before a.
std::uint64_t nan_of(Operation operation, std::vector<Lanes> const& sources, std::size_t lane) {
    std::vector<std::size_t> order{1, 2, 0};
    if (operation == Operation::div || sources.size() == 1) order = {0, 1};
    for (std::size_t const at : order) {
        if (at < sources.size() && std::isnan(number_of(sources[at][lane], Type::f64)))
            return sources[at][lane] | 0x0008000000000000;
    }
    return 0xfff8000000000000;
}

class Check {
public:
    Check(std::string mnemonic, Operation operation, Type type, mpfr_rnd_t mode, bool ftz)
        : mnemonic_(std::move(mnemonic)), operation_(operation), format_(format_of(type)), mode_(mode), ftz_(ftz) {
        for (HostIsa const host : hosts()) {
            auto const found = find(host, mnemonic_);
            if (!found) FAIL("no " << mnemonic_);
            instructions_.push_back({host, *found});
        }
    }

    std::size_t source_count() const { return instructions_.front().second.variant->source_count; }

    void operator()(Exact& exact, std::vector<Lanes> const& sources) const {
        Lanes wanted{};
        for (std::size_t i = 0; i < warp_size; ++i) {
            double v[3] = {};
            for (std::size_t s = 0; s < sources.size(); ++s) {
                v[s] = number_of(ftz_ ? flushed(sources[s][i], format_) : sources[s][i], format_.type);
            }
            wanted[i] = exact(operation_, v[0], v[1], v[2], format_, mode_, ftz_);
            if (ftz_) wanted[i] = flushed(wanted[i], format_);
            if (format_.type == Type::f64 && wanted[i] == format_.nan) wanted[i] = nan_of(operation_, sources, i);
        }
        for (auto const& [host, instruction] : instructions_) {
            Lanes const result = run(instruction, sources);
            for (std::size_t i = 0; i < warp_size; ++i) {
                if (result[i] == wanted[i]) continue;
                std::string text = mnemonic_ + " on " + std::string(name(host)) + ":";
                for (Lanes const& source : sources) text += " " + std::to_string(source[i]);
                FAIL(text << " gives " << std::hex << result[i] << ", not " << wanted[i]);
            }
        }
    }

private:
    std::string mnemonic_;
    Operation operation_;
    Format const& format_;
    mpfr_rnd_t mode_;
    bool ftz_;
    std::vector<std::pair<HostIsa, Instruction>> instructions_;
};

struct Mode {
    char const* modifier;
    mpfr_rnd_t mode;
};
constexpr Mode modes[] = {{".rn", MPFR_RNDN}, {".rz", MPFR_RNDZ}, {".rm", MPFR_RNDD}, {".rp", MPFR_RNDU}};

/// Random values, now and then with exponents so small that results are subnormal.
Lanes operands(Random& random, Type type, bool small) {
    Lanes values = random.values(type);
    if (!small) return values;
    std::uint64_t const keep = type == Type::f32 ? 0x83ffffff : 0x83ffffffffffffff;
    for (std::uint64_t& v : values) v = (random.next() & 3) != 0 ? v & keep : v;
    return values;
}

}  // namespace

TEST_CASE("f32 and f64 arithmetic is MPFR's to the bit in every rounding mode", "[isa]") {
    std::size_t const rounds = (is_nightly() ? 1000000u : 10000u) / warp_size;
    Named const operations[] = {{Operation::add, "add"},  {Operation::sub, "sub"}, {Operation::mul, "mul"},
                                {Operation::fma, "fma"},  {Operation::div, "div"}, {Operation::rcp, "rcp"},
                                {Operation::sqrt, "sqrt"}};
    Exact exact;
    Random random;
    for (Type const type : {Type::f32, Type::f64}) {
        for (Named const& named : operations) {
            for (Mode const& mode : modes) {
                for (bool const ftz : {false, true}) {
                    if (ftz && type == Type::f64) continue;
                    std::string const mnemonic = std::string(named.mnemonic) + mode.modifier +
                                                 (ftz ? ".ftz" : "") + "." + std::string(name(type));
                    Check const check(mnemonic, named.operation, type, mode.mode, ftz);
                    for (std::size_t round = 0; round < rounds; ++round) {
                        std::vector<Lanes> values;
                        for (std::size_t s = 0; s < check.source_count(); ++s)
                            values.push_back(operands(random, type, round % 4 == 3));
                        check(exact, values);
                    }
                }
            }
        }
    }
    SUCCEED();
}

namespace {

/// 32 neighbouring values of a sweep over all 65536.
Lanes stretch(std::size_t first) {
    Lanes values{};
    for (std::size_t i = 0; i < warp_size; ++i) values[i] = first + i;
    return values;
}

}  // namespace

TEST_CASE("16-bit arithmetic is MPFR's to the bit for every value of one operand", "[isa]") {
    Named const operations[] = {{Operation::add, "add.rn"},
                                {Operation::sub, "sub.rn"},
                                {Operation::mul, "mul.rn"},
                                {Operation::fma, "fma.rn"}};
    Exact exact;
    Random random;
    std::size_t const partners = is_nightly() ? 64 : 2;
    for (Type const type : {Type::f16, Type::bf16}) {
        for (Named const& named : operations) {
            for (bool const ftz : {false, true}) {
                if (ftz && type == Type::bf16) continue;
                std::string const mnemonic =
                    std::string(named.mnemonic) + (ftz ? ".ftz" : "") + "." + std::string(name(type));
                Check const check(mnemonic, named.operation, type, MPFR_RNDN, ftz);
                bool const three = named.operation == Operation::fma;
                for (std::size_t partner = 0; partner < partners; ++partner) {
                    for (std::size_t first = 0; first < 0x10000; first += warp_size) {
                        // Every value meets different partners; a rounding tie needs one of similar magnitude.
                        std::vector<Lanes> values{stretch(first), random.values(type)};
                        if (partner % 2 == 1) {
                            for (std::size_t i = 0; i < warp_size; ++i)
                                values[1][i] = (first + i + (random.next() & 0xfff) - 0x800) & 0xffff;
                        }
                        if (three) values.push_back(random.values(type));
                        check(exact, values);
                    }
                }
            }
        }
    }
    SUCCEED();
}

TEST_CASE("bf16 products and sums round by any mode as MPFR does", "[isa]") {
    Exact exact;
    Random random;
    for (Mode const& mode : modes) {
        Check const check(std::string("fma") + mode.modifier + ".bf16", Operation::fma, Type::bf16, mode.mode,
                          false);
        for (std::size_t first = 0; first < 0x10000; first += warp_size) {
            check(exact, {stretch(first), random.values(Type::bf16), random.values(Type::bf16)});
        }
    }
    SUCCEED();
}

}  // namespace exact_rounding_test

#else

TEST_CASE("Arithmetic is not compared with MPFR, which this build does not have", "[isa]") { SUCCEED(); }

#endif
