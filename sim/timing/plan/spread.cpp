#include "sim/timing/plan/spread.hpp"

#include "sim/timing/plan/banks.hpp"
#include "sim/timing/plan/named_vectors.hpp"
#include "sim/timing/plan/rests.hpp"
#include "sim/timing/plan/sharing.hpp"
#include "sim/timing/plan/simplification.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>

namespace warpsim::timing {

namespace {

/// What values wish of a register beside that it is free.
struct Wishes {
    bool banks, rests;
    Crowded crowded = Crowded::behind;
};

/// Values that lie side by side.
struct Together {
    struct Element {
        std::uint32_t value, offset;
    };

    std::uint32_t units;
    std::vector<Element> elements;
};

class Spreader {
public:
    /// With `most` registers.
    Spreader(MachineFunction const& m, LiveRanges const& ranges, std::vector<std::uint32_t> const& order,
             std::uint32_t most, int capability)
        : m_(m),
          most_(most),
          capability_(capability),
          values_(m, ranges),
          rests_(m, values_),
          sharing_(m, values_, order),
          vector_of_(values_.all().size(), ir::none),
          offsets_(values_.all().size()),
          copies_of_(values_.all().size()) {
        find_vectors();
        find_copies();
    }

    /// How many registers it takes; 0: too many.
    std::uint32_t run(Wishes wishes) {
        wishes_ = wishes;
        banks_ = std::make_unique<Banks>(m_, values_, offsets_, capability_);
        files_.assign(most_, {});
        files_[stack_pointer].live.add(always_);
        used_ = 0;
        places_.assign(values_.all().size(), no_register);
        for (std::uint32_t const v : by_rank()) {
            if (places_[v] != no_register) continue;  // with others
            if (vector_of_[v] != ir::none && choose_together(vectors_[vector_of_[v]])) continue;
            if (!choose(v)) return 0;
        }
        return used_;
    }

    void write(Allocation& a) const {
        std::vector<bool> is_placed(m_.function->registers.size(), false);
        for (std::uint32_t v = 0; v < values_.first_temporary(); ++v) {
            Value const& value = values_.all()[v];
            if (!is_placed[value.reg]) a.place[value.reg] = places_[v];
            is_placed[value.reg] = true;
            for (ir::LiveInterval const& piece : value.pieces)
                a.moved.push_back({value.reg, piece.begin, places_[v]});
        }
        std::sort(a.moved.begin(), a.moved.end(), [](Allocation::Moved const& x, Allocation::Moved const& y) {
            return std::pair(x.reg, x.from) < std::pair(y.reg, y.from);
        });
    }

private:
    struct Register {
        Occupied live, written, rested;
    };

    void find_vectors() {
        for (NamedVector const& v : find_named_vectors(m_)) {
            ir::ProgramPoint const point =
                v.is_written ? ir::write_point(v.instruction) : ir::read_point(v.instruction);
            Together together{v.units, {}};
            for (auto const& e : v.elements) together.elements.push_back({values_.at(e.reg, point), e.offset});
            bool const is_free =
                std::none_of(together.elements.begin(), together.elements.end(),
                             [&](Together::Element const& e) { return vector_of_[e.value] != ir::none; });
            if (!is_free) continue;
            for (Together::Element const& e : together.elements) {
                vector_of_[e.value] = static_cast<std::uint32_t>(vectors_.size());
                offsets_[e.value] = e.offset;
            }
            vectors_.push_back(std::move(together));
        }
    }

    /// A value and its copies take one register, which the first of them stands for.
    void find_copies() {
        std::vector<Occupied> live(values_.all().size());
        std::vector<std::uint32_t> first(values_.all().size());
        for (std::uint32_t v = 0; v < first.size(); ++v) {
            first[v] = v;
            copies_of_[v] = {v};
            live[v].add(values_.all()[v].pieces);
        }
        for (auto const& [x, y] : sharing_.copies()) {
            std::uint32_t const a = first[x], b = first[y];
            if (a == b || vector_of_[x] != ir::none || vector_of_[y] != ir::none) continue;
            bool const is_apart = std::none_of(copies_of_[b].begin(), copies_of_[b].end(), [&](std::uint32_t v) {
                return live[a].meets(values_.all()[v].pieces);
            });
            if (!is_apart) continue;
            for (std::uint32_t const v : copies_of_[b]) {
                live[a].add(values_.all()[v].pieces);
                first[v] = a;
                copies_of_[a].push_back(v);
            }
            copies_of_[b].clear();
        }
        for (std::uint32_t v = 0; v < first.size(); ++v)
            if (first[v] != v) copies_of_[v] = copies_of_[first[v]];
    }

