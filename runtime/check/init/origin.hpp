// Where values that nobody has written come from.
#pragma once

#include "runtime/check/findings/act.hpp"
#include "runtime/check/findings/finding.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace warpsim::check {

/// An index into Origins; 0: none is known.
using OriginId = std::uint32_t;

struct Origin {
    std::string space;        // "global", "shared" ...; "register"
    std::string what;         // "256 bytes of global memory at 0x..., made by cudaMalloc(...)"
    std::optional<Act> read;  // the first read of it there
    Instruction reader;
    std::optional<std::uint64_t> address;
    std::optional<Finding::Allocation> allocation;
    bool is_copied = false;  // here from another device
};

/// What makes origins the same: the memory or register, and the instruction that read it.
struct OriginKey {
    enum class Sort : std::uint8_t { global, shared, local, parameter, reg, texel, tensor } sort = Sort::global;
    std::uint64_t number = 0;  // of the allocation, variable or register
    std::uint32_t function = 0, instruction = 0;

    auto operator<=>(OriginKey const&) const = default;
};

class Origins {
public:
    /// Instructions are others from now on.
    void begin_launch() {
        known_.clear();
        last_ = 0;
    }
    template <class Describe> OriginId of(OriginKey const& key, Describe const& describe) {
        if (last_ != 0 && last_key_ == key) return last_;
        auto const [entry, is_new] = known_.try_emplace(key, static_cast<OriginId>(all_.size()));
        if (is_new) all_.push_back(describe());
        last_key_ = key;
        return last_ = entry->second;
    }
    /// Of another device.
    OriginId add(Origin origin) {
        all_.push_back(std::move(origin));
        return static_cast<OriginId>(all_.size() - 1);
    }
    Origin const& operator[](OriginId id) const { return all_[id]; }

private:
    std::vector<Origin> all_{Origin{}};
    std::map<OriginKey, OriginId> known_;
    OriginKey last_key_;
    OriginId last_ = 0;
};

}  // namespace warpsim::check
