// What a device refuses to launch, and its counts of memory accesses.
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

namespace launch_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string refusal(Program& program, runtime::LaunchShape const& shape, runtime::Arguments const& arguments) {
    try {
        program.device.launch(*program.module, "k", shape, arguments);
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::launch);
        return error.what();
    }
    return {};
}

std::string refusal(std::string const& text, runtime::LaunchShape const& shape,
                    std::vector<std::string> overrides = {}) {
    Program program(text, "independent", Program::one_thread(), std::move(overrides));
    return refusal(program, shape, runtime::Arguments::of(program.device.allocate(4096), program.in));
}

void check_names(std::string const& text, std::vector<std::string> const& parts) {
    INFO(text);
    for (std::string const& part : parts) {
        INFO("wanted: " << part);
        CHECK(contains(text, part));
    }
}

runtime::LaunchShape shape(std::array<std::uint32_t, 3> grid, std::array<std::uint32_t, 3> block,
                           std::uint32_t shared = 0) {
    runtime::LaunchShape s;
    s.grid = grid;
    s.block = block;
    s.dynamic_shared = shared;
    return s;
}

}  // namespace

TEST_CASE("A launch beyond a limit of the GPU names the limit", "[runtime]") {
    std::string const plain = kernel("");
    check_names(refusal(plain, shape({1, 1, 1}, {1024, 2, 1})),
                {"cannot launch k", "threads per block: 2048", "at most 1024"});
    check_names(refusal(plain, shape({1, 1, 1}, {1025, 1, 1})), {"threads of a block in x: 1025", "at most 1024"});
    check_names(refusal(plain, shape({1, 1, 1}, {1, 1, 65})), {"threads of a block in z: 65", "at most 64"});
    check_names(refusal(plain, shape({1, 65536, 1}, {1, 1, 1})), {"blocks in y: 65536", "at most 65535"});
    check_names(refusal(plain, shape({1, 1, 0}, {1, 1, 1})), {"a dimension is zero"});
    check_names(refusal(plain, shape({1, 1, 1}, {0, 1, 1})), {"a dimension is zero"});
    check_names(refusal(plain, shape({1, 1, 1}, {1, 1, 1}, 1 << 20)),
                {"shared memory per block", "1048576", "232448"});
    check_names(
        refusal(kernel("st.shared.u32 [big], 1;", ".shared .b8 big[200000];"), shape({1, 1, 1}, {1, 1, 1}, 40000)),
        {"static and dynamic", "240000", "232448"});
    CHECK(refusal(plain, shape({1, 1, 1}, {1, 1, 1}, 232448)).empty());
}

TEST_CASE("A launch against the kernel's own directives is refused", "[runtime]") {
    check_names(refusal(kernel("", "", ".maxntid 64, 2, 1\n"), shape({1, 1, 1}, {129, 1, 1})),
                {"129 wanted", ".maxntid allows 128"});
    CHECK(refusal(kernel("", "", ".maxntid 64, 2, 1\n"), shape({1, 1, 1}, {128, 1, 1})).empty());
    check_names(refusal(kernel("", "", ".reqntid 64, 2, 1\n"), shape({1, 1, 1}, {128, 1, 1})),
                {".reqntid", "(64,2,1)"});
    CHECK(refusal(kernel("", "", ".reqntid 64, 2, 1\n"), shape({1, 1, 1}, {64, 2, 1})).empty());
}

TEST_CASE("A launch with clusters that the kernel, the grid or the GPU do not allow is refused", "[runtime]") {
    std::string const required = kernel("", "", ".reqnctapercluster 2, 1, 1\n");
    CHECK(refusal(required, shape({2, 1, 1}, {32, 1, 1})).empty());
    check_names(refusal(required, shape({3, 1, 1}, {32, 1, 1})),
                {"no multiple of the cluster", "3 blocks in clusters of 2"});
    auto clustered = shape({16, 1, 1}, {32, 1, 1});
    clustered.cluster = {4, 1, 1};
    CHECK(refusal(kernel(""), clustered).empty());
    check_names(refusal(required, clustered), {".reqnctapercluster", "(2,1,1)"});
    clustered.cluster = {16, 1, 1};
    check_names(refusal(kernel(""), clustered), {"blocks of a cluster: 16 wanted, at most 8"});
    clustered.non_portable_cluster = true;
    CHECK(refusal(kernel(""), clustered).empty());
    check_names(refusal(kernel("", "", ".maxclusterrank 4\n"), clustered), {".maxclusterrank allows 4"});
}

