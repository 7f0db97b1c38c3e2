// Modules that a device takes from its cache are in every respect equal to those that it reads from text.
#include "frontend/archive/archive.hpp"
#include "runtime/cache/file_cache.hpp"
#include "runtime/device.hpp"
#include "runtime/log.hpp"
#include "runtime/statistics/statistics.hpp"
#include "sim/error.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

namespace module_cache_test {

using namespace warpsim;
using test::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

// Calls, also through a table; divergence; an inlined line of a source file; and an array that no module defines,
// which gives a warning.
constexpr char program[] = R"(.version 7.2
.target sm_70
.address_size 64
.extern .shared .b8 undefined[64];
.file 1 "kernels.cu"
.func (.param .b32 out) twice(.param .b32 in) {
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [in];
    add.u32 %r2, %r1, %r1;
    st.param.b32 [out], %r2;
    ret;
}
.func (.param .b32 out) square(.param .b32 in) {
    .reg .b32 %r<3>;
    ld.param.b32 %r1, [in];
    mul.lo.u32 %r2, %r1, %r1;
    st.param.b32 [out], %r2;
    ret;
}
.const .u64 table[2] = { twice, square };
.visible .entry calls(.param .u64 p) {
    .reg .b64 %rd<6>;
    .reg .b32 %r<6>;
    .reg .pred %p<3>;
    ld.param.u64 %rd1, [p];
    mov.u32 %r1, %tid.x;
    mul.wide.u32 %rd2, %r1, 4;
    add.s64 %rd3, %rd1, %rd2;
    and.b32 %r2, %r1, 1;
    setp.eq.u32 %p1, %r2, 1;
    mov.u32 %r3, 7;
    @%p1 bra ODD;
    add.u32 %r3, %r3, %r1;
ODD:
    mul.wide.u32 %rd4, %r2, 8;
    mov.u64 %rd5, table;
    add.s64 %rd4, %rd5, %rd4;
    ld.const.u64 %rd4, [%rd4];
    {
        .param .b32 in;
        .param .b32 out;
        st.param.b32 [in], %r3;
        signature: .callprototype (.param .b32 _) _ (.param .b32 _);
        call (out), %rd4, (in), signature;
        ld.param.b32 %r4, [out];
    }
    st.global.u32 [%rd3], %r4;
    st.shared.u32 [undefined], %r4;
    ret;
}
.visible .entry other(.param .u64 p) {
    .reg .b64 %rd<3>;
    ld.param.u64 %rd1, [p];
    .loc 1 6 3
    .loc 1 9 5, function_name info, inlined_at 1 6 3
    st.global.u32 [%rd1 + 1000000], 1;
    ret;
}
.section .debug_str
{
info:
    .b8 115,116,111,114,101,0
}
)";

std::string const text = program + ("//" + std::string(20000, '.') + "\n");

bool contains(std::string const& all, std::string const& part) { return all.find(part) != std::string::npos; }

/// Everything that can be observed of a module.
struct Seen {
    std::string log;       // including messages about the cache
    std::string warnings;  // without those
    std::vector<std::uint32_t> values;
    std::string statistics, profile, trace, fault, wrong;
};

std::string without_cache(std::string const& log) {
    std::string rest;
    for (std::size_t at = 0; at < log.size();) {
        std::size_t const end = std::min(log.find('\n', at), log.size() - 1) + 1;
        std::string const line = log.substr(at, end - at);
        if (!line.starts_with("debug: ")) rest += line;
        at = end;
    }
    return rest;
}

Seen use(std::string const& folder, std::string const& ptx = text,
         runtime::Mode mode = runtime::Mode::functional) {
    Seen seen;
    log::configure(log::Level::debug, log::Color::never);
    test::Captured errors(2);
    try {
        runtime::DeviceOptions options;
        options.mode = mode;
        options.threads = 1;
        options.cache_folder = folder;
        options.profile = mode == runtime::Mode::timing;
        options.trace = [&](std::string_view line) { seen.trace += line; };
        runtime::Device device(sim::load_config("v100"), options);
        auto const module = device.load_text("program.ptx", ptx);
        auto const out = device.allocate(256);
        runtime::LaunchShape shape;
        shape.block = {64, 1, 1};
        runtime::LaunchResult result = device.launch(*module, "calls", shape, runtime::Arguments::of(out));
        result.host_seconds = 0;
        seen.statistics = statistics::to_json(result);
        if (mode == runtime::Mode::timing) seen.profile = statistics::profile_to_json(result);
        seen.values = device.download<std::uint32_t>(out, 64);
        try {
            device.launch(*module, "other", shape, runtime::Arguments::of(out));
        } catch (Error const& error) {
            seen.fault = error.what();
        }
    } catch (Error const& error) {
        seen.wrong = error.what();
    }
    seen.log = errors.text();
    seen.warnings = without_cache(seen.log);
    log::configure(log::Level::warning, log::Color::automatic);
    return seen;
}

void check_equal(Seen const& a, Seen const& b) {
    CHECK(a.warnings == b.warnings);
    CHECK(a.values == b.values);
    CHECK(a.statistics == b.statistics);
    CHECK(a.profile == b.profile);
    CHECK(a.trace == b.trace);
    CHECK(a.fault == b.fault);
    CHECK(a.wrong == b.wrong);
}

