// Tensor memory: its allocation, loads and stores of all shapes, copies from shared memory.
#include "tests/support/catch.hpp"
#include "tests/support/tensor_memory.hpp"

#include <algorithm>
#include <map>
#include <random>

namespace tensor_memory_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

TensorCells random_cells(std::uint32_t columns, unsigned seed) {
    std::mt19937 random(seed);
    TensorCells cells(columns);
    for (std::uint32_t& word : cells.words) word = static_cast<std::uint32_t>(random());
    return cells;
}

/// Lane and column of a register: figures "Matrix Fragment for shape ...".
struct Cell {
    std::uint32_t lane, column;
};
Cell figure(std::string const& shape, std::uint32_t thread, std::uint32_t reg, std::uint32_t split) {
    if (shape == "32x32b") return {thread, reg};
    if (shape == "16x32bx2") return {thread % 16, reg + (thread < 16 ? 0 : split)};
    // Two columns for each register; odd threads have rows from 8 on.
    if (shape == "16x64b") return {thread / 4 + (thread % 2 == 0 ? 0u : 8u), 2 * reg + (thread % 4 < 2 ? 0u : 1u)};
    // As fragments of mma: a quad has a row, and the second register of two has the row eight below.
    if (shape == "16x128b") return {thread / 4 + (reg % 2 == 0 ? 0u : 8u), reg / 2 * 4 + thread % 4};
    return {thread / 4 + (reg % 4 < 2 ? 0u : 8u), reg / 4 * 8 + thread % 4 * 2 + reg % 2};
}

std::string registers_text(int count) {
    std::string text = "{";
    for (int r = 0; r < count; ++r) text += (r == 0 ? "%v" : ", %v") + std::to_string(r);
    return text + "}";
}

struct Access {
    std::string shape;
    int num, registers;
};
std::vector<Access> const accesses{{"32x32b", 1, 1},   {"32x32b", 16, 16}, {"16x64b", 1, 1},  {"16x64b", 8, 8},
                                   {"16x128b", 1, 2},  {"16x128b", 4, 8},  {"16x256b", 1, 4}, {"16x256b", 4, 16},
                                   {"16x32bx2", 1, 1}, {"16x32bx2", 8, 8}};

std::string split_text(Access const& a, std::uint32_t split) {
    return a.shape == "16x32bx2" ? ", " + std::to_string(split) : "";
}

/// Loads columns from 4 on with the shape, and stores them with another that changes nothing, from 64 on.
void check_load(Access const& a, bool packs, TensorWay const& way) {
    std::uint32_t const split = 16, half = a.shape == "32x32b" ? 0 : 16;
    TensorKernel kernel;
    std::string const address =
        "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta; add.u32 %a, %a, " + std::to_string((half << 16) + 4) + ";\n";
    kernel.body =
        address + "tcgen05.ld.sync.aligned." + a.shape + ".x" + std::to_string(a.num) +
        (packs ? ".pack::16b" : "") + ".b32 " + registers_text(a.registers) + ", [%a]" + split_text(a, split) +
        ";\ntcgen05.wait::ld.sync.aligned; shl.b32 %a, %w, 21; add.u32 %a, %a, %ta; add.u32 %a, %a, 64;\n"
        "tcgen05.st.sync.aligned.32x32b.x" +
        std::to_string(a.registers) + ".b32 [%a], " + registers_text(a.registers) +
        "; tcgen05.wait::st.sync.aligned;\n";
    TensorCells const given = random_cells(kernel.columns, 1);
    TensorCells want = given;
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
        for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(a.registers); ++r) {
            Cell cell = figure(a.shape, thread % 32, r, packs ? 0 : split);
            std::uint32_t const lane = thread / 32 * 32 + half + cell.lane;
            if (packs) cell.column = 2 * cell.column + (a.shape == "16x32bx2" && thread % 32 >= 16 ? split : 0);
            want.at(thread, 64 + r) =
                packs ? (given.at(lane, 4 + cell.column) & 0xffff) | given.at(lane, 5 + cell.column) << 16
                      : given.at(lane, 4 + cell.column);
        }
    }
    INFO(a.shape << ".x" << a.num << (packs ? " packed, " : ", ") << way.name());
    CHECK(kernel.run({{}}, {given}, way)[0] == want);
}