TEST_CASE("A kernel of an explicit cluster wants one, from its directive or from the launch", "[runtime]") {
    auto clustered = shape({4, 1, 1}, {32, 1, 1});
    std::string const open = kernel("", "", ".explicitcluster\n");
    check_names(refusal(open, clustered), {".explicitcluster asks for cluster dimensions"});
    CHECK(refusal(kernel("", "", ".explicitcluster .reqnctapercluster 2\n"), clustered).empty());
    clustered.cluster = {2, 1, 1};
    CHECK(refusal(open, clustered).empty());
}

TEST_CASE("With .blocksareclusters the grid counts clusters", "[runtime]") {
    std::string text =
        kernel("mov.u32 %r0, %nctaid.x; mov.u32 %r1, %nclusterid.x; mad.lo.u32 %r0, %r0, 100, %r1;\n"
               "st.global.u32 [%o4], %r0;",
               "", ".reqntid 32 .reqnctapercluster 2 .blocksareclusters\n");
    text.replace(text.find("8.7"), 3, "9.0");
    CHECK(Program(text).run<std::uint32_t>(192, {.block = {32, 1, 1}, .grid = {3, 1, 1}}) ==
          std::vector<std::uint32_t>(192, 603));
}

TEST_CASE("A launch with too few arguments or too many cooperative blocks is refused", "[runtime]") {
    Program program(kernel(""));
    check_names(refusal(program, shape({1, 1, 1}, {32, 1, 1}), runtime::Arguments::of(1)),
                {"4 bytes given", "parameters take 16"});
    check_names(refusal(program, shape({1, 1, 1}, {32, 1, 1}), {}), {"0 bytes given"});
    auto cooperative = shape({100000, 1, 1}, {1024, 1, 1});
    cooperative.cooperative = true;
    check_names(refusal(program, cooperative, runtime::Arguments::of(program.in, program.in)),
                {"cooperative", "100000"});
}

TEST_CASE("A kernel with an instruction that is not executed is refused with its lines", "[runtime]") {
    // ptxas makes a call of it, to a function that no library has.
    std::string text =
        kernel("mov.u32 %r0, 0;\n"
               "wmma.mma.sync.aligned.row.col.m8n8k4.s32.u4.u4.s32 {%r1, %r2}, {%r0}, {%r0}, {%r1, %r2};");
    text.replace(text.find("sm_90"), 5, "sm_80");
    auto const line =
        1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(text.find("wmma.mma")), '\n');
    std::string const refused = refusal(text, shape({1, 1, 1}, {32, 1, 1}));
    if (refused.empty()) return;  // it is executed by now
    check_names(refused, {"kernel k cannot run", "test.ptx:" + std::to_string(line) + ":", "wmma.mma"});
}

TEST_CASE("A copy outside of an allocation is refused", "[runtime]") {
    Program program(kernel(""));
    auto const p = program.device.allocate(100);
    std::vector<std::uint8_t> bytes(101);
    CHECK_THROWS_AS(program.device.write(p, bytes.data(), 101), Error);
    CHECK_THROWS_AS(program.device.read(bytes.data(), p + 1, 100), Error);
    CHECK_THROWS_AS(program.device.read(bytes.data(), p - 1, 1), Error);
    CHECK_NOTHROW(program.device.write(p + 100, bytes.data(), 0));
    program.device.free(p);
    CHECK_THROWS_AS(program.device.write(p, bytes.data(), 1), Error);
    CHECK_THROWS_AS(program.device.free(p), Error);
}

TEST_CASE("Symbols are found, written and read within their bounds", "[runtime]") {
    Program program(kernel("ld.const.u32 %r0, [table+4]; st.global.u32 [%o4], %r0;",
                           ".const .u32 table[2];\n.global .u16 half = 3;"));
    std::uint32_t const value = 77;
    program.module->write_symbol("table", 4, &value, 4);
    CHECK(program.run<std::uint32_t>(32) == std::vector<std::uint32_t>(32, 77));
    std::uint16_t half = 0;
    program.module->read_symbol("half", 0, &half, 2);
    CHECK(half == 3);
    CHECK(program.module->symbol("table").is_constant);
    CHECK(program.module->symbol("half").size == 2);
    CHECK_THROWS_AS(program.module->write_symbol("table", 5, &value, 4), Error);
    CHECK_THROWS_AS(program.module->symbol("tabel"), Error);
}

TEST_CASE("A module frees its variables and outlives its device", "[runtime]") {
    std::shared_ptr<runtime::Module> module;
    {
        Program program(kernel("", ".global .u32 x = 3;"));
        module = program.module;
    }
    std::uint32_t value = 0;
    module->read_symbol("x", 0, &value, 4);
    CHECK(value == 3);
}

