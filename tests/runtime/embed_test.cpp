// A device for programs in other languages: what comes back with a launch.
#include "runtime/embed/device.hpp"
#include "runtime/embed/modules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>

namespace embed_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;

namespace {

std::string const racy = "ld.volatile.global.u32 %r1, [%out];\nst.volatile.global.u32 [%out], %r1;\n";

struct Run {
    explicit Run(embed::Options const& options, std::string const& body = racy)
        : device(options),
          module(device.load({{"test.ptx", test::kernel(body)}}, {{"test.cu", "source"}}, {})),
          out(device.device().allocate(1 << 16)) {}

    std::shared_ptr<embed::Launch const> launch(std::uint32_t threads) {
        runtime::LaunchShape shape;
        shape.block = {threads, 1, 1};
        return device.launch(module, "k", shape, runtime::Arguments::of(out, out));
    }

    embed::Device device;
    std::shared_ptr<runtime::Module> module;
    runtime::DevicePointer out;
};

}  // namespace

TEST_CASE("A launch of an embedded device has its own findings", "[embed]") {
    embed::Options options;
    options.check = "race";
    Run run(options);
    std::size_t const first = run.launch(64)->findings.size();
    CHECK(first > 0);
    CHECK(run.launch(1)->findings.empty());
    CHECK(run.launch(64)->findings.size() == first);
    CHECK(run.device.take_findings().empty());
}

TEST_CASE("A launch of an embedded device tells counts, lines and steps, and makes a page", "[embed]") {
    embed::Options options;
    options.mode = "timing";
    options.lines = options.steps = true;
    Run run(options);
    auto const launch = run.launch(64);
    json const counts = json::parse(embed::statistics_of(*launch));
    CHECK(counts["cycles"] > 0);
    CHECK(launch->end - launch->begin > 0);
    json const lines = json::parse(embed::lines_of(*launch));
    CHECK(lines["lines"].size() == counts["instructions"]["warp"].get<std::size_t>() / 2);
    auto const second = run.launch(32);
    CHECK(second->begin >= launch->end);
    std::string const page = embed::page_of({launch, second}, "two launches");
    CHECK(contains(page, "two launches"));
    CHECK(contains(page, R"("steps":{"0":{)"));
    CHECK(contains(page, R"("1":{"places")"));
    CHECK(contains(page, "ld.volatile.global.u32 %r1, [%out];\\n"));
}

TEST_CASE("A fault of an embedded device tells what it was, and the next launch is well", "[embed]") {
    Run run({}, "setp.eq.u32 %p1, %i, 40;\n@%p1 st.global.u32 [0], %i;\n");
    try {
        run.launch(64);
        FAIL("it is no fault");
    } catch (embed::Fault const& fault) {
        REQUIRE(fault.launch() != nullptr);
        json const fields = json::parse(fault.launch()->fault);
        CHECK(fields["kind"] == "illegal_address");
        CHECK(fields["thread"] == json{40, 0, 0});
        CHECK(fault.launch()->counts.status == sim::LaunchStatus::fault);
    }
    CHECK(run.launch(32)->fault.empty());
}

TEST_CASE("A launch of an embedded device ends when another thread wants it", "[embed]") {
    for (char const* const mode : {"functional", "timing"}) {
        embed::Options options;
        options.mode = mode;
        Run run(options,
                "LOOP:\natom.global.add.u32 %r1, [%out], 1;\nsetp.ne.u32 %p1, %r1, 0xffffffff;\n@%p1 bra LOOP;\n");
        std::atomic<bool> is_over{false};
        std::thread other([&] {
            // What comes before a launch is forgotten.
            while (!is_over) {
                run.device.interrupt();
                std::this_thread::sleep_for(std::chrono::milliseconds(5));
            }
        });
        try {
            run.launch(64);
            FAIL_CHECK("it came to its end");
        } catch (embed::Fault const& fault) {
            CHECK(fault.fault() == FaultKind::interrupted);
            CHECK(contains(fault.what(), "interrupted: the kernel was stopped by the user"));
        }
        is_over = true;
        other.join();
    }
}

TEST_CASE("Options of an embedded device that make no sense are refused", "[embed]") {
    auto const refused = [](auto set) {
        embed::Options options;
        set(options);
        embed::Device const device(options);
    };
    CHECK_THROWS_WITH(refused([](auto& o) { o.mode = "fast"; }), "mode 'fast' is neither functional nor timing");
    CHECK_THROWS_WITH(refused([](auto& o) { o.check = "leak"; }),
                      "check: 'leak' is about the calls of a CUDA program");
    CHECK_THROWS_WITH(refused([](auto& o) { o.check = "race", o.mode = "timing"; }),
                      "check: 'race' is looked for in functional mode only");
    CHECK_NOTHROW(refused([](auto& o) { o.check = "all", o.mode = "timing"; }));
}

TEST_CASE("Kernels are found by the names that their sources have for them", "[embed]") {
    embed::Device device({});
    std::string const head = ".version 7.0\n.target sm_70\n.address_size 64\n";
    auto const module = device.load({{"a.ptx", head + ".visible .entry _ZN2ns5scaleIfEEvPT_() { ret; }\n"
                                                      ".visible .entry _ZN2ns5scaleIiEEvPT_() { ret; }\n"
                                                      ".visible .entry _Z3addPf() { ret; }\n"}},
                                    {}, {});
    CHECK(embed::kernel_named(*module, "add") == "_Z3addPf");
    CHECK(embed::kernel_named(*module, "_Z3addPf") == "_Z3addPf");
    CHECK(embed::kernel_named(*module, "ns::scale<int>") == "_ZN2ns5scaleIiEEvPT_");
    CHECK_THROWS_WITH(embed::kernel_named(*module, "scale"),
                      "'scale' may be any of\n  _ZN2ns5scaleIfEEvPT_  void ns::scale<float>(float*)\n"
                      "  _ZN2ns5scaleIiEEvPT_  void ns::scale<int>(int*)");
    CHECK_THROWS_WITH(embed::kernel_named(*module, "ad"), "there is no kernel 'ad'; did you mean 'add'?");
}

}  // namespace embed_test
