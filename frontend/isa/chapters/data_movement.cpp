// PTX ISA "Data Movement and Conversion Instructions", except cvt and the asynchronous copies.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;
using namespace operand_words;
using Memory = Types<b8, b16, b32, b64, b128, u8, u16, u32, u64, s8, s16, s32, s64, f32, f64>;
using Moved = Types<pred, b16, b32, b64, b128, u16, u32, u64, s16, s32, s64, f32, f64>;
using Address = Types<u32, u64>;
// ptxas also allows these to be signed.
using SharedAddress = Types<u32, u64, s32, s64>;

namespace effects {
using namespace isa::effects;
using namespace effect_words;
// clang-format off
// mov: registers, addresses of variables, special registers, pack and unpack
constexpr EffectFacts move{"move", computed, W::first, pure};
// a hint for caches: prefetch, discard, applypriority
constexpr EffectFacts prefetch{"prefetch", C::other, W::nothing, far_addresses};
// createpolicy
constexpr EffectFacts create_policy{"create_policy", computed, W::first, pure};
// cvta
constexpr EffectFacts convert_address{"convert_address", computed, W::first, pure};
// isspacep
constexpr EffectFacts is_space{"is_space", computed, W::first, pure};
// mapa: an address of another CTA's shared memory
constexpr EffectFacts map_address{"map_address", computed, W::first, pure};
// getctarank: whose shared memory an address is in
constexpr EffectFacts cta_rank{"cta_rank", computed, W::first, pure};
constexpr EffectFacts shuffle{"shuffle", C::other, W::first, convergent};
constexpr EffectFacts is_type{"is_type", computed, W::first, reads | told_by_operands};  // istypep
// clang-format on
}  // namespace effects

constexpr OperandSpec cache_policy = optional(u64);
constexpr OperandList loaded = operands(out(first_type), address);
constexpr OperandList stored = operands(address, first_type);

constexpr Row load(std::string_view syntax, Since since, OperandList const& operands) {
    return effect_row(syntax, Memory{}, since, Unit::lsu, &effects::load, operands);
}
constexpr Row store(std::string_view syntax, Since since, OperandList const& operands) {
    return effect_row(syntax, Memory{}, since, Unit::lsu, &effects::store, operands);
}

