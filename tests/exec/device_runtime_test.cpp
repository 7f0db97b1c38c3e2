// Functions that PTX calls and no module defines: printf, assert, malloc and free.
#include "sim/exec/print_buffer.hpp"
#include "sim/memory/device_heap.hpp"
#include "tests/support/captured.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <cstdio>
#include <cstring>

namespace device_runtime_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

std::string const declared = R"(
.extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);
.extern .func __assertfail(.param .b64 e, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 s);
.extern .func (.param .b64 p) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
)";

/// A .global string of zero-terminated bytes.
std::string string(std::string const& name, std::string const& text) {
    std::string bytes;
    for (char const c : text) bytes += std::to_string(static_cast<int>(static_cast<unsigned char>(c))) + ", ";
    return ".global .align 1 .b8 " + name + "[" + std::to_string(text.size() + 1) + "] = {" + bytes + "0};\n";
}

std::string call_printf(std::string const& format, std::string const& arguments, std::string const& guard = {}) {
    return "{ .param .b64 f; .param .b64 a; .param .b32 r; mov.u64 %d20, " + format +
           "; cvta.global.u64 %d20, %d20; st.param.b64 [f], %d20;\n"
           "st.param.b64 [a], " +
           arguments + ";\n" + guard + " call.uni (r), vprintf, (f, a); ld.param.b32 %r20, [r]; }\n";
}

/// Formats with arguments laid out as C does, against the host's own printf.
template <class... T> void check_format(char const* format, T... values) {
    std::vector<std::byte> buffer;
    [[maybe_unused]] auto const add = [&](auto value) {
        while (buffer.size() % sizeof value != 0) buffer.push_back({});
        auto const* const bytes = reinterpret_cast<std::byte const*>(&value);
        buffer.insert(buffer.end(), bytes, bytes + sizeof value);
    };
    (add(values), ...);
    sim::PrintArguments arguments;
    arguments.value = [&](std::uint64_t offset, std::uint32_t bytes) {
        REQUIRE(offset + bytes <= buffer.size());
        std::uint64_t value = 0;
        std::memcpy(&value, buffer.data() + offset, bytes);
        return value;
    };
    arguments.text = [](std::uint64_t address) { return std::string(reinterpret_cast<char const*>(address)); };
    char want[512];
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-security"
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
    std::snprintf(want, sizeof want, format, values...);
#pragma GCC diagnostic pop
    sim::Printed const got = sim::format_printf(format, arguments);
    INFO(format);
    CHECK(got.text == want);
    CHECK(got.arguments == static_cast<int>(sizeof...(T)));
}

}  // namespace

TEST_CASE("printf formats as the host does", "[exec]") {
    check_format("plain 100%% text\n");
    check_format("%d|%5d|%-5d|%05d|%+d|% d|%.3d", 42, -7, 13, 99, 5, 6, 7);
    check_format("%i %u %o %x %X %#x %#o", -1, 4000000000u, 8, 255, 255, 255, 8);
    check_format("%hd %hhd %hu %hhx", 70000, 300, 65537, 511);
    check_format("%lld %llu %lx %ld %zu %jd %td", -5LL, 18446744073709551615ULL, 1UL << 40, -1L, std::size_t{7},
                 std::intmax_t{8}, std::ptrdiff_t{9});
    check_format("%d %lld %d %f %c", 1, 2LL, 3, 4.5, static_cast<int>('x'));
    check_format("%f %.3f %10.2f %-10.1f| %e %E %g %G %a %F", 1.5, 2.25, 3.125, 4.0, 1e10, 1e-10, 0.0001, 1e20,
                 1.0, 2.0);
    check_format("%*d|%-*d|%.*f|%*.*f", 6, 42, 6, 42, 2, 3.14159, 8, 3, 2.71828);
    check_format("%s|%10s|%-10s|%.2s", "abc", "def", "ghi", "jkl");
    check_format("%p %p", static_cast<void*>(nullptr), reinterpret_cast<void*>(0x12345678));
    sim::PrintArguments none;
    CHECK(sim::format_printf("%y and %", none).text == "%y and %");
    none.value = [](std::uint64_t, std::uint32_t) { return std::uint64_t{0}; };
    CHECK(sim::format_printf("%s", none).text == "(null)");
}

TEST_CASE("The buffer of printf keeps the newest output and counts what it loses", "[exec]") {
    sim::PrintBuffer buffer(100);
    for (int i = 0; i < 10; ++i) buffer.add(std::to_string(i), 30);
    auto const output = buffer.take();
    CHECK(output.text == "789");
    CHECK(output.lost == 7);
    CHECK(buffer.take().text.empty());
}

