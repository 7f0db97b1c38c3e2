#include "sim/timing/plan/banks.hpp"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <tuple>

namespace warpsim::timing {

namespace {

/// Colours the graph of values that are read together with two colours, most decided values first.
class Chooser {
public:
    Chooser(MachineFunction const& m, Values const& values)
        : m_(m),
          values_(values),
          ties_(values.all().size()),
          banks_(values.all().size(), Bank::any),
          neighbours_(values.all().size()) {
        std::vector<std::vector<std::uint32_t>> temporaries(m.instructions.size());
        for (std::uint32_t t = 0; t < values.temporaries().size(); ++t) {
            for (std::uint32_t const i : values.temporaries()[t].readers)
                temporaries[i].push_back(values.first_temporary() + t);
        }
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            if (m.instructions[i].micros != 0) look_at(i, std::move(temporaries[i]));
        }
    }

    std::vector<Bank> run() {
        for (std::uint32_t v = 0; v < ties_.size(); ++v) {
            if (neighbours_[v].empty()) continue;
            if (values_.all()[v].units > 1) decide(v, Bank::even);
            else waiting_.insert(rank(v));
        }
        while (!waiting_.empty()) {
            std::uint32_t const v = std::get<2>(*waiting_.begin());
            waiting_.erase(waiting_.begin());
            decide(v, ties_[v].pull > 0 ? Bank::odd : Bank::even);
        }
        return std::move(banks_);
    }

private:
    using Rank = std::tuple<int, int, std::uint32_t>;
    struct Ties {
        int pull = 0;    // to odd registers, by the neighbours that are decided
        int weight = 0;  // of all neighbours
    };
    struct Neighbour {
        std::uint32_t value;
        int weight;
    };

    /// Of two operands each is in one bank; of three it is enough that not all are in the same one.
    void look_at(std::uint32_t i, std::vector<std::uint32_t> together) {
        for (std::uint32_t const reg : m_.machine_reads[i]) {
            if (m_.units(reg) == 0) continue;
            std::uint32_t const v = values_.at(reg, ir::read_point(i));
            if (std::find(together.begin(), together.end(), v) == together.end()) together.push_back(v);
        }
        if (together.size() < 2 || together.size() > 3) return;
        int const weight = together.size() == 2 ? 2 : 1;
        for (std::uint32_t const a : together) {
            for (std::uint32_t const b : together) {
                if (a == b) continue;
                neighbours_[a].push_back({b, weight});
                ties_[a].weight += weight;
            }
        }
    }

    Rank rank(std::uint32_t v) const { return {-std::abs(ties_[v].pull), -ties_[v].weight, v}; }

    void decide(std::uint32_t v, Bank bank) {
        banks_[v] = bank;
        for (Neighbour const& n : neighbours_[v]) {
            bool const waits = waiting_.erase(rank(n.value)) != 0;
            ties_[n.value].pull += bank == Bank::even ? n.weight : -n.weight;
            if (waits) waiting_.insert(rank(n.value));
        }
    }

    MachineFunction const& m_;
    Values const& values_;
    std::vector<Ties> ties_;
    std::vector<Bank> banks_;
    std::vector<std::vector<Neighbour>> neighbours_;
    std::set<Rank> waiting_;
};

}  // namespace

std::vector<Bank> find_banks(MachineFunction const& m, Values const& values) { return Chooser(m, values).run(); }

}  // namespace warpsim::timing
