// What the race checker remembers is in proportion to the memory that is touched.
#include "runtime/check/findings/findings.hpp"
#include "runtime/check/race/race_check.hpp"
#include "runtime/work_order.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <array>
#include <memory>
#include <string>

namespace race_cost_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

struct Watched {
    check::Findings findings{check::Suppressions()};
    std::shared_ptr<check::RaceCheck> race;
    std::unique_ptr<Program> program;

    explicit Watched(std::string const& text, std::uint32_t collect_at = 1u << 20)
        : race(std::make_shared<check::RaceCheck>(findings, collect_at)) {
        runtime::DeviceOptions options = Program::one_thread();
        options.sinks.push_back(race);
        program = std::make_unique<Program>(text, "independent", options);
    }
};

/// Each thread copies its own elements.
std::string copies(char const* type, char const* bytes, char const* reg) {
    return kernel(std::string("mul.wide.u32 %d0, %i, ") + bytes +
                  "; add.u64 %d1, %d0, %in; add.u64 %d2, %d0, %out;\n" + "ld.global." + type + " " + reg +
                  ", [%d1]; st.global." + type + " [%d2], " + reg + ";\n");
}
/// ... which are in the order in which a transposed tile has them.
std::string copies_scattered(char const* type, char const* bytes, char const* reg) {
    return kernel(std::string("shl.b32 %r0, %i, 5; shr.u32 %r1, %i, 11; or.b32 %r0, %r0, %r1;\n") +
                  "and.b32 %r0, %r0, 65535; mul.wide.u32 %d0, %r0, " + bytes +
                  "; add.u64 %d1, %d0, %in; add.u64 %d2, %d0, %out;\n" + "ld.global." + type + " " + reg +
                  ", [%d1]; st.global." + type + " [%d2], " + reg + ";\n");
}

/// Each thread writes its own element and reads it again, in this order.
std::string writes_and_reads_scattered(char const* type, char const* bytes, char const* reg) {
    return kernel(std::string("shl.b32 %r0, %i, 5; shr.u32 %r1, %i, 11; or.b32 %r0, %r0, %r1;\n") +
                  "and.b32 %r0, %r0, 65535; mul.wide.u32 %d0, %r0, " + bytes + "; add.u64 %d2, %d0, %out;\n" +
                  "st.global." + type + " [%d2], " + reg + "; ld.global." + type + " " + reg + ", [%d2];\n");
}

/// Each thread writes an element, and another of its block reads it.
std::string writes_for_others(std::string const& place, char const* type, char const* bytes, char const* reg) {
    return kernel(place + "mul.wide.u32 %d0, %r0, " + bytes + "; add.u64 %d2, %d0, %out; st.global." + type +
                  " [%d2], " + reg + "; bar.sync 0; xor.b32 %i, %i, 255;\n" + place + "mul.wide.u32 %d0, %r0, " +
                  bytes + "; add.u64 %d2, %d0, %out; ld.global." + type + " " + reg + ", [%d2];\n");
}
/// ... and any other reads it, when it likes.
std::string writes_for_anybody(char const* type, char const* bytes, char const* reg) {
    return kernel(std::string("mul.lo.u32 %r0, %i, 40503; and.b32 %r0, %r0, 65535; mul.wide.u32 %d0, %r0, ") +
                  bytes + "; add.u64 %d2, %d0, %out; st.relaxed.gpu.global." + type + " [%d2], " + reg +
                  "; mul.lo.u32 %r0, %i, 28411; and.b32 %r0, %r0, 65535; mul.wide.u32 %d0, %r0, " + bytes +
                  "; add.u64 %d2, %d0, %out; ld.relaxed.gpu.global." + type + " " + reg + ", [%d2];\n");
}
std::string const transposed =
                      "shl.b32 %r0, %i, 5; shr.u32 %r1, %i, 11; or.b32 %r0, %r0, %r1; and.b32 %r0, %r0, 65535;\n",
                  shuffled = "mul.lo.u32 %r0, %i, 40503; and.b32 %r0, %r0, 65535;\n";

}  // namespace

TEST_CASE("The race checker takes at most four bytes for each that is touched", "[check]") {
    struct Case {
        char const* name;
        std::string text;
        std::uint64_t element;
        std::uint64_t arrays = 2;
    };
    for (Case const& c :
         {Case{"bytes", copies("u8", "1", "%r2"), 1}, Case{"halves", copies("u16", "2", "%h0"), 2},
          Case{"words", copies("u32", "4", "%r2"), 4}, Case{"doubles", copies("u64", "8", "%d3"), 8},
          Case{"words here and there", copies_scattered("u32", "4", "%r2"), 4},
          Case{"halves here and there", copies_scattered("u16", "2", "%h0"), 2},
          Case{"bytes here and there", copies_scattered("u8", "1", "%r2"), 1},
          Case{"halves written and read", writes_and_reads_scattered("u16", "2", "%h0"), 2, 1},
          Case{"bytes written and read", writes_and_reads_scattered("u8", "1", "%r2"), 1, 1},
          Case{"halves for others", writes_for_others(transposed, "u16", "2", "%h0"), 2, 1},
          Case{"bytes for others", writes_for_others(transposed, "u8", "1", "%i"), 1, 1},
          Case{"halves in no order", writes_for_others(shuffled, "u16", "2", "%h0"), 2, 1},
          Case{"bytes in no order", writes_for_others(shuffled, "u8", "1", "%i"), 1, 1},
          Case{"halves for anybody", writes_for_anybody("u16", "2", "%h0"), 2, 1},
          Case{"bytes for anybody", writes_for_anybody("u8", "1", "%i"), 1, 1}}) {
        INFO(c.name);
        Watched watched(c.text);
        Program& program = *watched.program;
        std::uint64_t const touched = 65536 * c.element;
        program.in = program.device.allocate(touched);
        program.launch(program.device.allocate(touched), {{256, 1, 1}, {256, 1, 1}});
        CHECK(watched.race->held_bytes() <= 4 * c.arrays * touched);
        CHECK(watched.race->held_bytes() > 0);
        CHECK(watched.findings.all().empty());
    }
}

