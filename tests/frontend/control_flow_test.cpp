#include "frontend/decode/control_flow.hpp"
#include "tests/support/build_function.hpp"
#include "tests/support/catch.hpp"

#include <random>

namespace control_flow_test {

using namespace warpsim;
using test::FunctionBuilder;
using test::Guard;
using test::to;
using Blocks = std::vector<std::uint32_t>;

namespace {

ir::Function const& built(FunctionBuilder& builder) {
    builder.finish();
    frontend::build_control_flow(builder.module, builder.function);
    return builder.function;
}

void work(FunctionBuilder& builder) { builder.emit("add.u32", {test::r(0), test::r(0), test::immediate(1)}); }

FunctionBuilder with_registers() {
    FunctionBuilder builder;
    builder.reg("%r1");
    builder.reg("%p1", ir::Type::pred);
    return builder;
}
constexpr Guard guard{.reg = 1};

/// The definition of post-dominance, by removing blocks: x post-dominates b when no path leaves from b once x is
/// gone.
bool leaves_without(std::vector<Blocks> const& successors, std::uint32_t from, std::uint32_t removed) {
    std::vector<bool> seen(successors.size(), false);
    Blocks pending{from};
    seen[from] = true;
    while (!pending.empty()) {
        std::uint32_t const block = pending.back();
        pending.pop_back();
        if (successors[block].empty()) {
            return true;
        }
        for (std::uint32_t next : successors[block]) {
            if (next != removed && !seen[next]) {
                seen[next] = true;
                pending.push_back(next);
            }
        }
    }
    return false;
}

}  // namespace

TEST_CASE("Straight-line code is one block that meets at the end", "[frontend]") {
    FunctionBuilder b = with_registers();
    work(b);
    work(b);
    b.emit("ret");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 1);
    CHECK(f.blocks[0].first == 0);
    CHECK(f.blocks[0].last == 2);
    CHECK(f.blocks[0].successors.empty());
    CHECK(f.blocks[0].reconvergence == ir::none);
    CHECK(f.block_of == Blocks{0, 0, 0});
}

TEST_CASE("A function without instructions has no blocks", "[frontend]") {
    FunctionBuilder b;
    CHECK(built(b).blocks.empty());
}

TEST_CASE("The two sides of a branch reconverge where they meet", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.emit("bra", {to("else")}, guard);
    work(b);
    b.emit("bra.uni", {to("end")});
    b.label("else");
    work(b);
    b.label("end");
    b.emit("ret");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 4);
    CHECK(f.blocks[0].successors == Blocks{2, 1});
    CHECK(f.blocks[1].successors == Blocks{3});
    CHECK(f.blocks[2].successors == Blocks{3});
    CHECK(f.blocks[0].reconvergence == 3);
    CHECK(f.blocks[1].reconvergence == 3);
    CHECK(f.block_of == Blocks{0, 1, 1, 2, 3});
}

TEST_CASE("Lanes that leave a loop at different times reconverge behind it", "[frontend]") {
    FunctionBuilder b = with_registers();
    work(b);
    b.label("loop");
    b.emit("bra", {to("out")}, guard);  // block 1
    work(b);                            // block 2
    b.emit("bra", {to("loop")}, guard);
    work(b);  // block 3
    b.label("out");
    b.emit("ret");  // block 4
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 5);
    CHECK(f.blocks[2].successors == Blocks{1, 3});
    CHECK(f.blocks[0].reconvergence == 1);
    CHECK(f.blocks[1].reconvergence == 4);
    // Lanes that block 1 sends to the end are not waited for: the others reconverge before it.
    CHECK(f.blocks[2].reconvergence == 3);
}

TEST_CASE("Lanes that end inside of a branch do not keep the others from meeting behind it", "[frontend]") {
    // 0: if (p) { 1: work; <early end>; 2: work } else { 3: work }; 4: work; 5: ret
    for (int const way : {0, 1, 2, 3}) {
        INFO("way " << way);
        FunctionBuilder b = with_registers();
        b.emit("bra", {to("else")}, guard);
        work(b);
        if (way == 0) b.emit("ret", {}, guard);
        if (way == 1) b.emit("bra", {to("out")}, guard);
        if (way == 2) b.emit("exit", {}, guard);
        if (way == 3) b.emit("trap", {}, guard);
        work(b);
        b.emit("bra", {to("join")});
        b.label("else");
        work(b);
        b.label("join");
        work(b);
        b.label("out");
        b.emit("ret");
        auto const& f = built(b);
        REQUIRE(f.blocks.size() == (way == 1 ? 6 : 5));
        CHECK(f.blocks[0].reconvergence == 4);
        CHECK(f.blocks[1].reconvergence == (way == 1 ? 5 : ir::none));
    }
}

TEST_CASE("A cold block that ends by a trap is no place to meet", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.emit("bra", {to("else")}, guard);  // 0
    b.emit("bra", {to("bad")}, guard);   // 1
    b.emit("bra", {to("join")});         // 2
    b.label("else");
    work(b);  // 3
    b.label("join");
    work(b);  // 4
    b.emit("ret");
    b.label("bad");
    work(b);  // 5
    b.emit("trap");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 6);
    CHECK(f.blocks[0].reconvergence == 4);
    CHECK(f.blocks[1].reconvergence == ir::none);
}

TEST_CASE("Of two ways out the lanes meet on the way to the one that more blocks reach", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.branch_indexed(0, {"one", "two", "side"});  // 0
    b.label("one");
    work(b);  // 1
    b.emit("bra", {to("join")});
    b.label("two");
    work(b);  // 2
    b.label("join");
    work(b);  // 3
    b.emit("ret");
    b.label("side");
    work(b);  // 4
    b.emit("ret");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 5);
    CHECK(f.blocks[0].reconvergence == 3);
}

