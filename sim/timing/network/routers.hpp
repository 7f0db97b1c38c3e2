// Which router each SM and each slice has, where all of them stand in one order: slices are spread evenly among the SMs.
#pragma once

#include "sim/plugin/plugin.hpp"

#include <cstdint>
#include <vector>

namespace warpsim::timing {

struct Routers {
    explicit Routers(plugin::TopologySettings const& s) : count(s.sms + s.slices) {
        for (std::uint32_t router = 0; router < count; ++router) {
            bool const is_slice =
                (slices.size() + 1) * std::uint64_t{count} <= (router + 1) * std::uint64_t{s.slices};
            (is_slice ? slices : sms).push_back(router);
        }
    }
    std::uint32_t from(plugin::Packet const& p) const { return p.is_reply ? slices[p.slice] : sms[p.sm]; }
    std::uint32_t to(plugin::Packet const& p) const { return p.is_reply ? sms[p.sm] : slices[p.slice]; }

    std::uint32_t count;
    std::vector<std::uint32_t> sms, slices;
};

}  // namespace warpsim::timing
