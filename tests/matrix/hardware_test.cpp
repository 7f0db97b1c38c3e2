// The answers of real matrix units (tests/matrix/hardware), to the bit.
#include "sim/config/config.hpp"
#include "sim/matrix/number.hpp"
#include "sim/matrix/products.hpp"
#include "tests/support/catch.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

namespace hardware_test {

using namespace warpsim;
using namespace warpsim::sim::matrix;
using isa::Type;

namespace {

/// How one set of answers came about.
struct Set {
    std::string gpu, format;
    Accumulator accumulator;
};

Accumulator aligned(int group, int extra_bits, int floor_f32, int floor_f16) {
    Accumulator a;
    a.group = group;
    a.extra_bits = extra_bits;
    a.floor_f32 = floor_f32;
    a.floor_f16 = floor_f16;
    return a;
}

/// As the built-in configurations say it; one thing they have no place for: Ada.
std::vector<Set> sets() {
    std::vector<Set> all{{"V100", "fp16", sim::load_config("v100").sm.matrix.f16},
                         {"L40S", "E4M3", aligned(16, -10, -132, -132)},
                         {"L40S", "E5M2", aligned(16, -10, -132, -132)},
                         {"L40S", "fp16", aligned(8, 1, -132, -20)},
                         {"L40S", "bf16", aligned(8, 1, -132, -20)},
                         {"L40S", "tf32", aligned(4, 1, -132, -20)},
                         {"H100", "E4M3", sim::load_config("h100").sm.matrix.wgmma_f8},
                         {"H100", "E5M2", sim::load_config("h100").sm.matrix.wgmma_f8}};
    for (auto const& [gpu, name] :
         {std::pair{"A100", "a100"}, std::pair{"H100", "h100"}, std::pair{"B200", "b200"}}) {
        sim::MatrixConfig const matrix = sim::load_config(name).sm.matrix;
        for (char const* const format : {"fp16", "bf16"}) all.push_back({gpu, format, matrix.f16});
        all.push_back({gpu, "tf32", matrix.tf32});
        if (gpu == std::string("B200")) {
            for (char const* const format : {"E4M3", "E5M2"}) all.push_back({gpu, format, matrix.f8});
        }
    }
    return all;
}

Type type_of(std::string const& format) {
    return format == "fp16"   ? Type::f16
           : format == "bf16" ? Type::bf16
           : format == "tf32" ? Type::tf32
           : format == "E4M3" ? Type::e4m3
                              : Type::e5m2;
}

/// The code of a number that the format has, from its bits as f32.
std::uint32_t code_of(Type type, std::uint32_t bits) {
    ElementFormat const& format = element_format(type);
    Number const number = unpack(element_format(Type::f32), bits);
    bool const is_negative = number.is_negative;
    Magnitude const magnitude{number.significand, number.exponent - 23, false};
    std::uint32_t const code = rounded(format, is_negative, magnitude, format.fraction_bits, true) << format.shift;
    return code;
}

struct Answer {
    std::vector<std::uint32_t> a, b;  // words
    std::uint32_t c = 0, d = 0;
};

std::vector<std::uint32_t> words_of(Type type, std::vector<std::uint32_t> const& numbers) {
    int const bits = element_format(type).container_bits;
    std::size_t const in_word = 32 / static_cast<std::size_t>(bits);
    std::vector<std::uint32_t> words(numbers.size() / in_word);
    for (std::size_t k = 0; k < numbers.size(); ++k) {
        words[k / in_word] |= code_of(type, numbers[k]) << (static_cast<int>(k % in_word) * bits % 32);
    }
    return words;
}

std::vector<Answer> read(std::filesystem::path const& path, Type type, Type result) {
    std::vector<Answer> answers;
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);) {
        std::vector<std::vector<std::uint32_t>> parts(1);
        std::istringstream text(line);
        for (std::string word; text >> word;) {
            if (word == "|") parts.emplace_back();
            else parts.back().push_back(static_cast<std::uint32_t>(std::stoul(word, nullptr, 16)));
        }
        REQUIRE(parts.size() == 4);
        auto const sum = [&](std::uint32_t bits) { return result == Type::f16 ? code_of(result, bits) : bits; };
        answers.push_back(
            {words_of(type, parts[0]), words_of(type, parts[1]), sum(parts[2].at(0)), sum(parts[3].at(0))});
    }
    return answers;
}

/// Of the first row and column; the others are zero.
std::uint32_t fast(isa::HostIsa host, FloatProduct const& product, Answer const& answer) {
    auto const block = std::make_unique<Block>();
    block->words = static_cast<int>((answer.a.size() + 3) / 4 * 4);
    block->columns = 8;
    for (std::size_t w = 0; w < answer.a.size(); ++w) {
        block->a_at(0, w) = answer.a[w];
        block->b_at(0, w) = answer.b[w];
    }
    block->d_at(0, 0) = answer.c;
    product_functions(host).floats(product, *block);
    return block->d_at(0, 0);
}

}  // namespace

TEST_CASE("Products have the bits that real matrix units give", "[matrix]") {
    int compared = 0;
    for (Set const& set : sets()) {
        for (std::string const result : {"fp32", "fp16"}) {
            auto const path = std::filesystem::path(WARPSIM_SOURCE_DIR) / "tests/matrix/hardware" /
                              (set.gpu + "_" + set.format + "_" + result + ".txt");
            if (!std::filesystem::exists(path)) continue;
            FloatProduct product;
            product.a = product.b = type_of(set.format);
            product.result_is_f16 = result == "fp16";
            product.accumulator = set.accumulator;
            int row = 0;
            for (Answer const& answer : read(path, product.a, product.result_is_f16 ? Type::f16 : Type::f32)) {
                INFO(path.filename().string() << " line " << ++row);
                int const words = static_cast<int>(answer.a.size());
                REQUIRE(reference(product, {answer.a.data()}, {answer.b.data()}, words, answer.c) == answer.d);
                for (isa::HostIsa const host :
                     {isa::HostIsa::baseline, isa::HostIsa::avx2, isa::HostIsa::avx512}) {
                    if (isa::runs_here(host)) REQUIRE(fast(host, product, answer) == answer.d);
                }
                ++compared;
            }
        }
    }
    CHECK(compared == 24 * 40);
}

}  // namespace hardware_test
