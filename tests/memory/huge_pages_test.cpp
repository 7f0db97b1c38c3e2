// Memory in huge pages: pieces do not overlap, and serve for others when they have been given back.
#include "sim/huge_pages.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <random>
#include <set>
#include <utility>
#include <vector>

namespace huge_pages_test {

using namespace warpsim;

namespace {

struct Piece {
    std::uint8_t* at;
    std::size_t bytes;
    std::uint8_t value;

    bool is_intact() const {
        return std::all_of(at, at + bytes, [&](std::uint8_t b) { return b == value; });
    }
};

Piece take(std::size_t bytes, std::uint8_t value) {
    auto* const at = static_cast<std::uint8_t*>(sim::take_huge(bytes));
    std::fill_n(at, bytes, value);
    return {at, bytes, value};
}

/// Sanitizers get memory from elsewhere.
constexpr bool is_watched() {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
    return true;
#else
    return false;
#endif
#else
    return false;
#endif
}

std::set<std::uintptr_t> pages_of(std::vector<Piece> const& pieces) {
    std::set<std::uintptr_t> pages;
    for (Piece const& piece : pieces) pages.insert(reinterpret_cast<std::uintptr_t>(piece.at) >> 21);
    return pages;
}

}  // namespace

TEST_CASE("Pieces of huge pages lie apart, whatever has been given back between them", "[memory]") {
    std::mt19937 random(1);
    std::vector<Piece> pieces;
    for (int step = 0; step < 4000; ++step) {
        if (pieces.size() < 200 || random() % 2 == 0) {
            std::size_t const most = std::size_t{1} << (random() % 18);
            pieces.push_back(take(random() % most + 1, static_cast<std::uint8_t>(random())));
            CHECK(reinterpret_cast<std::uintptr_t>(pieces.back().at) % 64 == 0);
        } else {
            std::swap(pieces[random() % pieces.size()], pieces.back());
            REQUIRE(pieces.back().is_intact());
            sim::give_back_huge(pieces.back().at, pieces.back().bytes);
            pieces.pop_back();
        }
    }
    for (Piece const& piece : pieces) {
        CHECK(piece.is_intact());
        sim::give_back_huge(piece.at, piece.bytes);
    }
}

TEST_CASE("Pieces of one size take no more than those of another size have given back", "[memory]") {
    if (is_watched()) return;
    auto const take_all = [](std::size_t bytes) {
        std::vector<Piece> pieces;
        for (std::size_t sum = 0; sum < std::size_t{16} << 20; sum += bytes) pieces.push_back(take(bytes, 1));
        return pieces;
    };
    std::set<std::uintptr_t> known;
    for (std::size_t const bytes : std::vector<std::size_t>{2048, 3072, 64, 12288, 4096}) {
        std::vector<Piece> const pieces = take_all(bytes);
        std::set<std::uintptr_t> const pages = pages_of(pieces);
        for (Piece const& piece : pieces) sim::give_back_huge(piece.at, piece.bytes);
        known.insert(pages.begin(), pages.end());
    }
    CHECK(known.size() <= 14);  // 8 are the least, and spans of 64 KiB are not filled by each size
}

TEST_CASE("A vector in huge pages is a vector", "[memory]") {
    sim::HugeVector<int> list;
    for (int i = 0; i < 100000; ++i) list.push_back(i);
    sim::HugeVector<int> const copy = list;
    list.clear();
    list.shrink_to_fit();
    CHECK(copy.size() == 100000);
    CHECK(copy.front() == 0);
    CHECK(copy.back() == 99999);
}

}  // namespace huge_pages_test
