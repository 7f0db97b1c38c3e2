// Fragments of wmma: what moves them, as ptxas has it.
#include "runtime/device.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <fstream>
#include <sstream>
#include <string>

namespace fragments_test {

using namespace warpsim;

namespace {

struct Fragment {
    std::string space, shape, which, layout, type;
    std::uint64_t accesses = 0, transposes = 0, packed = 0;
};

int registers_of(Fragment const& f) {
    bool const is_sum = f.which == "c" || f.which == "d";
    if (f.shape == "m8n8k4") return is_sum ? 2 : 1;
    if (f.shape == "m16n16k8") return is_sum ? 8 : 4;
    if (f.shape == "m8n8k32" || f.shape == "m8n8k128") return is_sum ? 2 : 1;
    if (is_sum) return f.type == "f16" ? 4 : 8;
    if (f.type == "f16") return 8;
    bool const is_long = f.shape == (f.which == "a" ? "m32n8k16" : "m8n32k16"),
               is_short = f.shape == (f.which == "a" ? "m8n32k16" : "m32n8k16");
    return (is_long ? 8 : is_short ? 2 : 4) / (f.type == "u8" ? 2 : 1);
}

std::string instruction(Fragment const& f) {
    char const letter = f.type == "f32" ? 'f' : f.type == "f64" ? 'g' : 'r';
    std::string list;
    for (int r = 0; r < registers_of(f); ++r) list += (r == 0 ? "%" : ", %") + (letter + std::to_string(r));
    std::string const form = f.which + ".sync.aligned." + f.layout + "." + f.shape + "." + f.space + "." + f.type;
    std::string const address = f.space == "shared" ? "[tile]" : "[%in]";
    return f.which == "d" ? "wmma.store." + form + " " + address + ", {" + list + "}, 64;\n"
                          : "wmma.load." + form + " {" + list + "}, " + address + ", 64;\n";
}

auto timing_of(std::string const& body) {
    runtime::DeviceOptions options;
    options.mode = runtime::Mode::timing;
    options.threads = 1;
    runtime::Device device(sim::load_config("a100"), options);
    auto const module = device.load_text("k.ptx", test::kernel(body, ".shared .align 32 .b8 tile[16384];\n"));
    auto const out = device.allocate(1 << 14), in = device.allocate(1 << 14);
    runtime::LaunchShape shape;
    shape.block = {32, 1, 1};
    return *device.launch(*module, "k", shape, runtime::Arguments::of(out, in)).timing;
}

}  // namespace

TEST_CASE("Fragments of wmma are moved by as many accesses as ptxas makes, and turned by as many moves",
          "[timing]") {
    std::ifstream file(WARPSIM_SOURCE_DIR "/tests/timing/fragments.txt");
    int lines = 0;
    for (std::string line; std::getline(file, line);) {
        if (line.starts_with("#")) continue;
        Fragment f;
        REQUIRE(std::istringstream(line) >> f.space >> f.shape >> f.which >> f.layout >> f.type >> f.accesses >>
                f.transposes >> f.packed);
        INFO(line);
        auto const once = timing_of(instruction(f)), twice = timing_of(instruction(f) + instruction(f));
        auto const& l1 = once.l1;
        CHECK((f.space == "shared" ? l1.shared_requests
               : f.which == "d"    ? l1.store_requests
                                   : l1.load_requests) == f.accesses);
        CHECK(twice.micro_ops - once.micro_ops == f.accesses + f.transposes + f.packed);
        ++lines;
    }
    CHECK(lines == 168);
}

TEST_CASE("Addresses of fragments are found once for each place and stride", "[timing]") {
    auto const micros = [](std::string const& body) { return timing_of(body).micro_ops; };
    auto const load = [](std::string const& address, std::string const& stride) {
        return "wmma.load.c.sync.aligned.row.m16n16k16.global.f32 {%f0, %f1, %f2, %f3, %f4, %f5, %f6, %f7}, [" +
               address + "], " + stride + ";\n";
    };
    // Two bases that are no parameters, so that nothing but these loads differs.
    std::string const begin =
        "mov.u32 %r20, %ctaid.x; mul.wide.u32 %d1, %r20, 64; add.s64 %d2, %in, %d1; add.s64 %d3, %d2, %d1;\n"
        "st.global.u64 [%out], %d2; st.global.u64 [%out+8], %d3;\n";
    std::uint64_t const accesses = 4, once = micros(begin + load("%d2", "64"));
    CHECK(micros(begin + load("%d2", "64") + load("%d2", "64")) == once + accesses);
    CHECK(micros(begin + load("%d2", "64") + load("%d2+64", "64")) ==
          once + accesses);  // the same lanes' addresses
    CHECK(micros(begin + load("%d2", "64") + load("%d3", "64")) == once + accesses + 2);  // LEA, LEA.HI.X
}

}  // namespace fragments_test
