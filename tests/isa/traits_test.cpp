// What rows state about themselves, compared with what their functions do.
#include "frontend/isa/effect.hpp"
#include "frontend/isa/traits.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/isa_instruction.hpp"

#include <algorithm>
#include <string_view>

namespace traits_test {

using namespace warpsim::isa;
using namespace warpsim::isa::test;

namespace {

Row const& row_with(std::string_view beginning) {
    for (Row const& row : rows(HostIsa::baseline)) {
        if (row.syntax.starts_with(beginning)) return row;
    }
    FAIL("there is no row " << beginning);
    return rows(HostIsa::baseline).front();
}
Traits traits_of(std::string_view beginning) { return traits(row_with(beginning)); }

}  // namespace

TEST_CASE("The first two sources of a commutative row may be exchanged", "[isa]") {
    Random random;
    std::size_t functions = 0;
    for (Row const& row : rows(HostIsa::baseline)) {
        if (!traits(row).is_commutative) continue;
        INFO(row.syntax);
        for (Variant const& variant : row.variants) {
            REQUIRE(variant.source_count >= 2);
            REQUIRE(variant.sources[0] == variant.sources[1]);
            ++functions;
            Instruction const instruction{&row, &variant, variant.run, nullptr, 0};
            for (int round = 0; round < 20; ++round) {
                std::vector<Lanes> sources;
                for (std::size_t i = 0; i < variant.source_count; ++i)
                    sources.push_back(random.values(variant.sources[i]));
                Lanes const straight = run(instruction, sources);
                std::swap(sources[0], sources[1]);
                REQUIRE(run(instruction, sources) == straight);
            }
        }
    }
    CHECK(functions > 100);
}

TEST_CASE("A row that computes lane by lane is pure and touches no memory", "[isa]") {
    for (Row const& row : rows(HostIsa::baseline)) {
        INFO(row.syntax);
        Traits const t = traits(row);
        if (row.effect == Effect::lanes) {
            CHECK(t.is_pure);
            CHECK(t.is_lanewise);
        }
        if (t.is_pure) CHECK_FALSE((t.reads_memory || t.writes_memory || t.is_convergent));
        if (t.is_multiply_add || t.is_commutative) CHECK(row.effect == Effect::lanes);
    }
}

TEST_CASE("Traits tell instructions apart as a compiler must", "[isa]") {
    CHECK(traits_of("ld{").reads_memory);
    CHECK_FALSE(traits_of("ld{").writes_memory);
    CHECK(traits_of("st{").writes_memory);
    CHECK(traits_of("atom{").reads_memory);
    CHECK(traits_of("red{").writes_memory);
    CHECK(traits_of("cp.async.ca").reads_memory);
    CHECK(traits_of("cp.async.ca").writes_memory);
    CHECK_FALSE(traits_of("mapa").reads_memory);
    CHECK(traits_of("tex{").reads_memory);
    CHECK_FALSE(traits_of("tex{").writes_memory);
    CHECK(traits_of("sust.b").writes_memory);

    CHECK(traits_of("shfl").is_convergent);
    CHECK(traits_of("bar{.cta}.sync").is_convergent);
    CHECK(traits_of("mma.sync").is_convergent);
    CHECK(traits_of("wgmma.mma_async").is_convergent);
    CHECK_FALSE(traits_of("fence.acquire.sync_restrict").is_convergent);
    CHECK_FALSE(traits_of("add.type").is_convergent);

    CHECK(traits_of("vote.").gives_same_value);
    CHECK(traits_of("redux").gives_same_value);
    CHECK_FALSE(traits_of("shfl").gives_same_value);

    CHECK(traits_of("mad.lo").is_multiply_add);
    CHECK(traits_of("fma.rnd").is_multiply_add);
    CHECK_FALSE(traits_of("mul.lo").is_multiply_add);
    CHECK(traits_of("mul.lo").is_uniform_operation);
    CHECK_FALSE(traits_of("div.type").is_uniform_operation);
}

}  // namespace traits_test