TEST_CASE("A record in the buffer of printf has the arguments as they lie in memory, and the strings", "[exec]") {
    sim::PrintArguments arguments;
    arguments.value = [](std::uint64_t, std::uint32_t) { return std::uint64_t{1}; };
    arguments.text = [](std::uint64_t) { return std::string("abc"); };
    auto const bytes = [&](std::string_view format) { return sim::format_printf(format, arguments).bytes; };
    std::uint64_t const empty = bytes("text");
    CHECK(bytes("%d") == empty + 8);
    CHECK(bytes("%d%*d") == empty + 16);
    CHECK(bytes("%d%lld%d") == empty + 24);
    CHECK(bytes("%d%s") == empty + 16 + 4);
    // As many fit as Triton's test_print[device_print_large] finds on NVIDIA's GPUs.
    CHECK(16384 * bytes("pid (%u, %u, %u) idx (%2u, %3u) x: %i\n") <= 1u << 20);
}

TEST_CASE("Lanes print in their order, with arguments in local memory, and get the number of arguments",
          "[exec]") {
    std::string const before =
        declared + string("text", "lane %d: %s %.2f %lld\n") + string("odd", "odd") + string("even", "even");
    std::string const body = R"(
        .local .align 8 .b8 buffer[32]; setp.lt.u32 %p0, %i, 5; @!%p0 bra END;
        mov.u64 %d0, buffer; cvta.local.u64 %d1, %d0; st.local.u32 [%d0], %i; and.b32 %r0, %i, 1; setp.eq.u32 %p1, %r0, 0;
        mov.u64 %d2, even; mov.u64 %d3, odd; selp.b64 %d2, %d2, %d3, %p1; cvta.global.u64 %d2, %d2; st.local.u64 [%d0+8], %d2;
        cvt.rn.f64.u32 %g0, %i; mul.f64 %g0, %g0, 0d3FF8000000000000; st.local.f64 [%d0+16], %g0; mul.wide.u32 %d4, %i, 1000000; mul.lo.u64 %d4, %d4, 1000000;
        neg.s64 %d4, %d4; st.local.u64 [%d0+24], %d4;)" +
                             call_printf("text", "%d1") + "st.global.u32 [%o4], %r20; END:";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, before), model);
        Captured output;
        auto const counts = program.run<std::uint32_t>(32);
        CHECK(output.text() ==
              "lane 0: even 0.00 0\nlane 1: odd 1.50 -1000000000000\nlane 2: even 3.00 -2000000000000\n"
              "lane 3: odd 4.50 -3000000000000\nlane 4: even 6.00 -4000000000000\n");
        CHECK(counts == each<std::uint32_t>(32, [](std::uint32_t i) { return i < 5 ? 4 : 0; }));
    }
}

TEST_CASE("What was printed before a fault is given out; a bad string is a fault of its own", "[exec]") {
    std::string const before = declared + string("text", "hello\n") + string("bad", "%s");
    Program program(kernel(call_printf("text", "0") + "trap;", before));
    Captured output;
    std::string const error = program.error(4096, {.block = {2, 1, 1}});
    CHECK(output.text() == "hello\nhello\n");
    CHECK(contains(error, "trap"));
    Program wrong(kernel(".local .align 8 .b8 b[8]; mov.u64 %d0, 77; st.local.u64 [b], %d0; mov.u64 %d1, b; "
                         "cvta.local.u64 %d1, %d1;" +
                             call_printf("bad", "%d1"),
                         before));
    CHECK(contains(wrong.error(), "printf reads a string at 0x4d"));
}

TEST_CASE("What kernels print goes to the sink of the device's options, launch by launch", "[exec]") {
    std::vector<std::string> printed;
    runtime::DeviceOptions options = Program::one_thread();
    options.print = [&](std::string_view text) { printed.emplace_back(text); };
    Captured output;
    Program program(kernel(call_printf("text", "0"), declared + string("text", "hello\n")), "independent",
                    options);
    program.run<std::uint32_t>(32, {.block = {2, 1, 1}});
    program.run<std::uint32_t>(32, {.block = {1, 1, 1}});
    CHECK(printed == std::vector<std::string>{"hello\nhello\n", "hello\n"});
    CHECK(output.text().empty());
}

TEST_CASE("A failed assertion is reported as CUDA words it, for each of its threads", "[exec][engine]") {
    std::string const before = declared + string("e", "x > 0") + string("f", "a.cu") + string("n", "void k(int)");
    std::string const body =
        "setp.ne.u32 %p0, %i, 35; and.b32 %r0, %i, 31; setp.ne.and.u32 %p0, %r0, 7, %p0; @%p0 bra END;\n"
        "{ .param .b64 pe; .param .b64 pf; .param .b32 pl; .param .b64 pn; .param .b64 ps;\n"
        "mov.u64 %d0, e; cvta.global.u64 %d0, %d0; st.param.b64 [pe], %d0; mov.u64 %d0, f; cvta.global.u64 %d0, "
        "%d0; st.param.b64 [pf], %d0;\n"
        "mov.u64 %d0, n; cvta.global.u64 %d0, %d0; st.param.b64 [pn], %d0; st.param.b32 [pl], 12; st.param.b64 "
        "[ps], 1;\n"
        "call.uni __assertfail, (pe, pf, pl, pn, ps); } END:";
    for (std::string const& model : control_flows()) {
        Program program(kernel(body, before), model);
        std::string const text = program.error(4096, {.block = {64, 1, 1}});
        INFO(text);
        CHECK(contains(text, "a.cu:12: void k(int): block: [0,0,0], thread: [7,0,0] Assertion `x > 0` failed."));
        Program other(kernel("add.u32 %i, %i, 32;" + body, before), model);
        std::string const two = other.error();
        INFO(two);
        CHECK(contains(two, "thread: [3,0,0] Assertion"));
        CHECK(contains(two, "thread: [7,0,0] Assertion"));
    }
}

