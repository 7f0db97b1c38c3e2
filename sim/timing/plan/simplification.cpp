#include "sim/timing/plan/simplification.hpp"

#include "frontend/ir/registers.hpp"

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

namespace warpsim::timing {

namespace {

/// Who is live at the same time as each, once or more, what was found last in front. Goes through the program from its end.
std::vector<std::vector<std::uint32_t>> find_neighbours(std::vector<Resident> const& residents) {
    struct Event {
        ir::ProgramPoint point;
        bool is_begin;
        std::uint32_t resident;
    };
    std::vector<Event> events;
    for (std::uint32_t r = 0; r < residents.size(); ++r) {
        for (ir::LiveInterval const& piece : residents[r].pieces) {
            events.push_back({piece.begin, true, r});
            events.push_back({piece.end, false, r});
        }
    }
    std::sort(events.begin(), events.end(), [](Event const& a, Event const& b) {
        return std::tuple(b.point, a.is_begin, a.resident) < std::tuple(a.point, b.is_begin, b.resident);
    });
    std::vector<std::vector<std::uint32_t>> neighbours(residents.size());
    // The last one takes the place of one that is live no more.
    std::vector<std::uint32_t> live, place(residents.size(), ir::none), pieces(residents.size(), 0);
    for (Event const& e : events) {
        if (!e.is_begin) {
            if (pieces[e.resident]++ != 0) continue;
            place[e.resident] = static_cast<std::uint32_t>(live.size());
            live.push_back(e.resident);
            continue;
        }
        if (--pieces[e.resident] != 0) continue;
        place[live.back()] = place[e.resident];
        live[place[e.resident]] = live.back();
        live.pop_back();
        for (std::uint32_t const other : live) {
            neighbours[e.resident].push_back(other);
            neighbours[other].push_back(e.resident);
        }
    }
    for (auto& beside : neighbours) std::reverse(beside.begin(), beside.end());
    return neighbours;
}

class Simplification {
public:
    Simplification(std::vector<Resident> const& residents, std::uint32_t registers, Crowded crowded)
        : residents_(residents),
          registers_(registers),
          crowded_(crowded),
          neighbours_(find_neighbours(residents)),
          taken_(residents.size(), 0),
          is_waiting_(residents.size(), false) {
        keep_once();
    }

    std::vector<std::uint32_t> run() {
        std::vector<std::uint32_t> order(residents_.size());
        for (std::uint32_t r = 0; r < order.size(); ++r) order[order.size() - 1 - r] = r;
        std::stable_sort(order.begin(), order.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return rank(a) < rank(b); });
        for (std::uint32_t const r : order) look_at(r);
        std::vector<std::uint32_t> by_others = order;
        std::stable_sort(by_others.begin(), by_others.end(),
                         [&](std::uint32_t a, std::uint32_t b) { return taken_[a] > taken_[b]; });
        auto crowded = by_others.begin();
        std::vector<std::uint32_t> aside;
        while (aside.size() != order.size()) {
            auto const list = std::find_if(waiting_.begin(), waiting_.end(),
                                           [](Waiting const& w) { return w.next != w.residents.size(); });
            if (list == waiting_.end()) {
                if (crowded_ == Crowded::first) break;
                crowded = std::find_if(crowded, by_others.end(), [&](std::uint32_t r) { return !is_waiting_[r]; });
                wait(*crowded);
                continue;
            }
            std::uint32_t const r = list->residents[list->next++];
            aside.push_back(r);
            for (std::uint32_t const other : neighbours_[r]) {
                taken_[other] -= taken(r, other);
                look_at(other);
            }
        }
        for (std::uint32_t const r : order)
            if (!is_waiting_[r]) aside.push_back(r);
        std::reverse(aside.begin(), aside.end());
        return aside;
    }

private:
    struct Waiting {
        std::vector<std::uint32_t> residents{};
        std::size_t next = 0;
    };

    int rank(std::uint32_t r) const { return !residents_[r].is_tied ? 0 : residents_[r].is_wide ? 2 : 1; }
    /// Places of its size that one beside it takes: a smaller one is in the way of one, too.
    std::uint32_t taken(std::uint32_t by, std::uint32_t from) const {
        return std::max(residents_[by].units / residents_[from].units, 1u);
    }

    void keep_once() {
        std::vector<std::uint32_t> last(residents_.size(), ir::none);
        for (std::uint32_t r = 0; r < residents_.size(); ++r) {
            std::erase_if(neighbours_[r], [&](std::uint32_t n) { return std::exchange(last[n], r) == r; });
            for (std::uint32_t const n : neighbours_[r]) taken_[r] += taken(n, r);
        }
    }
    /// Can be put aside once there are few enough others.
    void look_at(std::uint32_t r) {
        if (is_waiting_[r] || taken_[r] >= registers_ / residents_[r].units) return;
        wait(r);
    }
    void wait(std::uint32_t r) {
        is_waiting_[r] = true;
        waiting_[residents_[r].is_tied ? 1 : 0].residents.push_back(r);
    }

    std::vector<Resident> const& residents_;
    std::uint32_t const registers_;
    Crowded const crowded_;
    std::vector<std::vector<std::uint32_t>> neighbours_;
    std::vector<std::uint32_t> taken_;
    std::vector<bool> is_waiting_;    // or was
    std::array<Waiting, 2> waiting_;  // those that are tied only while no other is
};

}  // namespace

std::vector<std::uint32_t> order_of_choice(std::vector<Resident> const& residents, std::uint32_t registers,
                                           Crowded crowded) {
    return Simplification(residents, registers, crowded).run();
}

}  // namespace warpsim::timing
