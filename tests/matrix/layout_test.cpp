// The layouts against the formulas of the PTX ISA's sections "Matrix Fragments for ...", written out here.
#include "sim/matrix/layout.hpp"
#include "tests/support/catch.hpp"

#include <functional>
#include <set>

namespace layout_test {

using namespace warpsim::sim::matrix;

namespace {

Layout const& layout(std::string const& name) {
    for (Layout const& l : layouts()) {
        if (l.name == name) return l;
    }
    FAIL("no layout " << name);
    return layouts().front();
}

/// cell(lane, element), with groupID and threadID_in_group as the manual has them.
using Formula = std::function<Cell(int group, int thread, int i)>;
void check(std::string const& name, int elements, Formula const& formula) {
    INFO(name);
    Layout const& l = layout(name);
    CHECK(l.elements == elements);
    for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < elements; ++i) {
            INFO("lane " << lane << " element " << i);
            CHECK(l.cell(lane, i) == formula(lane / 4, lane % 4, i));
        }
    }
}

}  // namespace

TEST_CASE("Fragments of mma have the manual's rows and columns", "[matrix]") {
    // m16n8k8 of f16: row = groupID for a0, a1, 8 more for a2, a3
    check("mma.m16n8k8.f16.a", 4, [](int g, int t, int i) { return Cell{i < 2 ? g : g + 8, t * 2 + (i & 1)}; });
    check("mma.m16n8k8.f16.b", 2, [](int g, int t, int i) { return Cell{t * 2 + i, g}; });
    // m16n8k16: rows by pairs of elements, columns 8 more from a4 on
    check("mma.m16n8k16.f16.a", 8, [](int g, int t, int i) {
        bool const is_upper = i < 2 || (i >= 4 && i < 6);
        return Cell{is_upper ? g : g + 8, t * 2 + (i & 1) + (i < 4 ? 0 : 8)};
    });
    check("mma.m16n8k16.f16.b", 4, [](int g, int t, int i) { return Cell{t * 2 + (i & 1) + (i < 2 ? 0 : 8), g}; });
    for (std::string const name : {"mma.m16n8k16.f16.c", "mma.m16n8k16.f16.c.f16", "mma.m16n8k32.s8.c"}) {
        check(name, 4, [](int g, int t, int i) { return Cell{i < 2 ? g : g + 8, t * 2 + (i & 1)}; });
    }
    check("mma.m16n8k4.tf32.a", 2, [](int g, int t, int i) { return Cell{i == 0 ? g : g + 8, t}; });
    check("mma.m16n8k8.tf32.a", 4, [](int g, int t, int i) {
        return Cell{i % 2 == 0 ? g : g + 8, i < 2 ? t : t + 4};
    });
    check("mma.m16n8k8.tf32.b", 2, [](int g, int t, int i) { return Cell{i == 0 ? t : t + 4, g}; });
    check("mma.m8n8k4.f64.a", 1, [](int g, int t, int) { return Cell{g, t}; });
    check("mma.m8n8k4.f64.c", 2, [](int g, int t, int i) { return Cell{g, t * 2 + i}; });
    check("mma.m16n8k16.f64.a", 8, [](int g, int t, int i) {
        return Cell{i % 2 == 0 ? g : g + 8, i / 2 * 4 + t};
    });
    check("mma.m16n8k16.f64.b", 4, [](int g, int t, int i) { return Cell{t + i * 4, g}; });
    check("mma.m8n8k16.s8.a", 4, [](int g, int t, int i) { return Cell{g, t * 4 + i}; });
    check("mma.m16n8k32.s8.a", 16, [](int g, int t, int i) {
        bool const is_upper = i < 4 || (i >= 8 && i < 12);
        return Cell{is_upper ? g : g + 8, t * 4 + (i & 3) + (i < 8 ? 0 : 16)};
    });
    check("mma.m16n8k32.s8.b", 8, [](int g, int t, int i) { return Cell{t * 4 + (i & 3) + (i < 4 ? 0 : 16), g}; });
    check("mma.m16n8k64.s4.a", 32, [](int g, int t, int i) {
        bool const is_upper = i < 8 || (i >= 16 && i < 24);
        return Cell{is_upper ? g : g + 8, t * 8 + (i & 7) + (i < 16 ? 0 : 32)};
    });
    check("mma.m16n8k256.b1.b", 64, [](int g, int t, int i) {
        return Cell{t * 32 + (i & 31) + (i < 32 ? 0 : 128), g};
    });
}

