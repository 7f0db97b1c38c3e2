// What sinks are told of the texels that fetches read.
#include "sim/events.hpp"
#include "sim/exec/lanes/access.hpp"
#include "sim/exec/op.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"
#include "tests/support/textures.hpp"

#include <algorithm>
#include <bit>

namespace texel_events_test {

using namespace warpsim;
using namespace warpsim::test;
using sim::EventKind;
using texture::Geometry;

namespace {

constexpr texture::Format f32x2{texture::Channel::f32, 2};

class Reads : public sim::EventSink {
public:
    explicit Reads(EventKind wanted) : wanted_(wanted) {}
    sim::EventMask wants() const override { return sim::event_mask(wanted_); }
    void access(sim::AccessEvent const& e) override {
        ++requests;
        is_global = is_global && e.space == sim::SpaceKind::global && !e.is_late;
        bytes = e.addresses.bytes;
        masks.push_back(e.addresses.mask);
        for (isa::LaneMask m = e.addresses.mask; m != 0; m &= m - 1)
            addresses[static_cast<std::size_t>(std::countr_zero(m))].push_back(
                e.addresses.of(std::countr_zero(m)));
        CHECK(e.value(0)[0] == 0);
    }

    std::size_t requests = 0;
    bool is_global = true;
    std::uint32_t bytes = 0;
    std::vector<isa::LaneMask> masks;
    std::vector<std::uint64_t> addresses[32];

private:
    EventKind wanted_;
};

/// Lane i fetches between texels i and i + 1 of rows 1 and 2, in the lanes 0 to 5.
std::string const bilinear = kernel(
    "setp.lt.u32 %p0, %i, 6; cvt.rn.f32.u32 %f0, %i; add.f32 %f0, %f0, 0f3FA00000; mov.f32 %f1, 0f40000000;\n"
    "@%p0 tex.2d.v4.f32.f32 {%f2, %f3, %f4, %f5}, [t, {%f0, %f1}]; st.global.f32 [%o4], %f2;",
    ".global .texref t;");

std::shared_ptr<Reads> heard(EventKind wanted, runtime::Mode mode, texture::Image& image) {
    auto const sink = std::make_shared<Reads>(wanted);
    runtime::DeviceOptions options = Program::one_thread();
    options.mode = mode;
    options.sinks = {sink};
    Program program(bilinear, "independent", options);
    image = device_array(program.device, f32x2, Geometry::d2, array_layout(f32x2, Geometry::d2, {16, 9, 1}));
    texture::Texture t{image, {}};
    t.sampler.filter = texture::Filter::linear;
    std::uint64_t const handle = program.device.textures().add(t);
    program.module->write_symbol("t", 0, &handle, sizeof handle);
    program.run<float>(32);
    return sink;
}

}  // namespace

TEST_CASE("Sinks are told of the texels that a fetch reads", "[exec][texture][events]") {
    for (runtime::Mode const mode : {runtime::Mode::functional, runtime::Mode::timing}) {
        texture::Image image;
        auto const reads = heard(EventKind::texel_access, mode, image);
        CHECK(reads->requests == 4);
        CHECK(reads->is_global);
        CHECK(reads->bytes == 8);
        CHECK(reads->masks == std::vector<isa::LaneMask>(4, 0x3f));
        for (std::uint32_t lane = 0; lane < 6; ++lane) {
            std::vector<std::uint64_t> wanted;
            for (std::uint32_t const y : {1u, 2u})
                for (std::uint32_t const x : {lane, lane + 1}) wanted.push_back(image.texel(x, y, 0, 0));
            CHECK(std::is_permutation(wanted.begin(), wanted.end(), reads->addresses[lane].begin(),
                                      reads->addresses[lane].end()));
        }
    }
}

TEST_CASE("Sinks of loads and stores are not told of texels", "[exec][texture][events]") {
    texture::Image image;
    CHECK(heard(EventKind::access, runtime::Mode::functional, image)->masks ==
          std::vector<isa::LaneMask>{isa::all_lanes});  // the store
}

}  // namespace texel_events_test
