// Tensor copies in time: their boxes become lines, their maps are fetched once, and host threads change nothing.
#include "runtime/device.hpp"
#include "sim/tensor/tensor_map.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace tensor_copies_test {

using namespace warpsim;
using namespace warpsim::test;
namespace tensor = sim::tensor;

namespace {

struct Ran {
    std::vector<std::uint32_t> out;
    sim::TimingCounts timing;
};

/// k(first map, second map, out): %map and %other are their addresses; `body` measures into %r9, which is stored.
Ran run(tensor::TensorMap map, std::string const& body, std::vector<std::string> const& overrides = {},
        std::uint32_t cluster = 1, int host_threads = 1) {
    std::string const text = R"(.version 8.7
.target sm_90
.address_size 64
.shared .align 8 .b64 bar; .shared .align 1024 .b8 cells[32768];
.visible .entry k(.param .align 128 .b8 p_map[128], .param .align 128 .b8 p_other[128], .param .u64 p_out) {
.reg .pred %p<8>; .reg .b16 %h<4>; .reg .b32 %r<16>, %rank; .reg .b64 %d<8>, %map, %other, %out;
mov.b64 %d0, p_map; cvta.param.u64 %map, %d0; mov.b64 %d0, p_other; cvta.param.u64 %other, %d0; ld.param.u64 %out, [p_out];
mov.u32 %rank, %cluster_ctarank; mov.u32 %r0, %tid.x; setp.ne.u32 %p1, %r0, 0; @%p1 bra END;
mbarrier.init.shared.b64 [bar], 1; fence.mbarrier_init.release.cluster; mov.u32 %r5, 0; mov.u32 %r6, 0;
)" + body + R"(
mul.wide.u32 %d1, %rank, 4; add.u64 %d1, %d1, %out; st.global.u32 [%d1], %r9; END: ret;
})";
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = host_threads;
    runtime::Device device(sim::load_config("h100", overrides), options);
    auto const module = device.load_text("k.ptx", text);
    auto const memory = device.allocate(1 << 22);
    auto const out = device.allocate(64);
    map.address = memory;
    tensor::MapBytes const bytes = encode(map);
    runtime::Arguments arguments;
    arguments.add_bytes(bytes.data(), bytes.size(), 128);
    arguments.add_bytes(bytes.data(), bytes.size(), 128);
    arguments.add(out);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    shape.grid = shape.cluster = {cluster, 1, 1};
    auto const result = device.launch(*module, "k", shape, arguments);
    return {device.download<std::uint32_t>(out, 16), *result.timing};
}

/// `copies` of a box of `bytes`, and the wait for all of them, between two readings of the clock.
std::string timed(std::string const& copies, std::uint64_t bytes, int round) {
    std::string const name = std::to_string(round);
    return "mov.u32 %r7, %clock; mbarrier.arrive.expect_tx.shared.b64 _, [bar], " + std::to_string(bytes) + ";\n" +
           copies + "\nWAIT" + name + ": mbarrier.try_wait.parity.shared.b64 %p0, [bar], " +
           std::to_string(round % 2) + "; @!%p0 bra WAIT" + name +
           "; mov.u32 %r8, %clock; sub.u32 %r9, %r8, %r7;\n";
}
std::string copy(std::string const& map) {
    return "cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes [cells], [" + map +
           ", {%r5, %r6}], [bar];\n";
}

/// 4 KiB of words: in rows of so many bytes, a stride apart.
tensor::TensorMap rows_of(std::uint32_t bytes, std::uint64_t stride) {
    tensor::TensorMap map;
    map.element = tensor::Element::u32;
    map.rank = 2;
    map.dims = {stride / 4, 1024, 1, 1, 1};
    map.strides[0] = stride;
    map.box = {bytes / 4, 4096 / bytes, 1, 1, 1};
    return map;
}

}  // namespace