    std::vector<std::uint32_t> together_with(std::uint32_t v) const {
        if (vector_of_[v] == ir::none) return copies_of_[v];
        std::vector<std::uint32_t> values;
        for (Together::Element const& e : vectors_[vector_of_[v]].elements) values.push_back(e.value);
        return values;
    }

    /// Of 64 bits.
    bool is_wide(std::uint32_t v) const {
        bool const is_temporary = v >= values_.first_temporary();
        if (is_temporary) return values_.temporaries()[v - values_.first_temporary()].is_address;
        return vector_of_[v] == ir::none && values_.all()[v].units > 1;
    }

    struct Rank {
        Lateness lateness;
        std::uint32_t made, value;
    };

    /// In the order that ptxas's own allocations show; without obstacles what instructions read together with others, could make in the
    /// register of another one, or could only put there later, comes first, and what is made late last; otherwise as in the program.
    std::vector<std::uint32_t> by_rank() const {
        std::vector<Rank> ranks;
        std::vector<bool> is_known(values_.all().size(), false);
        for (std::uint32_t v = 0; v < values_.all().size(); ++v) {
            if (is_known[v]) continue;
            std::uint32_t first = v;
            for (std::uint32_t const x : together_with(v)) {
                is_known[x] = true;
                if (sharing_.of(x).made < sharing_.of(first).made) first = x;
            }
            // What becomes a counter is computed.
            bool const is_copied = sharing_.of(first).lateness == Lateness::special && copies_of_[v].size() > 1;
            Lateness const lateness = is_wide(v) || is_copied ? Lateness::computed : sharing_.of(first).lateness;
            ranks.push_back({lateness, sharing_.of(first).made, v});
        }
        std::sort(ranks.begin(), ranks.end(), [](Rank const& a, Rank const& b) {
            return std::tuple(a.lateness, a.made, a.value) < std::tuple(b.lateness, b.made, b.value);
        });
        std::vector<Resident> residents;
        residents.reserve(ranks.size());
        for (Rank const& rank : ranks) residents.push_back(resident(rank.value));
        std::vector<std::uint32_t> found;
        // One is the stack pointer's.
        for (std::uint32_t const r : order_of_choice(residents, most_ - 1, wishes_.crowded))
            found.push_back(ranks[r].value);
        return found;
    }
    Resident resident(std::uint32_t v) const {
        Resident r{vector_of_[v] != ir::none ? vectors_[vector_of_[v]].units : values_.all()[v].units,
                   is_wide(v),
                   false,
                   {}};
        for (std::uint32_t const x : together_with(v)) {
            r.is_tied = r.is_tied || !sharing_.of(x).others.empty() || banks_->is_tied(x) || rests_.is_apart[x];
            r.pieces.insert(r.pieces.end(), values_.all()[x].pieces.begin(), values_.all()[x].pieces.end());
        }
        return r;
    }

    /// First where those are that they could share registers with, then from the lowest on: where all have rested, or else are
    /// free.
    bool choose_together(Together const& t) {
        std::vector<std::uint32_t> places;
        for (Together::Element const& e : t.elements) {
            for (std::uint32_t const o : sharing_.of(e.value).others) {
                bool const is_in_line =
                    places_[o] != no_register && places_[o] >= e.offset && (places_[o] - e.offset) % t.units == 0;
                if (is_in_line) places.push_back(places_[o] - e.offset);
            }
        }
        for (std::uint32_t place = 0; place < files_.size(); place += t.units) places.push_back(place);
        for (bool const rests : {true, false}) {
            if (rests && !wishes_.rests) continue;
            for (std::uint32_t const place : places) {
                bool const all_suit = std::all_of(t.elements.begin(), t.elements.end(), [&](auto const& e) {
                    return suits(e.value, place + e.offset, rests);
                });
                if (!all_suit) continue;
                for (Together::Element const& e : t.elements) put(e.value, place + e.offset);
                return true;
            }
        }
        return false;
    }

