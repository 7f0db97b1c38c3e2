#include "sim/timing/memory/dram_queue.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <vector>

namespace dram_queue_test {

using namespace warpsim;
using namespace warpsim::timing;

namespace {

constexpr std::size_t banks = 80;  // more than a word has bits

plugin::DramWaiting waiting(std::uint64_t tag, std::uint32_t bank, std::uint64_t row) {
    plugin::DramWaiting w;
    w.request.tag = tag;
    w.bank = bank;
    w.row = row;
    return w;
}

std::vector<std::uint64_t> tags(DramRequests const& requests) {
    std::vector<std::uint64_t> all;
    for (plugin::DramWaiting const& w : requests.waiting()) all.push_back(w.request.tag);
    return all;
}

std::vector<std::uint32_t> members(BankSet const& set) {
    std::vector<std::uint32_t> all;
    set.each([&](std::uint32_t bank) { all.push_back(bank); });
    return all;
}

}  // namespace

TEST_CASE("Requests to DRAM stay in the order of their arrival, whichever is served", "[timing]") {
    DramRequests requests(banks, 2);
    for (std::uint64_t tag = 0; tag < 4; ++tag) requests.add(waiting(tag, 0, 7), true);
    requests.remove(2);
    CHECK(tags(requests) == std::vector<std::uint64_t>{0, 1, 3});
    requests.remove(0);
    for (std::uint64_t tag = 4; tag < 8; ++tag) requests.add(waiting(tag, 0, 7), true);
    CHECK(tags(requests) == std::vector<std::uint64_t>{1, 3, 4, 5, 6, 7});
    CHECK(requests.size() == 6);
    CHECK(requests.open()[0] == 6);
}

TEST_CASE("Banks are known by whether their open row is waited for, or another one", "[timing]") {
    DramRequests requests(banks, 8);
    requests.add(waiting(1, 3, 7), true);
    requests.add(waiting(2, 3, 8), false);
    requests.add(waiting(3, 70, 8), false);
    CHECK(members(requests.open_banks()) == std::vector<std::uint32_t>{3});
    CHECK(members(requests.closed_banks()) == std::vector<std::uint32_t>{3, 70});
    requests.remove(0);
    CHECK(members(requests.open_banks()).empty());
    requests.opened(3, 8);
    CHECK(members(requests.open_banks()) == std::vector<std::uint32_t>{3});
    CHECK(members(requests.closed_banks()) == std::vector<std::uint32_t>{70});
    requests.recount(std::vector<plugin::DramBank>(banks));  // all rows are closed
    CHECK(members(requests.open_banks()).empty());
    CHECK(members(requests.closed_banks()) == std::vector<std::uint32_t>{3, 70});
}

}  // namespace dram_queue_test
