#include "sim/engine/channel.hpp"

#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace channel_test {

using namespace warpsim::engine;

namespace {

std::string take_all(Inbox<char>& inbox, std::uint64_t end) {
    std::string text;
    for (; inbox.next_time() < end; inbox.pop()) text += inbox.front();
    return text;
}

}  // namespace

TEST_CASE("Messages are taken by time, then source, then the order they were sent in", "[engine]") {
    Outbox<char> first(2), second(2);
    Outbox<char>* const sources[] = {&first, &second};
    second.send(0, 10, 'c');
    second.send(0, 5, 'a');
    first.send(0, 10, 'b');
    second.send(0, 10, 'd');
    first.send(1, 1, 'x');
    Inbox<char> inbox;
    inbox.collect(0, sources);
    CHECK(inbox.next_time() == 5);
    CHECK(inbox.front_source() == 1);
    CHECK(take_all(inbox, 10) == "a");
    CHECK(take_all(inbox, 11) == "bcd");
    CHECK(inbox.next_time() == UINT64_MAX);
}

TEST_CASE("Messages are taken in the same order however far apart they arrive", "[engine]") {
    for (std::uint64_t const apart : {1u, 100u, 1000u, 1000000u}) {
        Outbox<char> first(1), second(1);
        Outbox<char>* const sources[] = {&first, &second};
        second.send(0, 7 + apart, 'e');
        second.send(0, 7, 'c');
        first.send(0, 7 + apart, 'd');
        second.send(0, 7 + apart, 'f');
        first.send(0, 7, 'a');
        first.send(0, 7, 'b');
        first.send(0, 7 + 2 * apart, 'g');
        Inbox<char> inbox;
        inbox.collect(0, sources);
        CHECK(take_all(inbox, UINT64_MAX) == "abcdefg");
    }
}

TEST_CASE("What was left in an inbox stays before newer messages of the same time", "[engine]") {
    Outbox<char> only(1);
    Outbox<char>* const sources[] = {&only};
    Inbox<char> inbox;
    only.send(0, 20, 'a');
    inbox.collect(0, sources);
    only.clear();
    only.send(0, 20, 'b');
    only.send(0, 15, '0');
    inbox.collect(0, sources);
    CHECK(take_all(inbox, 100) == "0ab");
}

TEST_CASE("A cleared outbox sends nothing twice", "[engine]") {
    Outbox<char> only(130);
    Outbox<char>* const sources[] = {&only};
    Inbox<char> inbox;
    only.send(129, 3, 'a');
    CHECK(only.has(129));
    CHECK_FALSE(only.has(65));
    inbox.collect(129, sources);
    only.clear();
    inbox.collect(129, sources);
    CHECK(take_all(inbox, 10) == "a");
    CHECK(inbox.empty());
}

}  // namespace channel_test