namespace {

runtime::LaunchResult counted(std::string const& body, std::string const& before = {}) {
    runtime::DeviceOptions options = Program::one_thread();
    options.memory_statistics = true;
    Program program(kernel(body, before), "independent", options);
    program.in = program.device.allocate(1 << 16);
    program.run<std::uint32_t>(1024);
    return program.result;
}

}  // namespace

TEST_CASE("Sectors of global accesses are counted as the lanes touch them", "[runtime]") {
    struct Case {
        char const* body;
        std::uint64_t requests, sectors;
    };
    Case const cases[] = {
        {"ld.global.u32 %r0, [%o4];", 1, 4},
        {"ld.global.u64 %d0, [%o8];", 1, 8},
        {"mad.wide.u32 %d0, %i, 16, %in; ld.global.v4.u32 {%r0, %r1, %r2, %r3}, [%d0];", 1, 16},
        {"ld.global.u32 %r0, [%in];", 1, 1},
        {"mad.wide.u32 %d0, %i, 1, %in; ld.global.u8 %r0, [%d0];", 1, 1},
        {"mad.wide.u32 %d0, %i, 8, %in; ld.global.u32 %r0, [%d0];", 1, 8},
        {"mad.wide.u32 %d0, %i, 128, %in; st.global.u32 [%d0], 1;", 1, 32},
        {"add.u64 %d0, %o4, 16; ld.global.u32 %r0, [%d0];", 1, 5},
        {"setp.lt.u32 %p0, %i, 9; @%p0 ld.global.u32 %r0, [%o4];", 1, 2},
        {"red.global.add.u32 [%in], 1; ld.u32 %r0, [%o4];", 2, 5},
        {"ld.param.u64 %d0, [p_out];", 0, 0},
    };
    for (Case const& c : cases) {
        INFO(c.body);
        auto const result = counted(c.body);
        CHECK(result.memory.counted);
        CHECK(result.memory.global_requests == c.requests);
        CHECK(result.memory.global_sectors == c.sectors);
        CHECK(result.memory.shared_requests == 0);
    }
}

TEST_CASE("Bank conflicts of shared accesses are counted as passes beyond the first", "[runtime]") {
    struct Case {
        int stride;
        char const* load;
        std::uint64_t conflicts;
    };
    Case const cases[] = {
        {4, "ld.shared.u32 %r0, [%r1];", 0},    {0, "ld.shared.u32 %r0, [%r1];", 0},
        {8, "ld.shared.u32 %r0, [%r1];", 1},    {128, "ld.shared.u32 %r0, [%r1];", 31},
        {132, "ld.shared.u32 %r0, [%r1];", 0},  {64, "ld.shared.u32 %r0, [%r1];", 15},
        {1, "ld.shared.u8 %r0, [%r1];", 0},     {2, "ld.shared.u16 %r0, [%r1];", 0},
        {8, "ld.shared.u64 %d0, [%r1];", 0},    {16, "ld.shared.v4.u32 {%r2, %r3, %r4, %r5}, [%r1];", 0},
        {128, "st.shared.u64 [%r1], %d0;", 30},
    };
    for (Case const& c : cases) {
        INFO("stride " << c.stride << ": " << c.load);
        auto const result =
            counted("mov.u32 %r1, cells; mad.lo.u32 %r1, %i, " + std::to_string(c.stride) + ", %r1;\n" + c.load,
                    ".shared .align 16 .b8 cells[8192];");
        CHECK(result.memory.shared_requests == 1);
        CHECK(result.memory.shared_bank_conflicts == c.conflicts);
        CHECK(result.memory.global_requests == 0);
    }
}

TEST_CASE("Memory is counted alike by one and by several host threads", "[runtime]") {
    std::vector<std::uint64_t> sectors;
    for (int const threads : {1, 3}) {
        runtime::DeviceOptions options;
        options.threads = threads;
        options.memory_statistics = true;
        Program program(kernel("mad.wide.u32 %d0, %i, 8, %out; st.global.u32 [%d0], %i;"), "independent", options);
        program.run<std::uint32_t>(32 * 50 * 2, {.grid = {50, 1, 1}});
        sectors.push_back(program.result.memory.global_sectors);
    }
    CHECK(sectors == std::vector<std::uint64_t>{400, 400});
}

