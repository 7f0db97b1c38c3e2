// What the host does with memory that nobody has written, and what a finding says.
#include "sim/events.hpp"
#include "tests/check/init_run.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace init_host_test {

using namespace warpsim;
using namespace warpsim::test;
using Device = runtime::Device;

namespace {

char const* const to_host = "uninitialised value reaches the host";
/// Thread i stores a value at eight times i in `in`.
std::string const each8 = "mul.wide.u32 %d3, %i, 8; add.u64 %d3, %d3, %in;\n";

std::string found(std::string const& body, InitRun const& run, std::uint32_t threads = 32) {
    auto const findings = init_findings(kernel(body), {{threads, 1, 1}, {1, 1, 1}}, run);
    for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
    return whats(findings);
}

void read(Device& device, std::uint64_t from, std::size_t bytes) {
    static_cast<void>(device.download<char>(from, bytes));
}

InitRun reading(std::size_t bytes) {
    InitRun run;
    run.after = [bytes](Device& device, std::uint64_t, std::uint64_t in) { read(device, in, bytes); };
    return run;
}

}  // namespace

TEST_CASE("What the host reads must have been written, but for padding", "[check][init]") {
    std::string const word = each8 + "st.global.u32 [%d3], %i;\n";
    CHECK(found("", reading(64)) == to_host);
    CHECK(found(word + "st.global.u32 [%d3+4], %i;\n", reading(256)).empty());
    CHECK(found(word + "st.global.u32 [%d3+4], %i;\n", reading(260)) == to_host);
    // Every second word is missing: no structure of words has such a hole.
    CHECK(found(word, reading(256)) == to_host);
    // A letter and a number, a number and a double.
    CHECK(found(each8 + "st.global.u8 [%d3], %i; st.global.u32 [%d3+4], %i;\n", reading(256)).empty());
    CHECK(found("mul.wide.u32 %d3, %i, 16; add.u64 %d3, %d3, %in; st.global.u32 [%d3], %i; st.global.f64 [%d3+8], "
                "%g0;\n"
                "mov.f64 %g0, 0d0000000000000000; st.global.f64 [%d3+8], %g0;\n",
                reading(512))
              .empty());
    // One letter of many.
    CHECK(
        found("cvt.u64.u32 %d3, %i; add.u64 %d3, %d3, %in; setp.ne.u32 %p1, %i, 5; @%p1 st.global.u8 [%d3], %i;\n",
              reading(32)) == to_host);
}

TEST_CASE("Of a member that is missing the first byte is named, not the padding in front of it", "[check][init]") {
    // A letter and a number, but thread 5 forgets its number.
    std::string const body =
        each8 + "st.global.u8 [%d3], %i; setp.ne.u32 %p1, %i, 5; @%p1 st.global.u32 [%d3+4], %i;\n";
    std::uint64_t begin = 0;
    InitRun run = reading(256);
    run.before = [&](Device&, std::uint64_t, std::uint64_t in) { begin = in; };
    auto const findings = init_findings(kernel(body), {{32, 1, 1}, {1, 1, 1}}, run);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].address == begin + 5 * 8 + 4);
    CHECK(findings[0].bytes == 4);
    // With every read a finding the padding of all is one, too.
    run.is_strict = true;
    auto const strict = init_findings(kernel(body), {{32, 1, 1}, {1, 1, 1}}, run);
    REQUIRE(strict.size() == 1);
    CHECK(strict[0].address == begin + 1);
    CHECK(strict[0].bytes == 32 * 3 + 4);
}