    /// The lowest of those that it could share a register with, or else of all, which is in its bank and has rested, or else in its
    /// bank, or else free.
    bool choose(std::uint32_t v) {
        Bank const bank = values_.all()[v].units == 1 ? banks_->wish(copies_of_[v]) : Bank::any;
        std::vector<std::uint32_t> const places = places_for(v);
        for (Wishes const& w : {Wishes{true, true}, Wishes{true, false}, Wishes{false, false}}) {
            if ((w.banks && !wishes_.banks) || (w.rests && !wishes_.rests)) continue;
            for (std::uint32_t const place : places) {
                if (w.banks && bank != Bank::any && bank != bank_of(place)) continue;
                bool const all_suit = std::all_of(copies_of_[v].begin(), copies_of_[v].end(),
                                                  [&](std::uint32_t c) { return suits(c, place, w.rests); });
                if (!all_suit) continue;
                for (std::uint32_t const c : copies_of_[v]) put(c, place);
                return true;
            }
        }
        return false;
    }
    std::vector<std::uint32_t> places_for(std::uint32_t v) const {
        std::uint32_t const units = values_.all()[v].units;
        std::vector<std::uint32_t> places;
        for (std::uint32_t const c : copies_of_[v]) {
            for (std::uint32_t const o : sharing_.of(c).copies)
                if (places_[o] != no_register && values_.all()[o].units == units) places.push_back(places_[o]);
        }
        // Rather that of a value which nothing else reads.
        for (bool const is_only : {true, false}) {
            auto const first = static_cast<std::ptrdiff_t>(places.size());
            for (std::uint32_t const c : copies_of_[v]) {
                for (std::uint32_t const o : sharing_.of(c).others) {
                    if (places_[o] == no_register || (sharing_.of(o).reads == 1) != is_only) continue;
                    if (units > 1) places.push_back(places_[o] / units * units);
                    else
                        for (std::uint32_t u = 0; u < values_.all()[o].units; ++u)
                            places.push_back(places_[o] + u);
                }
            }
            std::sort(places.begin() + first, places.end());
        }
        // Those that several wish for first.
        std::vector<std::uint32_t> const all = places;
        std::stable_sort(places.begin(), places.end(), [&](std::uint32_t a, std::uint32_t b) {
            return std::count(all.begin(), all.end(), a) > std::count(all.begin(), all.end(), b);
        });
        for (std::uint32_t place = 0; place < files_.size(); place += units) places.push_back(place);
        return places;
    }

    void put(std::uint32_t v, std::uint32_t place) {
        Value const& value = values_.all()[v];
        for (std::uint32_t p = place; p < place + value.units; ++p) {
            files_[p].live.add(value.pieces);
            files_[p].written.add(rests_.written[v]);
            files_[p].rested.add(rests_.rested[v]);
        }
        places_[v] = static_cast<std::uint16_t>(place);
        banks_->settle(v, place);
        used_ = std::max(used_, place + value.units);
    }
    bool suits(std::uint32_t v, std::uint32_t place, bool rests) const {
        Value const& value = values_.all()[v];
        if (place + value.units > files_.size()) return false;
        return std::all_of(files_.begin() + place, files_.begin() + place + value.units, [&](Register const& r) {
            if (r.live.meets(value.pieces)) return false;
            return !rests || !(r.written.meets(rests_.rested[v]) || r.rested.meets(rests_.written[v]));
        });
    }

    MachineFunction const& m_;
    std::uint32_t const most_;
    int const capability_;
    Values const values_;
    Rests const rests_;
    Sharing const sharing_;
    std::vector<Together> vectors_;
    std::vector<std::uint32_t> vector_of_;               // per value; ir::none
    std::vector<std::optional<std::uint32_t>> offsets_;  // per value, in its vector
    std::vector<std::vector<std::uint32_t>> copies_of_;  // per value, with itself

    // Of a run.
    std::vector<ir::LiveInterval> const always_{{ir::entry_point, UINT32_MAX - 1}};
    Wishes wishes_{};
    std::unique_ptr<Banks> banks_;
    std::vector<Register> files_;
    std::vector<std::uint16_t> places_;  // per value
    std::uint32_t used_ = 0;
};

}  // namespace

void spread(MachineFunction const& m, Allocation& allocation, std::vector<std::uint32_t> const& order,
            std::uint32_t target, std::uint32_t limit, int capability) {
    if (allocation.most_live == 0) return;
    std::uint32_t const units = (allocation.registers + register_unit - 1) / register_unit;
    std::uint32_t const enough = std::min(std::max(units * register_unit, target), limit);
    LiveRanges const ranges(m);
    // Copies share registers, so that a few fewer than are live at once may do.
    std::uint32_t const least = allocation.most_live / register_unit * register_unit;
    for (std::uint32_t most = std::min(std::max(least, target), enough);;
         most = std::min(most + register_unit, enough)) {
        Spreader spreader(m, ranges, order, most - program_counter, capability);
        for (Wishes const& wishes : {Wishes{true, true}, Wishes{true, true, Crowded::first}, Wishes{true, false},
                                     Wishes{false, true}, Wishes{true, false, Crowded::first}}) {
            if (most != enough && !(wishes.banks && wishes.rests)) break;
            std::uint32_t const used = spreader.run(wishes);
            if (used == 0) continue;
            allocation.registers = registers_of_thread(m, used);
            return spreader.write(allocation);
        }
        if (most == enough) return;
    }
}

}  // namespace warpsim::timing