TEST_CASE("A box takes as long as the lines that its rows touch", "[timing]") {
    // The second time everything is in L2, and the map is here.
    auto const twice = timed(copy("%map"), 4096, 0) + timed(copy("%map"), 4096, 1);
    Ran const dense = run(rows_of(128, 128), twice), sparse = run(rows_of(16, 1024), twice);
    CHECK(dense.timing.l1.load_sectors == sparse.timing.l1.load_sectors / 2);  // 128 and 256 for each copy
    CHECK(dense.out[0] + 128 < sparse.out[0]);                                 // 32 and 256 lines
    CHECK(dense.out[0] > 400);                                                 // 170, and L2
    CHECK(dense.out[0] < 800);
    // Outside of the tensor there is nothing to fetch.
    Ran const outside = run(rows_of(128, 128), "mov.u32 %r6, 5000;" + twice);
    CHECK(outside.timing.l1.load_sectors == 0);
    CHECK(outside.out[0] < dense.out[0]);
}

TEST_CASE("A tensor map is fetched once", "[timing]") {
    tensor::TensorMap const map = rows_of(128, 128);
    std::string const first = timed(copy("%map"), 4096, 0);
    std::uint32_t const known = run(map, first + timed(copy("%map"), 4096, 1)).out[0],
                        other = run(map, first + timed(copy("%other"), 4096, 1)).out[0],
                        again =
                            run(map, first + timed(copy("%other"), 4096, 1) + timed(copy("%map"), 4096, 2)).out[0];
    CHECK(other > known + 150);  // a request to L2
    CHECK(again < known + 50);
    std::string const alternate = first + timed(copy("%other"), 4096, 1) + timed(copy("%map"), 4096, 2);
    CHECK(run(map, alternate, {"sm.copy_engine.map_entries=1"}).out[0] > known + 150);
}

TEST_CASE("Bulk copies begin an interval apart", "[timing]") {
    tensor::TensorMap map = rows_of(128, 128);
    map.box = {32, 1, 1, 1, 1};
    std::string const warm = timed(copy("%map"), 128, 0);
    std::string interval = "64";  // longer than a warp takes to issue one
    auto const time_of = [&](int copies) {
        std::string several;
        for (int i = 0; i < copies; ++i) several += copy("%map");
        return run(map, warm + timed(several, static_cast<std::uint64_t>(128 * copies), 1),
                   {"sm.copy_engine.copy_interval_cycles=" + interval})
            .out[0];
    };
    std::uint32_t const ten = time_of(10), twenty = time_of(20);
    CHECK(twenty >= ten + 630);
    CHECK(twenty <= ten + 650);
    interval = "100";
    CHECK(time_of(20) >= time_of(10) + 990);
}

TEST_CASE("A multicast reads its box once, and host threads change nothing", "[timing]") {
    std::string const ready = "mbarrier.arrive.expect_tx.shared.b64 _, [bar], 4096; barrier.cluster.arrive; "
                              "barrier.cluster.wait; setp.ne.u32 %p2, %rank, 0; mov.u16 %h0, 15;\n";
    std::string const finish =
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p0, [bar], 0; @!%p0 bra WAIT; mov.u32 %r9, "
        "%clock; barrier.cluster.arrive; barrier.cluster.wait;\n";
    std::string const one = ready +
                            "@!%p2 cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                            ".multicast::cluster [cells], [%map, {%r5, %r6}], [bar], %h0;\n" +
                            finish;
    Ran const shared = run(rows_of(128, 128), one, {}, 4);
    CHECK(shared.timing.l1.load_sectors == 128);
    Ran const each = run(rows_of(128, 128), ready + copy("%map") + finish, {}, 4);
    CHECK(each.timing.l1.load_sectors == 4 * 128);
    Ran const parallel = run(rows_of(128, 128), one, {}, 4, 4);
    CHECK(parallel.out == shared.out);
    CHECK(parallel.timing.cycles == shared.timing.cycles);
}

}  // namespace tensor_copies_test
