// What timing mode does not have yet is refused before anything runs, by its line.
#include "runtime/device.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace warpsim;

namespace {

std::string refusal_of(std::string const& body) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    runtime::Device device(sim::load_config("h100"), options);
    auto const module = device.load_text("kernel.ptx", ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k()\n{\n"
                                                       ".reg .pred %p<4>; .reg .b32 %r<4>; .reg .b64 %rd<4>; .shared .align 16 .b8 s[64];\n" +
                                                           body + "\nret;\n}\n");
    try {
        device.launch(*module, "k", {}, {});
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::launch);
        return error.what();
    }
    return "";
}

}  // namespace

TEST_CASE("Timing mode refuses asynchronous copies, mbarriers and clusters", "[timing]") {
    for (char const* const instruction :
         {"cp.async.wait_all;", "mbarrier.init.shared.b64 [s], 1;", "mapa.shared::cluster.u32 %r1, s, 0;",
          "barrier.cluster.arrive;", "cp.async.bulk.commit_group;", "mov.u32 %r1, 8; alloca.u64 %rd1, 8;"}) {
        INFO(instruction);
        std::string const text = refusal_of(instruction);
        CHECK(text.find("kernel k cannot run in timing mode") != std::string::npos);
        CHECK(text.find("kernel.ptx:7: ") != std::string::npos);
    }
    CHECK(refusal_of("mov.u32 %r1, %tid.x;") == "");
}
