#include "runtime/cuda/core/handles.hpp"
#include "tests/support/catch.hpp"

#include <set>

namespace handles_test {

using namespace warpsim::cuda;

namespace {

struct Thing {
    int number = 0;
};

void* as_handle(std::uint64_t number) { return reinterpret_cast<void*>(number); }
std::uint64_t as_number(void const* handle) { return reinterpret_cast<std::uint64_t>(handle); }

}  // namespace

TEST_CASE("A handle finds its object until it is removed", "[cuda]") {
    HandleTable table;
    Handles<Thing> things(table, HandleKind::stream);
    void* const one = things.add(std::make_shared<Thing>(Thing{1}));
    void* const two = things.add(std::make_shared<Thing>(Thing{2}));
    CHECK(one != two);
    CHECK(things.get(one)->number == 1);
    CHECK(things.get(two)->number == 2);
    CHECK(things.remove(one)->number == 1);
    CHECK(things.find(one) == nullptr);
    CHECK_THROWS_AS(things.get(one), Failure);
    CHECK_THROWS_AS(things.remove(one), Failure);
    things.forget(one);
    CHECK(things.get(two)->number == 2);
}

TEST_CASE("A stale handle does not reach the object that came into its slot", "[cuda]") {
    HandleTable table;
    Handles<Thing> things(table, HandleKind::event);
    std::set<void*> seen;
    for (int i = 0; i < 1000; ++i) {
        void* const handle = things.add(std::make_shared<Thing>(Thing{i}));
        CHECK(seen.insert(handle).second);
        things.remove(handle);
    }
    void* const last = things.add(std::make_shared<Thing>(Thing{1000}));
    for (void* const old : seen) CHECK(things.find(old) == nullptr);
    CHECK(things.get(last)->number == 1000);
}

TEST_CASE("A handle of another kind is none", "[cuda]") {
    HandleTable table;
    Handles<Thing> streams(table, HandleKind::stream), events(table, HandleKind::event);
    void* const stream = streams.add(std::make_shared<Thing>(Thing{1}));
    CHECK(events.find(stream) == nullptr);
    CHECK_THROWS_AS(events.remove(stream), Failure);
    CHECK(streams.get(stream)->number == 1);
    try {
        events.get(stream, Result::invalid_value);
        FAIL("a stream was taken for an event");
    } catch (Failure const& failure) {
        CHECK(failure.result() == Result::invalid_value);
    }
}

TEST_CASE("What was never a handle is none", "[cuda]") {
    HandleTable table;
    Handles<Thing> things(table, HandleKind::kernel);
    void* const real = things.add(std::make_shared<Thing>());
    int on_stack = 0;
    CHECK(things.find(nullptr) == nullptr);
    CHECK(things.find(&on_stack) == nullptr);
    CHECK(things.find(as_handle(~std::uint64_t{0})) == nullptr);
    // Every handle that differs from the real one in a single bit.
    for (unsigned bit = 0; bit < 64; ++bit) {
        INFO(bit);
        CHECK(things.find(as_handle(as_number(real) ^ std::uint64_t{1} << bit)) == nullptr);
    }
    // Programs give small numbers to the default streams, and pass addresses of their own functions as kernels.
    CHECK(as_number(real) > std::uint64_t{1} << 48);
    CHECK(as_number(real) < std::uint64_t{1} << 63);
}

TEST_CASE("An object that ends may hold the last use of another handle's object", "[cuda]") {
    HandleTable table;
    Handles<Thing> things(table, HandleKind::graph);
    struct Owner {
        Handles<Thing>& things;
        void* handle;
        ~Owner() { things.forget(handle); }
    };
    Handles<Owner> owners(table, HandleKind::graph_exec);
    void* const inner = things.add(std::make_shared<Thing>());
    owners.add(std::shared_ptr<Owner>(new Owner{things, inner}));
    owners.remove_if([](Owner const&) { return true; });
    CHECK(things.find(inner) == nullptr);
}

TEST_CASE("Handles are removed by what their objects are", "[cuda]") {
    HandleTable table;
    Handles<Thing> things(table, HandleKind::pool), others(table, HandleKind::array);
    std::vector<void*> handles;
    for (int i = 0; i < 10; ++i) handles.push_back(things.add(std::make_shared<Thing>(Thing{i})));
    void* const other = others.add(std::make_shared<Thing>(Thing{1}));
    things.remove_if([](Thing const& thing) { return thing.number % 2 == 1; });
    for (std::size_t i = 0; i < handles.size(); ++i) CHECK((things.find(handles[i]) != nullptr) == (i % 2 == 0));
    CHECK(others.find(other) != nullptr);
}

}  // namespace handles_test