constexpr Row rows[] = {
    // d or a may be a list of registers whose widths add up to the type, a may be a variable or a function.
    effect_row("mov{.vec2_4}.type d, a", Moved{}, since(1, 0), Unit::alu, &effects::move,
               operands(out(first_type), first_type)),

    load("ld{.weak}{.ss}{.cop}{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{.unified}{, "
         "cache-policy}",
         since(1, 0), operands(loaded, cache_policy)),
    load("ld{.weak}{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
         "{.level::prefetch_size}{.vec}.type d, [a]{.unified}{, cache-policy}",
         since(7, 4, 70), operands(loaded, cache_policy)),
    load("ld.volatile{.ss}{.level::prefetch_size}{.vec}.type d, [a]", since(1, 1), loaded),
    load("ld.relaxed.scope{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
         "{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
         since(6, 0, 70), operands(loaded, cache_policy)),
    load("ld.acquire.scope{.ss}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
         "{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
         since(6, 0, 70), operands(loaded, cache_policy)),
    load("ld.mmio.relaxed.sys{.global}.type d, [a]", since(8, 2, 70), loaded),
    load("ld.mmio.acquire.sys{.global}.type d, [a]", since(9, 3, 70), loaded),
    load("ld.global{.cop_nc}.nc{.level::cache_hint}{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
         since(3, 1, 32), operands(loaded, cache_policy)),
    load("ld.global.nc{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
         "{.level::prefetch_size}{.vec}.type d, [a]{, cache-policy}",
         since(7, 4, 70), operands(loaded, cache_policy)),
    effect_row("ldu{.global}{.vec}.type d, [a]", Memory{}, since(2, 0, 20), Unit::lsu, &effects::load, loaded),

    store("st{.weak}{.ss_st}{.cop_st}{.level::cache_hint}{.vec}.type [a], b{, cache-policy}", since(1, 0),
          operands(stored, cache_policy)),
    store(
        "st{.weak}{.ss_st}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}{.vec}.type "
        "[a], b{, cache-policy}",
        since(7, 4, 70), operands(stored, cache_policy)),
    store("st.volatile{.ss_st}{.vec}.type [a], b", since(1, 1), stored),
    store("st.relaxed.scope{.ss_st}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
          "{.vec}.type [a], b{, cache-policy}",
          since(6, 0, 70), operands(stored, cache_policy)),
    store("st.release.scope{.ss_st}{.level1::eviction_priority}{.level2::eviction_priority}{.level::cache_hint}"
          "{.vec}.type [a], b{, cache-policy}",
          since(6, 0, 70), operands(stored, cache_policy)),
    store("st.mmio.relaxed.sys{.global}.type [a], b", since(8, 2, 70), stored),
    store("st.mmio.release.sys{.global}.type [a], b", since(9, 3, 70), stored),

    effect_row("prefetch{.space}.level_prefetch [a]", Types<>{}, since(2, 0, 20), Unit::lsu, &effects::prefetch,
               operands(address)),
    effect_row("prefetch.global.level::eviction_priority [a]", Types<>{}, since(7, 4, 80), Unit::lsu,
               &effects::prefetch, operands(address)),
    effect_row("prefetch{.tensormap_space}.tensormap [a]", Types<>{}, since(8, 0, 90), Unit::lsu,
               &effects::prefetch, operands(address)),
    effect_row("prefetchu.L1 [a]", Types<>{}, since(2, 0, 20), Unit::lsu, &effects::prefetch, operands(address)),
    effect_row("applypriority{.global}.L2::evict_normal [a], size", Types<>{}, since(7, 4, 80), Unit::lsu,
               &effects::prefetch, operands(address, constant(128))),
    effect_row("discard{.global}.L2 [a], size", Types<>{}, since(7, 4, 80), Unit::lsu, &effects::prefetch,
               operands(address, constant(128))),
    effect_row("createpolicy.fractional.primary_priority{.secondary_priority}.b64 cache-policy{, fraction}",
               Types<b64>{}, since(7, 4, 80), Unit::alu, &effects::create_policy,
               operands(out(b64), optional(f32))),
    effect_row("createpolicy.range{.global}.primary_priority{.secondary_priority}.b64 cache-policy, [a], "
               "primary-size, total-size",
               Types<b64>{}, since(7, 4, 80), Unit::alu, &effects::create_policy,
               operands(out(b64), address, u32, u32)),
    effect_row("createpolicy.cvt.L2.b64 cache-policy, access-property", Types<b64>{}, since(7, 4, 80), Unit::alu,
               &effects::create_policy, operands(out(b64), b64)),

    effect_row("isspacep.space_isspacep p, a", Types<>{}, since(2, 0, 20), Unit::alu, &effects::is_space,
               operands(out(pred), pointer)),
    effect_row("cvta.space_cvta.size p, a", Address{}, since(2, 0, 20), Unit::alu, &effects::convert_address,
               operands(out(first_type), first_type)),
    effect_row("cvta.to.space_cvta.size p, a", Address{}, since(2, 0, 20), Unit::alu, &effects::convert_address,
               operands(out(first_type), first_type)),
    effect_row("mapa{.shared::cluster}.type d, a, b", SharedAddress{}, since(7, 8, 90), Unit::alu,
               &effects::map_address, operands(out(first_type), first_type, u32)),
    effect_row("getctarank{.shared::cluster}.type d, a", SharedAddress{}, since(7, 8, 90), Unit::alu,
               &effects::cta_rank, operands(out(u32), first_type)),
    effect_row("istypep.type p, a", Types<texref, samplerref, surfref>{}, since(4, 0, 30), Unit::alu,
               &effects::is_type, operands(out(pred), b64)),

    effect_row("shfl.mode.b32 d[|p], a, b, c", Types<b32>{}, since(3, 0, 30), Unit::lsu, &effects::shuffle,
               operands(with_predicate(out(first_type)), first_type, u32, u32)),
    effect_row("shfl.sync.mode.b32 d[|p], a, b, c, membermask", Types<b32>{}, since(6, 0, 30), Unit::lsu,
               &effects::shuffle, operands(with_predicate(out(first_type)), first_type, u32, u32, u32)),
};

}  // namespace

extern constinit std::span<Row const> const data_movement{checked(rows)};

}  // namespace warpsim::isa::WARPSIM_HOST
