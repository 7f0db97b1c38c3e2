#include "sim/functional/snapshot.hpp"

#include "sim/functional/host_threads.hpp"

#include <cstring>
#include <list>
#include <utility>

namespace warpsim::sim {

namespace {

/// All counts in one, and all that was claimed by one worker.
void join_threads(HostThreads& threads, OpCounters& counters) {
    for (std::size_t i = 1; i < threads.workers.size(); ++i) {
        threads.interpreters[i]->complete_counters();
        counters.add(threads.interpreters[i]->counters());
        while (std::optional<std::uint64_t> const linear = threads.schedule.begin_claimed(threads.workers[i])) {
            auto cluster = std::make_unique<Cluster>();
            threads.interpreters[i]->start(*cluster, *linear);
            threads.schedule.add_waiting(std::move(cluster));
        }
    }
}

}  // namespace

std::optional<Snapshot> run_for(LaunchContext const& launch, FunctionalOptions const& options, std::uint64_t turns,
                                LaunchStatistics& statistics) {
    HostThreads threads(launch, options);
    threads.schedule.pause_after(turns);
    threads.run();
    threads.interpreters.front()->complete_counters();
    OpCounters counters = threads.interpreters.front()->counters();
    join_threads(threads, counters);
    Schedule::Standing const standing = threads.schedule.standing(threads.workers.front());
    if (threads.schedule.error() || standing.finished == launch.clusters()) {
        threads.finish(statistics);
        return std::nullopt;
    }
    Snapshot snapshot{standing, {}, std::move(counters), {}, {}, {}, {}, {}};
    for (auto const& cluster : threads.schedule.waiting())
        snapshot.clusters.push_back(std::make_unique<Cluster const>(*cluster));
    for (std::uint32_t i = 0; launch.sm_clocks != nullptr && i < launch.sms; ++i)
        snapshot.sm_clocks.push_back(launch.sm_clocks[i].load());
    for (Allocation const& a : launch.allocations.all()) {
        auto const* const bytes = reinterpret_cast<std::byte const*>(a.begin);
        snapshot.memory.push_back({a.begin, {bytes, bytes + (a.end - a.begin)}});
    }
    if (launch.heap != nullptr) snapshot.heap = launch.heap->ranges();
    if (launch.print != nullptr) snapshot.printed = launch.print->content();
    if (launch.runtime != nullptr) snapshot.runtime = launch.runtime->save();
    return snapshot;
}

void run_from(Snapshot const& snapshot, LaunchContext const& launch, FunctionalOptions const& options,
              LaunchStatistics& statistics) {
    for (Snapshot::Saved const& range : snapshot.memory)
        std::memcpy(reinterpret_cast<void*>(range.begin), range.bytes.data(), range.bytes.size());
    for (std::size_t i = 0; i < snapshot.sm_clocks.size(); ++i) launch.sm_clocks[i] = snapshot.sm_clocks[i];
    if (snapshot.heap && launch.heap != nullptr) launch.heap->restore(*snapshot.heap);
    if (snapshot.printed && launch.print != nullptr) launch.print->restore(*snapshot.printed);
    if (snapshot.runtime && launch.runtime != nullptr) launch.runtime->restore(*snapshot.runtime);
    HostThreads threads(launch, options);
    std::list<std::unique_ptr<Cluster>> clusters;
    for (auto const& cluster : snapshot.clusters) {
        clusters.push_back(std::make_unique<Cluster>(*cluster));
        threads.interpreters.front()->adopt(*clusters.back());
    }
    threads.schedule.resume(threads.workers.front(), snapshot.standing, std::move(clusters));
    threads.interpreters.front()->resume(snapshot.counters);
    threads.run();
    threads.finish(statistics);
}

}  // namespace warpsim::sim
