// A device for programs in other languages: what comes back with a launch.
#include "runtime/embed/device.hpp"
#include "runtime/embed/image.hpp"
#include "runtime/embed/modules.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <vector>

namespace embed_test {

using namespace warpsim;
using nlohmann::json;
using test::contains;

namespace {

std::string const racy = "ld.global.u32 %r1, [%out];\nst.global.u32 [%out], %r1;\n";

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
    CHECK(contains(page, "ld.global.u32 %r1, [%out];\\n"));
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

TEST_CASE("Streams of an embedded device overlap, and wait where they are told to", "[embed]") {
    embed::Options options;
    options.mode = "timing";
    Run run(options);
    auto const one = run.device.make_stream(0), other = run.device.make_stream(0);
    runtime::LaunchShape shape;
    shape.block = {64, 1, 1};
    embed::Queue::Order const order{run.module, "k", shape, runtime::Arguments::of(run.out, run.out)};
    std::uint64_t const before = run.launch(64)->end;
    auto const first = run.device.submit(*one, order), beside = run.device.submit(*other, order);
    CHECK(!first->is_over());
    CHECK(!run.device.is_idle());
    auto const point = run.device.record(*one);
    run.device.wait(*other, point);
    auto const behind = run.device.submit(*other, order);
    run.device.finish_all();
    CHECK(run.device.is_idle());
    CHECK(first->begin() >= before);
    CHECK(beside->begin() < first->end());
    CHECK(point->end() == first->end());
    CHECK(behind->begin() >= std::max(first->end(), beside->end()));
    REQUIRE(behind->launch() != nullptr);
    CHECK(behind->launch()->counts.timing->cycles > 0);
}

TEST_CASE("Memory that a stream may use is freed when it is done", "[embed]") {
    embed::Options options;
    options.mode = "timing";
    Run run(options);
    runtime::DevicePointer const array = run.device.device().allocate(1 << 20);
    std::uint64_t const used = run.device.device().used_bytes();
    auto const stream = run.device.make_stream(0);
    auto const work = run.device.submit(*stream, {run.module, "k", {}, runtime::Arguments::of(array, array)});
    run.device.free(array);
    CHECK(run.device.device().used_bytes() == used);
    run.device.finish(*work);
    CHECK(run.device.device().used_bytes() < used);
}

TEST_CASE("A fault in a stream of an embedded device ends all that is under way", "[embed]") {
    embed::Options options;
    options.mode = "timing";
    Run run(options, "st.global.u32 [%in], %i;\n");
    auto const one = run.device.make_stream(0);
    auto const order = [&](std::uint64_t in) {
        return embed::Queue::Order{run.module, "k", {}, runtime::Arguments::of(run.out, in)};
    };
    auto const bad = run.device.submit(*one, order(0)), behind = run.device.submit(*one, order(run.out));
    CHECK_THROWS_AS(run.device.finish_all(), embed::Fault);
    CHECK(behind->is_over());
    CHECK_THROWS_AS(bad->launch(), embed::Fault);
    auto const next = run.device.submit(*one, order(run.out));
    run.device.finish_all();
    CHECK(next->launch() != nullptr);
}

TEST_CASE("Images of an embedded device keep their texels", "[embed]") {
    auto const device = std::make_shared<embed::Device>(embed::Options{});
    embed::Image image(device, {"u8x4", 20, 10, 1, 2, 3});
    REQUIRE(image.bytes() == 20 * 10 * 4 * 3);
    std::vector<std::uint8_t> texels(image.bytes()), back(image.bytes());
    for (std::size_t i = 0; i < texels.size(); ++i) texels[i] = static_cast<std::uint8_t>(i * 7);
    image.write(texels.data(), texels.size());
    image.read(back.data(), back.size());
    CHECK(texels == back);
    CHECK(image.texture({}) != image.surface());
    CHECK_THROWS_WITH(image.read(back.data(), 5), "the image has 2400 bytes, but 5 are given");
    CHECK_THROWS_WITH(image.texture({"linear"}), "integers cannot be filtered, but as fractions");
    CHECK_NOTHROW(image.texture({"linear", {"clamp"}, false, true}));
    CHECK_THROWS_WITH(embed::Image(device, {"u7", 1}),
                      "there is no format 'u7' of texels; for example: u8x4, unorm8x4, f16x2, f32");
    CHECK_THROWS_WITH(embed::Image(device, {"u8", 0}), "an image has 1 to 131072 texels in each dimension");
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
