// What the four warps of a warpgroup must do together, what others learn of their products, and descriptors of all kinds.
#include "sim/events.hpp"
#include "sim/exec/lanes/access.hpp"
#include "sim/exec/op.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <bit>
#include <random>
#include <set>

namespace warpgroups_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

constexpr std::uint32_t shared_bytes = 8192;

/// %w is the number of the warp; shared memory has ones of f16, and behind 2048 bytes twos; %da and %db are descriptors
/// of a, and of b behind it, both without a swizzle. Stores the first accumulator.
std::string group_kernel(std::string const& body) {
    return ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p_out, .param .u64 "
           "p_in)\n{\n"
           ".shared .align 1024 .b8 s[" +
           std::to_string(shared_bytes) +
           "];\n.reg .pred %p<3>; .reg .b32 %t, %i, %a, %v, %w, %n; .reg .b64 %out, %in, %da, %db;\n"
           ".reg .f32 %c<4>;\nld.param.u64 %out, [p_out]; ld.param.u64 %in, [p_in]; mov.u32 %t, %tid.x;\n"
           "shr.u32 %w, %t, 5; shl.b32 %i, %t, 2; mov.u32 %a, s; add.u32 %a, %a, %i;\n"
           "L: setp.lt.u32 %p0, %i, 2048; selp.b32 %v, 0x3c003c00, 0x40004000, %p0; st.shared.b32 [%a], %v;\n"
           "add.u32 %a, %a, 512; add.u32 %i, %i, 512; setp.lt.u32 %p0, %i, " +
           std::to_string(shared_bytes) +
           "; @%p0 bra L;\nfence.proxy.async; bar.sync 0;\n"
           "mov.b64 %da, 0x0000001000080000; mov.b64 %db, 0x0000001000080080;\nmov.u32 %n, 0;\n" +
           body + "mul.wide.u32 %in, %t, 4; add.u64 %out, %out, %in; st.global.f32 [%out], %c0;\nret;\n}\n";
}

std::string const fence = "wgmma.fence.sync.aligned;\n", commit = "wgmma.commit_group.sync.aligned;\n",
                  wait = "wgmma.wait_group.sync.aligned 0;\n";
std::string const multiply =
    "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %da, %db, 0, 1, 1, 0, 0;\n";
/// The warp named goes on later than the others.
std::string later(int warp) {
    return "setp.ne.u32 %p1, %w, " + std::to_string(warp) +
           "; @%p1 bra GO;\nAGAIN: add.u32 %n, %n, 1; setp.lt.u32 %p2, %n, 3000; @%p2 bra AGAIN;\nGO:\n";
}

std::string error_of(std::string const& body, std::vector<std::string> const& overrides = {}) {
    Program program(group_kernel(body), "independent", Program::one_thread(), overrides);
    return program.error(4096, {{128, 1, 1}, {1, 1, 1}, 0});
}

runtime::DeviceOptions with_mode(runtime::Mode mode) {
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = mode;
    return options;
}

/// Chunks of 16 bytes that matrix units read.
class Chunks : public sim::EventSink {
public:
    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::access); }
    void access(sim::AccessEvent const& e) override {
        if (e.site.op.effect != isa::Effect::warpgroup_multiply) return;
        CHECK(e.space == sim::SpaceKind::shared);
        CHECK(e.addresses.bytes == 16);
        for (isa::LaneMask m = e.addresses.mask; m != 0; m &= m - 1) {
            ++count;
            std::uint64_t const at = e.addresses.of(std::countr_zero(m));
            CHECK(at + 16 <= shared_bytes);
            CHECK(at >= e.addresses.low);
            CHECK(at + 16 <= e.addresses.past_high);
            different.insert(at);
        }
    }

    std::size_t count = 0;
    std::set<std::uint64_t> different;
};

}  // namespace

TEST_CASE("One warp may release what a product of its warpgroup has read", "[exec]") {
    // The last warp multiplies after the first has waited, and has then changed b.
    std::string const change = "setp.ne.u32 %p1, %w, 0; @%p1 bra SKIP; mov.u32 %a, s; mov.u32 %v, 0;\n"
                               "add.u32 %a, %a, 2048; shl.b32 %i, %t, 3; add.u32 %a, %a, %i;\n"
                               "st.shared.b32 [%a], %v; st.shared.b32 [%a+4], %v;\nSKIP:\n";
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        for (int const last : {1, 3}) {
            for (std::string const& control_flow : control_flows()) {
                Program program(group_kernel(later(last) + fence + multiply + commit + wait + change),
                                control_flow, with_mode(mode));
                CHECK(program.run<float>(128, {{128, 1, 1}, {1, 1, 1}, 0}) == std::vector<float>(128, 32.f));
            }
        }
    }
}

