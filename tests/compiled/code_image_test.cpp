// Code as bytes: what is packed comes back, what is damaged does not, and what is loaded runs.
#include "sim/compiled/code_image.hpp"
#include "tests/support/catch.hpp"

#include <cstring>
#include <dlfcn.h>
#include <string>

namespace code_image_test {

using namespace warpsim;
using namespace warpsim::sim;

namespace {

KernelPlan plan_of(std::vector<std::size_t> const& ops) {
    KernelPlan plan;
    for (std::size_t i = 0; i < ops.size(); ++i) {
        plan.functions.emplace_back();
        plan.functions.back().plan_index = static_cast<std::uint32_t>(i);
        plan.functions.back().ops.resize(ops[i]);
    }
    return plan;
}

/// Code that returns a number.
CodeImage returning(char number) {
    CodeImage image;
    image.bytes = std::string("\xcc\xcc\xcc\xcc\xb8", 5) + number + std::string("\0\0\0\xc3", 4);
    image.bytes.resize(16);
    image.imports_at = 16;
    image.functions.resize(2);
    image.functions[0] = {4, {0, UINT32_MAX, 1}, {{2, 0, true, true}, {2, 3, false, true}}, 2};
    return image;
}

bool same(CodeImage const& a, CodeImage const& b) { return pack(a) == pack(b); }

}  // namespace

TEST_CASE("Packed code comes back as it was") {
    CodeImage image = returning(1);
    image.imports = {"memcpy", "fmaf"};
    image.bytes.resize(32);
    auto const back = unpack(pack(image), plan_of({3, 5}));
    REQUIRE(back);
    CHECK(same(*back, image));
    CHECK(back->functions[0].entries == image.functions[0].entries);
    CHECK(back->imports == image.imports);
    CHECK(back->bytes == image.bytes);
}

TEST_CASE("Code of another plan and cut code are refused") {
    std::string const bytes = pack(returning(1));
    CHECK_FALSE(unpack(bytes, plan_of({3})));
    CHECK_FALSE(unpack(bytes, plan_of({3, 5, 1})));
    CHECK_FALSE(unpack(bytes, plan_of({2, 5})));
    CHECK_FALSE(unpack(bytes, plan_of({4, 5})));
    for (std::size_t size = 0; size < bytes.size(); ++size)
        CHECK_FALSE(unpack(bytes.substr(0, size), plan_of({3, 5})));
    CHECK_FALSE(unpack(bytes + "x", plan_of({3, 5})));
}

TEST_CASE("Whatever unpacks names only ops of the plan and bytes of the code") {
    CodeImage image = returning(1);
    image.imports = {"memcpy"};
    image.bytes.resize(24);
    std::string const bytes = pack(image);
    KernelPlan const plan = plan_of({3, 5});
    for (std::size_t bit = 0; bit < 8 * bytes.size(); ++bit) {
        std::string damaged = bytes;
        damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
        auto const got = unpack(damaged, plan);
        if (!got) continue;
        CHECK(got->imports_at + 8 * got->imports.size() <= got->bytes.size());
        for (std::size_t f = 0; f < got->functions.size(); ++f) {
            CHECK(got->functions[f].begin <= got->bytes.size());
            CHECK((got->functions[f].entries.empty() ||
                   got->functions[f].entries.size() == plan.functions[f].ops.size()));
            for (auto const& edge : got->functions[f].edges) CHECK(std::max(edge.branch, edge.to) <= 5);
        }
    }
}

TEST_CASE("Loaded code runs beside code for other splits") {
    CompiledState state;
    auto const all = load(returning(1), CodeLanes::all, nullptr);
    REQUIRE(all);
    CHECK(all->functions[0].code_for(isa::all_lanes)(state, 0) == CompiledExit::suspended);
    CHECK(all->functions[0].code_for(1) == nullptr);
    CHECK(all->functions[1].code_for(isa::all_lanes) == nullptr);
    auto const both = load(returning(2), CodeLanes::some, all);
    REQUIRE(both);
    CHECK(both->functions[0].code_for(isa::all_lanes)(state, 0) == CompiledExit::suspended);
    CHECK(both->functions[0].code_for(7)(state, 0) == CompiledExit::failed);
}

TEST_CASE("Code gets the addresses of what it imports or is not loaded") {
    CodeImage image = returning(1);
    image.bytes.resize(32);
    image.imports = {"memcpy", "memset"};
    auto const loaded = load(image, CodeLanes::all, nullptr);
    REQUIRE(loaded);
    std::byte const* const begin = reinterpret_cast<std::byte const*>(loaded->functions[0].all_lanes) - 4;
    void* words[2] = {};
    std::memcpy(words, begin + 16, sizeof words);
    CHECK(words[0] == dlsym(RTLD_DEFAULT, "memcpy"));
    CHECK(words[1] == dlsym(RTLD_DEFAULT, "memset"));
    image.imports = {"memcpy", "a_function_that_nobody_has"};
    CHECK(load(image, CodeLanes::all, nullptr) == nullptr);
}

}  // namespace code_image_test