TEST_CASE("A trace shows each warp instruction, divergence and where lanes meet again", "[runtime]") {
    std::vector<std::string> lines;
    runtime::DeviceOptions options;
    options.threads = 2;
    options.trace = [&](std::string_view line) { lines.emplace_back(line); };
    options.trace_filter = "cta=1";
    Program program(kernel("and.b32 %r0, %i, 3; setp.eq.u32 %p0, %r0, 0; @%p0 bra A; mov.u32 %r1, 1; A:\n"
                           "T: .branchtargets C, D, E, F;\nbrx.idx %r0, T;\nC: add.u32 %r1, %r1, 1;\nD: add.u32 "
                           "%r1, %r1, 1;\nE: add.u32 %r1, %r1, 1;\n"
                           "F: @%p0 st.global.u32 [%o4], %r1;"),
                    "independent", options);
    program.run<std::uint32_t>(96, {.grid = {3, 1, 1}});
    auto const count = [&](std::string const& part) {
        return std::count_if(lines.begin(), lines.end(),
                             [&](std::string const& line) { return contains(line, part); });
    };
    CHECK(count("cta 1,0,0") + count("-- warp 0") == static_cast<std::ptrdiff_t>(lines.size()));
    CHECK(count("mov.u32 %r1, 1;") == 1);
    CHECK(count("eeeeeeee") >= 1);
    CHECK(count("-- warp 0 diverges: 11111111 branch, eeeeeeee fall through") == 1);
    CHECK(count("diverges") >= 2);
    CHECK(count("reconverges: ffffffff") == 2);
    CHECK(count("guard lets 11111111") == 2);  // the branch and the store
}

TEST_CASE("What a loader asks of registers gives way to a kernel's own directive", "[runtime]") {
    auto const registers = [](std::string const& directive, std::uint32_t asked) {
        runtime::Device device(sim::load_config("h100"), Program::one_thread());
        std::string sum;  // all live at once, because volatile accesses stay in order
        for (int i = 0; i < 30; ++i) sum += "ld.volatile.global.u32 %r" + std::to_string(i) + ", [%in];\n";
        for (int i = 0; i < 30; ++i) sum += "st.volatile.global.u32 [%o4], %r" + std::to_string(i) + ";\n";
        runtime::LoadOptions options;
        options.max_registers = asked;
        auto const module = device.load_text("k.ptx", kernel(sum, "", directive), options);
        auto const out = device.allocate(4096);
        return device.launch(*module, "k", shape({1, 1, 1}, {32, 1, 1}), runtime::Arguments::of(out, out))
            .registers_per_thread;
    };
    std::uint32_t const free = registers("", 0);
    REQUIRE(free > 28);
    CHECK(registers("", 24) == 24);
    CHECK(registers(".maxnreg 28", 24) == 28);
    CHECK(registers(".maxnreg 24", 28) == 24);
}

TEST_CASE("A minimum of blocks that does not fit an SM is ignored, one that does bounds the registers",
          "[runtime]") {
    auto const registers = [](std::string const& directive) {
        Program program(kernel("mov.u32 %r0, %i; add.u32 %r1, %r0, 1; st.global.u32 [%o4], %r1;", "", directive));
        auto const out = program.device.allocate(4096);
        return program.device
            .launch(*program.module, "k", shape({1, 1, 1}, {32, 1, 1}), runtime::Arguments::of(out, program.in))
            .registers_per_thread;
    };
    CHECK(registers(".maxntid 1024 .minnctapersm 64") == registers(".maxntid 1024"));  // 65536 threads do not fit
    CHECK(registers(".minnctapersm 64") == registers(""));                             // counts only with a size
}

TEST_CASE("A kernel of PTX 1.3 finds the parameters that its body declares", "[runtime]") {
    std::string const text =
        ".version 1.3\n.target sm_10\n.entry k\n{\n.param .u32 a;\n.param .align 8 .u64 out;\n"
        ".reg .u32 %r<3>;\n.reg .u64 %d;\nld.param.u32 %r0, [a];\nld.param.u64 %d, [out];\n"
        "add.u32 %r1, %r0, 1;\nst.global.u32 [%d], %r1;\nexit;\n}\n";
    Program program(text);
    auto const parameters = program.module->parameters("k");
    REQUIRE(parameters.size() == 2);
    CHECK(parameters[1].offset == 8);
    auto const out = program.device.allocate(64);
    program.device.launch(*program.module, "k", shape({1, 1, 1}, {1, 1, 1}),
                          runtime::Arguments::of(std::uint32_t{41}, out));
    CHECK(program.device.download<std::uint32_t>(out, 1)[0] == 42);
}

}  // namespace launch_test
