#include "sim/plugin/components.hpp"

#include "sim/error.hpp"
#include "sim/plugin/guards.hpp"

#include <dlfcn.h>

#include <algorithm>
#include <exception>
#include <filesystem>
#include <iterator>
#include <stdexcept>
#include <utility>

namespace warpsim::plugin {

namespace {

std::string_view name_in(std::string_view choice) { return choice.substr(0, choice.find(':')); }

std::string argument_in(std::string_view choice) {
    std::size_t const colon = choice.find(':');
    return colon == std::string_view::npos ? std::string() : std::string(choice.substr(colon + 1));
}

/// "the prefetcher 'mine' of libmine.so"
std::string told(Kind kind, std::string_view name, std::string const& library) {
    std::string words(plugin::name(kind));
    std::replace(words.begin(), words.end(), '_', ' ');
    return "the " + words + " '" + std::string(name) + "' of " + library;
}

bool is_word(std::string_view name) {
    auto const fits = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
    };
    return !name.empty() && std::all_of(name.begin(), name.end(), fits);
}

template <class C, class S, class Table>
std::unique_ptr<C> make(Kind kind, Table const& table, std::string_view choice, S settings) {
    auto const found = table.find(name_in(choice));
    if (found == table.end())
        throw std::logic_error("the configuration names a " + std::string(name(kind)) +
                               " that is not there: " + std::string(choice));
    settings.argument = argument_in(choice);
    if (found->second.library.empty()) return found->second.make(settings);
    return guarded<C, S>(told(kind, found->first, found->second.library), found->second.make, settings);
}

template <class F> F function_of(void* handle, char const* name) {
    return reinterpret_cast<F>(dlsym(handle, name));  // NOLINT: what dlsym() is for
}

}  // namespace

std::string_view name(Kind kind) {
    constexpr std::string_view names[] = {"warp_scheduler", "replacement", "prefetcher",    "write_policy",
                                          "dram_policy",    "topology",    "cta_placement", "observer"};
    static_assert(std::size(names) == static_cast<std::size_t>(Kind::observer) + 1);
    return names[static_cast<std::size_t>(kind)];
}

Components& Components::all() {
    static Components all;
    return all;
}

template <class C, class S>
void Components::add(Kind kind, Table<C, S>& table, std::string_view name, Maker<C, S> make) {
    if (!is_word(name))
        throw std::invalid_argument("'" + std::string(name) + "' is no name: letters, digits and _");
    if (!make) throw std::invalid_argument("'" + std::string(name) + "' comes without a function that makes it");
    auto const [place, is_new] = table.try_emplace(std::string(name), Entry<C, S>{std::move(make), loading_});
    if (is_new) return;
    std::string const& owner = place->second.library;
    throw std::invalid_argument("there is a " + std::string(plugin::name(kind)) + " '" + place->first +
                                "' already, " + (owner.empty() ? "built in" : "of " + owner));
}

void Components::warp_scheduler(std::string_view name, Maker<WarpScheduler, SchedulerSettings> make) {
    add(Kind::warp_scheduler, warp_schedulers_, name, std::move(make));
}
void Components::replacement(std::string_view name, Maker<ReplacementPolicy, ReplacementSettings> make) {
    add(Kind::replacement, replacements_, name, std::move(make));
}
void Components::prefetcher(std::string_view name, Maker<Prefetcher, PrefetcherSettings> make) {
    add(Kind::prefetcher, prefetchers_, name, std::move(make));
}
void Components::write_policy(std::string_view name, Maker<WritePolicy, WriteSettings> make) {
    add(Kind::write_policy, write_policies_, name, std::move(make));
}
void Components::dram_policy(std::string_view name, Maker<DramPolicy, DramSettings> make) {
    add(Kind::dram_policy, dram_policies_, name, std::move(make));
}
void Components::topology(std::string_view name, Maker<Topology, TopologySettings> make) {
    add(Kind::topology, topologies_, name, std::move(make));
}
void Components::cta_placement(std::string_view name, Maker<CtaPlacement, Settings> make) {
    add(Kind::cta_placement, cta_placements_, name, std::move(make));
}
void Components::observer(std::string_view name, Maker<Observer, ObserverSettings> make) {
    add(Kind::observer, observers_, name, std::move(make));
}

