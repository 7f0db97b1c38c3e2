// Boxes of bytes, moved and set, and what those who listen to the device hear of it.
#include "runtime/cuda/memory/box.hpp"

#include "sim/events.hpp"
#include "tests/support/catch.hpp"

#include <memory>
#include <numeric>
#include <vector>

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
    cuda::move(heard.device, {p, 16, 64}, {own, 6, 12}, {6, 2, 2});
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

TEST_CASE("Rows that follow on each other are moved and told as one", "[cuda]") {
    Heard heard;
    auto const p = heard.device.allocate(64), q = heard.device.allocate(64);
    cuda::set(heard.device, {p, 8, 32}, {8, 4, 2}, 0x0102, 2);
    cuda::move(heard.device, {q, 8, 32}, {p, 8, 32}, {8, 4, 2});
    cuda::move(heard.device, {q, 8, 32}, {p, 8, 32}, {0, 4, 2});
    REQUIRE(heard.accesses->list.size() == 2);
    CHECK(heard.accesses->list[0].operation == Operation::fill);
    CHECK(heard.accesses->list[0].bytes == 64);
    CHECK(heard.accesses->list[1].operation == Operation::copy);
    CHECK(heard.accesses->list[1].from == p);
    CHECK(heard.accesses->list[1].bytes == 64);
    CHECK(heard.device.download<std::uint16_t>(q, 32) == std::vector<std::uint16_t>(32, 0x0102));
}
