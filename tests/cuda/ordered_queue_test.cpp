// What each piece of work follows, by streams, events and waits of the host.
#include "runtime/cuda/devices/eager_queue.hpp"
#include "runtime/cuda/devices/ordered_queue.hpp"
#include "tests/support/catch.hpp"

#include <memory>
#include <utility>
#include <vector>

namespace ordered_queue_test {

using namespace warpsim;
using namespace warpsim::cuda;

namespace {

/// A queue and what it has told of work in streams.
struct Watched {
    std::vector<runtime::WorkOrder> told;
    OrderedQueue queue{std::make_unique<EagerQueue>(), [this](runtime::WorkOrder const& order) {
                           if (order.stream != 0) told.push_back(order);
                       }};
    StreamOrder legacy{true}, one, two, apart{false, false};

    void run(StreamOrder& stream) {
        queue.submit(stream, [] {});
    }
};

/// Submits to one stream and then to another; what happens in between.
template <class Between>
bool second_follows_first(StreamOrder Watched::*first, StreamOrder Watched::*second, Between between) {
    Watched w;
    w.run(w.*first);
    between(w);
    w.run(w.*second);
    w.queue.wait_all();
    REQUIRE(w.told.size() == 2);
    return w.told[1].follows.of(w.told[0].stream) >= w.told[0].number;
}

}  // namespace

TEST_CASE("Work follows work by the order of streams, events and waits") {
    auto const nothing = [](Watched&) {};
    CHECK(second_follows_first(&Watched::one, &Watched::one, nothing));
    CHECK_FALSE(second_follows_first(&Watched::one, &Watched::two, nothing));
    CHECK(second_follows_first(&Watched::one, &Watched::two, [](Watched& w) { w.queue.wait(w.one); }));
    CHECK_FALSE(second_follows_first(&Watched::one, &Watched::two, [](Watched& w) { w.queue.wait(w.two); }));
    CHECK(second_follows_first(&Watched::one, &Watched::two, [](Watched& w) { w.queue.wait_all(); }));
    CHECK(second_follows_first(&Watched::one, &Watched::two,
                               [](Watched& w) { w.queue.follow(w.two, w.queue.clock_of(w.one)); }));
    CHECK(second_follows_first(&Watched::one, &Watched::two,
                               [](Watched& w) { w.queue.host_follows(w.queue.clock_of(w.one)); }));
    CHECK(second_follows_first(&Watched::one, &Watched::two, [](Watched& w) { w.queue.follow_all(w.two); }));
}

TEST_CASE("The default stream is ordered with those that are not apart") {
    auto const nothing = [](Watched&) {};
    CHECK(second_follows_first(&Watched::legacy, &Watched::one, nothing));
    CHECK(second_follows_first(&Watched::one, &Watched::legacy, nothing));
    CHECK_FALSE(second_follows_first(&Watched::legacy, &Watched::apart, nothing));
    CHECK_FALSE(second_follows_first(&Watched::apart, &Watched::legacy, nothing));
}

TEST_CASE("What the host has waited for on one device the work of all devices follows") {
    Watched here, there;
    here.run(here.one);
    there.queue.follow(there.one, here.queue.clock_of(here.one));
    there.run(there.one);
    here.run(here.two);
    there.queue.wait(there.one);
    here.run(here.two);
    here.queue.wait_all();
    there.queue.wait_all();
    REQUIRE(here.told.size() == 3);
    CHECK(here.told[1].follows.of(here.told[0].stream) == 0);
    CHECK(here.told[2].follows.of(here.told[0].stream) >= here.told[0].number);
}

}  // namespace ordered_queue_test
