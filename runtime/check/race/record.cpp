#include "runtime/check/race/record.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <utility>

namespace warpsim::check {

using isa::LaneMask;

std::size_t Records::Hash::operator()(Manner const& m) const {
    std::uint64_t const what = std::uint64_t{m.instruction.function} << 32 | m.instruction.index,
                        how = std::uint64_t{m.launch} << 32 | static_cast<std::uint64_t>(m.sort) << 24 |
                              static_cast<std::uint64_t>(m.engine) << 20 |
                              static_cast<std::uint64_t>(m.proxy) << 16 |
                              static_cast<std::uint64_t>(m.scope) << 12 | std::uint64_t{m.bytes_log2} << 4 |
                              static_cast<std::uint64_t>(m.is_strong);
    return (what * 0x9e3779b97f4a7c15u ^ how) * 0xc2b2ae3d27d4eb4fu >> 20;
}

std::uint32_t Records::number_of(Manner const& manner) {
    auto const [entry, is_new] = numbers_.try_emplace(manner, static_cast<std::uint32_t>(manners_.size()));
    if (is_new) manners_.push_back(manner);
    if (entry->second > Record::most_manners)
        throw Error(ErrorKind::launch, "the race checker has no room for more kernels");
    return entry->second;
}

std::uint32_t Records::add(Record const& record) {
    auto const id = static_cast<std::uint32_t>(records_.size());
    if (id >= gone - 1) throw Error(ErrorKind::launch, "the race checker has no room for more accesses");
    records_.push_back(record);
    return id;
}

Beside& Records::beside(std::uint32_t id) {
    return std::lower_bound(besides_.begin(), besides_.end(), id,
                            [](NumberedBeside const& one, std::uint32_t wanted) { return one.id < wanted; })
        ->beside;
}

void Records::complete(std::uint32_t id, LaneMask lanes, Time time) {
    Record& done = records_[id];
    if (!done.is_by_lane && (beside(id).begun & ~lanes) == 0) {
        done.time = time & Record::pending;
        return;
    }
    if (!done.is_by_lane) times_[id].fill(done.time);
    done.is_by_lane = 1;
    std::array<Time, 32>& times = times_[id];
    for (LaneMask m = lanes; m != 0; m &= m - 1) times[static_cast<std::size_t>(std::countr_zero(m))] = time;
}

void Records::clear() {
    records_.clear();
    besides_.clear();
    manners_.clear();
    numbers_.clear();
    times_.clear();
}

std::vector<std::uint32_t> Records::keep(std::vector<bool> const& marks, std::vector<std::uint32_t>& launches) {
    std::vector<std::uint32_t> numbers(records_.size(), gone);
    std::vector<Record> const all = std::exchange(records_, {});
    std::vector<NumberedBeside> const besides = std::exchange(besides_, {});
    std::vector<Manner> const manners = std::exchange(manners_, {});
    auto times = std::exchange(times_, {});
    numbers_.clear();
    // Launches keep their order: the present one is the last of them.
    std::vector<bool> launch_stays(launches.size(), false);
    for (std::size_t id = 0; id < all.size(); ++id)
        if (marks[id]) launch_stays[manners[all[id].manner].launch] = true;
    launch_stays.back() = true;
    std::uint32_t kept = 0;
    for (std::size_t l = 0; l < launches.size(); ++l) launches[l] = launch_stays[l] ? kept++ : gone;
    auto beside = besides.begin();
    for (std::uint32_t id = 0; id < all.size(); ++id) {
        while (beside != besides.end() && beside->id < id) ++beside;
        if (!marks[id]) continue;
        Manner manner = manners[all[id].manner];
        manner.launch = launches[manner.launch];
        Record record = all[id];
        record.manner = number_of(manner) & Record::most_manners;
        numbers[id] = add(record);
        if (beside != besides.end() && beside->id == id) besides_.push_back({numbers[id], beside->beside});
        if (all[id].is_by_lane) times_[numbers[id]] = times.at(id);
    }
    return numbers;
}

std::size_t Records::bytes() const {
    return records_.capacity() * sizeof(Record) + besides_.capacity() * sizeof(NumberedBeside);
}

}  // namespace warpsim::check