TEST_CASE("Fragments of m8n8k4 of f16 belong to eight lanes", "[matrix]") {
    auto const of_lanes = [](std::string const& name, int elements,
                             std::function<Cell(int lane, int i)> const& formula) {
        Layout const& l = layout(name);
        CHECK(l.elements == elements);
        for (int lane = 0; lane < 32; ++lane) {
            for (int i = 0; i < elements; ++i) CHECK(l.cell(lane, i) == formula(lane, i));
        }
    };
    auto const upper = [](int lane) { return lane < 16 ? 0 : 4; };
    of_lanes("mma.m8n8k4.f16.a.row", 4, [&](int lane, int i) { return Cell{lane % 4 + upper(lane), i}; });
    of_lanes("mma.m8n8k4.f16.a.col", 4, [&](int lane, int i) { return Cell{i + upper(lane), lane % 4}; });
    of_lanes("mma.m8n8k4.f16.b.row", 4, [&](int lane, int i) { return Cell{lane % 4, i + upper(lane)}; });
    of_lanes("mma.m8n8k4.f16.b.col", 4, [&](int lane, int i) { return Cell{i, lane % 4 + upper(lane)}; });
    of_lanes("mma.m8n8k4.f16.c.f16", 8, [&](int lane, int i) { return Cell{lane % 4 + upper(lane), i}; });
    of_lanes("mma.m8n8k4.f16.c", 8, [&](int lane, int i) {
        return Cell{(lane & 1) + (i & 2) + upper(lane), (i & 4) + (lane & 2) + (i & 1)};
    });
}

TEST_CASE("Fragments of moves and of wgmma have the manual's rows and columns", "[matrix]") {
    check("ldmatrix.m8n8.b16", 2, [](int g, int t, int i) { return Cell{g, t * 2 + i}; });
    check("ldmatrix.m8n8.trans.b16", 2, [](int g, int t, int i) { return Cell{t * 2 + i, g}; });
    check("ldmatrix.m8n16.b8x16", 4, [](int g, int t, int i) { return Cell{g, t * 4 + i}; });
    // 16 by 16, transposed: what is a row there is a column in memory
    check("ldmatrix.m16n16.trans.b8", 8, [](int g, int t, int i) { return Cell{t * 4 + i % 4, g + 8 * (i / 4)}; });
    check("stmatrix.m16n8.trans.b8", 4, [](int g, int t, int i) { return Cell{t * 2 + i % 2, g + 8 * (i / 2)}; });
    for (int warp = 0; warp < 4; ++warp) {
        for (int lane = 0; lane < 32; ++lane) {
            for (int i = 0; i < 64; ++i) {
                Cell const want{16 * warp + lane / 4 + 8 * (i >> 1 & 1), 8 * (i / 4) + 2 * (lane % 4) + (i & 1)};
                CHECK(layout("wgmma.m64n128.d").cell(lane, i, warp) == want);
            }
        }
    }
}

TEST_CASE("Fragments of wmma are those of the mma instructions that compute it", "[matrix]") {
    auto const same = [](std::string const& wmma, std::string const& mma, Cell step) {
        Layout const& whole = layout(wmma);
        Layout const& part = layout(mma);
        INFO(wmma);
        for (int lane = 0; lane < 32; ++lane) {
            for (int i = 0; i < whole.elements; ++i) {
                auto const [row, column] = part.cell(lane, i % part.elements);
                int const tile = i / part.elements;
                CHECK(whole.cell(lane, i) == Cell{row + tile * step.row, column + tile * step.column});
            }
        }
    };
    same("wmma.m16n16k16.f16.a", "mma.m16n8k16.f16.a", {});
    same("wmma.m16n16k16.f16.b", "mma.m16n8k16.f16.b", {0, 8});
    same("wmma.m16n16k16.c", "mma.m16n8k16.f16.c", {0, 8});
    same("wmma.m16n16k16.c.f16", "mma.m16n8k16.f16.c.f16", {0, 8});
    same("wmma.m32n8k16.f16.a", "mma.m16n8k16.f16.a", {16, 0});
    same("wmma.m32n8k16.c", "mma.m16n8k16.f16.c", {16, 0});
    same("wmma.m8n32k16.f16.b", "mma.m16n8k16.f16.b", {0, 8});
    same("wmma.m16n16k16.s8.a", "mma.m16n8k16.s8.a", {});
    same("wmma.m16n16k8.tf32.b", "mma.m16n8k8.tf32.b", {0, 8});
    same("wmma.m8n8k4.c", "mma.m8n8k4.f64.c", {});
    same("wmma.m8n8k128.b1.b", "mma.m8n8k128.b1.b", {});
}

TEST_CASE("Every layout holds each element of its matrix, and finds it again", "[matrix]") {
    for (Layout const& l : layouts()) {
        INFO(l.name);
        std::set<std::pair<int, int>> cells;
        for (int warp = 0; warp < (l.is_of_four_warps ? 4 : 1); ++warp) {
            for (int lane = 0; lane < 32; ++lane) {
                for (int e = 0; e < l.elements; ++e) {
                    auto const [row, column] = l.cell(lane, e, warp);
                    REQUIRE((row >= 0 && row < l.rows && column >= 0 && column < l.columns));
                    cells.insert({row, column});
                }
            }
        }
        CHECK(cells.size() == static_cast<std::size_t>(l.rows * l.columns));
        for (Cell const cell : {Cell{0, 0}, Cell{l.rows - 1, l.columns - 1}, Cell{l.rows / 2, 1}}) {
            int warp = 0;
            ElementPlace const place = l.place(cell, warp);
            CHECK(l.cell(place.lane, l.element_at(place.reg, place.bit), warp) == cell);
        }
    }
    CHECK(print(layout("mma.m8n8k16.s8.c")).find("\nt0e0  t0e1  t1e0  t1e1  t2e0  t2e1  t3e0  t3e1\nt4e0") !=
          std::string::npos);
}

}  // namespace layout_test
