// Rows of ldmatrix and stmatrix and fragments of wmma at random addresses, most of which are right: what is outside is
// named and not touched, and it does not matter whether somebody looks on.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

#include <random>

namespace matrix_addresses_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

constexpr int tile_bytes = 1024;

struct Outcome {
    std::vector<std::uint32_t> words;
    std::string error;
    bool operator==(Outcome const&) const = default;
};

/// The words that the kernel stores, or its error, with and without a sink that wants every access.
std::array<Outcome, 2> outcomes(std::string const& text, std::vector<std::uint32_t> const& in, std::size_t words) {
    std::array<Outcome, 2> both;
    for (bool const is_observed : {false, true}) {
        runtime::DeviceOptions options = Program::one_thread();
        options.memory_statistics = is_observed;
        Program program(text, "independent", options, {"compute_capability=10.0"});
        program.in = program.device.upload(in);
        Outcome& o = both[is_observed];
        try {
            o.words = program.run<std::uint32_t>(words);
        } catch (Error const& error) {
            o.error = error.what();
        }
    }
    return both;
}

std::vector<std::uint32_t> random_words(std::mt19937& random, std::size_t count) {
    std::vector<std::uint32_t> words(count);
    for (std::uint32_t& word : words) word = static_cast<std::uint32_t>(random());
    return words;
}

struct RowInstruction {
    std::string text;
    int registers, rows;
    bool is_store;
};

RowInstruction row_instruction(std::mt19937& random) {
    int const log2 = static_cast<int>(random() % 3), count = 1 << log2;
    std::string const number = ".x" + std::to_string(count), trans = random() % 2 == 0 ? ".trans" : "";
    switch (random() % 5) {
        case 0: return {"stmatrix.sync.aligned.m8n8" + number + trans + ".shared.b16", count, 8 * count, true};
        case 1: return {"stmatrix.sync.aligned.m16n8" + number + ".trans.shared.b8", count, 8 * count, true};
        case 2:
            return {"ldmatrix.sync.aligned.m8n16" + number + ".shared.b8x16.b4x16_p64", count, 8 * count, false};
        case 3:
            if (count == 4) break;
            return {"ldmatrix.sync.aligned.m16n16" + number + ".trans.shared.b8", 2 * count, 16 * count, false};
        default: break;
    }
    return {"ldmatrix.sync.aligned.m8n8" + number + trans + ".shared.b16", count, 8 * count, false};
}

/// Lane i has the address that word 256 + i of `in` says; registers and the tile are stored.
std::string row_program(RowInstruction const& instruction) {
    std::string const registers = list("r", 0, instruction.registers);
    std::string body = fill_tile(tile_bytes) + R"(
shl.b32 %r29, %i, 2; cvt.u64.u32 %d0, %r29; add.u64 %d1, %in, %d0; add.u64 %d2, %out, %d0;
ld.global.b32 %r20, [%d1+1024];
add.u32 %r20, %r20, %r30;
)";
    for (int r = 0; r < 4; ++r)
        body += "mad.lo.u32 %r" + std::to_string(r) + ", %i, 77777777, " + std::to_string(r) + ";\n";
    body += instruction.is_store ? instruction.text + " [%r20], " + registers + ";\n"
                                 : instruction.text + " " + registers + ", [%r20];\n";
    body += "bar.warp.sync -1;\n";
    for (int r = 0; r < 4; ++r)
        body += "st.global.b32 [%d2+" + std::to_string(128 * r) + "], %r" + std::to_string(r) + ";\n";
    for (int w = 0; w < tile_bytes / 128; ++w) {
        std::string const at = std::to_string(128 * w);
        body += "add.u32 %r21, %r29, %r30;\nld.shared.b32 %r22, [%r21+" + at + "];\nst.global.b32 [%d2+" +
                std::to_string(512 + 128 * w) + "], %r22;\n";
    }
    return for_target(body, "sm_100a", ".shared .align 128 .b8 tile[" + std::to_string(tile_bytes) + "];");
}

}  // namespace

TEST_CASE("Rows of matrices at any addresses are moved or reported", "[exec]") {
    std::mt19937 random(14);
    int faults = 0;
    for (int turn = 0; turn < 80; ++turn) {
        RowInstruction const instruction = row_instruction(random);
        std::vector<std::uint32_t> in = random_words(random, 256 + 32);
        for (std::size_t lane = 0; lane < 32; ++lane)
            in[256 + lane] = static_cast<std::uint32_t>(random() % 64) * 16;
        bool is_legal = true;
        if (turn % 2 == 0) {
            std::uint32_t const wrong[] = {tile_bytes, 8, 0xfffffff0, tile_bytes + 4096, 0x01000000, 0x7ffffff1};
            auto const lane = random() % 32;
            in[256 + lane] = wrong[random() % 6];
            is_legal = static_cast<int>(lane) >= instruction.rows;
        }
        std::string const text = row_program(instruction);
        INFO(turn << " " << text);
        auto const [quiet, observed] = outcomes(text, in, 128 + 256);
        CHECK(quiet == observed);
        CHECK(quiet.error.empty() == is_legal);
        if (is_legal) continue;
        ++faults;
        CHECK((contains(quiet.error, "illegal address") || contains(quiet.error, "misaligned address")));
        CHECK(contains(quiet.error, "matrix.sync"));
    }
    CHECK(faults > 20);
}

TEST_CASE("Fragments of wmma at any address and stride are moved or reported", "[exec]") {
    std::mt19937 random(15);
    int faults = 0;
    for (int turn = 0; turn < 80; ++turn) {
        bool const is_column = random() % 2 == 0, is_b = random() % 2 == 0, is_shared = random() % 2 == 0;
        auto const offset = 16 * (random() % 8);
        auto const stride = random() % 5 == 0 ? 8 * (random() % 0x10000000) : 8 * (random() % 8);
        std::string const address = is_shared ? "%r30" : "%in";
        std::string body = fill_tile(tile_bytes) + "mov.u32 %r29, " + std::to_string(stride) + ";\n" +
                           "wmma.load." + (is_b ? "b" : "a") + ".sync.aligned" + (is_column ? ".col" : ".row") +
                           ".m16n16k16" + (is_shared ? ".shared" : ".global") + ".f16 " + list("r", 0, 8) + ", [" +
                           address + "+" + std::to_string(offset) + "], %r29;\n";
        for (int r = 0; r < 8; ++r)
            body += "st.global.b32 [%o4+" + std::to_string(128 * r) + "], %r" + std::to_string(r) + ";\n";
        std::string const text =
            for_target(body, "sm_80", ".shared .align 128 .b8 tile[" + std::to_string(tile_bytes) + "];");
        INFO(turn << " " << text);
        auto const [quiet, observed] = outcomes(text, random_words(random, tile_bytes / 4), 256);
        CHECK(quiet == observed);
        bool const is_inside = offset + 15 * 2 * std::uint64_t{stride} + 32 <= tile_bytes;
        // Beyond its allocation a matrix in global memory may reach into another one.
        if (is_inside || is_shared) CHECK(quiet.error.empty() == is_inside);
        if (quiet.error.empty()) continue;
        ++faults;
        CHECK(contains(quiet.error, "illegal address"));
        CHECK(contains(quiet.error, "wmma.load"));
    }
    CHECK(faults > 10);
}

}  // namespace matrix_addresses_test
