// The textures, samplers and surfaces of a device, by the handles that kernels know them by.
#pragma once

#include "sim/texture/image.hpp"
#include "sim/texture/sampler.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace warpsim::sim::texture {

struct Texture {
    Image image;
    Sampler sampler;
};
struct Surface {
    Image image;  // of an array, in the format that it was made with
};

/// Never 0 and never an address: bits 63 to 56 are a mark of the kind, 55 to 48 the device's number, 47 to 32 how often the
/// entry was used before, 31 to 0 the entry. The first handles of a device are the same in every run.
using Handle = std::uint64_t;
enum class HandleKind : std::uint8_t { texture, sampler, surface };

/// What is wrong with a handle, for reports.
enum class Missing : std::uint8_t {
    unbound,       // 0: nothing was bound
    not_a_handle,  // bits that no table gives out
    other_kind,    // of a surface where a texture is wanted, and so on
    other_device,
    destroyed,
};

/// The table as it was when a launch began; all engine threads read it without locks.
class TableMap {
public:
    template <class T> struct Entry {
        std::uint16_t generation = 0;
        std::shared_ptr<T const> object;  // null: destroyed
    };

    /// Null when there is no such object: why() says why.
    Texture const* texture(Handle handle) const { return find(textures_, HandleKind::texture, handle); }
    Sampler const* sampler(Handle handle) const { return find(samplers_, HandleKind::sampler, handle); }
    Surface const* surface(Handle handle) const { return find(surfaces_, HandleKind::surface, handle); }

    Missing why(Handle handle, HandleKind wanted) const;
    /// "the texture object was destroyed", "0 is no surface: none is bound".
    std::string describe(Handle handle, HandleKind wanted) const;

private:
    friend class Table;
    template <class T> T const* find(std::vector<Entry<T>> const& entries, HandleKind kind, Handle handle) const {
        std::uint64_t const index = handle & 0xffffffff;
        if (handle >> 48 != mark(kind) || index >= entries.size()) return nullptr;
        Entry<T> const& entry = entries[index];
        return entry.generation == (handle >> 32 & 0xffff) ? entry.object.get() : nullptr;
    }
    std::uint64_t mark(HandleKind kind) const {
        return (std::uint64_t{0xa1} + static_cast<std::uint64_t>(kind)) << 8 | device_;
    }

    std::uint8_t device_ = 0;
    std::vector<Entry<Texture>> textures_;
    std::vector<Entry<Sampler>> samplers_;
    std::vector<Entry<Surface>> surfaces_;
};

/// Its functions may be called from any thread. A launch sees the map() that it took when it began.
class Table {
public:
    /// `device` tells the handles of several devices apart.
    explicit Table(std::uint8_t device = 0);

    Handle add(Texture const& texture);
    Handle add(Sampler const& sampler);
    Handle add(Surface const& surface);
    /// Puts something else behind a handle that stays: false when it is of no such object.
    bool replace(Handle handle, Texture const& texture);
    bool replace(Handle handle, Surface const& surface);
    /// Null when there is none.
    std::shared_ptr<Texture const> texture(Handle handle) const;
    std::shared_ptr<Surface const> surface(Handle handle) const;
    /// False when it is of no object.
    bool remove(Handle handle);

    /// What a launch looks things up in.
    std::shared_ptr<TableMap const> map() const;

private:
    template <class T>
    Handle add_to(std::vector<TableMap::Entry<T>> TableMap::*entries, HandleKind kind, T const& object);
    template <class T>
    bool set(std::vector<TableMap::Entry<T>> TableMap::*entries, HandleKind kind, Handle handle,
             std::shared_ptr<T const> object);
    TableMap& changed();

    mutable std::mutex mutex_;       // guards all members below
    std::shared_ptr<TableMap> map_;  // copied before it changes while launches look at it
    std::vector<std::uint32_t> free_[3];
};

}  // namespace warpsim::sim::texture
