// The components that there are, by kind and name: those of the simulator register like those of plug-ins.
#pragma once

#include "sim/plugin/plugin.hpp"

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::plugin {

enum class Kind : std::uint8_t {
    warp_scheduler,
    replacement,
    prefetcher,
    write_policy,
    dram_policy,
    topology,
    cta_placement,
    observer
};
/// As the schema of configurations says it ("plugins": "prefetcher").
std::string_view name(Kind kind);

/// All of the process. Plug-ins are loaded before anything runs; after that nothing changes.
class Components final : public Registry {
public:
    static Components& all();

    void warp_scheduler(std::string_view name, Maker<WarpScheduler, SchedulerSettings> make) override;
    void replacement(std::string_view name, Maker<ReplacementPolicy, ReplacementSettings> make) override;
    void prefetcher(std::string_view name, Maker<Prefetcher, PrefetcherSettings> make) override;
    void write_policy(std::string_view name, Maker<WritePolicy, WriteSettings> make) override;
    void dram_policy(std::string_view name, Maker<DramPolicy, DramSettings> make) override;
    void topology(std::string_view name, Maker<Topology, TopologySettings> make) override;
    void cta_placement(std::string_view name, Maker<CtaPlacement, Settings> make) override;
    void observer(std::string_view name, Maker<Observer, ObserverSettings> make) override;

    /// Makes what `choice` names, "NAME" or "NAME:ARGUMENT". Throws std::logic_error when there is none: configurations are
    /// checked. What plug-ins make is guarded: see guards.hpp.
    std::unique_ptr<WarpScheduler> make_warp_scheduler(std::string_view choice, SchedulerSettings settings) const;
    std::unique_ptr<ReplacementPolicy> make_replacement(std::string_view choice,
                                                        ReplacementSettings settings) const;
    std::unique_ptr<Prefetcher> make_prefetcher(std::string_view choice, PrefetcherSettings settings) const;
    std::unique_ptr<WritePolicy> make_write_policy(std::string_view choice, WriteSettings settings) const;
    std::unique_ptr<DramPolicy> make_dram_policy(std::string_view choice, DramSettings settings) const;
    std::unique_ptr<Topology> make_topology(std::string_view choice, TopologySettings settings) const;
    std::unique_ptr<CtaPlacement> make_cta_placement(std::string_view choice) const;
    /// One of each.
    std::vector<std::unique_ptr<Observer>> make_observers(ObserverSettings settings) const;
    bool has_observers() const { return !observers_.empty(); }

    /// The names that plug-ins have brought.
    std::vector<std::string> plugin_names(std::string_view kind) const;
    /// Whether a plug-in has brought what "NAME" or "NAME:ARGUMENT" names.
    bool has_plugin(std::string_view kind, std::string_view choice) const;

    /// Loads the library, once, which registers what it brings. Throws Error(usage).
    void load(std::string const& library);

private:
    template <class C, class S> struct Entry {
        Maker<C, S> make;
        std::string library;  // empty: the simulator's own
    };
    template <class C, class S> using Table = std::map<std::string, Entry<C, S>, std::less<>>;
    template <class C, class S> void add(Kind kind, Table<C, S>& table, std::string_view name, Maker<C, S> make);
    template <class Each> void for_table(std::string_view kind, Each&& each) const;

    Table<WarpScheduler, SchedulerSettings> warp_schedulers_;
    Table<ReplacementPolicy, ReplacementSettings> replacements_;
    Table<Prefetcher, PrefetcherSettings> prefetchers_;
    Table<WritePolicy, WriteSettings> write_policies_;
    Table<DramPolicy, DramSettings> dram_policies_;
    Table<Topology, TopologySettings> topologies_;
    Table<CtaPlacement, Settings> cta_placements_;
    Table<Observer, ObserverSettings> observers_;
    std::string loading_;        // the library that registers now
    std::vector<void*> loaded_;  // handles; never closed, as objects of their classes live on
};

}  // namespace warpsim::plugin
