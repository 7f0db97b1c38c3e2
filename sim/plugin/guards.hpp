// Between the model and components of plug-ins: what these throw or answer wrongly ends the run with a message, and not with a
// crash. SMs run in parallel and cannot throw, so the first failure is kept, and told when the epoch ends.
#pragma once

#include "sim/plugin/plugin.hpp"

#include <memory>
#include <string>
#include <vector>

namespace warpsim::plugin {

/// `who`, as messages name it: "the prefetcher 'mine' of libmine.so". What `make` throws counts as a failure, too.
template <class C, class S>
std::unique_ptr<C> guarded(std::string who, Maker<C, S> const& make, S const& settings);

/// What a plug-in has done wrong since the last call; empty: nothing.
std::string take_failure();

extern template std::unique_ptr<WarpScheduler> guarded(std::string, Maker<WarpScheduler, SchedulerSettings> const&,
                                                       SchedulerSettings const&);
extern template std::unique_ptr<ReplacementPolicy>
guarded(std::string, Maker<ReplacementPolicy, ReplacementSettings> const&, ReplacementSettings const&);
extern template std::unique_ptr<Prefetcher> guarded(std::string, Maker<Prefetcher, PrefetcherSettings> const&,
                                                    PrefetcherSettings const&);
extern template std::unique_ptr<WritePolicy> guarded(std::string, Maker<WritePolicy, WriteSettings> const&,
                                                     WriteSettings const&);
extern template std::unique_ptr<DramPolicy> guarded(std::string, Maker<DramPolicy, DramSettings> const&,
                                                    DramSettings const&);
extern template std::unique_ptr<Topology> guarded(std::string, Maker<Topology, TopologySettings> const&,
                                                  TopologySettings const&);
extern template std::unique_ptr<CtaPlacement> guarded(std::string, Maker<CtaPlacement, Settings> const&,
                                                      Settings const&);
extern template std::unique_ptr<Observer> guarded(std::string, Maker<Observer, ObserverSettings> const&,
                                                  ObserverSettings const&);

}  // namespace warpsim::plugin
