// Timing mode runs what functional mode runs: what is refused is refused by both, with the same words.
#include "runtime/device.hpp"
#include "tests/support/catch.hpp"

#include <string>

namespace refusals_test {

using namespace warpsim;

namespace {

std::string refusal_of(std::string const& body, runtime::Mode mode) {
    runtime::DeviceOptions options;
    options.mode = mode;
    runtime::Device device(sim::load_config("h100"), options);
    auto const module = device.load_text(
        "kernel.ptx", ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                      ".reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .align 16 .b8 s[64];\n" +
                          body + "\nret;\n}\n");
    try {
        device.launch(*module, "k", {}, {});
    } catch (Error const& error) {
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Timing mode runs asynchronous copies, mbarriers, clusters and alloca", "[timing]") {
    for (char const* const instruction :
         {"cp.async.wait_all;", "mbarrier.init.shared.b64 [s], 1;", "mapa.shared::cluster.u32 %r1, s, 0;",
          "barrier.cluster.arrive; barrier.cluster.wait;", "cp.async.bulk.commit_group;",
          "mov.u32 %r1, 8; alloca.u64 %rd1, 8;", "mov.u32 %r1, %tid.x;"}) {
        INFO(instruction);
        CHECK(refusal_of(instruction, runtime::Mode::timing) == "");
    }
}

TEST_CASE("Timing mode refuses what functional mode does, with its words", "[timing]") {
    for (char const* const instruction :
         {"tcgen05.fence::before_thread_sync;", "griddepcontrol.wait;", "setmaxnreg.inc.sync.aligned.u32 40;"}) {
        INFO(instruction);
        auto const told = [&](runtime::Mode mode) -> std::string {
            try {
                return refusal_of(instruction, mode);
            } catch (Error const& error) {
                return error.what();  // ptxas would not accept it either
            }
        };
        CHECK(told(runtime::Mode::timing) == told(runtime::Mode::functional));
    }
}

}  // namespace refusals_test