std::unique_ptr<WarpScheduler> Components::make_warp_scheduler(std::string_view choice,
                                                               SchedulerSettings settings) const {
    return make<WarpScheduler>(Kind::warp_scheduler, warp_schedulers_, choice, std::move(settings));
}
std::unique_ptr<ReplacementPolicy> Components::make_replacement(std::string_view choice,
                                                                ReplacementSettings settings) const {
    return make<ReplacementPolicy>(Kind::replacement, replacements_, choice, std::move(settings));
}
std::unique_ptr<Prefetcher> Components::make_prefetcher(std::string_view choice,
                                                        PrefetcherSettings settings) const {
    return make<Prefetcher>(Kind::prefetcher, prefetchers_, choice, std::move(settings));
}
std::unique_ptr<WritePolicy> Components::make_write_policy(std::string_view choice, WriteSettings settings) const {
    return make<WritePolicy>(Kind::write_policy, write_policies_, choice, std::move(settings));
}
std::unique_ptr<DramPolicy> Components::make_dram_policy(std::string_view choice, DramSettings settings) const {
    return make<DramPolicy>(Kind::dram_policy, dram_policies_, choice, std::move(settings));
}
std::unique_ptr<Topology> Components::make_topology(std::string_view choice, TopologySettings settings) const {
    return make<Topology>(Kind::topology, topologies_, choice, std::move(settings));
}
std::unique_ptr<CtaPlacement> Components::make_cta_placement(std::string_view choice) const {
    return make<CtaPlacement>(Kind::cta_placement, cta_placements_, choice, Settings{});
}

std::vector<std::unique_ptr<Observer>> Components::make_observers(ObserverSettings settings) const {
    std::vector<std::unique_ptr<Observer>> made;
    for (auto const& [name, entry] : observers_)
        made.push_back(make<Observer>(Kind::observer, observers_, name, settings));
    return made;
}

template <class Each> void Components::for_table(std::string_view kind, Each&& each) const {
    if (kind == name(Kind::warp_scheduler)) each(warp_schedulers_);
    if (kind == name(Kind::replacement)) each(replacements_);
    if (kind == name(Kind::prefetcher)) each(prefetchers_);
    if (kind == name(Kind::write_policy)) each(write_policies_);
    if (kind == name(Kind::dram_policy)) each(dram_policies_);
    if (kind == name(Kind::topology)) each(topologies_);
    if (kind == name(Kind::cta_placement)) each(cta_placements_);
}

std::vector<std::string> Components::plugin_names(std::string_view kind) const {
    std::vector<std::string> names;
    for_table(kind, [&](auto const& table) {
        for (auto const& [name, entry] : table)
            if (!entry.library.empty()) names.push_back(name);
    });
    return names;
}

bool Components::has_plugin(std::string_view kind, std::string_view choice) const {
    std::vector<std::string> const names = plugin_names(kind);
    return std::find(names.begin(), names.end(), name_in(choice)) != names.end();
}

void Components::load(std::string const& library) {
    std::error_code error;
    // A name without a slash is a file here, not one of the system's libraries.
    std::string const path = std::filesystem::absolute(library, error).string();
    auto const refuse = [&](std::string const& why) {
        throw Error(ErrorKind::usage, "--plugin " + library + ": " + why);
    };
    if (!std::filesystem::exists(path, error)) refuse("there is no such file");
    void* const handle = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) refuse(std::string("cannot be loaded: ") + dlerror());
    if (std::find(loaded_.begin(), loaded_.end(), handle) != loaded_.end()) return;
    auto const version = function_of<std::uint32_t (*)()>(handle, "warpsim_plugin_version");
    auto const enter = function_of<void (*)(Registry&)>(handle, "warpsim_plugin");
    if (version == nullptr || enter == nullptr)
        refuse("is no plug-in: WARPSIM_PLUGIN of sim/plugin/plugin.hpp stands nowhere in it");
    if (std::uint32_t const its = version(); its != interface_version)
        refuse("was compiled for version " + std::to_string(its) + " of the interface; this is " +
               std::to_string(interface_version) + ": compile it again, with the headers of this warpsim");
    loaded_.push_back(handle);
    loading_ = std::filesystem::path(library).filename().string();
    std::string wrong;
    try {
        enter(*this);
    } catch (std::exception const& e) {
        wrong = e.what();
    } catch (...) {
        wrong = "it threw what is no std::exception";
    }
    loading_.clear();
    if (!wrong.empty()) refuse("cannot register: " + wrong);
}

}  // namespace warpsim::plugin
