#include "runtime/read_module.hpp"

#include "frontend/link/read_modules.hpp"
#include "runtime/log.hpp"

#include <utility>

namespace warpsim::runtime {

namespace {

/// Texts below are read sooner than a file is written; 16 KiB take a third of a millisecond.
constexpr std::size_t least_cached_bytes = 16 * 1024;

using Sources = std::vector<std::shared_ptr<frontend::Source const>>;

bool is_worth_it(std::vector<PtxText> const& texts) {
    std::size_t bytes = 0;
    for (PtxText const& one : texts) bytes += one.text.size();
    return bytes >= least_cached_bytes;
}

cache::Key key_of(std::vector<PtxText> const& texts) {
    cache::KeyMaker maker;
    maker.add(frontend::archive_stamp());
    for (PtxText const& one : texts) {
        maker.add(one.name);  // messages name it
        maker.add(one.text);
    }
    return maker.key();
}

Sources sources_of(std::vector<PtxText> texts) {
    Sources sources;
    for (PtxText& one : texts)
        sources.push_back(std::make_shared<frontend::Source const>(std::move(one.name), std::move(one.text)));
    return sources;
}

frontend::Linked read_linked(std::vector<PtxText> texts, int threads) {
    std::vector<frontend::NamedText> named;
    for (PtxText& one : texts) named.push_back({std::move(one.name), std::move(one.text)});
    frontend::Linked linked = frontend::read_modules(
        std::move(named), threads > 0 ? static_cast<unsigned>(threads) : 0, {.warns_of_version = false});
    if (linked.error_count != 0) throw Error(ErrorKind::ptx, linked.report);
    return linked;
}

void warn(std::string const& report) {
    if (!report.empty()) log::plain(log::Level::warning, report);
}

/// A cache that cannot be written is reported once and not tried again.
void keep(cache::FileCache const& cache, cache::Key const& key, frontend::Linked const& linked,
          Device::State& device) {
    if (device.cache_is_closed) return;
    std::string const bytes = frontend::pack(linked);
    if (bytes.empty()) return;
    std::string const why_not = cache.store(key, bytes);
    if (why_not.empty()) {
        log::debug("module kept as " + cache.path(key));
    } else if (!device.cache_is_closed.exchange(true)) {
        log::debug("modules are not kept: " + why_not);
    }
}

}  // namespace

ReadModule read_module(std::vector<PtxText> texts, Device::State& device) {
    cache::Key const key = device.cache ? key_of(texts) : cache::Key{};
    if (!device.cache || !is_worth_it(texts)) {
        frontend::Linked linked = read_linked(std::move(texts), device.options.threads);
        warn(linked.report);
        return {std::move(linked.module), std::nullopt, key};
    }
    cache::FileCache::Found found = device.cache->find(key);
    if (found.bytes) {
        Sources const sources = sources_of(std::move(texts));
        std::optional<frontend::PackedModule> packed =
            frontend::PackedModule::open(std::move(*found.bytes), sources);
        if (packed) {
            log::debug("module from " + device.cache->path(key));
            warn(packed->report());
            ir::Module module = packed->take_module();
            return {std::move(module), std::move(packed), key};
        }
        found.why_not = device.cache->path(key) + " cannot be understood";
        texts.clear();
        for (auto const& source : sources) texts.push_back({source->name(), std::string(source->text())});
    }
    if (!found.why_not.empty()) log::debug("module not taken from the cache: " + found.why_not);
    frontend::Linked linked = read_linked(std::move(texts), device.options.threads);
    warn(linked.report);
    keep(*device.cache, key, linked, device);
    return {std::move(linked.module), std::nullopt, key};
}

void complete(frontend::PackedModule& packed, ir::Module& module, std::uint32_t kernel) {
    if (packed.complete(module, kernel)) return;
    // Not what was packed, in spite of its checksum: the texts are still here.
    log::debug("module of the cache: a body cannot be understood; its text is read");
    std::vector<PtxText> texts;
    for (auto const& source : module.sources) texts.push_back({source->name(), std::string(source->text())});
    packed.complete(module, read_linked(std::move(texts), 1).module);
}

}  // namespace warpsim::runtime
