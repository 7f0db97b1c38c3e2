// ldmatrix and stmatrix: rows of bytes in shared memory, and where their elements go.
#include "tests/support/catch.hpp"
#include "tests/support/matrices.hpp"

namespace matrix_access_test {

using namespace warpsim;
using namespace warpsim::test;

TEST_CASE("ldmatrix and stmatrix move rows of matrices, and their columns with .trans", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        for (int const count : {1, 2, 4}) {
            for (bool const is_transposed : {false, true}) {
                std::string const suffix =
                    ".m8n8.x" + std::to_string(count) + (is_transposed ? ".trans" : "") + ".shared.b16 ";
                // Shared memory holds its own half-words' numbers; row r of matrix j lies at 80 * (8 j + r).
                std::string const body = fill_tile(4096) + R"(
mad.lo.u32 %r13, %i, 80, %r30;
ldmatrix.sync.aligned)" + suffix + list("r", 0, count) +
                                         ", [%r13+16];\n" + "stmatrix.sync.aligned" + suffix + "[%r13+32], " +
                                         list("r", 0, count) + ";\nbar.warp.sync -1;\n" + R"(
ld.shared.v4.b32 {%r20, %r21, %r22, %r23}, [%r13+32];
shl.b32 %r30, %i, 2; cvt.u64.u32 %d0, %r30; add.u64 %d2, %out, %d0;
)" + [&] {
                                             std::string stores;
                                             for (int r = 0; r < count; ++r)
                                                 stores += "st.global.b32 [%d2+" + std::to_string(128 * r) +
                                                           "], %r" + std::to_string(r) + ";\n";
                                             for (int r = 0; r < 4; ++r)
                                                 stores += "st.global.b32 [%d2+" +
                                                           std::to_string(128 * (count + r)) + "], %r" +
                                                           std::to_string(20 + r) + ";\n";
                                             return stores;
                                         }();
                INFO(suffix << control_flow);
                Program program(for_target(body, "sm_90", ".shared .align 16 .b8 tile[4096];"), control_flow);
                program.in = program.device.upload(
                    each<std::uint16_t>(2048, [](std::uint32_t i) { return static_cast<std::uint16_t>(i); }));
                auto const got = program.run<std::uint32_t>(static_cast<std::size_t>(32 * (count + 4)));
                auto const half = [&](int matrix, int row, int column) {
                    return static_cast<std::uint32_t>(40 * (8 * matrix + row) + 8 + column);
                };
                for (int j = 0; j < count; ++j) {
                    for (int lane = 0; lane < 32; ++lane) {
                        int const r = lane / 4, c = 2 * (lane % 4);
                        std::uint32_t const want = is_transposed ? half(j, c, r) | half(j, c + 1, r) << 16
                                                                 : half(j, r, c) | half(j, r, c + 1) << 16;
                        CHECK(got[static_cast<std::size_t>(32 * j + lane)] == want);
                    }
                }
                // What was stored is what was loaded, in either way; lanes without a row of their own read the old bytes.
                for (int lane = 0; lane < 8 * count; ++lane) {
                    for (int r = 0; r < 4; ++r) {
                        std::uint32_t const want =
                            half(lane / 8, lane % 8, 2 * r) | half(lane / 8, lane % 8, 2 * r + 1) << 16;
                        CHECK(got[static_cast<std::size_t>(32 * (count + r) + lane)] == want);
                    }
                }
            }
        }
    }
}

namespace {

/// Shared memory of 4096 bytes, from `in`; lane i has the address of row i: 48 * i bytes from 16 on.
std::string with_tile(std::string const& instruction, int results) {
    std::string body = fill_tile(4096) + R"(
mad.lo.u32 %r13, %i, 48, %r30;
shl.b32 %r30, %i, 2; cvt.u64.u32 %d0, %r30; add.u64 %d2, %out, %d0;
)" + instruction;
    for (int r = 0; r < results; ++r)
        body += "st.global.b32 [%d2+" + std::to_string(128 * r) + "], %r" + std::to_string(r) + ";\n";
    return for_target(body, "sm_100a", ".shared .align 16 .b8 tile[4096];");
}

Registers run_on(std::string const& text, std::vector<std::uint8_t> const& bytes, int results,
                 std::string const& control_flow) {
    Program program(text, control_flow, Program::one_thread(), {"compute_capability=10.0"});
    program.in = program.device.upload(bytes);
    auto const out = program.run<std::uint32_t>(32 * static_cast<std::size_t>(results));
    Registers got;
    for (int r = 0; r < results; ++r) got.emplace_back(out.begin() + 32 * r, out.begin() + 32 * (r + 1));
    return got;
}

std::vector<std::uint8_t> random_bytes() {
    std::mt19937 random(5);
    std::vector<std::uint8_t> bytes(4096);
    for (std::uint8_t& b : bytes) b = static_cast<std::uint8_t>(random());
    return bytes;
}

/// Element `column` of the row that lane `row` names, as a byte: of 8, 6 or 4 bits in memory.
std::uint32_t element(std::vector<std::uint8_t> const& bytes, int row, int column, int bits) {
    std::size_t const first = 16 + 48 * static_cast<std::size_t>(row);
    std::uint32_t value = 0;
    for (int b = 0; b < bits; ++b) {
        int const at = column * bits + b;
        value |= (static_cast<std::uint32_t>(bytes[first + static_cast<std::size_t>(at / 8)]) >> (at % 8) & 1)
                 << b;
    }
    return bits == 4 ? value << 2 : value;
}

struct Packing {
    char const* type;
    int bits;
};

}  // namespace

