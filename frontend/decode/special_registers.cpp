#include "frontend/decode/decoder.hpp"

#include <algorithm>

namespace warpsim::frontend {

namespace {

using Special = ir::SpecialRegister;
using isa::Type;

struct Entry {
    std::string_view name;
    Special reg;
    Type type = Type::u32;
    bool is_vector = false;
    bool can_be_16_bits = false;  // in early PTX %tid and similar registers had 16 bits
    std::uint8_t component = 0;
    isa::Since since = {};
};
constexpr isa::Since cluster_since = isa::since(7, 8, 90);
constexpr isa::Since reserved_since = isa::since(7, 6, 80);

constexpr Entry entries[] = {
    {"%tid", Special::tid, Type::u32, true, true},
    {"%ntid", Special::ntid, Type::u32, true, true},
    {"%ctaid", Special::ctaid, Type::u32, true, true},
    {"%nctaid", Special::nctaid, Type::u32, true, true},
    {"%laneid", Special::laneid},
    {"%warpid", Special::warpid},
    {"%nwarpid", Special::nwarpid},
    {"%smid", Special::smid},
    {"%nsmid", Special::nsmid},
    {"%gridid", Special::gridid, Type::u64, false, true},
    {"%clusterid", Special::clusterid, Type::u32, true, false, 0, cluster_since},
    {"%nclusterid", Special::nclusterid, Type::u32, true, false, 0, cluster_since},
    {"%cluster_ctaid", Special::cluster_ctaid, Type::u32, true, false, 0, cluster_since},
    {"%cluster_nctaid", Special::cluster_nctaid, Type::u32, true, false, 0, cluster_since},
    {"%cluster_ctarank", Special::cluster_ctarank, Type::u32, false, false, 0, cluster_since},
    {"%cluster_nctarank", Special::cluster_nctarank, Type::u32, false, false, 0, cluster_since},
    {"%is_explicit_cluster", Special::is_explicit_cluster, Type::pred, false, false, 0, cluster_since},
    {"%lanemask_eq", Special::lanemask_eq},
    {"%lanemask_le", Special::lanemask_le},
    {"%lanemask_lt", Special::lanemask_lt},
    {"%lanemask_ge", Special::lanemask_ge},
    {"%lanemask_gt", Special::lanemask_gt},
    {"%clock", Special::clock},
    {"%clock_hi", Special::clock_hi},
    {"%clock64", Special::clock64, Type::u64},
    {"%globaltimer", Special::globaltimer, Type::u64},
    {"%globaltimer_lo", Special::globaltimer_lo},
    {"%globaltimer_hi", Special::globaltimer_hi},
    {"%reserved_smem_offset_begin", Special::reserved_smem_offset_begin, Type::b32, false, false, 0,
     reserved_since},
    {"%reserved_smem_offset_end", Special::reserved_smem_offset_end, Type::b32, false, false, 0, reserved_since},
    {"%reserved_smem_offset_cap", Special::reserved_smem_offset_cap, Type::b32, false, false, 0, reserved_since},
    {"%reserved_smem_offset_0", Special::reserved_smem_offset, Type::b32, false, false, 0, reserved_since},
    {"%reserved_smem_offset_1", Special::reserved_smem_offset, Type::b32, false, false, 1, reserved_since},
    {"%total_smem_size", Special::total_smem_size},
    {"%aggr_smem_size", Special::aggr_smem_size, Type::u32, false, false, 0, isa::since(8, 1, 90)},
    {"%dynamic_smem_size", Special::dynamic_smem_size},
    {"%current_graph_exec", Special::current_graph_exec, Type::u64, false, false, 0, isa::since(8, 0, 50)},
};

std::optional<unsigned> number(std::string_view digits, unsigned limit) {
    if (digits.empty() || digits.size() > 2) return {};
    unsigned value = 0;
    for (char const c : digits) {
        if (c < '0' || c > '9') return {};
        value = 10 * value + static_cast<unsigned>(c - '0');
    }
    if (value >= limit) return {};
    return value;
}

/// %pm0 ... %pm7, %pm0_64 ..., %envreg0 ... %envreg31
std::optional<SpecialName> numbered(std::string_view name) {
    SpecialName found;
    std::optional<unsigned> index;
    if (name.starts_with("%pm")) {
        bool const is_wide = name.ends_with("_64");
        if (is_wide) name.remove_suffix(3);
        found.reg = is_wide ? Special::pm64 : Special::pm;
        found.type = is_wide ? Type::u64 : Type::u32;
        index = number(name.substr(3), 8);
    } else if (name.starts_with("%envreg")) {
        found.reg = Special::envreg;
        found.type = Type::b32;
        index = number(name.substr(7), 32);
    }
    if (!index) return {};
    found.component = static_cast<std::uint8_t>(*index);
    return found;
}

}  // namespace

std::vector<std::string> const& special_register_names() {
    static auto const& names = *new auto([] {
        std::vector<std::string> made;
        for (Entry const& entry : entries) {
            if (!entry.is_vector) made.emplace_back(entry.name);
            for (char const* component : {".x", ".y", ".z"}) {
                if (entry.is_vector) made.push_back(std::string(entry.name) + component);
            }
        }
        return made;
    }());
    return names;
}

std::optional<SpecialName> special_register(std::string_view name) {
    if (!name.starts_with('%')) return {};
    std::size_t const dot = name.find('.');
    std::string_view const base = name.substr(0, dot);
    auto const* const entry =
        std::find_if(std::begin(entries), std::end(entries), [&](Entry const& e) { return e.name == base; });
    if (entry == std::end(entries)) return dot == std::string_view::npos ? numbered(name) : std::nullopt;
    SpecialName found{entry->reg,  entry->component, entry->is_vector, entry->can_be_16_bits,
                      entry->type, entry->since};
    if (dot == std::string_view::npos) return found;
    if (!entry->is_vector || name.size() != dot + 2) return {};
    std::size_t const xyzw = std::string_view("xyzw").find(name[dot + 1]);
    std::size_t const rgba = std::string_view("rgba").find(name[dot + 1]);
    if (xyzw == std::string_view::npos && rgba == std::string_view::npos) return {};
    found.component = static_cast<std::uint8_t>(xyzw != std::string_view::npos ? xyzw : rgba);
    found.is_vector = false;
    return found;
}

}  // namespace warpsim::frontend
