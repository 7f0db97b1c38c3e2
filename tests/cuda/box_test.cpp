// Boxes of bytes, moved and set, and what those who listen to the device hear of it.
#include "runtime/cuda/memory/box.hpp"

#include "sim/events.hpp"
#include "tests/support/catch.hpp"

#include <memory>
#include <numeric>
#include <vector>

namespace box_test {

using namespace warpsim;
using cuda::Box;
using cuda::Extent;
using Operation = sim::HostAccessEvent::Operation;

namespace {

class Accesses : public sim::EventSink {
public:
    sim::EventMask wants() const override { return sim::event_mask(sim::EventKind::host_access); }
    void host_access(sim::HostAccessEvent const& event) override { list.push_back(event); }

    std::vector<sim::HostAccessEvent> list;
};

struct Heard {
    std::shared_ptr<Accesses> accesses = std::make_shared<Accesses>();
    runtime::Device device{sim::load_config("h100"), options(accesses)};

    cuda::CopyDevices both() const { return {device, device}; }
    static runtime::DeviceOptions options(std::shared_ptr<Accesses> const& accesses) {
        runtime::DeviceOptions options;
        options.sinks = {accesses};
        return options;
    }
};

}  // namespace

TEST_CASE("A box with gaps between its rows is moved and told row by row", "[cuda]") {
    Heard heard;
    auto const p = heard.device.allocate(256);
    std::vector<unsigned char> bytes(24);
    std::iota(bytes.begin(), bytes.end(), static_cast<unsigned char>(1));
    auto const own = reinterpret_cast<std::uint64_t>(bytes.data());
    cuda::move(heard.both(), {p, 16, 64}, {own, 6, 12}, {6, 2, 2});
    REQUIRE(heard.accesses->list.size() == 4);
    std::uint64_t const starts[] = {p, p + 16, p + 64, p + 80};
    for (std::size_t i = 0; i < 4; ++i) {
        CHECK(heard.accesses->list[i].operation == Operation::write);
        CHECK(heard.accesses->list[i].address == starts[i]);
        CHECK(heard.accesses->list[i].bytes == 6);
    }
    auto const* const there = reinterpret_cast<unsigned char const*>(p);
    CHECK(there[16] == 7);
    CHECK(there[85] == 24);
    CHECK(there[6] == 0);
}

TEST_CASE("Of a copy between two devices one hears what is written, the other where to", "[cuda]") {
    Heard to, from;
    auto const p = to.device.allocate(64), q = from.device.allocate(64);
    cuda::move({to.device, from.device}, {p, 64, 64}, {q, 64, 64}, {64, 1, 1});
    REQUIRE(to.accesses->list.size() == 1);
    CHECK(to.accesses->list[0].operation == Operation::write);
    CHECK(to.accesses->list[0].address == p);
    CHECK(to.accesses->list[0].bytes == 64);
    REQUIRE(from.accesses->list.size() == 1);
    CHECK(from.accesses->list[0].operation == Operation::copy);
    CHECK(from.accesses->list[0].address == p);
    CHECK(from.accesses->list[0].from == q);
    CHECK(from.accesses->list[0].bytes == 64);
}

TEST_CASE("Rows that follow on each other are moved and told as one", "[cuda]") {
    Heard heard;
    auto const p = heard.device.allocate(64), q = heard.device.allocate(64);
    cuda::set(heard.device, {p, 8, 32}, {8, 4, 2}, 0x0102, 2);
    cuda::move(heard.both(), {q, 8, 32}, {p, 8, 32}, {8, 4, 2});
    cuda::move(heard.both(), {q, 8, 32}, {p, 8, 32}, {0, 4, 2});
    REQUIRE(heard.accesses->list.size() == 2);
    CHECK(heard.accesses->list[0].operation == Operation::fill);
    CHECK(heard.accesses->list[0].bytes == 64);
    CHECK(heard.accesses->list[1].operation == Operation::copy);
    CHECK(heard.accesses->list[1].from == p);
    CHECK(heard.accesses->list[1].bytes == 64);
    CHECK(heard.device.download<std::uint16_t>(q, 32) == std::vector<std::uint16_t>(32, 0x0102));
}

TEST_CASE("Boxes of arrays are moved and told by the rows of their tiles", "[cuda]") {
    Heard heard;
    sim::texture::ArrayShape shape;
    shape.texel_bytes = 4;
    shape.extent = {40, 20, 1};
    auto const layout = std::make_shared<sim::texture::ArrayLayout const>(shape);
    auto const a = heard.device.allocate(layout->bytes()), b = heard.device.allocate(layout->bytes());
    int handle = 0;
    auto const box = [&](std::uint64_t address, std::uint64_t x, std::uint64_t y) {
        return Box{address, 0, 0, {&handle, x, y, 0, 4, layout}};
    };
    std::vector<std::uint32_t> values(300), back(300);
    std::iota(values.begin(), values.end(), 7u);
    Box const own{reinterpret_cast<std::uint64_t>(values.data()), 120, 1200};
    Extent const extent{120, 10, 1};
    // Bytes 32 to 152 of a row lie in three tiles.
    cuda::move(heard.both(), box(a, 8, 3), own, extent);
    REQUIRE(heard.accesses->list.size() == 30);
    CHECK(heard.accesses->list[0].operation == Operation::write);
    CHECK(heard.accesses->list[0].address == a + layout->offset(32, 3, 0));
    CHECK(heard.accesses->list[0].bytes == 32);
    CHECK(heard.accesses->list[1].address == a + layout->offset(64, 3, 0));
    CHECK(heard.accesses->list[1].bytes == 64);
    // To another place in another array: pieces end where either's do.
    cuda::move(heard.both(), box(b, 1, 0), box(a, 8, 3), extent);
    REQUIRE(heard.accesses->list.size() > 60);
    CHECK(heard.accesses->list[30].operation == Operation::copy);
    CHECK(heard.accesses->list[30].address == b + layout->offset(4, 0, 0));
    CHECK(heard.accesses->list[30].from == a + layout->offset(32, 3, 0));
    CHECK(heard.accesses->list[30].bytes == 32);
    cuda::move(heard.both(), {reinterpret_cast<std::uint64_t>(back.data()), 120, 1200}, box(b, 1, 0), extent);
    CHECK(back == values);
    CHECK(heard.accesses->list.back().operation == Operation::read);
}

}  // namespace box_test
