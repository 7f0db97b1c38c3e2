// Stamps of small cells in few bits, compared with the stamps themselves.
#include "runtime/check/race/fine_cells.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <random>
#include <vector>

namespace fine_cells_test {

using namespace warpsim;
using check::Cell;
using check::Stamp;

namespace {

constexpr std::uint32_t count = 256;
constexpr std::size_t unlimited = 60000;

Stamp stamp(std::uint32_t number, std::uint32_t lane) {
    Stamp one;
    one.number = number;
    one.lane = static_cast<std::uint8_t>(lane);
    return one;
}

bool is_same(Stamp const& a, Stamp const& b) { return (!a.is_any() && !b.is_any()) || a.is_like(b); }

/// A write, a read, or both; records of a sort that is named.
class Accesses {
public:
    enum Records { few, strided, late_and_early, far_apart, any };

    explicit Accesses(Records records) : records_(records) {}
    std::uint32_t at() { return below(count); }
    Cell next() {
        ++time_;
        Stamp write = stamp(number(), below(32)), read = stamp(number(), below(32));
        if (below(8) == 0) read.extent = static_cast<Stamp::Extent>(below(4));
        if (below(4) == 0) write.value_hash = check::hash_of_value({below(3), 0, 0, 0}, false);
        Cell cell;
        std::uint32_t const sort = below(8);
        if (sort != 0) cell = Cell(write);
        if (sort < 4) cell.set_read(read);
        if (below(16) == 0) cell = {};
        return cell;
    }

private:
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_() % limit); }
    std::uint32_t number() {
        switch (records_) {
            case few: return 7 + below(3);
            case strided: return 1 + 1000 * below(32);
            case late_and_early: return below(4) == 0 ? 5 + below(100) : 1000 + time_;
            case far_apart: return 1 + 0x10000001u * below(15);
            case any: return 1 + below(0xfffffffe);
        }
        return 1;
    }

    Records records_;
    std::mt19937 random_{1};
    std::uint32_t time_ = 0;
};

}  // namespace

TEST_CASE("Small cells say what they have been told, however far apart records are", "[check]") {
    for (auto const records :
         {Accesses::few, Accesses::strided, Accesses::late_and_early, Accesses::far_apart, Accesses::any}) {
        INFO("records of sort " << records);
        Accesses accesses(records);
        check::FineCells fine(count, unlimited);
        std::vector<Cell> expected(count);
        bool is_equal = true;
        for (int i = 0; i < 20000; ++i) {
            std::uint32_t const at = accesses.at();
            fine.store(at, expected[at] = accesses.next());
            std::uint32_t const other = accesses.at();
            for (std::uint32_t const one : {at, other}) {
                Cell const got = fine.load(one), want = expected[one];
                is_equal &= is_same(got.write(), want.write()) && is_same(got.read(), want.read());
            }
        }
        CHECK(is_equal);
    }
}

TEST_CASE("Small cells with too little room forget stamps and make none up", "[check]") {
    for (auto const records : {Accesses::late_and_early, Accesses::any}) {
        Accesses accesses(records);
        std::size_t const most_bytes = 800;
        check::FineCells fine(count, most_bytes);
        std::vector<Cell> expected(count);
        bool is_true = true, fits = true;
        for (int i = 0; i < 20000; ++i) {
            std::uint32_t const at = accesses.at();
            fine.store(at, expected[at] = accesses.next());
            fits &= fine.held_bytes() <= most_bytes;
        }
        std::uint32_t writes = 0;
        for (std::uint32_t at = 0; at < count; ++at) {
            Cell const got = fine.load(at), want = expected[at];
            is_true &= !got.write().is_any() || is_same(got.write(), want.write());
            is_true &= !got.read().is_any() || is_same(got.read(), want.read());
            if (got.write().is_any()) ++writes;
        }
        CHECK(is_true);
        CHECK(fits);
        CHECK(writes > 0);
    }
}

}  // namespace fine_cells_test