TEST_CASE("A wait for products of a warpgroup leaves as many groups under way as it says", "[exec]") {
    // With one group left the last warp needs to have executed the first product only.
    std::string const body = fence + multiply + commit + "setp.eq.u32 %p1, %w, 3; @%p1 bra OTHER;\n" + multiply +
                             commit + "wgmma.wait_group.sync.aligned 1;\nbar.sync 1, 128;\nbra END;\nOTHER:\n" +
                             "bar.sync 1, 128;\nEND:\n";
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        Program program(group_kernel(body), "independent", with_mode(mode));
        CHECK(program.run<float>(128, {{128, 1, 1}, {1, 1, 1}, 0}) == std::vector<float>(128, 32.f));
    }
}

TEST_CASE("Warps of a warpgroup that do not agree about a product are reported", "[exec]") {
    std::string const other = "setp.eq.u32 %p1, %w, 2;\n";
    CHECK(contains(error_of(other + "@%p1 add.u64 %da, %da, 1;\n" + fence + multiply + commit + wait),
                   "the descriptor of a of warp 2 is another"));
    CHECK(contains(error_of(other + "@%p1 add.u64 %db, %db, 1;\n" + fence + multiply + commit + wait),
                   "the descriptor of b of warp 2 is another"));
    std::string const chosen =
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %da, %db, %p1, 1, 1, 0, 0;\n";
    CHECK(contains(error_of(other + fence + chosen + commit + wait), "scale-d of warp 2 is another"));
    CHECK(contains(
        error_of(other + fence + "@%p1 bra A;\n" + multiply + "bra B;\nA:\n" + multiply + "B:\n" + commit + wait),
        "the instruction of warp 2 is another"));
}

TEST_CASE("A wait for products that a warp does not execute ends in a report", "[exec]") {
    std::string const leave = "setp.eq.u32 %p1, %w, 1; @%p1 exit;\n";
    CHECK(contains(error_of(leave + later(0) + fence + multiply + commit + wait),
                   "a wait for products of a warpgroup that warp 1 did not execute before ending"));
    std::string const elsewhere = "setp.eq.u32 %p1, %w, 1; @%p1 bra STAY;\n" + fence + multiply + commit + wait +
                                  "bar.sync 1, 128;\nbra END;\nSTAY: bar.sync 1, 128;\nEND:\n";
    std::string const stuck = error_of(elsewhere);
    INFO(stuck);
    CHECK(contains(stuck, "wait for products that warp 1 did not execute"));
    CHECK(contains(stuck, "warp 1, all lanes: wait in barrier 1"));
}

TEST_CASE("Sinks hear of what matrix units read of shared memory", "[exec]") {
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        auto const chunks = std::make_shared<Chunks>();
        runtime::DeviceOptions options = with_mode(mode);
        options.sinks = {chunks};
        Program program(group_kernel(fence + multiply + commit + wait), "independent", options);
        program.run<float>(128, {{128, 1, 1}, {1, 1, 1}, 0});
        CHECK(chunks->count == 64 * 2 + 8 * 2);  // rows of a, columns of b: each once
        CHECK(chunks->different.size() == chunks->count);
        CHECK(*chunks->different.begin() == 0);
    }
}

TEST_CASE("Memory statistics count what matrix units read of shared memory", "[exec]") {
    runtime::DeviceOptions options = Program::one_thread();
    options.memory_statistics = true;
    auto const requests = [&](std::string const& body) {
        Program program(group_kernel(body), "independent", options);
        program.run<float>(128, {{128, 1, 1}, {1, 1, 1}, 0});
        return program.result.memory.shared_requests;
    };
    // Of each warp one for its rows of a and one for its part of b.
    CHECK(requests(fence + multiply + commit + wait) == requests(fence) + 8);
}

TEST_CASE("No descriptor of a matrix leads out of shared memory", "[exec]") {
    std::mt19937_64 random(7);
    std::string const products[] = {
        multiply,
        "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%c0, %c1, %c2, %c3}, %da, %db, 0, 1, 1, 1, 1;\n",
        "wgmma.mma_async.sync.aligned.m64n8k32.f32.e4m3.e4m3 {%c0, %c1, %c2, %c3}, %da, %db, 0, 1, 1;\n",
    };
    std::size_t sound = 0, refused = 0;
    for (int i = 0; i < 400; ++i) {
        std::uint64_t a = random(), b = random();
        if (i % 2 != 0) {  // near what is sound: small offsets
            a &= 0xc00e003f003f00ff;
            b &= 0xc00e003f003f00ff;
        }
        auto const chunks = std::make_shared<Chunks>();
        runtime::DeviceOptions options = Program::one_thread();
        options.sinks = {chunks};
        Program program(group_kernel("mov.b64 %da, " + std::to_string(a) + "; mov.b64 %db, " + std::to_string(b) +
                                     ";\n" + fence + products[i % 3] + commit + wait),
                        "independent", options);
        std::string const report = program.error(4096, {{128, 1, 1}, {1, 1, 1}, 0});
        INFO(report);
        bool const is_named = contains(report, "illegal address: 16 bytes of matrix a at shared ") ||
                              contains(report, "illegal address: 16 bytes of matrix b at shared ");
        CHECK((report.empty() || (is_named && contains(report, "wgmma.mma_async"))));
        ++(report.empty() ? sound : refused);
    }
    CHECK(sound > 20);
    CHECK(refused > 20);
}

}  // namespace warpgroups_test