TEST_CASE("Memory of malloc is the lane's own, lives from kernel to kernel, and ends", "[exec]") {
    std::string const allocate = "{ .param .b64 n; .param .b64 p; st.param.b64 [n], SIZE; call.uni (p), malloc, "
                                 "(n); ld.param.b64 %d0, [p]; }\n";
    auto const of = [&](std::string const& size) {
        std::string text = allocate;
        return text.replace(text.find("SIZE"), 4, size);
    };
    std::string const ptx = kernel(of("24") + "st.u32 [%d0+20], %i; st.global.u64 [%o8], %d0;", declared);
    Program program(ptx);
    runtime::DevicePointer const out = program.device.allocate(64 * 8);
    program.launch(out);
    auto const first = program.device.download<std::uint64_t>(out, 32);
    for (std::size_t i = 0; i < 32; ++i) {
        CHECK(first[i] % 16 == 0);
        CHECK((i == 0 || first[i] >= first[i - 1] + 24));
    }
    // A second kernel of another module sums what the first left, and gives it back.
    auto const next = program.device.load_text(
        "next.ptx", kernel("ld.global.u64 %d0, [%o8]; ld.u32 %r0, [%d0+20]; st.global.u32 [%o4+256], %r0;\n"
                           "{ .param .b64 p; st.param.b64 [p], %d0; call.uni free, (p); }",
                           declared));
    program.device.launch(*next, "k", {{1, 1, 1}, {32, 1, 1}}, runtime::Arguments::of(out, out));
    auto const values = program.device.download<std::uint32_t>(out + 256, 32);
    CHECK(values == each<std::uint32_t>(32, [](std::uint32_t i) { return i; }));
    // Once more: a double free.
    try {
        program.device.launch(*next, "k", {{1, 1, 1}, {32, 1, 1}}, runtime::Arguments::of(out, out));
        CHECK(false);
    } catch (Error const& error) {
        CHECK(contains(error.what(), "double free: 0x"));
        CHECK(contains(error.what(), "lane 0"));
    }
    // Too much, nothing, and an address that malloc did not return.
    Program large(kernel(of("3000000") + "st.global.u64 [%o8], %d0;", declared));
    auto const got = large.run<std::uint64_t>(32);
    CHECK(got[0] != 0);
    CHECK(got[1] != 0);
    for (std::size_t i = 2; i < 32; ++i) CHECK(got[i] == 0);
    CHECK(Program(
              kernel(of("0") +
                         "st.global.u64 [%o8], %d0; { .param .b64 p; st.param.b64 [p], %d0; call.uni free, (p); }",
                     declared))
              .run<std::uint64_t>(32)[0] == 0);
    CHECK(contains(
        Program(kernel("{ .param .b64 p; st.param.b64 [p], %out; call.uni free, (p); }", declared)).error(),
        "is not an address that malloc gave"));
}

TEST_CASE("The heap gives memory out, takes it back and joins it again", "[memory]") {
    sim::DeviceHeap heap(1 << 20, 4096);
    std::vector<std::uint64_t> taken;
    for (std::uint64_t a = heap.allocate(100); a != 0; a = heap.allocate(100)) taken.push_back(a);
    CHECK(taken.size() == 4096 / 112);
    CHECK(heap.used() == taken.size() * 112);
    for (std::size_t i = 0; i < taken.size(); i += 2) CHECK(heap.free(taken[i]) == sim::DeviceHeap::Freed::now);
    CHECK(heap.allocate(200) == 0);
    for (std::size_t i = 1; i < taken.size(); i += 2) CHECK(heap.free(taken[i]) == sim::DeviceHeap::Freed::now);
    CHECK(heap.used() == 0);
    CHECK(heap.free(taken[3]) == sim::DeviceHeap::Freed::before);
    CHECK(heap.allocate(4096) == 1 << 20);
    CHECK(heap.free(taken[3]) == sim::DeviceHeap::Freed::never_allocated);
    CHECK(heap.free(0) == sim::DeviceHeap::Freed::now);
}

TEST_CASE("What else the device runtime supplies is refused before the kernel runs", "[exec]") {
    Program program(kernel("{ .param .b32 r; call.uni (r), cudaDeviceSynchronize; }",
                           ".extern .func (.param .b32 r) cudaDeviceSynchronize;"));
    std::string const text = program.error();
    INFO(text);
    CHECK(contains(text, "function cudaDeviceSynchronize of the device runtime is not executed"));
}

}  // namespace device_runtime_test
