// PTX ISA "Data Movement and Conversion Instructions: Tensor copy" and "tensormap": read and checked; of these
// only the copy of a tensor map is executed.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Row todo(std::string_view syntax, Since since, std::string_view operands) {
    return effect_row(syntax, Types<>{}, since, Unit::lsu, Effect::not_executed, operands);
}
constexpr Since tensor_since = since(8, 0, 90);
constexpr Since tensormap_since = only_on("90a 100f 103f 110f 120f", 8, 3, 90);
constexpr Since later_since = since(8, 6, 90);
constexpr Since pair_since = only_on("100f 110f", 8, 6, 100);

#define WARPSIM_LOAD "cp.async.bulk.tensor"
#define WARPSIM_CLUSTER ".shared::cluster.global"
#define WARPSIM_CTA ".shared::cta.global"
#define WARPSIM_BYTES ".mbarrier::complete_tx::bytes"
#define WARPSIM_HINT "{.level::cache_hint}"

// The mode says how many coordinates and offsets there are. Copies for a pair of CTAs came with another target.
#define WARPSIM_COPY(dim, mode, coordinates, offsets, offsets_word, since, cta_since)                             \
    todo(WARPSIM_LOAD dim WARPSIM_CLUSTER mode WARPSIM_BYTES                                                      \
         "{.multicast::cluster}" WARPSIM_HINT " [dstMem], [tensorMap, tensorCoords], [mbar]" offsets              \
         "{, ctaMask}{, cache-policy}",                                                                           \
         since, "shared global+" coordinates "*s32 shared" offsets_word " u16 u64"),                              \
        todo(WARPSIM_LOAD dim WARPSIM_CLUSTER mode WARPSIM_BYTES                                                  \
             "{.multicast::cluster}.cta_group" WARPSIM_HINT                                                       \
             " [dstMem], [tensorMap, tensorCoords], [mbar]" offsets "{, ctaMask}{, cache-policy}",                \
             pair_since, "shared global+" coordinates "*s32 shared" offsets_word " u16 u64"),                     \
        todo(WARPSIM_LOAD dim WARPSIM_CTA mode WARPSIM_BYTES WARPSIM_HINT                                         \
             " [dstMem], [tensorMap, tensorCoords], [mbar]" offsets "{, cache-policy}",                           \
             cta_since, "shared global+" coordinates "*s32 shared" offsets_word " u64"),                          \
        todo(WARPSIM_LOAD dim WARPSIM_CTA mode WARPSIM_BYTES                                                      \
             ".cta_group" WARPSIM_HINT " [dstMem], [tensorMap, tensorCoords], [mbar]" offsets "{, cache-policy}", \
             pair_since, "shared global+" coordinates "*s32 shared" offsets_word " u64"),                         \
        todo("cp.async.bulk.prefetch.tensor" dim ".L2.global" mode WARPSIM_HINT                                   \
             " [tensorMap, tensorCoords]" offsets "{, cache-policy}",                                             \
             since, "global+" coordinates "*s32" offsets_word " u64")
#define WARPSIM_IM2COL(dim, coordinates, offsets)                                                             \
    WARPSIM_COPY(dim, ".im2col", coordinates, ", im2colInfo", " " offsets "*u16", tensor_since, later_since), \
        WARPSIM_COPY(dim, ".im2col::w", coordinates, ", im2colInfo", " 2*u16", pair_since, since(8, 6, 100)), \
        WARPSIM_COPY(dim, ".im2col::w::128", coordinates, ", im2colInfo", " 2*u16", pair_since, pair_since)
#define WARPSIM_STORE(dim, mode, coordinates, since)                                                       \
    todo("cp.async.bulk.tensor" dim ".global.shared::cta" mode ".bulk_group" WARPSIM_HINT                  \
         " [tensorMap, tensorCoords], [srcMem]{, cache-policy}",                                           \
         since, "global+" coordinates "*s32 shared u64"),                                                  \
        todo("cp.reduce.async.bulk.tensor" dim ".global.shared::cta.redOp" mode ".bulk_group" WARPSIM_HINT \
             " [tensorMap, tensorCoords], [srcMem]{, cache-policy}",                                       \
             since, "global+" coordinates "*s32 shared u64")

constexpr Row rows[] = {
    WARPSIM_COPY(".1d", "{.tile}", "1", "", "", tensor_since, later_since),
    WARPSIM_COPY(".2d", "{.tile}", "2", "", "", tensor_since, later_since),
    WARPSIM_COPY(".3d", "{.tile}", "3", "", "", tensor_since, later_since),
    WARPSIM_COPY(".4d", "{.tile}", "4", "", "", tensor_since, later_since),
    WARPSIM_COPY(".5d", "{.tile}", "5", "", "", tensor_since, later_since),
    WARPSIM_COPY(".2d", ".tile::gather4", "5", "", "", pair_since, since(8, 6, 100)),
    WARPSIM_IM2COL(".3d", "3", "1"),
    WARPSIM_IM2COL(".4d", "4", "2"),
    WARPSIM_IM2COL(".5d", "5", "3"),
    WARPSIM_STORE(".1d", "{.tile}", "1", tensor_since),
    WARPSIM_STORE(".2d", "{.tile}", "2", tensor_since),
    WARPSIM_STORE(".3d", "{.tile}", "3", tensor_since),
    WARPSIM_STORE(".4d", "{.tile}", "4", tensor_since),
    WARPSIM_STORE(".5d", "{.tile}", "5", tensor_since),
    WARPSIM_STORE(".3d", ".im2col_no_offs", "3", tensor_since),
    WARPSIM_STORE(".4d", ".im2col_no_offs", "4", tensor_since),
    WARPSIM_STORE(".5d", ".im2col_no_offs", "5", tensor_since),
    WARPSIM_STORE(".2d", ".tile::scatter4", "5", pair_since),

    todo("tensormap.replace.tile.global_address{.ss_tensormap}.b1024.b64 [addr], new_val", tensormap_since,
         "generic b64"),
    todo("tensormap.replace.tile.rank{.ss_tensormap}.b1024.b32 [addr], new_val", tensormap_since, "generic b32"),
    todo("tensormap.replace.tile.field2_tensormap{.ss_tensormap}.b1024.b32 [addr], ord, new_val", tensormap_since,
         "generic #0..4 b32"),
    todo("tensormap.replace.tile.global_stride{.ss_tensormap}.b1024.b64 [addr], ord, new_val", tensormap_since,
         "generic #0..4 b64"),
    todo("tensormap.replace.tile.field3_tensormap{.ss_tensormap}.b1024.b32 [addr], new_val", tensormap_since,
         "generic #0..16"),
    effect_row("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], "
               "[src], size",
               Types<>{}, since(8, 3, 90), Unit::lsu, Effect::copy_tensormap, "generic generic #128"),
};

}  // namespace

extern constinit std::span<Row const> const tensor_copy{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
