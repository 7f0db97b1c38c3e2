#include "sim/timing/plan/allocate.hpp"

#include "frontend/ir/registers.hpp"
#include "sim/timing/plan/live_ranges.hpp"
#include "sim/timing/plan/named_vectors.hpp"
#include "sim/timing/plan/temporaries.hpp"

#include <algorithm>

namespace warpsim::timing {

namespace {

// Registers that a caller must preserve begin at number 16 of the calling convention; with a call, ptxas counts at
// least this many.
constexpr std::uint32_t least_with_calls = 24;

/// The registers of one kind.
struct File {
    std::uint32_t& count;
    bool is_vector;
    std::vector<Occupied> registers{};

    std::uint32_t take(std::uint32_t units, Pieces pieces) {
        std::uint32_t place = 0;
        while (!fits(place, units, pieces)) place += units;
        add(place, units, pieces);
        return place;
    }
    void add(std::uint32_t place, std::uint32_t units, Pieces pieces) {
        for (std::uint32_t u = 0; u < units; ++u) registers[place + u].add(pieces);
        count = std::max(count, place + units);
    }
    bool fits(std::uint32_t place, std::uint32_t units, Pieces pieces) {
        if (is_vector && place <= stack_pointer && stack_pointer < place + units) return false;
        if (registers.size() < place + units) registers.resize(place + units);
        for (std::uint32_t u = 0; u < units; ++u)
            if (registers[place + u].meets(pieces)) return false;
        return true;
    }
};

class Allocator {
public:
    Allocator(MachineFunction const& m, LiveRanges const& ranges)
        : m_(m),
          ranges_(ranges),
          temporaries_(find_temporaries(m, ranges)),
          vector_of_(m.function->registers.size(), ir::none) {
        for (std::uint32_t r = 0; r < count(); ++r) {
            if (!ranges_.of(r).empty() && !is_kept(r)) order_.push_back(r);
        }
        for (std::uint32_t t = 0; t < temporaries_.size(); ++t) order_.push_back(count() + t);
        for (NamedVector& v : find_named_vectors(m)) {
            bool const is_free = std::none_of(v.elements.begin(), v.elements.end(), [&](auto const& e) {
                return vector_of_[e.reg] != ir::none || is_kept(e.reg) || ranges_.of(e.reg).empty();
            });
            if (!is_free) continue;
            for (auto const& e : v.elements) vector_of_[e.reg] = static_cast<std::uint32_t>(vectors_.size());
            vectors_.push_back(std::move(v));
        }
        std::sort(order_.begin(), order_.end(), [&](std::uint32_t x, std::uint32_t y) {
            ir::ProgramPoint const a = pieces(x).front().begin, b = pieces(y).front().begin;
            return a != b ? a < b : x < y;
        });
    }

    Allocation run() {
        Allocation first = in_order();
        // Wide values that come late find only single registers free.
        if (std::stable_partition(order_.begin(), order_.end(), [&](std::uint32_t r) { return units(r) > 1; }) ==
            order_.begin())
            return first;
        Allocation wide_first = in_order();
        return wide_first.registers < first.registers ? wide_first : first;
    }

private:
    // Behind the registers of the function come the temporaries.
    std::uint32_t count() const { return static_cast<std::uint32_t>(m_.function->registers.size()); }
    bool is_kept(std::uint32_t r) const { return r < m_.is_kept.size() && m_.is_kept[r]; }
    Pieces pieces(std::uint32_t r) const {
        return r >= count() ? Pieces(temporaries_[r - count()].pieces) : ranges_.of(r);
    }
    std::uint32_t units(std::uint32_t r) const {
        if (r >= count()) return temporaries_[r - count()].units;
        return vector_of_[r] != ir::none ? vectors_[vector_of_[r]].units : m_.units(r);
    }