std::vector<fs::path> files_in(std::string const& folder) {
    std::vector<fs::path> files;
    for (auto const& entry : fs::directory_iterator(folder)) files.push_back(entry.path());
    return files;
}

/// For the time of an object, warnings are not shown.
class Quiet {
public:
    Quiet() { log::configure(log::Level::error, log::Color::never); }
    ~Quiet() { log::configure(log::Level::warning, log::Color::automatic); }
    Quiet(Quiet const&) = delete;
    Quiet& operator=(Quiet const&) = delete;
};

}  // namespace

TEST_CASE("A module from the cache computes, counts, warns and faults as the one that was read", "[cache]") {
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        TemporaryFolder const folder;
        Seen const uncached = use("", text, mode), first = use(folder / "c", text, mode),
                   second = use(folder / "c", text, mode);
        INFO(second.log);
        CHECK(contains(first.log, "debug: module kept as "));
        CHECK(contains(second.log, "debug: module from "));
        CHECK_FALSE(contains(second.log, "module kept"));
        CHECK(uncached.wrong == "");
        for (std::uint32_t i = 0; i < 64; ++i) CHECK(uncached.values[i] == (i % 2 == 1 ? 49 : 2 * (7 + i)));
        CHECK(contains(uncached.warnings, "program.ptx:4:"));
        CHECK(contains(uncached.warnings, "warning: "));
        INFO(uncached.fault);
        CHECK(contains(uncached.fault, "program.ptx:56:"));
        CHECK(contains(uncached.fault, "kernels.cu:9 inlined at kernels.cu:6"));
        CHECK(contains(uncached.trace, "call"));
        CHECK((mode == runtime::Mode::functional || contains(uncached.profile, "\"lines\"")));
        check_equal(uncached, first);
        check_equal(uncached, second);
    }
}

TEST_CASE("A module with errors is never kept", "[cache]") {
    TemporaryFolder const folder;
    std::string const wrong = text + ".visible .entry wrong() { nonsense.u32; ret; }\n";
    Seen const first = use(folder / "c", wrong), second = use(folder / "c", wrong);
    CHECK(contains(first.wrong, "unknown instruction 'nonsense.u32'"));
    CHECK_FALSE(contains(first.log + second.log, "module kept"));
    CHECK_FALSE(fs::exists(folder / "c"));
    check_equal(first, second);
}

TEST_CASE("What any part of a module depends on makes it another module of the cache", "[cache]") {
    TemporaryFolder const folder;
    std::string const path = folder / "c";
    use(path);
    CHECK(contains(use(path, text + "\n").log, "module kept"));
    CHECK(files_in(path).size() == 2);
    Quiet const quiet;
    runtime::DeviceOptions options;
    options.cache_folder = path;
    runtime::Device device(sim::load_config("v100"), options);
    device.load_text("another.ptx", text);  // messages name it
    CHECK(files_in(path).size() == 3);
    device.load_texts({{"program.ptx", text}, {"b.ptx", ".version 7.0\n.target sm_70\n.address_size 64\n"}});
    CHECK(files_in(path).size() == 4);
    device.load_text("small.ptx",
                     ".version 7.0\n.target sm_70\n.address_size 64\n");  // parsed faster than a file is read
    CHECK(files_in(path).size() == 4);
}

TEST_CASE("A loader's options hold for modules from the cache", "[cache]") {
    TemporaryFolder const folder;
    Quiet const quiet;
    for (std::uint32_t const limit : {0u, 24u, 0u}) {
        runtime::DeviceOptions options;
        options.cache_folder = folder / "c";
        runtime::Device device(sim::load_config("v100"), options);
        auto const module = device.load_text("program.ptx", text, {.max_registers = limit});
        auto const registers = device.attributes(*module, "calls").registers_per_thread;
        CHECK((limit == 0 || registers <= limit));
        CHECK(files_in(folder / "c").size() == 1);
    }
}

TEST_CASE("Kernels of a module from the cache are planned one by one, or all at once", "[cache]") {
    TemporaryFolder const folder;
    use(folder / "c");
    Quiet const quiet;
    for (bool const at_once : {false, true}) {
        runtime::DeviceOptions options;
        options.cache_folder = folder / "c";
        runtime::Device device(sim::load_config("v100"), options);
        auto const module = device.load_text("program.ptx", text);
        if (at_once) device.prepare(*module);
        // From several threads at once.
        std::vector<std::uint32_t> registers(8);
        {
            std::vector<std::jthread> threads;
            for (std::size_t t = 0; t < registers.size(); ++t) {
                threads.emplace_back([&, t] {
                    registers[t] = device.attributes(*module, t % 2 == 0 ? "calls" : "other").registers_per_thread;
                });
            }
        }
        for (std::size_t t = 0; t < registers.size(); ++t) CHECK(registers[t] == registers[t % 2]);
        CHECK(module->parameters("other").size() == 1);
        CHECK(module->symbol("table").size == 16);
    }
}

