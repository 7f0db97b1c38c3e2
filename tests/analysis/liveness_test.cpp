#include "frontend/ir/analysis/liveness.hpp"
#include "tests/analysis/random_function.hpp"
#include "tests/support/catch.hpp"

#include <set>

namespace liveness_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

using Set = std::set<std::uint32_t>;

/// What is live before and after every instruction, by the equations of the data flow, one instruction at a time.
struct Slow {
    std::vector<Set> before, behind;

    explicit Slow(ir::RegisterUses const& uses)
        : before(uses.function.instructions.size()), behind(uses.function.instructions.size()) {
        for (bool changed = true; changed;) {
            changed = false;
            for (ir::Block const& block : uses.function.blocks) {
                for (std::uint32_t i = block.last + 1; i-- > block.first;) {
                    Set out;
                    if (i < block.last) {
                        out = before[i + 1];
                    } else {
                        for (std::uint32_t const next : block.successors) {
                            out.merge(Set(before[uses.function.blocks[next].first]));
                        }
                    }
                    Set in = out;
                    if (!uses.keeps_old[i]) {
                        for (std::uint32_t const reg : uses.writes[i]) in.erase(reg);
                    }
                    in.insert(uses.reads[i].begin(), uses.reads[i].end());
                    changed = changed || in != before[i];
                    before[i] = std::move(in);
                    behind[i] = std::move(out);
                }
            }
        }
    }
};

Set as_set(std::span<std::uint32_t const> list) { return Set(list.begin(), list.end()); }

std::uint32_t units(ir::Function const& function, Set const& registers) {
    std::uint32_t sum = 0;
    for (std::uint32_t const reg : registers) sum += ir::units_of(function.registers[reg].type);
    return sum;
}

}  // namespace

TEST_CASE("Liveness of random functions is what the equations of the data flow say", "[analysis]") {
    std::mt19937 random(3);
    for (int round = 0; round < 300; ++round) {
        // Sometimes more registers than one group of the data flow.
        std::uint32_t const registers = round % 30 == 0 ? 600 : static_cast<std::uint32_t>(1 + random() % 12);
        RandomFunction const f(random, static_cast<std::uint32_t>(1 + random() % 12), registers,
                               registers > 100 ? 80 : 4);
        ir::RegisterUses const uses = ir::uses_of(f.function, f.lists);
        Slow const slow(uses);
        INFO("round " << round);

        ir::BlockLiveness const live = ir::find_block_liveness(uses);
        REQUIRE(live.in.size() == f.function.blocks.size());
        REQUIRE(live.out.size() == f.function.blocks.size());
        for (std::uint32_t b = 0; b < f.function.blocks.size(); ++b) {
            CHECK(as_set(live.in[b]) == slow.before[f.function.blocks[b].first]);
            CHECK(as_set(live.out[b]) == slow.behind[f.function.blocks[b].last]);
            CHECK(std::is_sorted(live.out[b].begin(), live.out[b].end()));
        }

        std::vector<bool> const at_entry = ir::find_live_at_entry(uses);
        for (std::uint32_t reg = 0; reg < registers; ++reg) {
            CHECK(at_entry[reg] == (slow.before[0].count(reg) != 0));
        }
    }
}

TEST_CASE("Intervals are the hulls of where registers live", "[analysis]") {
    std::mt19937 random(4);
    for (int round = 0; round < 300; ++round) {
        RandomFunction f(random, static_cast<std::uint32_t>(1 + random() % 12),
                         static_cast<std::uint32_t>(1 + random() % 12), 4);
        f.function.parameters = {static_cast<std::uint32_t>(random() % f.function.registers.size())};
        f.function.parameter_in_register = {true};
        ir::RegisterUses const uses = ir::uses_of(f.function, f.lists);
        Slow const slow(uses);
        std::vector<ir::LiveInterval> expected(f.function.registers.size());
        std::uint32_t most = 0;
        for (ir::Block const& block : f.function.blocks) {
            for (std::uint32_t i = block.first; i <= block.last; ++i) {
                // The last point at which it was in the register before it is read; for a value that enters a
                // function, that is the entry.
                bool const is_entry = i == 0;
                for (std::uint32_t const reg : slow.before[i]) {
                    expected[reg].extend(is_entry ? ir::entry_point : ir::read_point(i));
                    expected[reg].extend(ir::read_point(i));
                }
                for (std::uint32_t const reg : slow.behind[i]) expected[reg].extend(ir::write_point(i));
                Set written = slow.behind[i];
                for (std::uint32_t const reg : uses.writes[i]) {
                    expected[reg].extend(ir::write_point(i));
                    written.insert(reg);
                }
                for (std::uint32_t const reg : uses.reads[i]) {
                    if (uses.writes[i].size() > 1) expected[reg].extend(ir::write_point(i));
                }
                most = std::max({most, units(f.function, slow.before[i]), units(f.function, written)});
            }
        }
        expected[f.function.parameters[0]].extend(ir::entry_point);

        ir::Liveness const liveness = ir::find_liveness(uses);
        INFO("round " << round);
        CHECK(liveness.most_live == most);
        for (std::size_t reg = 0; reg < expected.size(); ++reg) {
            INFO("register " << reg);
            REQUIRE(liveness.intervals[reg].empty() == expected[reg].empty());
            if (expected[reg].empty()) continue;
            CHECK(liveness.intervals[reg].begin == expected[reg].begin);
            CHECK(liveness.intervals[reg].end == expected[reg].end);
        }
        std::vector<std::uint32_t> const order = ir::order_by_begin(liveness.intervals);
        CHECK(std::is_sorted(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::pair{expected[a].begin, a} < std::pair{expected[b].begin, b};
        }));
    }
}

TEST_CASE("Values are counted in registers of 32 bits", "[analysis]") {
    CHECK(ir::units_of(ir::Type::pred) == 0);
    CHECK(ir::units_of(ir::Type::b8) == 1);
    CHECK(ir::units_of(ir::Type::f32) == 1);
    CHECK(ir::units_of(ir::Type::b64) == 2);
    CHECK(ir::units_of(ir::Type::b128) == 4);
    CHECK(ir::units_of(ir::Type::texref) == 2);  // its address
}

TEST_CASE("A function without instructions has no liveness", "[analysis]") {
    ir::Function function;
    function.registers.push_back({"%r", ir::Type::b32});
    ir::RegisterLists const none_of_them;
    ir::RegisterUses const uses = ir::uses_of(function, none_of_them);
    CHECK(ir::find_liveness(uses).intervals.front().empty());
    CHECK(ir::find_block_liveness(uses).in.size() == 0);
    CHECK_FALSE(ir::find_live_at_entry(uses).front());
}

}  // namespace liveness_test