/// Loads columns from 64 on unchanged, and stores them with the shape.
void check_store(Access const& a, bool unpacks, TensorWay const& way) {
    std::uint32_t const split = 24;
    TensorKernel kernel;
    kernel.body = "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta; add.u32 %b, %a, 64; add.u32 %a, %a, 2;\n"
                  "tcgen05.ld.sync.aligned.32x32b.x" +
                  std::to_string(a.registers) + ".b32 " + registers_text(a.registers) +
                  ", [%b]; tcgen05.wait::ld.sync.aligned;\ntcgen05.st.sync.aligned." + a.shape + ".x" +
                  std::to_string(a.num) + (unpacks ? ".unpack::16b" : "") + ".b32 [%a]" + split_text(a, split) +
                  ", " + registers_text(a.registers) + ";\ntcgen05.wait::st.sync.aligned;\n";
    TensorCells const given = random_cells(kernel.columns, 2);
    TensorCells want = given;
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
        for (std::uint32_t r = 0; r < static_cast<std::uint32_t>(a.registers); ++r) {
            Cell cell = figure(a.shape, thread % 32, r, unpacks ? 0 : split);
            std::uint32_t const lane = thread / 32 * 32 + cell.lane, value = given.at(thread, 64 + r);
            if (!unpacks) {
                want.at(lane, 2 + cell.column) = value;
                continue;
            }
            cell.column = 2 * cell.column + (a.shape == "16x32bx2" && thread % 32 >= 16 ? split : 0);
            for (std::uint32_t odd = 0; odd < 2; ++odd) {
                std::uint32_t& word = want.at(lane, 2 + cell.column + odd);
                word = (word & 0xffff0000u) | (value >> (16 * odd) & 0xffff);
            }
        }
    }
    INFO(a.shape << ".x" << a.num << (unpacks ? " unpacked, " : ", ") << way.name());
    CHECK(kernel.run({{}}, {given}, way)[0] == want);
}

}  // namespace

TEST_CASE("Loads from tensor memory have the manual's figures", "[exec]") {
    for (Access const& a : accesses) {
        for (bool const packs : {false, true}) check_load(a, packs, {});
    }
    check_load(accesses[5], false, {"stack", false, false});
    check_load(accesses[7], true, {"independent", false, true});
}

TEST_CASE("Stores to tensor memory have the manual's figures", "[exec]") {
    for (Access const& a : accesses) {
        for (bool const unpacks : {false, true}) check_store(a, unpacks, {});
    }
    check_store(accesses[5], false, {"stack", false, false});
    check_store(accesses[7], true, {"independent", false, true});
}

TEST_CASE("Loads from tensor memory can reduce what they load", "[exec]") {
    struct Reduction {
        std::string text;
        std::uint32_t want[4];  // of the four lanes' columns below
    };
    // +0 -0, NaN and numbers, integers of both signs.
    std::uint32_t const lanes[4][2] = {
        {0x00000000, 0x80000000}, {0x7fc00001, 0xc0000000}, {0xffffffff, 0x00000002}, {0x40400000, 0xc0800000}};
    std::vector<Reduction> const reductions{
        {"min.u32", {0x00000000, 0x7fc00001, 0x00000002, 0x40400000}},
        {"max.u32", {0x80000000, 0xc0000000, 0xffffffff, 0xc0800000}},
        {"min.s32", {0x80000000, 0xc0000000, 0xffffffff, 0xc0800000}},
        {"max.s32", {0x00000000, 0x7fc00001, 0x00000002, 0x40400000}},
        {"min.f32", {0x80000000, 0xc0000000, 0x00000002, 0xc0800000}},
        {"max.f32", {0x00000000, 0xc0000000, 0x00000002, 0x40400000}},
        {"max.abs.f32", {0x00000000, 0x40000000, 0x00000002, 0x40800000}},
        {"min.NaN.f32", {0x80000000, 0x7fffffff, 0x7fffffff, 0xc0800000}},
    };
    for (Reduction const& reduction : reductions) {
        TensorKernel kernel;
        kernel.target = "sm_103a";
        kernel.columns = 32;
        kernel.body = "shl.b32 %a, %w, 21; add.u32 %a, %a, %ta;\ntcgen05.ld.red.sync.aligned.32x32b.x2." +
                      reduction.text +
                      " {%v0, %v1}, %v2, [%a]; tcgen05.wait::ld.sync.aligned; add.u32 %a, %a, 4;\n"
                      "tcgen05.st.sync.aligned.32x32b.x1.b32 [%a], {%v2}; tcgen05.wait::st.sync.aligned;\n";
        TensorCells given(32);
        for (std::uint32_t lane = 0; lane < 4; ++lane)
            for (std::uint32_t c = 0; c < 2; ++c) given.at(lane, c) = lanes[lane][c];
        TensorCells const got = kernel.run({{}}, {given}, {})[0];
        INFO(reduction.text);
        for (std::uint32_t lane = 0; lane < 4; ++lane) CHECK(got.at(lane, 4) == reduction.want[lane]);
    }
}

