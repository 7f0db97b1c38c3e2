// A hash table from names to indices, with open addressing, no allocation per name, and entries that can be
// removed when a scope ends. Names are views that the caller keeps alive.
#pragma once

#include "frontend/ir/module.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <vector>

namespace warpsim::frontend {

class NameMap {
public:
    NameMap() : entries_(64) {}

    /// The index stored for a name, `ir::none` if there is none.
    std::uint32_t find(std::string_view name) const { return entries_[place_of(entries_, name)].value; }

    /// The index of a name, to be read or written; `ir::none` at first. The reference is valid until the next
    /// call.
    std::uint32_t& operator[](std::string_view name) {
        if (4 * (count_ + 1) > 3 * entries_.size()) grow();
        Entry& entry = entries_[place_of(entries_, name)];
        if (entry.name.data() == nullptr) {
            entry.name = name.data() == nullptr ? std::string_view("") : name;
            ++count_;
        }
        return entry.value;
    }

    /// Calls `visit(name, index)` for every name that has an index.
    template <class F> void each(F&& visit) const {
        for (Entry const& entry : entries_) {
            if (entry.value != ir::none) visit(entry.name, entry.value);
        }
    }

private:
    struct Entry {
        std::string_view name;
        std::uint32_t value = ir::none;
    };

    static std::uint64_t hash(std::string_view name) {
        constexpr std::uint64_t factor = 0x9e3779b97f4a7c15u;
        std::uint64_t h = name.size() * factor;
        std::size_t at = 0;
        for (; at + 8 <= name.size(); at += 8) {
            std::uint64_t word;
            std::memcpy(&word, name.data() + at, 8);
            h = (h ^ word) * factor;
            h ^= h >> 32;
        }
        std::uint64_t word = 0;
        std::memcpy(&word, name.data() + at, name.size() - at);
        h = (h ^ word) * factor;
        return h ^ h >> 32;
    }

    static std::size_t place_of(std::vector<Entry> const& entries, std::string_view name) {
        std::size_t const mask = entries.size() - 1;
        std::size_t at = hash(name) & mask;
        while (entries[at].name.data() != nullptr && entries[at].name != name) at = (at + 1) & mask;
        return at;
    }

    void grow() {
        std::vector<Entry> larger(2 * entries_.size());
        for (Entry const& entry : entries_) {
            if (entry.name.data() != nullptr) larger[place_of(larger, entry.name)] = entry;
        }
        entries_ = std::move(larger);
    }

    std::vector<Entry> entries_;
    std::size_t count_ = 0;
};

}  // namespace warpsim::frontend