TEST_CASE("Padding stands in front of members of any size", "[check][init]") {
    // A letter, a number and a double.
    std::string const at16 = "mul.wide.u32 %d3, %i, 16; add.u64 %d3, %d3, %in; st.global.u8 [%d3], %i;\n"
                             "mov.f64 %g0, 0d0000000000000000; st.global.f64 [%d3+8], %g0;\n";
    CHECK(found(at16 + "st.global.u32 [%d3+4], %i;\n", reading(512)).empty());
    // One number is missing, which looks like padding in front of the double.
    std::uint64_t begin = 0;
    InitRun run = reading(512);
    run.before = [&](Device&, std::uint64_t, std::uint64_t in) { begin = in; };
    auto const findings = init_findings(kernel(at16 + "setp.ne.u32 %p1, %i, 5; @%p1 st.global.u32 [%d3+4], %i;\n"),
                                        {{32, 1, 1}, {1, 1, 1}}, run);
    REQUIRE(findings.size() == 1);
    CHECK(findings[0].address == begin + 5 * 16 + 4);
    CHECK(findings[0].bytes == 4);
    // A number and a double: nothing is missing.
    CHECK(found("mul.wide.u32 %d3, %i, 16; add.u64 %d3, %d3, %in; st.global.u32 [%d3], %i;\n"
                "mov.f64 %g0, 0d0000000000000000; st.global.f64 [%d3+8], %g0;\n",
                reading(512))
              .empty());
}

TEST_CASE("Copies of the host carry along what nobody has written", "[check][init]") {
    auto const moved = [](std::uint64_t from_offset, bool from_out) {
        InitRun run;
        run.after = [=](Device& device, std::uint64_t out, std::uint64_t in) {
            device.tell_moved(in + 1024, (from_out ? out : in) + from_offset, 64);
            read(device, in + 1024, 64);
        };
        return run;
    };
    CHECK(found("", moved(0, false)) == to_host);
    CHECK(found("", moved(0, true)).empty());
    CHECK(found(each8 + "st.global.u64 [%d3], %o4;\n", moved(128, false)).empty());
}

TEST_CASE("Memory that was freed is undefined when it is allocated again", "[check][init]") {
    auto const again = [](bool writes) {
        InitRun run;
        run.after = [=](Device& device, std::uint64_t, std::uint64_t in) {
            device.tell_set(in, 65536);
            read(device, in, 64);
            device.free(in);
            std::uint64_t const fresh = device.allocate(65536);
            if (writes) device.tell_set(fresh, 64);
            read(device, fresh, 64);
        };
        return run;
    };
    CHECK(found("", again(false)) == to_host);
    CHECK(found("", again(true)).empty());
}

TEST_CASE("Memory that the host shares is written unseen", "[check][init]") {
    auto const of_source = [](sim::AllocationSource source) {
        InitRun run;
        run.before = [=](Device& device, std::uint64_t out, std::uint64_t) {
            std::uint64_t const shared = device.allocate(256, source);
            device.write(out, &shared, sizeof shared);
        };
        return run;
    };
    std::string const body =
        "ld.global.u64 %d1, [%out]; ld.global.u32 %r1, [%d1]; setp.eq.u32 %p0, %r1, 0; @%p0 bra NEXT;\n"
        "st.global.u32 [%out+64], 1; NEXT:\n";
    CHECK(found(body, of_source(sim::AllocationSource::host_shared)).empty());
    CHECK(found(body, of_source(sim::AllocationSource::runtime)) == "uninitialised value decides a branch");
}

TEST_CASE("Strictly, every read of what nobody has written is found", "[check][init]") {
    InitRun strict;
    strict.is_strict = true;
    std::string const reads = "read of uninitialised memory";
    CHECK(found("ld.global.u32 %r1, [%in]; st.global.u32 [%in+4096], %r1;\n", strict) == reads);
    CHECK(found("ld.global.u32 %r1, [%in]; st.global.u32 [%in+4096], %r1;\n", {}).empty());
    CHECK(found("ld.global.u32 %r1, [%out]; st.global.u32 [%in+4096], %r1;\n", strict).empty());
    CHECK(found(".shared .b32 word; ld.shared.u32 %r1, [word];\n", strict) == reads);
    CHECK(found("red.global.add.u32 [%in], 1;\n", strict) == reads);
    CHECK(
        found(".shared .align 16 .b8 tile[16]; cp.async.ca.shared.global [tile], [%in], 16; cp.async.wait_all;\n",
              strict) == reads);
    // What follows from it is not told again.
    CHECK(found("ld.global.u32 %r1, [%in]; setp.eq.u32 %p0, %r1, 0; @%p0 st.global.u32 [%o4], %r1;\n", strict) ==
          reads);
}