TEST_CASE("A damaged file of the cache is read over, and replaced", "[cache]") {
    TemporaryFolder const folder;
    Seen const whole = use(folder / "c");
    auto const files = files_in(folder / "c");
    REQUIRE(files.size() == 1);
    std::ifstream in(files[0], std::ios::binary);
    std::string const bytes{std::istreambuf_iterator<char>(in), {}};
    for (std::size_t at = 0; at < bytes.size(); at += 1 + bytes.size() / 40) {
        std::string damaged = bytes;
        damaged[at] = static_cast<char>(damaged[at] ^ 0x10);
        if (at % 3 == 0) damaged.resize(at);
        std::ofstream(files[0], std::ios::binary | std::ios::trunc) << damaged;
        Seen const seen = use(folder / "c");
        INFO(at << seen.log);
        CHECK(contains(seen.log, "debug: module not taken from the cache: "));
        CHECK(contains(seen.log, "debug: module kept as "));
        check_equal(whole, seen);
    }
    CHECK(contains(use(folder / "c").log, "debug: module from "));
}

TEST_CASE("A body of the cache that makes no sense is read from the text, whatever its checksum says", "[cache]") {
    TemporaryFolder const folder;
    Seen const whole = use(folder / "c");
    cache::FileCache const files({folder / "c", 1 << 20}, frontend::archive_stamp());
    cache::KeyMaker maker;
    maker.add(frontend::archive_stamp());
    maker.add("program.ptx");
    maker.add(text);
    std::string bytes = files.find(maker.key()).bytes.value();
    std::fill(bytes.end() - 400, bytes.end(), '\xff');  // bodies are at the end
    REQUIRE(files.store(maker.key(), bytes).empty());
    Seen seen = use(folder / "c");
    INFO(seen.log);
    CHECK(contains(seen.log, "debug: module from "));
    CHECK(contains(seen.log, "debug: module of the cache: a body cannot be understood; its text is read"));
    check_equal(whole, seen);
    bytes.assign(bytes.size(), '\xff');
    REQUIRE(files.store(maker.key(), bytes).empty());
    seen = use(folder / "c");
    CHECK(contains(seen.log, "cannot be understood\n"));
    check_equal(whole, seen);
}

TEST_CASE("A folder that cannot be written is told once, for those who want to know", "[cache]") {
    TemporaryFolder const folder;
    folder.write("file", "");
    log::configure(log::Level::debug, log::Color::never);
    test::Captured errors(2);
    {
        runtime::DeviceOptions options;
        options.cache_folder = folder / "file";
        runtime::Device device(sim::load_config("v100"), options);
        for (int i = 0; i < 3; ++i) device.load_text("program" + std::to_string(i) + ".ptx", text);
    }
    std::string const log = errors.text();
    log::configure(log::Level::warning, log::Color::automatic);
    std::size_t const first = log.find("debug: modules are not kept: ");
    INFO(log);
    CHECK(first != std::string::npos);
    CHECK(log.find("modules are not kept", first + 20) == std::string::npos);
}

TEST_CASE("Eight threads may load one module at the same time", "[cache]") {
    TemporaryFolder const folder;
    Quiet const quiet;
    runtime::DeviceOptions options;
    options.cache_folder = folder / "c";
    runtime::Device device(sim::load_config("v100"), options);
    for (int round = 0; round < 2; ++round) {  // the first time from the text
        std::vector<std::shared_ptr<runtime::Module>> modules(8);
        {
            std::vector<std::jthread> threads;
            for (auto& module : modules) {
                threads.emplace_back([&] {
                    module = device.load_text("program.ptx", text);
                    device.prepare(*module);
                });
            }
        }
        auto const out = device.allocate(256);
        runtime::LaunchShape shape;
        shape.block = {64, 1, 1};
        for (auto const& module : modules) {
            device.launch(*module, "calls", shape, runtime::Arguments::of(out));
            CHECK(device.download<std::uint32_t>(out, 64)[3] == 49);
        }
    }
    CHECK(files_in(folder / "c").size() == 1);
}

TEST_CASE("Processes that load one module at the same time all get it", "[cache]") {
    TemporaryFolder const folder;
    std::string const path = folder / "c";
    Quiet const quiet;
    // In processes with no other threads: the parent's engine must not have been started.
    std::vector<pid_t> children;
    for (int p = 0; p < 4; ++p) {
        pid_t const child = fork();
        if (child == 0) {
            bool well = true;
            for (int i = 0; i < 20; ++i) {
                runtime::DeviceOptions options;
                options.cache_folder = path;
                runtime::Device device(sim::load_config("v100"), options);
                auto const module = device.load_text("p" + std::to_string(i % 5) + ".ptx", text);
                well = well && device.attributes(*module, "calls").registers_per_thread > 0;
            }
            _exit(well ? 0 : 1);
        }
        children.push_back(child);
    }
    for (pid_t const child : children) {
        int status = 0;
        waitpid(child, &status, 0);
        CHECK(status == 0);
    }
    CHECK(files_in(path).size() == 5);
    for (auto const& file : files_in(path)) CHECK(file.extension() == ".module");
}

}  // namespace module_cache_test
