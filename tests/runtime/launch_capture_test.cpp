#include "runtime/device.hpp"
#include "runtime/launch_capture.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace launch_capture_test {

using namespace warpsim;
using runtime::CapturedLaunch;

// Each thread reads and writes in a block of its own.
TEST_CASE("A capture has what all SMs touch at once", "[capture]") {
    constexpr std::uint32_t ctas = 1024, threads = 32, block = 256;
    constexpr std::size_t bytes = std::size_t{ctas} * threads * block;
    std::string const text =
        test::kernel("mul.wide.u32 %d1, %i, 256; add.u64 %d2, %d1, %in; add.u64 %d1, %d1, %out;"
                     "ld.global.u32 %r1, [%d2]; st.global.u32 [%d1], %r1;");
    std::optional<CapturedLaunch> captured;
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 8;
    options.captured = [&](CapturedLaunch const& launch) { captured = launch; };
    runtime::Device device(sim::load_config("h100"), options);
    auto const module = device.load_text("k.ptx", text);
    runtime::DevicePointer const in = device.allocate(bytes), out = device.allocate(bytes);
    runtime::LaunchShape shape;
    shape.grid = {ctas, 1, 1};
    shape.block = {threads, 1, 1};
    for (int round = 0; round < 5; ++round) {
        INFO(round);
        captured.reset();
        device.launch(*module, "k", shape, runtime::Arguments::of(out, in));
        REQUIRE(captured);
        CHECK(captured->why_not.empty());
        REQUIRE(captured->regions.size() == 2);
        std::size_t written = 0;
        for (CapturedLaunch::Region const& region : captured->regions) {
            CHECK(region.before.size() == bytes);
            written += region.after.size();
        }
        CHECK(written == bytes);
    }
}

}  // namespace launch_capture_test