TEST_CASE("Wrong use of tensor memory is reported where it happens", "[exec]") {
    auto const error = [](std::string const& body, std::uint32_t ctas = 1) {
        TensorKernel kernel;
        kernel.body = body;
        kernel.ctas = ctas;
        return kernel.error();
    };
    std::string const load = "tcgen05.ld.sync.aligned.32x32b.x1.b32 {%v0}, [%a];\n";
    std::string const first = "@%p2 bra Z;\n";
    CHECK(contains(error("mov.u32 %a, %ta;\n" + load), "of the block reaches lanes "));
    CHECK(contains(error("shl.b32 %a, %w, 21; add.u32 %a, %a, 128;\n" + load),
                   "column 128 of tensor memory are not allocated (allocated: columns 0 to 127)"));
    CHECK(contains(error("shl.b32 %a, %w, 21; mov.u32 %a, %t;\n" + load), "not the same in all threads"));
    CHECK(contains(error(first + "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, 128;\n"
                                 "tcgen05.dealloc.cta_group::1.sync.aligned.b32 %ta, 128;\nZ:\n"),
                   "columns 0 to 127 of tensor memory are not allocated"));
    CHECK(
        contains(error(first + "add.u32 %a, %ta, 16; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 32;\nZ:\n"),
                 "which no tcgen05.alloc has given"));
    CHECK(contains(error(first + "mov.u32 %r0, 48; tcgen05.alloc.cta_group::1.sync.aligned.b32 [%sa], %r0;\nZ:\n"),
                   "48 columns of tensor memory"));
    CHECK(contains(error(first + "tcgen05.relinquish_alloc_permit.cta_group::1.sync.aligned;\n"
                                 "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%sa], 32;\nZ:\n"),
                   "given up its right to allocate"));
    CHECK(contains(error(first + "tcgen05.relinquish_alloc_permit.cta_group::2.sync.aligned;\nZ:\n"),
                   "all of a kernel name the same"));
    CHECK(contains(error("@%p1 bra Z; add.u32 %a, %ta, 2097153; tcgen05.shift.cta_group::1.down [%a];"
                         "add.u32 %a, %ta, 65537; tcgen05.shift.cta_group::1.down [%a]; Z:\n"),
                   "whose lane is not a multiple of 32"));
    std::string const leak =
        error(first + "tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%sa], 64;\nZ:\n");
    CHECK(contains(leak, "columns 128 to 191, allocated by warp 0 at test.ptx:"));
    CHECK(contains(leak, "has not deallocated"));
}

TEST_CASE("An allocation that nobody makes room for is a deadlock", "[exec]") {
    for (bool const timed : {false, true}) {
        TensorKernel kernel;
        kernel.columns = 512;
        kernel.body = "@%p2 bra Z;\ntcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%sa], 64;\nZ:\n";
        std::string const error = kernel.error({"independent", false, timed});
        INFO(error);
        CHECK(contains(error, "wait for 64 columns of tensor memory (the block has columns 0 to 511)"));
    }
}

TEST_CASE("An allocation waits until other columns are free", "[exec]") {
    for (TensorWay const& way : tensor_ways) {
        TensorKernel kernel;
        kernel.columns = 512;
        // Warp 1 allocates while warp 0 has all; warp 0 gives back its half, and takes it again.
        kernel.body =
            "setp.eq.u32 %p5, %w, 1; @%p5 bra ONE; @%p2 bra Z;\n"
            "add.u32 %a, %ta, 256; tcgen05.dealloc.cta_group::1.sync.aligned.b32 %a, 256; bra Z;\n"
            "ONE: add.u32 %b, %sa, 8; tcgen05.alloc.cta_group::1.sync.aligned.shared::cta.b32 [%b], 256;\n"
            "ld.shared.b32 %b, [%b]; @%p1 st.shared.b32 [%sa+16], %b;\nZ:\nbar.sync 0;\nld.shared.b32 %b, "
            "[%sa+16];\n"
            "setp.ne.u32 %p5, %b, 256; @%p5 trap;\n";
        CHECK(kernel.error(way).empty());
    }
}

