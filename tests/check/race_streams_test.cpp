// Kernels, copies and fills of several streams: races unless an event, the order of a stream or a wait of the host is between.
#include "tests/check/race_cases.hpp"

#include "runtime/work_order.hpp"

#include <string>
#include <vector>

namespace race_streams_test {

using namespace warpsim;
using namespace warpsim::test;
using runtime::WorkOrder;

namespace {

WorkOrder work(std::uint64_t stream, std::uint64_t number) {
    WorkOrder order;
    order.stream = stream;
    order.number = number;
    order.name = "stream " + std::to_string(stream);
    order.is_alone = false;
    return order;
}
/// The first work of a second stream, which follows what an event says of the first one.
WorkOrder after_event(std::uint64_t number) {
    WorkOrder order = work(2, 1);
    order.follows.raise(1, number);
    return order;
}
WorkOrder second_of_first() {
    WorkOrder order = work(1, 2);
    order.follows.raise(1, 1);
    return order;
}
WorkOrder after_wait_of_host() {
    WorkOrder order = after_event(1);
    order.host.raise(1, 1);
    return order;
}

/// The second kernel of a stream, which the first one lets begin early.
WorkOrder overlapping(bool is_alone = false) {
    WorkOrder order = second_of_first();
    order.overlaps = 1;
    order.is_alone = is_alone;
    return order;
}
/// The third of a stream, where only the second one may begin early.
WorkOrder third_of_first() {
    WorkOrder order = work(1, 3);
    order.follows.raise(1, 2);
    return order;
}
/// ... where the third one may begin early, too.
WorkOrder third_overlapping() {
    WorkOrder order = third_of_first();
    order.overlaps = 2;
    return order;
}

std::string const lets_begin = "griddepcontrol.launch_dependents;\n";
std::string const waits = "griddepcontrol.wait;\n",
                  first_waits = "setp.ne.u32 %p0, %s, 0; @!%p0 griddepcontrol.wait;\n";
std::string const writes = "st.global.u32 [%o4], %i;\n",
                  reads = "ld.global.u32 %r0, [%o4]; st.global.u32 [%o4+4096], %r0;\n",
                  only_reads = "ld.global.u32 %r0, [%o4];\n", adds = "red.global.add.u32 [%out], 1;\n",
                  adds_in_block = "red.relaxed.cta.global.add.u32 [%out], 1;\n";

/// Something that happens to the memory at `out`, as a part of `order`.
struct Step {
    WorkOrder order;
    std::string kernel;  // its body; or "read", "write": what the host has done
};

char const* const overlap = "read and write in kernels that overlap";

std::vector<check::Finding> findings_of(std::vector<Step> const& steps) {
    check::Options options;
    options.kinds = check::parse_kinds("race");
    options.print_limit = 0;
    check::Checkers checkers(options);
    runtime::DeviceOptions device_options = Program::one_thread();
    checkers.observe(device_options);
    auto const begin = device_options.work_begins;
    Program program(kernel(""), "independent", device_options);
    runtime::DevicePointer const out = program.device.allocate(16384);
    std::vector<std::uint32_t> values(64);
    std::vector<std::shared_ptr<runtime::Module>> modules;  // which findings name
    for (Step const& step : steps) {
        begin(step.order);
        if (step.kernel == "read") {
            program.device.read(values.data(), out, 256);
        } else if (step.kernel == "write") {
            program.device.write(out, values.data(), 256);
        } else {
            modules.push_back(program.module = program.device.load_text("test.ptx", kernel(step.kernel)));
            program.launch(out, blocks(1, 64));
        }
        begin({});
    }
    return checkers.findings().all();
}

struct StreamCase {
    char const* name;
    std::vector<Step> steps;
    char const* found;
};

std::vector<StreamCase> stream_cases() {
    return {
        {"two kernels of one stream", {{work(1, 1), writes}, {second_of_first(), reads}}, ""},
        {"... of two streams", {{work(1, 1), writes}, {work(2, 1), reads}}, "read and write in two streams"},
        {"... the other way round", {{work(2, 1), reads}, {work(1, 1), writes}}, "write and read in two streams"},
        {"... behind an event", {{work(1, 1), writes}, {after_event(1), reads}}, ""},
        {"... behind an event that was recorded too early",
         {{work(1, 1), only_reads}, {second_of_first(), writes}, {after_event(1), reads}},
         "read and write in two streams"},
        {"... behind a wait of the host", {{work(1, 1), writes}, {after_wait_of_host(), reads}}, ""},
        {"both only read", {{work(1, 1), only_reads}, {work(2, 1), only_reads}}, ""},
        {"both add by atomics", {{work(1, 1), adds}, {work(2, 1), adds}}, ""},
        {"... whose scope is the block",
         {{work(1, 1), adds_in_block}, {work(2, 1), adds_in_block}},
         "atomic and atomic in two streams"},
        {"a copy to what a kernel reads",
         {{work(1, 1), only_reads}, {work(2, 1), "write"}},
         "write and read in two streams"},
        {"... behind an event", {{work(1, 1), only_reads}, {after_event(1), "write"}}, ""},
        {"a copy of what a kernel reads", {{work(1, 1), only_reads}, {work(2, 1), "read"}}, ""},
        {"a kernel beside a copy",
         {{work(1, 1), "write"}, {work(2, 1), only_reads}},
         "read and write in two streams"},
        {"... behind an event", {{work(1, 1), "write"}, {after_event(1), only_reads}}, ""},
        {"a kernel beside a copy of what it writes",
         {{work(1, 1), "read"}, {work(2, 1), writes}},
         "write and read in two streams"},
        {"two copies", {{work(1, 1), "write"}, {work(2, 1), "read"}}, "read and write in two streams"},
        {"... behind an event", {{work(1, 1), "write"}, {after_event(1), "read"}}, ""},
        {"a kernel that begins early", {{work(1, 1), writes}, {overlapping(), reads}}, overlap},
        {"... in the only stream", {{work(1, 1), writes}, {overlapping(true), reads}}, overlap},
        {"... and waits", {{work(1, 1), writes}, {overlapping(), waits + reads}}, ""},
        {"... in the only stream", {{work(1, 1), writes}, {overlapping(true), waits + reads}}, ""},
        {"... too late", {{work(1, 1), writes}, {overlapping(), reads + waits}}, overlap},
        {"... in one thread", {{work(1, 1), writes}, {overlapping(), first_waits + reads}}, overlap},
        {"... that others follow",
         {{work(1, 1), writes}, {overlapping(), first_waits + "bar.sync 0;" + reads}},
         ""},
        {"... and writes what is read",
         {{work(1, 1), only_reads}, {overlapping(), writes}},
         "write and read in kernels that overlap"},
        {"... and writes when that is over", {{work(1, 1), only_reads}, {overlapping(), waits + writes}}, ""},
        {"... and reads what is read", {{work(1, 1), only_reads}, {overlapping(), only_reads}}, ""},
        {"... and adds by atomics", {{work(1, 1), adds}, {overlapping(), adds}}, ""},
        {"the one behind it",
         {{work(1, 1), writes}, {overlapping(), only_reads + waits}, {third_of_first(), reads}},
         overlap},
        {"a chain of three, whose middle one waits before it lets the last begin",
         {{work(1, 1), writes}, {overlapping(), waits + lets_begin}, {third_overlapping(), reads}},
         ""},
        {"... lets it begin at its end",
         {{work(1, 1), writes}, {overlapping(), waits}, {third_overlapping(), reads}},
         ""},
        {"... lets it begin first",
         {{work(1, 1), writes}, {overlapping(), lets_begin + waits}, {third_overlapping(), reads}},
         overlap},
        {"... lets it begin by a thread that has not waited",
         {{work(1, 1), writes}, {overlapping(), first_waits + lets_begin}, {third_overlapping(), reads}},
         overlap},
        {"... by one that follows one that has",
         {{work(1, 1), writes},
          {overlapping(), first_waits + "bar.sync 0;" + lets_begin},
          {third_overlapping(), reads}},
         ""},
        {"... lets it begin first, and the last waits",
         {{work(1, 1), writes}, {overlapping(), lets_begin + waits}, {third_overlapping(), waits + reads}},
         ""},
        {"... never waits, and the last does",
         {{work(1, 1), writes}, {overlapping(), lets_begin}, {third_overlapping(), waits + reads}},
         overlap},
        {"... never waits, and the last does not begin early",
         {{work(1, 1), writes}, {overlapping(), lets_begin}, {third_of_first(), reads}},
         ""},
    };
}

}  // namespace

TEST_CASE("Work of two streams races unless something orders it") {
    for (StreamCase const& c : stream_cases()) {
        INFO(c.name);
        auto const findings = findings_of(c.steps);
        for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
        CHECK(whats(findings) == c.found);
    }
}

TEST_CASE("A race of two streams names both kernels and launches") {
    auto const found = findings_of({{work(1, 1), writes}, {work(2, 1), only_reads}});
    REQUIRE(found.size() == 1);
    std::string const text = check::to_text(found[0]);
    INFO(text);
    CHECK(text.find("no event or wait between stream 1 and stream 2") != std::string::npos);
    CHECK(text.find("k, launch 1 in stream 2 may run at the same time as k, launch 0 in stream 1") !=
          std::string::npos);
    REQUIRE(found[0].other);
    CHECK(found[0].other->ptx.text.find("st.global") != std::string::npos);
}

TEST_CASE("A constant that is changed while a kernel of another stream may read it is a race") {
    auto const found = [](WorkOrder const& copy) {
        check::Options options;
        options.kinds = check::parse_kinds("race");
        options.print_limit = 0;
        check::Checkers checkers(options);
        runtime::DeviceOptions device_options = Program::one_thread();
        checkers.observe(device_options);
        auto const begin = device_options.work_begins;
        Program program(kernel("ld.const.u32 %r0, [factor]; st.global.u32 [%o4], %r0;\n", ".const .u32 factor;\n"),
                        "independent", device_options);
        runtime::DevicePointer const out = program.device.allocate(4096);
        std::uint32_t const two = 2;
        begin(work(1, 1));
        program.launch(out, blocks(1, 64));
        begin(copy);
        program.device.write(program.module->symbol("factor").address, &two, sizeof two);
        begin({});
        return whats(checkers.findings().all());
    };
    CHECK(found(after_event(1)).empty());
    CHECK(found(work(2, 1)) == "write and read in two streams");
}

}  // namespace race_streams_test
