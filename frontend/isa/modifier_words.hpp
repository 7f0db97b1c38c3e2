// The modifiers that syntax lines spell out. A word of a line that is none of these, and no type, shape or class
// (modifiers.hpp) either, is a mistake: the line does not compile.
#pragma once

#include "frontend/isa/modifiers.hpp"
#include "frontend/isa/types.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>

namespace warpsim::isa {

// clang-format off
inline constexpr std::string_view modifier_words[] = {
    ".L1", ".L2", ".L2::evict_normal", ".NaN", ".a", ".a1d", ".a2d", ".a2dms", ".abs", ".acc::f16", ".acc::f32",
    ".acquire", ".acube", ".add", ".alias", ".aligned", ".all", ".alloc", ".and", ".any", ".approx", ".arrive",
    ".arrive_drop", ".ashift", ".async", ".async::generic", ".b", ".b1024", ".b8x16", ".ballot", ".base",
    ".block_scale", ".bulk", ".bulk_group", ".c", ".ca", ".cas", ".cc", ".cg", ".check_layout", ".clamp",
    ".cluster", ".col", ".commit", ".commit_group", ".complete_tx", ".counted::bytes", ".cp", ".cp_fenceproxy",
    ".cp_mask", ".cta", ".cta_group::1", ".cta_group::2", ".cube", ".cvt", ".d", ".dealloc", ".dec", ".down",
    ".exch", ".expect_tx", ".fence", ".fence::after_thread_sync", ".fence::before_thread_sync", ".fractional",
    ".ftz", ".full", ".get_first_ctaid", ".global", ".global_address", ".global_stride", ".grad", ".hi", ".idx",
    ".ignore_oob", ".im2col", ".im2col::w", ".im2col::w::128", ".im2col_no_offs", ".inc", ".init", ".inval",
    ".is_canceled", ".kind::f8f6f4", ".kind::mxf4", ".kind::mxf4nvf4", ".kind::mxf8f6f4", ".l", ".layout::v0",
    ".ld", ".ld_reduce", ".level", ".lo", ".load", ".mask", ".max", ".mbarrier", ".mbarrier::arrive::one",
    ".mbarrier::complete_tx::16B", ".mbarrier::complete_tx::bytes", ".mbarrier::report::fabric", ".mbarrier_init",
    ".min", ".mma", ".mma_async", ".mmio", ".multicast::cluster", ".multicast::cluster::all", ".multimem", ".nc",
    ".noComplete", ".noftz", ".noinc", ".oob", ".op_restrict::fetching", ".or", ".p", ".pack", ".pack::16b",
    ".parity", ".pending_count", ".phase_type::primary", ".po", ".popc", ".prefetch", ".proxy", ".query_cancel",
    ".r", ".range", ".rank", ".read", ".red", ".reduce", ".relaxed", ".release", ".relinquish_alloc_permit",
    ".relu", ".replace", ".rn", ".rna", ".row", ".rs", ".rz", ".sat", ".satfinite", ".scale_vec::1X",
    ".scale_vec::2X", ".scale_vec::4X", ".scaled::n2::ue8m0", ".shared::cluster", ".shared::cta", ".shift",
    ".shiftamt", ".sp", ".sp::ordered_metadata", ".st", ".store", ".submit", ".sync", ".sync_restrict::reads",
    ".sync_restrict::shared::cluster", ".sync_restrict::shared::cta", ".sys", ".tensor", ".tensormap",
    ".tensormap::generic", ".test_wait", ".tile", ".tile::gather4", ".tile::scatter4", ".to", ".trans",
    ".try_cancel", ".try_get", ".try_pullred", ".try_put", ".try_red", ".try_wait", ".ue4m3", ".ue8m0", ".uni",
    ".unpack::16b", ".v2", ".v4", ".volatile", ".wait", ".wait::ld", ".wait::st", ".wait_all", ".wait_group",
    ".warp", ".warpx4", ".weak", ".wide", ".wrap", ".ws", ".xor", ".xorsign",
};
// clang-format on
/// `.m16n8k16` `.x4` `.2d` `.16x64b`
constexpr bool is_shape(std::string_view word) {
    auto const is_digit = [&](std::size_t at) { return at < word.size() && word[at] >= '0' && word[at] <= '9'; };
    return is_digit(1) || ((word.starts_with(".m") || word.starts_with(".x")) && is_digit(2));
}

enum class WordKind : std::uint8_t { none, word, of_class, type, open_type };

/// All words that a line may hold, as hashes: comparing texts takes the compiler too long.
class Vocabulary {
public:
    consteval Vocabulary() {
        for (std::string_view const word : modifier_words) add(word, WordKind::word);
        for (modifier_classes::Class const& c : modifier_classes::all) add(c.name, WordKind::of_class);
        for (std::size_t i = 1; i < type_count; ++i) add(type_facts[i].name, WordKind::type);
        std::sort(entries_, entries_ + size_);
    }
    constexpr WordKind operator[](std::string_view word) const {
        std::uint64_t const hash = hash_of(word.substr(1));
        std::size_t low = 0;
        std::size_t high = size_;
        while (low < high) {
            std::size_t const middle = (low + high) / 2;
            if ((entries_[middle] >> 8) < hash) low = middle + 1;
            else high = middle;
        }
        bool const is_known = low < size_ && entries_[low] >> 8 == hash;
        return is_known ? static_cast<WordKind>(entries_[low] & 0xff) : WordKind::none;
    }

private:
    static constexpr std::uint64_t hash_of(std::string_view text) {
        std::uint64_t hash = 14695981039346656037u;  // FNV-1a
        for (char const c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
        return hash >> 8;
    }
    constexpr void add(std::string_view word, WordKind kind) {
        std::string_view const without_dot = word[0] == '.' ? word.substr(1) : word;
        entries_[size_++] = hash_of(without_dot) << 8 | static_cast<std::uint64_t>(kind);
    }

    std::uint64_t entries_[std::size(modifier_words) + std::size(modifier_classes::all) + type_count] = {};
    std::size_t size_ = 0;
};
inline constexpr Vocabulary vocabulary;

constexpr WordKind kind_of(std::string_view word) { return is_shape(word) ? WordKind::word : vocabulary[word]; }

}  // namespace warpsim::isa
