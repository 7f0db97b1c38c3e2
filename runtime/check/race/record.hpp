// What is remembered of an access: who made it, with which instruction, and from when on others can know that it is over.
#pragma once

#include "frontend/isa/operands.hpp"
#include "frontend/isa/types.hpp"
#include "runtime/check/findings/act.hpp"
#include "runtime/check/race/clock.hpp"

#include <array>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace warpsim::check {

enum class Sort : std::uint8_t { read, write, atomic };

/// Who accesses memory for an instruction: the thread, or something that works beside it and is waited for.
enum class Engine : std::uint8_t {
    thread,
    copies,    // cp.async
    bulk,      // cp.async.bulk, which signals an mbarrier
    grouped,   // ... whose groups are waited for
    store,     // st.async, red.async
    products,  // wgmma
    work,      // tcgen05.mma, cp, shift
};

/// What the accesses of an instruction have in common, whatever warp makes them.
struct Manner {
    Instruction instruction;
    std::uint32_t launch = 0;  // among those that are remembered
    Sort sort = Sort::read;
    Engine engine = Engine::thread;
    Proxy proxy = Proxy::generic;
    bool is_strong = false;
    isa::Scope scope = isa::Scope::none;
    std::uint8_t bytes_log2 = 0;

    bool is_beside() const { return engine != Engine::thread; }
    bool operator==(Manner const&) const = default;
};

/// An instruction that a warp has executed, possibly several times without synchronising in between. There are many.
struct __attribute__((packed, aligned(4))) Record {
    /// What an engine does beside its thread is over at a time that is not known yet. A launch that comes so far is given up.
    static constexpr Time pending = (Time{1} << 36) - 1;
    static constexpr std::uint32_t most_manners = (1u << 20) - 1;
    static constexpr std::uint32_t most_ctas = (std::uint32_t{1} << 31) - 1;

    Time time : 36 = 0;             // of the thread, or when it has waited for the engine
    std::uint64_t manner : 20 = 0;  // its number
    std::uint64_t warp : 8 = 0;
    std::uint32_t cta : 31 = 0;
    std::uint32_t is_by_lane : 1 = 0;  // lanes have waited at different times
};
static_assert(sizeof(Record) == 12);

/// What is remembered besides of what an engine does.
struct Beside {
    Time issued = 0;             // as `agent` counts
    Agent agent = 0;             // who knows that this one has come to `issued` knows that it is over
    isa::LaneMask begun = 0;     // lanes whose part is waited for
    std::uint32_t mbarrier = 0;  // that the engine signals: its offset in shared memory
};

/// The records that stamps of the shadow name.
class Records {
public:
    std::uint32_t number_of(Manner const& manner);
    /// The number of a new record.
    std::uint32_t add(Record const& record);
    std::uint32_t add(Record const& record, Beside const& beside) {
        std::uint32_t const id = add(record);
        besides_.push_back({id, beside});
        return id;
    }

    std::uint32_t size() const { return static_cast<std::uint32_t>(records_.size()); }
    Record& operator[](std::uint32_t id) { return records_[id]; }
    Record const& operator[](std::uint32_t id) const { return records_[id]; }
    Manner const& manner(Record const& record) const { return manners_[record.manner]; }
    /// Of a record that was added with one.
    Beside& beside(std::uint32_t id);
    Beside const& beside(std::uint32_t id) const { return const_cast<Records&>(*this).beside(id); }

    /// When a lane was done with it, as far as threads can know.
    Time time_of(std::uint32_t id, std::uint32_t lane) const {
        return records_[id].is_by_lane ? times_.at(id)[lane] : records_[id].time;
    }
    /// Lanes know that their part of what the record stands for is over.
    void complete(std::uint32_t id, isa::LaneMask lanes, Time time);

    void clear();
    /// Keeps the records that are marked and their order; returns the new number of each, `gone` of the others. Of launches, too,
    /// only those stay whose records do: launches[old number] becomes the new one.
    static constexpr std::uint32_t gone = ~std::uint32_t{0};
    std::vector<std::uint32_t> keep(std::vector<bool> const& marks, std::vector<std::uint32_t>& launches);
    std::size_t bytes() const;

private:
    struct NumberedBeside {
        std::uint32_t id;
        Beside beside;
    };

    std::vector<Record> records_;
    std::vector<NumberedBeside> besides_;  // by id
    std::vector<Manner> manners_;
    struct Hash {
        std::size_t operator()(Manner const& manner) const;
    };
    std::unordered_map<Manner, std::uint32_t, Hash> numbers_;
    /// Of records whose lanes have waited at different times.
    std::unordered_map<std::uint32_t, std::array<Time, 32>> times_;
};

}  // namespace warpsim::check
