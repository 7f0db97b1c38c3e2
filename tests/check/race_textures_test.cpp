// Texture fetches take a way of their own to memory: they see nothing of what the same kernel has written there, by surfaces or
// otherwise, whatever barriers are in between ("Texture and Surface Memory" in CUDA's programming guide).
#include "tests/check/checked_run.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

#include <string>
#include <vector>

namespace race_textures_test {

using namespace warpsim;
using namespace warpsim::test;
using texture::Geometry;

namespace {

constexpr texture::Format words{texture::Channel::u32, 1};
std::string const references = ".global .texref t;\n.global .surfref s;";
std::string const stores = "shl.b32 %r9, %i, 2; sust.b.1d.b32.zero [s, {%r9}], %i;\n",
                  loads = "shl.b32 %r9, %i, 2; suld.b.1d.b32.zero %r0, [s, {%r9}];\n",
                  fetches = "tex.1d.v4.u32.s32 {%r0, %r1, %r2, %r3}, [t, {%i}];\n",
                  keeps = "st.global.u32 [%o4], %r0;\n", meets = "bar.sync 0;\n";
// The memory behind the texture is the kernel's second argument.
std::string const writes = "mul.wide.u32 %d0, %i, 4; add.u64 %d0, %d0, %in; st.global.u32 [%d0], %i;\n",
                  reads = "mul.wide.u32 %d0, %i, 4; add.u64 %d0, %d0, %in; ld.global.u32 %r0, [%d0];\n";

/// Launches kernels with these bodies one after the other, with a row of texels that is a texture and a surface.
std::vector<check::Finding> findings_of_launches(std::vector<std::string> const& bodies) {
    check::Options options;
    options.kinds = check::parse_kinds("race");
    options.print_limit = 0;
    check::Checkers checkers(options);
    runtime::DeviceOptions device_options = Program::one_thread();
    checkers.observe(device_options);
    Program program(kernel(""), "independent", device_options);
    texture::Texture t;
    t.image = device_array(program.device, words, Geometry::d1, array_layout(words, Geometry::d1, {64, 1, 1}));
    program.in = t.image.texel(0, 0, 0, 0);
    std::uint64_t const handles[] = {program.device.textures().add(t),
                                     program.device.textures().add(texture::Surface{t.image})};
    runtime::DevicePointer const out = program.device.allocate(256);
    std::vector<std::shared_ptr<runtime::Module>> modules;  // which findings name
    for (std::string const& body : bodies) {
        modules.push_back(program.module = program.device.load_text("test.ptx", kernel(body, references)));
        program.module->write_symbol("t", 0, &handles[0], 8);
        program.module->write_symbol("s", 0, &handles[1], 8);
        program.launch(out, {{64, 1, 1}, {1, 1, 1}});
    }
    return checkers.findings().all();
}

}  // namespace

TEST_CASE("A texture fetch races with what the same kernel has written", "[check][texture]") {
    struct {
        char const* name;
        std::vector<std::string> bodies;
        bool races;
    } const cases[] = {
        {"a surface store, then a fetch", {stores + meets + fetches + keeps}, true},
        {"... by the thread itself", {stores + fetches + keeps}, true},
        {"an ordinary store, then a fetch", {writes + meets + fetches + keeps}, true},
        {"a surface store, then a surface load", {stores + loads + keeps}, false},
        {"a surface store, then an ordinary load", {stores + reads + keeps}, false},
        {"a fetch, then a surface store", {fetches + keeps + stores}, false},
        {"fetches alone", {fetches + keeps}, false},
        {"in two kernels", {stores, fetches + keeps}, false},
        {"an ordinary store, in two kernels", {writes, fetches + keeps}, false},
        {"in two kernels, and in the second again", {stores, stores + meets + fetches + keeps}, true},
    };
    for (auto const& c : cases) {
        INFO(c.name);
        auto const findings = findings_of_launches(c.bodies);
        for (check::Finding const& finding : findings) UNSCOPED_INFO(check::to_text(finding));
        REQUIRE(findings.size() == (c.races ? 1 : 0));
        if (!c.races) continue;
        CHECK(findings[0].what == "read after write");
        CHECK(findings[0].message.find("texture fetches do not see what the same kernel writes") !=
              std::string::npos);
    }
}

}  // namespace race_textures_test
