// Invariants of the whole instruction table: its size, its syntax lines, and what the linker must not share.
#include "frontend/isa/effect.hpp"
#include "frontend/isa/table.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <set>
#include <string>

namespace table_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

TEST_CASE("The rows of all host instruction sets differ in their functions only", "[isa]") {
    std::vector<Row> const& first = rows(HostIsa::baseline);
    for (HostIsa const host : hosts()) {
        if (host == HostIsa::baseline) continue;
        std::vector<Row> const& other = rows(host);
        REQUIRE(other.size() == first.size());
        for (std::size_t i = 0; i < first.size(); ++i) {
            INFO(first[i].syntax);
            REQUIRE(other[i].syntax == first[i].syntax);
            REQUIRE(other[i].variants.size() == first[i].variants.size());
            for (std::size_t v = 0; v < first[i].variants.size(); ++v) {
                Variant const& a = first[i].variants[v];
                Variant const& b = other[i].variants[v];
                REQUIRE(a.types == b.types);
                REQUIRE(a.selector == b.selector);
                REQUIRE((a.run == nullptr) == (b.run == nullptr));
                REQUIRE((a.run == nullptr || a.run != b.run));
            }
        }
    }
}

TEST_CASE("Every variant of an executed row has a function, no other row has one", "[isa]") {
    for (Row const& row : rows(HostIsa::baseline)) {
        INFO(row.syntax);
        REQUIRE(!row.variants.empty());
        for (Variant const& v : row.variants) REQUIRE((v.run != nullptr) == (row.effect == Effect::lanes));
        if (!row.selector.empty()) {
            REQUIRE(row.syntax.find(row.selector) != std::string_view::npos);
            auto const members = modifier_class(row.selector).size();
            for (Variant const& v : row.variants) REQUIRE(v.selector < members);
        }
    }
}

TEST_CASE("The lane functions stay within their budget", "[isa]") {
    std::set<LaneFunction> functions;
    for (Row const& row : rows(HostIsa::baseline)) {
        for (Variant const& v : row.variants) {
            for (LaneFunction const f : {v.run, v.run_ftz, v.run_directed, v.run_directed_ftz})
                functions.insert(f);
        }
    }
    CHECK(functions.size() > 500);
    CHECK(functions.size() <= 6000);
}

TEST_CASE("The modifiers of a syntax line are of one kind only", "[isa]") {
    std::set<std::string> opcodes;
    for (Row const& row : rows(HostIsa::baseline)) {
        INFO(row.syntax);
        std::string_view const mnemonic = row.syntax.substr(0, row.syntax.find(' '));
        CHECK(std::count(mnemonic.begin(), mnemonic.end(), '{') ==
              std::count(mnemonic.begin(), mnemonic.end(), '}'));
        CHECK(row.since.version >= 10);
        opcodes.insert(std::string(mnemonic.substr(0, mnemonic.find_first_of(".{"))));
    }
    for (char const* const opcode :
         {"ret", "ld",   "cvta", "mov",  "add", "st", "mul", "mad", "sub", "fma",  "shl", "atom", "bar", "cvt",
          "not", "call", "sqrt", "setp", "bra", "or", "and", "div", "shr", "selp", "neg", "rem",  "max"}) {
        CHECK(opcodes.contains(opcode));
    }
}

TEST_CASE("Saturating a column clamps to [0, 1] and makes NaN zero", "[isa]") {
    CHECK(saturate(HostIsa::baseline, Type::s32) == nullptr);
    for (HostIsa const host : hosts()) {
        CHECK(saturate(host, Type::f32) != nullptr);
        CHECK(saturate(host, Type::f64) != nullptr);
        CHECK(saturate(host, Type::f16x2) != nullptr);
    }
}

// The compiler may emit a function in several objects, and the linker keeps any one of them: one compiled with AVX
// would then run on a host without it. Functions in a host's own namespace have distinct names.
TEST_CASE("Lane code leaves no function that another host instruction set could get", "[isa]") {
    std::filesystem::path const build = std::string(WARPSIM_BINARY_DIR) + "/frontend/isa";
    std::size_t objects = 0;
    std::string shared;
    for (auto const& entry : std::filesystem::recursive_directory_iterator(build)) {
        std::string const path = entry.path().string();
        bool const is_lane_code = path.find("warpsim_isa_avx") != std::string::npos;
        if (!is_lane_code || !(path.ends_with(".o") || path.ends_with(".obj"))) continue;
        ++objects;
        std::unique_ptr<FILE, int (*)(FILE*)> const nm(popen(("nm -C '" + path + "'").c_str(), "r"), pclose);
        REQUIRE(nm != nullptr);
        std::array<char, 4096> line;
        while (std::fgets(line.data(), static_cast<int>(line.size()), nm.get()) != nullptr) {
            std::string const text = line.data();
            bool const is_weak = text.find(" W ") != std::string::npos;
            bool const is_own = text.find("warpsim::isa::avx2::") != std::string::npos ||
                                text.find("warpsim::isa::avx512::") != std::string::npos;
            if (is_weak && !is_own) shared += path + ": " + text;
        }
    }
    INFO(shared);
    CHECK((objects > 0 || hosts().size() == 1));
    CHECK(shared.empty());
}

}  // namespace table_test
