#include "sim/texture/table.hpp"

#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

namespace warpsim::sim::texture {

namespace {

constexpr std::string_view names[] = {"texture", "sampler", "surface"};
constexpr std::uint32_t last_generation = 0xffff;

std::string_view kind_name(HandleKind kind) { return names[static_cast<std::size_t>(kind)]; }

std::optional<HandleKind> kind_of(Handle handle) {
    std::uint64_t const mark = (handle >> 56) - 0xa1;
    if (mark > 2) return {};
    return static_cast<HandleKind>(mark);
}

template <class Entries> bool was_given(Entries const& entries, Handle handle) {
    std::uint64_t const index = handle & 0xffffffff;
    return index < entries.size() && (handle >> 32 & 0xffff) <= entries[index].generation;
}

}  // namespace

Missing TableMap::why(Handle handle, HandleKind wanted) const {
    if (handle == 0) return Missing::unbound;
    auto const kind = kind_of(handle);
    if (!kind) return Missing::not_a_handle;
    if ((handle >> 48 & 0xff) != device_) return Missing::other_device;
    bool const is_ours = *kind == HandleKind::texture   ? was_given(textures_, handle)
                         : *kind == HandleKind::sampler ? was_given(samplers_, handle)
                                                        : was_given(surfaces_, handle);
    if (!is_ours) return Missing::not_a_handle;
    return *kind != wanted ? Missing::other_kind : Missing::destroyed;
}

std::string TableMap::describe(Handle handle, HandleKind wanted) const {
    std::string const name(kind_name(wanted));
    char hex[24];
    std::snprintf(hex, sizeof hex, "0x%llx", static_cast<unsigned long long>(handle));
    switch (why(handle, wanted)) {
        case Missing::unbound: return "no " + name + " is bound";
        case Missing::not_a_handle: return std::string(hex) + " is not the handle of a " + name;
        case Missing::other_kind:
            return std::string(hex) + " is the handle of a " + std::string(kind_name(*kind_of(handle))) +
                   ", not of a " + name;
        case Missing::other_device: return "the " + name + " " + hex + " belongs to another device";
        case Missing::destroyed: break;
    }
    return "the " + name + " object " + hex + " was destroyed";
}

Table::Table(std::uint8_t device) : map_(std::make_shared<TableMap>()) { map_->device_ = device; }

/// The map, to be changed: launches that look at it keep what they have.
TableMap& Table::changed() {
    if (map_.use_count() != 1) map_ = std::make_shared<TableMap>(*map_);
    return *map_;
}

template <class T>
Handle Table::add_to(std::vector<TableMap::Entry<T>> TableMap::*entries, HandleKind kind, T const& object) {
    std::lock_guard const lock(mutex_);
    TableMap& map = changed();
    auto& all = map.*entries;
    auto& free = free_[static_cast<std::size_t>(kind)];
    auto index = static_cast<std::uint32_t>(all.size());
    if (free.empty()) {
        all.emplace_back();
    } else {
        index = free.back();
        free.pop_back();
        ++all[index].generation;
    }
    all[index].object = std::make_shared<T const>(object);
    return map.mark(kind) << 48 | std::uint64_t{all[index].generation} << 32 | index;
}

template <class T>
bool Table::set(std::vector<TableMap::Entry<T>> TableMap::*entries, HandleKind kind, Handle handle,
                std::shared_ptr<T const> object) {
    std::lock_guard const lock(mutex_);
    if (map_->find((*map_).*entries, kind, handle) == nullptr) return false;
    auto& entry = (changed().*entries)[handle & 0xffffffff];
    entry.object = std::move(object);
    // A handle that was used so often is never given out again.
    if (entry.object == nullptr && entry.generation != last_generation)
        free_[static_cast<std::size_t>(kind)].push_back(static_cast<std::uint32_t>(handle));
    return true;
}

Handle Table::add(Texture const& texture) { return add_to(&TableMap::textures_, HandleKind::texture, texture); }
Handle Table::add(Sampler const& sampler) { return add_to(&TableMap::samplers_, HandleKind::sampler, sampler); }
Handle Table::add(Surface const& surface) { return add_to(&TableMap::surfaces_, HandleKind::surface, surface); }

bool Table::replace(Handle handle, Texture const& texture) {
    return set(&TableMap::textures_, HandleKind::texture, handle, std::make_shared<Texture const>(texture));
}
bool Table::replace(Handle handle, Surface const& surface) {
    return set(&TableMap::surfaces_, HandleKind::surface, handle, std::make_shared<Surface const>(surface));
}

bool Table::remove(Handle handle) {
    auto const kind = kind_of(handle);
    if (!kind) return false;
    switch (*kind) {
        case HandleKind::texture: return set<Texture>(&TableMap::textures_, *kind, handle, nullptr);
        case HandleKind::sampler: return set<Sampler>(&TableMap::samplers_, *kind, handle, nullptr);
        case HandleKind::surface: break;
    }
    return set<Surface>(&TableMap::surfaces_, *kind, handle, nullptr);
}

std::shared_ptr<Texture const> Table::texture(Handle handle) const {
    std::lock_guard const lock(mutex_);
    return map_->texture(handle) == nullptr ? nullptr : map_->textures_[handle & 0xffffffff].object;
}
std::shared_ptr<Surface const> Table::surface(Handle handle) const {
    std::lock_guard const lock(mutex_);
    return map_->surface(handle) == nullptr ? nullptr : map_->surfaces_[handle & 0xffffffff].object;
}

std::shared_ptr<TableMap const> Table::map() const {
    std::lock_guard const lock(mutex_);
    return map_;
}

}  // namespace warpsim::sim::texture