TEST_CASE("ldmatrix loads matrices of bytes, and of 4 and 6 bits as bytes", "[exec]") {
    std::vector<std::uint8_t> const bytes = random_bytes();
    for (std::string const& control_flow : control_flows()) {
        for (Packing const& p : {Packing{".b8x16.b6x16_p32", 6}, Packing{".b8x16.b4x16_p64", 4}}) {
            for (int const count : {1, 2, 4}) {
                std::string const instruction = "ldmatrix.sync.aligned.m8n16.x" + std::to_string(count) +
                                                ".shared" + p.type + " " + list("r", 0, count) + ", [%r13+16];\n";
                INFO(instruction);
                Registers const got = run_on(with_tile(instruction, count), bytes, count, control_flow);
                for (int r = 0; r < count; ++r) {
                    for (int lane = 0; lane < 32; ++lane) {
                        std::uint32_t want = 0;
                        for (int e = 0; e < 4; ++e)
                            want |= element(bytes, 8 * r + lane / 4, 4 * (lane % 4) + e, p.bits) << (8 * e);
                        CHECK(got[static_cast<std::size_t>(r)][static_cast<std::size_t>(lane)] == want);
                    }
                }
            }
        }
        // 16 by 16, transposed: lane t has columns 4 (t % 4) to + 3 of rows t / 4 and t / 4 + 8, which lie across memory.
        for (Packing const& p :
             {Packing{".b8", 8}, Packing{".b8x16.b6x16_p32", 6}, Packing{".b8x16.b4x16_p64", 4}}) {
            for (int const count : {1, 2}) {
                std::string const instruction = "ldmatrix.sync.aligned.m16n16.x" + std::to_string(count) +
                                                ".trans.shared" + p.type + " " + list("r", 0, 2 * count) +
                                                ", [%r13+16];\n";
                INFO(instruction);
                Registers const got = run_on(with_tile(instruction, 2 * count), bytes, 2 * count, control_flow);
                for (int r = 0; r < 2 * count; ++r) {
                    for (int lane = 0; lane < 32; ++lane) {
                        std::uint32_t want = 0;
                        for (int e = 0; e < 4; ++e) {
                            int const row = 16 * (r / 2) + 4 * (lane % 4) + e;
                            want |= element(bytes, row, lane / 4 + 8 * (r % 2), p.bits) << (8 * e);
                        }
                        CHECK(got[static_cast<std::size_t>(r)][static_cast<std::size_t>(lane)] == want);
                    }
                }
            }
        }
    }
}

TEST_CASE("stmatrix stores matrices of bytes, transposed", "[exec]") {
    std::vector<std::uint8_t> const bytes = random_bytes();
    for (std::string const& control_flow : control_flows()) {
        for (int const count : {1, 2, 4}) {
            std::string instruction;
            for (int r = 0; r < count; ++r)
                instruction +=
                    "ld.shared.b32 %r" + std::to_string(20 + r) + ", [%r13+" + std::to_string(16 + 4 * r) + "];\n";
            instruction += "bar.warp.sync -1;\nstmatrix.sync.aligned.m16n8.x" + std::to_string(count) +
                           ".trans.shared.b8 [%r13+32], " + list("r", 20, count) + ";\nbar.warp.sync -1;\n" +
                           "ld.shared.v4.b32 {%r0, %r1, %r2, %r3}, [%r13+32];\n";
            INFO(instruction);
            Registers const got = run_on(with_tile(instruction, 4), bytes, 4, control_flow);
            // e0 and e1 of lane t are in row t / 4, columns 2 (t % 4) and + 1; e2 and e3 eight rows below.
            for (int j = 0; j < count; ++j) {
                for (int lane = 0; lane < 32; ++lane) {
                    for (int e = 0; e < 4; ++e) {
                        int const row = lane / 4 + (e < 2 ? 0 : 8), column = 2 * (lane % 4) + e % 2;
                        std::uint32_t const want = element(bytes, lane, 4 * j + e, 8);
                        std::uint32_t const word =
                            got[static_cast<std::size_t>(row / 4)][static_cast<std::size_t>(8 * j + column)];
                        CHECK((word >> (8 * (row % 4)) & 0xff) == want);
                    }
                }
            }
        }
    }
}

TEST_CASE("Rows of ldmatrix must lie in shared memory, at multiples of 16 bytes", "[exec]") {
    for (std::string const& control_flow : control_flows()) {
        INFO(control_flow);
        auto const load_of_rows = [&](std::string const& stride) {
            std::string const body = "mov.u32 %r10, tile;\nmad.lo.u32 %r10, %i, " + stride +
                                     ", %r10;\nldmatrix.sync.aligned.m8n8.x1.shared.b16 {%r0}, [%r10];";
            return Program(kernel(body, ".shared .align 16 .b8 tile[512];"), control_flow).error();
        };
        std::string const misaligned = load_of_rows("8");
        CHECK(contains(misaligned, "which is not a multiple of 16"));
        CHECK(contains(misaligned, "thread (1,0,0)"));
        // The fifth row is read by lanes 16 to 19.
        std::string const beyond = load_of_rows("128");
        CHECK(contains(beyond, "shared"));
        CHECK(contains(beyond, "thread (16,0,0)"));
        std::string const global =
            Program(kernel("ldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%out];"), control_flow).error();
        CHECK(contains(global, "which is not in shared memory"));
        std::string const generic = "mov.u32 %r10, tile; cvta.shared.u64 %d0, tile;\n"
                                    "st.shared.b32 [%r10], 77;\nldmatrix.sync.aligned.m8n8.x1.b16 {%r0}, [%d0];\n"
                                    "st.global.b32 [%o4], %r0;";
        Program program(kernel(generic, ".shared .align 16 .b8 tile[512];"), control_flow);
        CHECK(program.run<std::uint32_t>(32)[0] == 77);
    }
}

}  // namespace matrix_access_test
