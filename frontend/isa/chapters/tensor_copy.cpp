// PTX ISA "Data Movement and Conversion Instructions: Tensor copy" and "tensormap".
#include "frontend/isa/lanes.hpp"
#include "frontend/isa/line.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;

namespace effects {
using namespace isa::effects;
using namespace effect_words;
// clang-format off
// tensormap.cp_fenceproxy
constexpr EffectFacts copy_tensormap{"copy_tensormap", C::store, W::nothing, reads | writes | access};
// clang-format on
}  // namespace effects

constexpr Since tensor_since = since(8, 0, 90);
constexpr Since tensormap_since = only_on("90a 100f 103f 110f 120f", 8, 3, 90);
constexpr Since later_since = since(8, 6, 90);
constexpr Since pair_since = only_on("100f 110f", 8, 6, 100);

constexpr Row copy(Since since, OperandList const& operands) {
    return effect_row({}, Types<>{}, since, Unit::lsu, &effects::copy_bulk, operands);
}
constexpr Row replacement(std::string_view syntax, OperandList const& operands) {
    return effect_row(syntax, Types<>{}, tensormap_since, Unit::lsu, &effects::copy_tensormap, operands);
}

/// How a copy traverses a tensor: the coordinates and offsets that it needs, and since when it exists. Copies to
/// the CTA's own shared memory came later; those for a pair of CTAs have other targets.
struct Walk {
    std::string_view dimensions;
    std::string_view mode;
    int coordinates = 0;
    int offsets = 0;  // of im2col
    Since since;
    Since to_own_cta;
};
constexpr Walk walks[] = {
    {".1d", "{.tile}", 1, 0, tensor_since, later_since},
    {".2d", "{.tile}", 2, 0, tensor_since, later_since},
    {".3d", "{.tile}", 3, 0, tensor_since, later_since},
    {".4d", "{.tile}", 4, 0, tensor_since, later_since},
    {".5d", "{.tile}", 5, 0, tensor_since, later_since},
    {".2d", ".tile::gather4", 5, 0, pair_since, since(8, 6, 100)},
    {".3d", ".im2col", 3, 1, tensor_since, later_since},
    {".3d", ".im2col::w", 3, 2, pair_since, since(8, 6, 100)},
    {".3d", ".im2col::w::128", 3, 2, pair_since, pair_since},
    {".4d", ".im2col", 4, 2, tensor_since, later_since},
    {".4d", ".im2col::w", 4, 2, pair_since, since(8, 6, 100)},
    {".4d", ".im2col::w::128", 4, 2, pair_since, pair_since},
    {".5d", ".im2col", 5, 3, tensor_since, later_since},
    {".5d", ".im2col::w", 5, 2, pair_since, since(8, 6, 100)},
    {".5d", ".im2col::w::128", 5, 2, pair_since, pair_since},
};
/// The same for copies and reductions from shared memory to global memory.
constexpr Walk walks_to_global[] = {
    {".1d", "{.tile}", 1, 0, tensor_since, {}},         {".2d", "{.tile}", 2, 0, tensor_since, {}},
    {".3d", "{.tile}", 3, 0, tensor_since, {}},         {".4d", "{.tile}", 4, 0, tensor_since, {}},
    {".5d", "{.tile}", 5, 0, tensor_since, {}},         {".3d", ".im2col_no_offs", 3, 0, tensor_since, {}},
    {".4d", ".im2col_no_offs", 4, 0, tensor_since, {}}, {".5d", ".im2col_no_offs", 5, 0, tensor_since, {}},
    {".2d", ".tile::scatter4", 5, 0, pair_since, {}},
};

constexpr OperandSpec cache_policy = optional(u64);
constexpr OperandSpec cta_mask = optional(u16);
constexpr OperandList tensor(Walk const& walk) { return brackets(global_address, list(walk.coordinates, s32)); }
constexpr OperandList offsets(Walk const& walk) {
    return walk.offsets == 0 ? operands() : operands(list(walk.offsets, u16));
}

constexpr auto loads = family([](auto& add) {
    for (Walk const& w : walks) {
        OperandList const from = operands(shared_address, tensor(w), shared_address, offsets(w));
        std::string_view const info = w.offsets == 0 ? "" : ", im2colInfo";
        auto const load = [&](std::string_view to, std::string_view rest, std::string_view masks, Since since,
                              OperandList const& operands) {
            add(words("cp.async.bulk.tensor", w.dimensions, to, ".global", w.mode, ".mbarrier::complete_tx::bytes",
                      rest, "{.level::cache_hint} [dstMem], [tensorMap, tensorCoords], [mbar]", info, masks,
                      "{, cache-policy}"),
                copy(since, operands));
        };
        OperandList const to_several = operands(from, cta_mask, cache_policy);
        OperandList const to_one = operands(from, cache_policy);
        load(".shared::cluster", "{.multicast::cluster}", "{, ctaMask}", w.since, to_several);
        load(".shared::cluster", "{.multicast::cluster}.cta_group", "{, ctaMask}", pair_since, to_several);
        load(".shared::cta", "", "", w.to_own_cta, to_one);
        load(".shared::cta", ".cta_group", "", pair_since, to_one);
        add(words("cp.async.bulk.prefetch.tensor", w.dimensions, ".L2.global", w.mode,
                  "{.level::cache_hint} [tensorMap, tensorCoords]", info, "{, cache-policy}"),
            copy(w.since, operands(tensor(w), offsets(w), cache_policy)));
    }
});

constexpr auto stores = family([](auto& add) {
    for (Walk const& w : walks_to_global) {
        Row const row = copy(w.since, operands(tensor(w), shared_address, cache_policy));
        std::string_view const rest =
            ".bulk_group{.level::cache_hint} [tensorMap, tensorCoords], [srcMem]{, cache-policy}";
        add(words("cp.async.bulk.tensor", w.dimensions, ".global.shared::cta", w.mode, rest), row);
        add(words("cp.reduce.async.bulk.tensor", w.dimensions, ".global.shared::cta.redOp", w.mode, rest), row);
    }
});

constexpr auto rows = join(
    loads, stores,
    replacement("tensormap.replace.tile.global_address{.ss_tensormap}.b1024.b64 [addr], new_val",
                operands(generic_address, b64)),
    replacement("tensormap.replace.tile.rank{.ss_tensormap}.b1024.b32 [addr], new_val",
                operands(generic_address, b32)),
    replacement("tensormap.replace.tile.field2_tensormap{.ss_tensormap}.b1024.b32 [addr], ord, new_val",
                operands(generic_address, constant(between(0, 4)), b32)),
    replacement("tensormap.replace.tile.global_stride{.ss_tensormap}.b1024.b64 [addr], ord, new_val",
                operands(generic_address, constant(between(0, 4)), b64)),
    replacement("tensormap.replace.tile.field3_tensormap{.ss_tensormap}.b1024.b32 [addr], new_val",
                operands(generic_address, constant(between(0, 16)))),
    effect_row("tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.scope.sync.aligned [dst], "
               "[src], size",
               Types<>{}, since(8, 3, 90), Unit::lsu, &effects::copy_tensormap,
               operands(generic_address, generic_address, constant(128))));

}  // namespace

extern constinit std::span<Row const> const tensor_copy{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