    Allocation in_order() const {
        Allocation a;
        a.place.assign(count(), no_register);
        File vector{a.registers, true}, predicates{a.predicates, false}, uniform{a.uniform, false};
        for (std::uint32_t const r : order_) {
            if (r >= count()) {
                vector.take(units(r), pieces(r));
                continue;
            }
            if (a.place[r] != no_register) continue;  // with others
            if (vector_of_[r] != ir::none) {
                take_together(a, vector, vectors_[vector_of_[r]]);
                continue;
            }
            ir::Type const type = m_.function->registers[r].type;
            bool const is_predicate = type == ir::Type::pred;
            bool const is_wide = !is_predicate && isa::width(type) > 32;
            File& file = is_predicate ? predicates : m_.in_uniform_file(r) ? uniform : vector;
            std::uint32_t const taken = &file == &vector ? units(r) : is_wide ? 2 : 1;
            a.place[r] = static_cast<std::uint16_t>(file.take(taken, pieces(r)));
        }
        return a;
    }

    void take_together(Allocation& a, File& file, NamedVector const& v) const {
        std::uint32_t place = 0;
        auto const fits = [&](auto const& e) {
            return file.fits(place + e.offset, m_.units(e.reg), pieces(e.reg));
        };
        while (!std::all_of(v.elements.begin(), v.elements.end(), fits)) place += v.units;
        for (auto const& e : v.elements) {
            file.add(place + e.offset, m_.units(e.reg), pieces(e.reg));
            a.place[e.reg] = static_cast<std::uint16_t>(place + e.offset);
        }
    }

    MachineFunction const& m_;
    LiveRanges const& ranges_;
    std::vector<Temporary> const temporaries_;
    std::vector<NamedVector> vectors_;
    std::vector<std::uint32_t> vector_of_;  // per register; ir::none
    std::vector<std::uint32_t> order_;
};

}  // namespace

std::uint32_t registers_of_thread(MachineFunction const& m, std::uint32_t used) {
    bool calls = false, has_routines = false;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        calls = calls || ir::effect(*m.module, m.ir(i)) == isa::Effect::call;
        has_routines = has_routines || calls_routine(m, i);
    }
    // ptxas counts the program counter of kernels without calls.
    std::uint32_t const registers =
        std::max(used, stack_pointer + 1) + (calls || has_routines ? 0 : program_counter);
    return calls ? std::max(registers, least_with_calls) : registers;
}

std::uint16_t Allocation::at(std::uint32_t reg, ir::ProgramPoint point) const {
    auto const behind =
        std::upper_bound(moved.begin(), moved.end(), std::pair(reg, point),
                         [](auto const& at, Moved const& m) { return at < std::pair(m.reg, m.from); });
    return behind != moved.begin() && std::prev(behind)->reg == reg ? std::prev(behind)->place : place[reg];
}

Allocation allocate(MachineFunction const& m) { return allocate(m, ir::find_block_liveness(machine_uses(m))); }

Allocation allocate(MachineFunction const& m, ir::BlockLiveness const& live) {
    LiveRanges const ranges(m, live);
    Allocation a = Allocator(m, ranges).run();
    a.registers = registers_of_thread(m, a.registers);
    auto const pressure = find_pressure(m, ranges);
    a.most_live = *std::max_element(pressure.begin(), pressure.end());
    return a;
}

std::uint32_t least_registers(MachineFunction const& m, ir::BlockLiveness const& live) {
    std::uint32_t most = 0;
    for (std::uint32_t b = 0; b < m.function->blocks.size(); ++b) {
        std::uint32_t units = 0;
        for (std::uint32_t const reg : live.in[b]) units += m.units(reg);
        most = std::max(most, units);
    }
    return registers_of_thread(m, most);
}

std::vector<bool> blocks_beyond(MachineFunction const& m, Allocation const& allocation, std::uint32_t registers) {
    std::vector<bool> beyond(m.function->blocks.size(), false);
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        for (std::uint32_t const reg : m.machine_writes[i]) {
            std::uint16_t const place = allocation.place[reg];
            std::uint32_t const units = m.units(reg);
            if (place == no_register || units == 0) continue;
            if (place + units + program_counter > registers) beyond[m.function->block_of[i]] = true;
        }
    }
    return beyond;
}

}  // namespace warpsim::timing