TEST_CASE("Races of bytes that are accessed in no order are found, though not all reads are kept", "[check]") {
    std::string text = writes_for_anybody("u8", "1", "%i");
    for (std::size_t at = 0; (at = text.find(".relaxed.gpu")) != std::string::npos;) text.erase(at, 12);
    Watched watched(text);
    Program& program = *watched.program;
    program.launch(program.device.allocate(65536), {{256, 1, 1}, {256, 1, 1}});
    std::uint64_t count = 0;
    for (check::Finding const& finding : watched.findings.all()) {
        UNSCOPED_INFO(finding.what << ": " << finding.count);
        count += finding.count;
    }
    CHECK(count > 65536 / 2);
}

TEST_CASE("The race checker forgets what nothing refers to any more", "[check]") {
    SECTION("in a launch") {
        // A thousand times as many accesses as there is memory.
        Watched watched(kernel(".shared .align 4 .b8 one[256];\n"
                               "mov.u32 %r0, one; shl.b32 %r1, %s, 2; add.u32 %r0, %r0, %r1; mov.u32 %r2, 0;\n"
                               "AGAIN: st.shared.u32 [%r0], %r2; bar.sync 0; add.u32 %r2, %r2, 1;\n"
                               "setp.lt.u32 %p0, %r2, 1000; @%p0 bra AGAIN;\n"),
                        1000);
        watched.program->launch(0, {{64, 1, 1}, {4, 1, 1}});
        CHECK(watched.race->remembered_records() <= 1000);
        CHECK(watched.findings.all().empty());
    }
    SECTION("in streams for which the host never waits") {
        Watched watched(kernel("ld.global.u32 %r0, [%o4]; add.u32 %r0, %r0, 1; st.global.u32 [%o4], %r0;\n"),
                        1000);
        Program& program = *watched.program;
        std::array<std::uint32_t, 64> const zeros{};
        runtime::DevicePointer const out[] = {program.device.allocate(256), program.device.allocate(256)};
        for (std::uint64_t number = 1; number <= 10000; ++number) {
            runtime::WorkOrder order;
            order.stream = 1 + number % 2;
            order.number = number;
            order.name = "stream " + std::to_string(order.stream);
            order.is_alone = false;
            order.follows.raise(order.stream, number - 1);
            watched.race->work_begins(order);
            if (number % 10 < 2) program.device.write(out[number % 2], zeros.data(), 256);
            else program.launch(out[number % 2], {{64, 1, 1}, {1, 1, 1}});
        }
        CHECK(watched.race->remembered_records() <= 1000);
        CHECK(watched.race->remembered_works() <= 5000);
        CHECK(watched.findings.all().empty());
    }
}

TEST_CASE("A race is found between accesses that lanes make together and alone", "[check]") {
    // The second warp writes what the first has written as whole words, half by half or byte by byte.
    struct Case {
        char const* name;
        std::string second;
        bool races;
    };
    for (Case const& c :
         {Case{"a byte", "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u8 [all+77], %r0;", true},
          Case{"a byte beside", "setp.eq.u32 %p1, %r0, 0; @%p1 st.shared.u8 [all+128], %r0;", false},
          Case{"halves", "shl.b32 %r1, %r0, 1; add.u32 %r1, %r1, %r3; st.shared.u16 [%r1+120], %h0;", true},
          Case{"halves beside", "shl.b32 %r1, %r0, 1; add.u32 %r1, %r1, %r3; st.shared.u16 [%r1+128], %h0;",
               false},
          Case{"bytes", "add.u32 %r1, %r3, %r0; st.shared.u8 [%r1+127], %r0;", true},
          Case{"doubles", "shl.b32 %r1, %r0, 3; add.u32 %r1, %r1, %r3; ld.shared.u64 %d0, [%r1+120];", true},
          Case{"doubles beside", "shl.b32 %r1, %r0, 3; add.u32 %r1, %r1, %r3; ld.shared.u64 %d0, [%r1+128];",
               false}}) {
        INFO(c.name);
        Watched watched(kernel(".shared .align 16 .b8 all[1024];\n"
                               "mov.u32 %r3, all; and.b32 %r0, %s, 31; setp.ge.u32 %p0, %s, 32; @%p0 bra SECOND;\n"
                               "shl.b32 %r1, %s, 2; add.u32 %r1, %r1, %r3; st.shared.u32 [%r1], %s; bra DONE;\n"
                               "SECOND:\n" +
                               c.second + "\nDONE:\n"));
        watched.program->launch(0, {{64, 1, 1}, {1, 1, 1}});
        CHECK(watched.findings.all().empty() == !c.races);
    }
}

}  // namespace race_cost_test