TEST_CASE("A guarded exit ends a block and falls through; a call does not end one", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.emit("exit", {}, guard);
    work(b);
    b.emit("call", {ir::Operand{.kind = ir::Operand::Kind::function, .index = 0}}, guard);
    work(b);
    b.emit("trap");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 2);
    CHECK(f.blocks[0].successors == Blocks{1});
    // Some lanes never reach block 1: they reconverge only at the end.
    CHECK(f.blocks[0].reconvergence == ir::none);
    CHECK(f.blocks[1].successors.empty());
}

TEST_CASE("An indexed branch goes to each of its targets once", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.branch_indexed(0, {"one", "two", "one", "three"});
    b.label("one");
    work(b);
    b.label("two");
    work(b);
    b.label("three");
    b.emit("ret");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 4);
    CHECK(f.blocks[0].successors == Blocks{1, 2, 3});
    CHECK(f.blocks[0].reconvergence == 2);  // lanes that go to the third end at once
}

TEST_CASE("A branch to the label behind the last instruction leaves the function", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.emit("bra", {to("end")}, guard);
    work(b);
    b.label("end");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 2);
    CHECK(f.blocks[0].successors == Blocks{1});
    CHECK(f.blocks[0].reconvergence == ir::none);
}

TEST_CASE("Blocks that no path leaves still get reconvergence points", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.emit("bra", {to("spin")}, guard);  // 0
    work(b);                             // 1
    b.emit("ret");
    b.label("spin");
    b.emit("bra", {to("other")}, guard);  // 2
    work(b);                              // 3
    b.label("other");
    work(b);  // 4
    b.emit("bra", {to("spin")});
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 5);
    CHECK(f.blocks[0].reconvergence == ir::none);
    CHECK(f.blocks[2].reconvergence == 4);
    CHECK(f.blocks[3].reconvergence == 4);
}

TEST_CASE("A loop that ends in an endless loop reconverges there", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.label("spin");
    b.emit("bra", {to("spin")});  // 0
    work(b);                      // 1: reached only from 2
    b.label("loop");
    b.emit("bra", {to("loop")}, guard);  // 1 too? no: a label starts block 2
    b.emit("bra", {to("spin")});         // 3
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == 4);
    CHECK(f.blocks[1].reconvergence == 2);
    CHECK(f.blocks[2].reconvergence == 3);
    CHECK(f.blocks[3].reconvergence == 0);
    CHECK(f.blocks[0].reconvergence == ir::none);
}

TEST_CASE("Reconvergence points of random graphs are their immediate post-dominators", "[frontend]") {
    std::mt19937 random(7);
    for (int round = 0; round < 300; ++round) {
        FunctionBuilder b = with_registers();
        auto const count = static_cast<std::uint32_t>(2 + random() % 12);
        auto const some_block = [&] { return "b" + std::to_string(random() % count); };
        for (std::uint32_t i = 0; i < count; ++i) {
            b.label("b" + std::to_string(i));
            switch (random() % 4) {
                case 0: b.emit("bra", {to(some_block())}); break;
                case 1: b.emit("bra", {to(some_block())}, guard); break;
                case 2: b.branch_indexed(0, {some_block(), some_block()}); break;
                default: work(b); break;
            }
        }
        b.emit("ret");
        auto const& f = built(b);
        std::vector<Blocks> successors;
        for (ir::Block const& block : f.blocks) {
            successors.push_back(block.successors);
        }
        auto const size = static_cast<std::uint32_t>(f.blocks.size());
        for (std::uint32_t x = 0; x < size; ++x) {
            if (!leaves_without(successors, x, ir::none)) {
                continue;  // inside an endless loop; the choice of its exit is arbitrary
            }
            bool endless = false;
            Blocks post_dominators;
            for (std::uint32_t y = 0; y < size; ++y) {
                // Post-dominance considers only paths that leave; endless loops were given an exit.
                bool const reaches = [&] {
                    Blocks pending{x};
                    std::vector<bool> seen(size, false);
                    while (!pending.empty()) {
                        auto const at = pending.back();
                        pending.pop_back();
                        if (at == y) return true;
                        for (auto next : successors[at]) {
                            if (!seen[next]) {
                                seen[next] = true;
                                pending.push_back(next);
                            }
                        }
                    }
                    return false;
                }();
                endless = endless || (reaches && !leaves_without(successors, y, ir::none));
                if (y != x && !leaves_without(successors, x, y)) {
                    post_dominators.push_back(y);
                }
            }
            if (endless) {
                continue;
            }
            // The immediate one is post-dominated by all the others.
            std::uint32_t immediate = ir::none;
            for (std::uint32_t y : post_dominators) {
                bool const first =
                    std::all_of(post_dominators.begin(), post_dominators.end(),
                                [&](std::uint32_t z) { return z == y || !leaves_without(successors, y, z); });
                immediate = first ? y : immediate;
            }
            INFO("round " << round << ", block " << x);
            CHECK(f.blocks[x].reconvergence == immediate);
        }
    }
}

TEST_CASE("A loop of very many blocks is analysed without deep recursion", "[frontend]") {
    FunctionBuilder b = with_registers();
    b.label("loop");
    int const count = 400000;
    for (int i = 0; i < count; ++i) {
        b.emit("bra", {to("out")}, guard);
    }
    b.emit("bra", {to("loop")}, guard);
    b.label("out");
    b.emit("ret");
    auto const& f = built(b);
    REQUIRE(f.blocks.size() == count + 2);
    CHECK(f.blocks[0].reconvergence == count + 1);
    CHECK(f.blocks[1].reconvergence == count + 1);
}

}  // namespace control_flow_test