TEST_CASE("Copies put rows of shared memory into lanes", "[exec]") {
    struct Copy {
        std::string shape;
        std::uint32_t rows, bytes;
        std::vector<std::uint32_t> (*lanes)(std::uint32_t row);
    };
    std::vector<Copy> const copies{
        {"128x256b", 128, 32, [](std::uint32_t r) { return std::vector<std::uint32_t>{r}; }},
        {"128x128b", 128, 16, [](std::uint32_t r) { return std::vector<std::uint32_t>{r}; }},
        {"4x256b", 4, 32, [](std::uint32_t r) { return std::vector<std::uint32_t>{32 * r}; }},
        {"64x128b.warpx2::02_13", 64, 16,
         [](std::uint32_t r) {
             return std::vector<std::uint32_t>{r, r + 64};
         }},
        {"64x128b.warpx2::01_23", 64, 16,
         [](std::uint32_t r) {
             return r < 32 ? std::vector<std::uint32_t>{r, r + 32} : std::vector<std::uint32_t>{r + 32, r + 64};
         }},
        {"32x128b.warpx4", 32, 16,
         [](std::uint32_t r) {
             return std::vector<std::uint32_t>{r, r + 32, r + 64, r + 96};
         }},
    };
    for (std::uint32_t const ctas : {1u, 2u}) {
        for (Copy const& copy : copies) {
            for (std::string const format : {"", ".b8x16.b6x16_p32", ".b8x16.b4x16_p64"}) {
                TensorKernel kernel;
                kernel.ctas = ctas;
                kernel.columns = 32;
                kernel.shared = 4096;
                // Core matrices of eight rows of 16 bytes, all of a column of them first.
                std::uint32_t const leading = copy.rows * 16;
                kernel.body =
                    committed(kernel, "mov.u16 %h0, 3; and.b32 %a, %sa, 262143; shr.u32 %a, %a, 4; cvt.u64.u32 "
                                      "%d1, %a; add.u64 %d1, %d1, " +
                                          std::to_string(std::uint64_t{leading / 16} << 16 |
                                                         std::uint64_t{8} << 32 | std::uint64_t{1} << 46) +
                                          "; add.u32 %a, %ta, 8;\ntcgen05.cp" + kernel.group() + "." + copy.shape +
                                          format + " [%a], %d1;\n");
                std::mt19937 random(5);
                std::vector<std::vector<std::uint8_t>> bytes(ctas, std::vector<std::uint8_t>(kernel.shared));
                std::vector<TensorCells> given, want;
                for (std::uint32_t c = 0; c < ctas; ++c) {
                    for (std::uint8_t& b : bytes[c]) b = static_cast<std::uint8_t>(random());
                    given.push_back(random_cells(kernel.columns, c + 3));
                    want.push_back(given.back());
                    for (std::uint32_t row = 0; row < copy.rows; ++row) {
                        for (std::uint32_t byte = 0; byte < copy.bytes; ++byte) {
                            std::size_t const chunk = row * 16 + byte / 16 * leading;
                            std::uint32_t value = bytes[c][chunk + byte % 16];
                            int const bits = format.empty() ? 8 : contains(format, "b6") ? 6 : 4;
                            if (bits < 8) {
                                std::size_t const at = byte % 16 * static_cast<std::size_t>(bits);
                                std::uint32_t const low = bytes[c][chunk + at / 8];
                                std::uint32_t const two = low | std::uint32_t{bytes[c][chunk + at / 8 + 1]} << 8;
                                value = two >> (at % 8) & ((1u << bits) - 1);
                                if (bits == 4) value <<= 2;
                            }
                            for (std::uint32_t const lane : copy.lanes(row)) {
                                std::uint32_t& word = want.back().at(lane, 8 + byte / 4);
                                word = (word & ~(0xffu << (8 * (byte % 4)))) | value << (8 * (byte % 4));
                            }
                        }
                    }
                }
                for (TensorWay const& way : tensor_ways) {
                    INFO(copy.shape << format << ", " << ctas << " blocks, " << way.name());
                    CHECK(kernel.run(bytes, given, way) == want);
                }
            }
        }
    }
}

TEST_CASE("A shift moves the lanes of a warp's quarter", "[exec]") {
    TensorKernel kernel;
    kernel.columns = 32;
    kernel.body = committed(
        kernel, "add.u32 %a, %ta, 4194306; tcgen05.shift.cta_group::1.down [%a];\n");  // lane 64, column 2
    TensorCells const given = random_cells(32, 9);
    TensorCells want = given;
    for (std::uint32_t lane = 64; lane < 95; ++lane)
        for (std::uint32_t column = 2; column < 10; ++column) want.at(lane, column) = given.at(lane + 1, column);
    for (TensorWay const& way : tensor_ways) CHECK(kernel.run({{}}, {given}, way)[0] == want);
}

}  // namespace tensor_memory_test