TEST_CASE("A finding says where a value was used, where it was read, and whose it is", "[check][init]") {
    auto const findings =
        init_findings(kernel("ld.global.u32 %r1, [%in+8];\nadd.u32 %r2, %r1, 1;\nsetp.eq.u32 %p0, %r2, 0;\n"
                             "@%p0 bra NEXT; st.global.u32 [%out], 1;\nNEXT:\n"),
                      {{64, 1, 1}, {2, 1, 1}});
    REQUIRE(findings.size() == 1);
    check::Finding const& f = findings[0];
    CHECK(f.kind == check::Kind::init);
    CHECK(f.count == 128);
    CHECK(f.kernel == "k");
    CHECK(f.space == "global");
    REQUIRE(f.act);
    CHECK(f.act->ptx.text == "@%p0 bra NEXT;");
    REQUIRE(f.other);
    CHECK(f.other->ptx.text == "ld.global.u32 %r1, [%in+8];");
    REQUIRE(f.allocation);
    CHECK(f.allocation->bytes == 65536);
    CHECK(f.address == f.allocation->address + 8);
    CHECK(contains(f.message, "8 bytes from its beginning"));
    auto const shared = init_findings(
        kernel(".shared .b32 first; .shared .b32 second;\nst.shared.u32 [first], 1; ld.shared.u32 %r1, [second];\n"
               "setp.eq.u32 %p0, %r1, 0; @%p0 bra NEXT; st.global.u32 [%out], 1;\nNEXT:\n"),
        {{32, 1, 1}, {1, 1, 1}});
    REQUIRE(shared.size() == 1);
    CHECK(contains(shared[0].message, "shared variable second of 4 bytes"));
    auto const unwritten =
        init_findings(kernel("@%p7 bra NEXT; st.global.u32 [%out], 1;\nNEXT:\n"), {{32, 1, 1}, {1, 1, 1}});
    REQUIRE(unwritten.size() == 1);
    CHECK(contains(unwritten[0].message, "register %p7, which nothing has written"));
}

TEST_CASE("Undefined values of one launch are found in the next", "[check][init]") {
    InitRun run;
    run.after = [](Device& device, std::uint64_t out, std::uint64_t in) {
        auto const module = device.load_text(
            "next.ptx", kernel("ld.global.u32 %r1, [%in]; setp.eq.u32 %p0, %r1, 0; @%p0 bra NEXT;\n"
                               "st.global.u32 [%out], 1; NEXT:\n"));
        static_cast<void>(device.launch(*module, "k", {.grid = {1, 1, 1}, .block = {32, 1, 1}},
                                        runtime::Arguments::of(out, in)));
    };
    std::string const store = "setp.eq.u32 %p1, %i, 0; @%p1 st.global.u32 [%in], ";
    auto const findings = init_findings(kernel(store + "%r9;\n"), {}, run);
    REQUIRE(findings.size() == 1);
    CHECK(contains(findings[0].message, "register %r9"));
    CHECK(findings[0].launch == 1);
    CHECK(init_findings(kernel(store + "%i;\n"), {}, run).empty());
}

TEST_CASE("The number of host threads changes no report of undefined values", "[check][init]") {
    auto const texts = [](int threads) {
        InitRun run;
        run.threads = threads;
        std::string all;
        std::string const body =
            ".shared .b32 word;\nld.shared.u32 %r1, [word]; setp.lt.u32 %p1, %i, 700; @%p1 st.global.u32 [%o4], "
            "%r1;\n"
            "ld.global.u32 %r2, [%in]; setp.eq.u32 %p0, %r2, 0; @%p0 bra NEXT; st.global.u32 [%out], 1;\nNEXT:\n";
        for (check::Finding const& f : init_findings(kernel(body), {{128, 1, 1}, {64, 1, 1}}, run))
            all += check::to_text(f);
        return all;
    };
    std::string const one = texts(1);
    CHECK(contains(one, "decides a branch"));
    CHECK(one == texts(4));
}

}  // namespace init_host_test
