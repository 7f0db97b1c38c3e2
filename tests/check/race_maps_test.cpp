// Tensor maps that a kernel changes: a copy sees the change behind a release and an acquire of that map, whose scopes reach the
// other thread ("fence.proxy.tensormap").
#include "sim/tensor/tensor_map.hpp"
#include "tests/check/checked_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace race_maps_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// Thread 0 of the first block changes the map at %in; one of another warp or of the second block copies by it.
std::string text(std::string const& between, bool is_in_other_block) {
    std::string const body =
        ".shared .align 128 .b8 cells[256];\n.shared .align 8 .b64 bar;\n"
        "mov.u32 %r5, %ctaid.x; mad.lo.u32 %r4, %r5, 1000, %s; setp.eq.u32 %p0, %r4, 0; setp.eq.u32 %p1, %r4, " +
        std::string(is_in_other_block ? "1000" : "32") +
        ";\n"
        "@%p0 tensormap.replace.tile.global_address.global.b1024.b64 [%in], %out;\n" +
        between +
        "@!%p1 bra END;\n"
        "mov.u32 %r1, bar; mov.u32 %r2, cells; mov.u32 %r3, 0; mbarrier.init.shared.b64 [%r1], 1;\n"
        "fence.proxy.async; mbarrier.arrive.expect_tx.shared.b64 %d1, [%r1], 64;\n"
        "cp.async.bulk.tensor.1d.shared::cluster.global.mbarrier::complete_tx::bytes [%r2], [%in, {%r3}], [%r1];\n"
        "WAIT: mbarrier.try_wait.parity.shared.b64 %p2, [%r1], 0; @!%p2 bra WAIT;\nEND:\n";
    std::string whole = kernel(body);
    whole.replace(whole.find("sm_90"), 5, "sm_90a");
    return whole;
}

std::vector<check::Finding> findings_of(std::string const& between, bool is_in_other_block) {
    check::Options options;
    options.kinds = check::parse_kinds("race");
    options.print_limit = 0;
    check::Checkers checkers(options);
    runtime::DeviceOptions device = Program::one_thread();
    checkers.observe(device);
    Program program(text(between, is_in_other_block), "independent", device);
    sim::tensor::TensorMap map;
    map.rank = 1;
    map.element = sim::tensor::Element::u32;
    map.dims = {16, 1, 1, 1, 1};
    map.box = {16, 1, 1, 1, 1};
    runtime::DevicePointer const out = program.device.allocate(4096);
    map.address = out;
    auto const encoded = sim::tensor::encode(map);
    std::vector<std::byte> in(256);
    std::memcpy(in.data(), encoded.data(), 128);
    program.in = program.device.upload(in);
    program.launch(out, {{64, 1, 1}, {is_in_other_block ? 2u : 1u, 1, 1}});
    return checkers.findings().all();
}

}  // namespace

TEST_CASE("A copy by a tensor map races with what changed the map", "[check]") {
    std::string const meets = "bar.sync 0;\n", release = "@%p0 fence.proxy.tensormap::generic.release.",
                      acquire = "@%p1 fence.proxy.tensormap::generic.acquire.",
                      sets = "@%p0 st.release.gpu.global.u32 [%out+2048], 1;\n",
                      waits = "@!%p1 bra GO;\nFLAG: ld.acquire.gpu.global.u32 %r6, [%out+2048];\n"
                              "setp.eq.u32 %p3, %r6, 0; @%p3 bra FLAG;\nGO:\n";
    auto const in_block = [&](std::string const& before, std::string const& behind) {
        return before + meets + behind;
    };
    auto const between_blocks = [&](std::string const& before, std::string const& behind) {
        return before + sets + waits + behind;
    };
    std::string const of_it = " [%in], 128;\n", of_other = " [%in+128], 128;\n";
    struct {
        char const* name;
        std::string between;
        bool is_in_other_block, races;
    } const cases[] = {
        {"no fence", in_block("", ""), false, true},
        {"a release and an acquire", in_block(release + "cta;\n", acquire + "cta" + of_it), false, false},
        {"only a release", in_block(release + "cta;\n", ""), false, true},
        {"only an acquire", in_block("", acquire + "cta" + of_it), false, true},
        {"an acquire of another map", in_block(release + "cta;\n", acquire + "cta" + of_other), false, true},
        {"an acquire before the barrier", release + "gpu;\n" + acquire + "gpu" + of_it + meets, false, true},
        {"two blocks", between_blocks(release + "gpu;\n", acquire + "gpu" + of_it), true, false},
        {"... with a wider scope", between_blocks(release + "sys;\n", acquire + "sys" + of_it), true, false},
        {"... a release for the block alone", between_blocks(release + "cta;\n", acquire + "gpu" + of_it), true,
         true},
        {"... an acquire from the block alone", between_blocks(release + "gpu;\n", acquire + "cta" + of_it), true,
         true},
        {"... an acquire of another map", between_blocks(release + "gpu;\n", acquire + "gpu" + of_other), true,
         true},
    };
    for (auto const& c : cases) {
        INFO(c.name);
        auto const findings = findings_of(c.between, c.is_in_other_block);
        for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
        CHECK(whats(findings) == (c.races ? "read after write" : ""));
    }
}

}  // namespace race_maps_test
