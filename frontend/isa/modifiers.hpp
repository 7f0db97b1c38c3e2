// The classes of modifiers that syntax lines name, as the manual spells them.
#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <string_view>

namespace warpsim::isa {

namespace modifier_classes {

template <std::size_t n> using Members = std::array<std::string_view, n>;

inline constexpr Members<4> rnd{".rn", ".rz", ".rm", ".rp"};
inline constexpr Members<4> irnd{".rni", ".rzi", ".rmi", ".rpi"};
inline constexpr Members<2> frnd2{".rn", ".rz"};
inline constexpr Members<2> frnd3{".rz", ".rp"};
inline constexpr Members<18> comparison{".eq", ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls",  ".hi",
                                        ".hs", ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};
inline constexpr Members<3> boolean{".and", ".or", ".xor"};
inline constexpr Members<9> space_load{".const",  ".global",       ".local",
                                       ".param",  ".param::entry", ".param::func",
                                       ".shared", ".shared::cta",  ".shared::cluster"};
inline constexpr Members<7> space_store{".global", ".local",       ".param",          ".param::func",
                                        ".shared", ".shared::cta", ".shared::cluster"};
inline constexpr Members<4> space_atomic{".global", ".shared", ".shared::cta", ".shared::cluster"};
inline constexpr Members<2> space_prefetch{".global", ".local"};
inline constexpr Members<8> space_generic{".const",       ".global",          ".local", ".shared",
                                          ".shared::cta", ".shared::cluster", ".param", ".param::entry"};
inline constexpr Members<2> space_tensormap{".const", ".param"};
inline constexpr Members<5> cache_load{".ca", ".cg", ".cs", ".lu", ".cv"};
inline constexpr Members<3> cache_load_nc{".ca", ".cg", ".cs"};
inline constexpr Members<4> cache_store{".wb", ".cg", ".cs", ".wt"};
inline constexpr Members<5> eviction_l1{".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first",
                                        ".L1::evict_last", ".L1::no_allocate"};
inline constexpr Members<3> eviction_l2{".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"};
inline constexpr Members<2> eviction_prefetch{".L2::evict_last", ".L2::evict_normal"};
inline constexpr Members<1> cache_hint{".L2::cache_hint"};
inline constexpr Members<3> prefetch_size{".L2::64B", ".L2::128B", ".L2::256B"};
inline constexpr Members<4> primary_priority{".L2::evict_last", ".L2::evict_normal", ".L2::evict_first",
                                             ".L2::evict_unchanged"};
inline constexpr Members<2> secondary_priority{".L2::evict_first", ".L2::evict_unchanged"};
inline constexpr Members<2> cache_level{".L1", ".L2"};
inline constexpr Members<3> vectors{".v2", ".v4", ".v8"};
inline constexpr Members<4> order_atomic{".relaxed", ".acquire", ".release", ".acq_rel"};
inline constexpr Members<2> order_red{".relaxed", ".release"};
inline constexpr Members<4> order_fence{".sc", ".acq_rel", ".acquire", ".release"};
inline constexpr Members<4> scope{".cta", ".cluster", ".gpu", ".sys"};
inline constexpr Members<3> level_membar{".cta", ".gl", ".sys"};
inline constexpr Members<2> proxy_kind{".alias", ".async"};
inline constexpr Members<3> space_proxy{".global", ".shared::cta", ".shared::cluster"};
inline constexpr Members<4> mode_shuffle{".up", ".down", ".bfly", ".idx"};
inline constexpr Members<3> mode_vote{".all", ".any", ".uni"};
inline constexpr Members<2> and_or{".and", ".or"};
inline constexpr Members<3> add_min_max{".add", ".min", ".max"};
inline constexpr Members<2> min_max{".min", ".max"};
inline constexpr Members<6> permute_mode{".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
inline constexpr Members<6> testp_op{".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"};
inline constexpr Members<2> grid_action{".launch_dependents", ".wait"};
inline constexpr Members<2> register_action{".inc", ".dec"};

inline constexpr Members<2> shared_of_cta{".shared", ".shared::cta"};
inline constexpr Members<3> shared_of_any{".shared", ".shared::cta", ".shared::cluster"};
inline constexpr Members<2> cache_copy{".ca", ".cg"};
inline constexpr Members<2> order_wait{".acquire", ".relaxed"};
inline constexpr Members<3> matrix_count{".x1", ".x2", ".x4"};
inline constexpr Members<2> packed_source{".b6x16_p32", ".b4x16_p64"};

inline constexpr Members<3> logic_operations{".and", ".or", ".xor"};
inline constexpr Members<2> vec2_4{".v2", ".v4"};
inline constexpr Members<2> vec4_8{".v4", ".v8"};
inline constexpr Members<2> order_acquire{".relaxed", ".acquire"};
inline constexpr Members<3> clamp_modes{".trap", ".clamp", ".zero"};
inline constexpr Members<4> components{".r", ".g", ".b", ".a"};
inline constexpr Members<15> texture_queries{".width",
                                             ".height",
                                             ".depth",
                                             ".channel_data_type",
                                             ".channel_order",
                                             ".normalized_coords",
                                             ".force_unnormalized_coords",
                                             ".filter_mode",
                                             ".addr_mode_0",
                                             ".addr_mode_1",
                                             ".addr_mode_2",
                                             ".array_size",
                                             ".num_mipmap_levels",
                                             ".num_samples",
                                             ".memory_layout"};
inline constexpr Members<3> level_queries{".width", ".height", ".depth"};
inline constexpr Members<7> surface_queries{".width",         ".height",     ".depth",        ".channel_data_type",
                                            ".channel_order", ".array_size", ".memory_layout"};
inline constexpr Members<4> cache_surface_load{".ca", ".cg", ".cs", ".cv"};
inline constexpr Members<4> cache_surface_store{".wb", ".cg", ".cs", ".wt"};
inline constexpr Members<8> tensor_reductions{".add", ".min", ".max", ".inc", ".dec", ".and", ".or", ".xor"};
inline constexpr Members<2> cta_groups{".cta_group::1", ".cta_group::2"};
inline constexpr Members<3> surface_reductions{".add", ".and", ".or"};
inline constexpr Members<2> increments{".inc", ".dec"};
inline constexpr Members<2> scope_mbarrier{".cta", ".cluster"};
inline constexpr Members<2> layout_mbarrier{".layout::v0", ".layout::v1"};
inline constexpr Members<2> phase_type{".phase_type::primary", ".phase_type::conditional"};
inline constexpr Members<3> proxies_of_fabric{".generic::fabric", ".fabric::generic", ".fabric::fabric"};
inline constexpr Members<2> scope_mmio{".gpu", ".sys"};
inline constexpr Members<2> shared_async{".shared::cta", ".shared::cluster"};
inline constexpr Members<3> first_ctaid{".get_first_ctaid::x", ".get_first_ctaid::y", ".get_first_ctaid::z"};

inline constexpr Members<32> wgmma_k8{
    ".m64n8k8",   ".m64n16k8",  ".m64n24k8",  ".m64n32k8",  ".m64n40k8",  ".m64n48k8",  ".m64n56k8",
    ".m64n64k8",  ".m64n72k8",  ".m64n80k8",  ".m64n88k8",  ".m64n96k8",  ".m64n104k8", ".m64n112k8",
    ".m64n120k8", ".m64n128k8", ".m64n136k8", ".m64n144k8", ".m64n152k8", ".m64n160k8", ".m64n168k8",
    ".m64n176k8", ".m64n184k8", ".m64n192k8", ".m64n200k8", ".m64n208k8", ".m64n216k8", ".m64n224k8",
    ".m64n232k8", ".m64n240k8", ".m64n248k8", ".m64n256k8"};
inline constexpr Members<32> wgmma_k16{
    ".m64n8k16",   ".m64n16k16",  ".m64n24k16",  ".m64n32k16",  ".m64n40k16",  ".m64n48k16",  ".m64n56k16",
    ".m64n64k16",  ".m64n72k16",  ".m64n80k16",  ".m64n88k16",  ".m64n96k16",  ".m64n104k16", ".m64n112k16",
    ".m64n120k16", ".m64n128k16", ".m64n136k16", ".m64n144k16", ".m64n152k16", ".m64n160k16", ".m64n168k16",
    ".m64n176k16", ".m64n184k16", ".m64n192k16", ".m64n200k16", ".m64n208k16", ".m64n216k16", ".m64n224k16",
    ".m64n232k16", ".m64n240k16", ".m64n248k16", ".m64n256k16"};
inline constexpr Members<32> wgmma_k32{
    ".m64n8k32",   ".m64n16k32",  ".m64n24k32",  ".m64n32k32",  ".m64n40k32",  ".m64n48k32",  ".m64n56k32",
    ".m64n64k32",  ".m64n72k32",  ".m64n80k32",  ".m64n88k32",  ".m64n96k32",  ".m64n104k32", ".m64n112k32",
    ".m64n120k32", ".m64n128k32", ".m64n136k32", ".m64n144k32", ".m64n152k32", ".m64n160k32", ".m64n168k32",
    ".m64n176k32", ".m64n184k32", ".m64n192k32", ".m64n200k32", ".m64n208k32", ".m64n216k32", ".m64n224k32",
    ".m64n232k32", ".m64n240k32", ".m64n248k32", ".m64n256k32"};
inline constexpr Members<32> wgmma_k64{
    ".m64n8k64",   ".m64n16k64",  ".m64n24k64",  ".m64n32k64",  ".m64n40k64",  ".m64n48k64",  ".m64n56k64",
    ".m64n64k64",  ".m64n72k64",  ".m64n80k64",  ".m64n88k64",  ".m64n96k64",  ".m64n104k64", ".m64n112k64",
    ".m64n120k64", ".m64n128k64", ".m64n136k64", ".m64n144k64", ".m64n152k64", ".m64n160k64", ".m64n168k64",
    ".m64n176k64", ".m64n184k64", ".m64n192k64", ".m64n200k64", ".m64n208k64", ".m64n216k64", ".m64n224k64",
    ".m64n232k64", ".m64n240k64", ".m64n248k64", ".m64n256k64"};
inline constexpr Members<18> wgmma_integer_k32{
    ".m64n8k32",   ".m64n16k32",  ".m64n24k32",  ".m64n32k32",  ".m64n48k32",  ".m64n64k32",
    ".m64n80k32",  ".m64n96k32",  ".m64n112k32", ".m64n128k32", ".m64n144k32", ".m64n160k32",
    ".m64n176k32", ".m64n192k32", ".m64n208k32", ".m64n224k32", ".m64n240k32", ".m64n256k32"};
inline constexpr Members<18> wgmma_integer_k64{
    ".m64n8k64",   ".m64n16k64",  ".m64n24k64",  ".m64n32k64",  ".m64n48k64",  ".m64n64k64",
    ".m64n80k64",  ".m64n96k64",  ".m64n112k64", ".m64n128k64", ".m64n144k64", ".m64n160k64",
    ".m64n176k64", ".m64n192k64", ".m64n208k64", ".m64n224k64", ".m64n240k64", ".m64n256k64"};
inline constexpr Members<18> wgmma_integer_k256{
    ".m64n8k256",   ".m64n16k256",  ".m64n24k256",  ".m64n32k256",  ".m64n48k256",  ".m64n64k256",
    ".m64n80k256",  ".m64n96k256",  ".m64n112k256", ".m64n128k256", ".m64n144k256", ".m64n160k256",
    ".m64n176k256", ".m64n192k256", ".m64n208k256", ".m64n224k256", ".m64n240k256", ".m64n256k256"};
inline constexpr Members<4> collector_a{".collector::a::fill", ".collector::a::use", ".collector::a::lastuse",
                                        ".collector::a::discard"};
inline constexpr Members<16> collector_b{
    ".collector::b0::fill", ".collector::b0::use", ".collector::b0::lastuse", ".collector::b0::discard",
    ".collector::b1::fill", ".collector::b1::use", ".collector::b1::lastuse", ".collector::b1::discard",
    ".collector::b2::fill", ".collector::b2::use", ".collector::b2::lastuse", ".collector::b2::discard",
    ".collector::b3::fill", ".collector::b3::use", ".collector::b3::lastuse", ".collector::b3::discard"};
inline constexpr Members<4> kind_dense{".kind::f16", ".kind::tf32", ".kind::f8f6f4", ".kind::i8"};
inline constexpr Members<2> scale_of_bytes{".scale_vec::1X", ".block32"};
inline constexpr Members<2> scale_of_fours{".scale_vec::2X", ".block32"};
inline constexpr Members<4> scale_vec{".scale_vec::2X", ".scale_vec::4X", ".block16", ".block32"};
inline constexpr Members<8> x_count{".x1", ".x2", ".x4", ".x8", ".x16", ".x32", ".x64", ".x128"};
inline constexpr Members<2> warpx2{".warpx2::02_13", ".warpx2::01_23"};
inline constexpr Members<2> cp_source{".b6x16_p32", ".b4x16_p64"};
inline constexpr Members<2> metadata{".sp", ".sp::ordered_metadata"};
inline constexpr Members<2> stype{".ue8m0", ".ue4m3"};
inline constexpr Members<3> wmma_shape{".m16n16k16", ".m8n32k16", ".m32n8k16"};
inline constexpr Members<2> popc_operation{".xor", ".and"};
inline constexpr Members<2> layout{".row", ".col"};

inline constexpr Members<4> sub_byte_shapes{".m16n16k16", ".m16n16k8", ".m8n32k16", ".m32n8k16"};
inline constexpr Members<3> space_wmma{".global", ".shared", ".shared::cta"};

inline constexpr Members<2> space_of_tensormap{".global", ".shared::cta"};
inline constexpr Members<3> tensormap_dimensions{".box_dim", ".global_dim", ".element_stride"};
inline constexpr Members<5> tensormap_modes{".elemtype", ".interleave_layout", ".swizzle_mode", ".fill_mode",
                                            ".swizzle_atomicity"};

inline constexpr Members<2> shift_mode{".clamp", ".wrap"};
inline constexpr Members<2> product_scale{".shr7", ".shr15"};

struct Class {
    std::string_view name;
    std::span<std::string_view const> members;
};
// clang-format off
inline constexpr Class all[] = {
    {".rnd", rnd}, {".frnd", rnd}, {".irnd", irnd}, {".frnd2", frnd2}, {".frnd3", frnd3},
    {".CmpOp", comparison}, {".BoolOp", boolean},
    {".ss", space_load}, {".ss_st", space_store}, {".ss_atom", space_atomic},
    {".space", space_prefetch}, {".space_isspacep", space_generic}, {".space_cvta", space_generic},
    {".tensormap_space", space_tensormap},
    {".cop", cache_load}, {".cop_nc", cache_load_nc}, {".cop_st", cache_store},
    {".level1::eviction_priority", eviction_l1}, {".level2::eviction_priority", eviction_l2},
    {".level::eviction_priority", eviction_prefetch}, {".level::cache_hint", cache_hint},
    {".level::prefetch_size", prefetch_size}, {".level_prefetch", cache_level},
    {".primary_priority", primary_priority}, {".secondary_priority", secondary_priority},
    {".vec", vectors}, {".vec_atom", vectors},
    {".sem", order_atomic}, {".sem_red", order_red}, {".sem_arrive", order_red}, {".sem_fence", order_fence},
    {".scope", scope}, {".level_membar", level_membar}, {".proxykind", proxy_kind}, {".space_proxy", space_proxy},
    {".mode", mode_shuffle}, {".mode_vote", mode_vote}, {".mode_prmt", permute_mode},
    {".op_bar", and_or}, {".op_redux", add_min_max}, {".op_atom_vec", add_min_max}, {".op_minmax", min_max},
    {".shared_cta", shared_of_cta}, {".shared_any", shared_of_any}, {".space_bulk", shared_of_any},
    {".cop_async", cache_copy}, {".sem_wait", order_wait}, {".num", matrix_count}, {".packed_source", packed_source},
    {".vec2_4", vec2_4}, {".vec4_8", vec4_8}, {".sem_acquire", order_acquire},
    {".clampmode", clamp_modes}, {".comp", components}, {".tquery", texture_queries}, {".tlquery", level_queries},
    {".query", surface_queries}, {".cop_suld", cache_surface_load}, {".cop_sust", cache_surface_store},
    {".redOp", tensor_reductions}, {".cta_group", cta_groups},
    {".BoolOp_lop3", and_or}, {".op_and_or", and_or}, {".op_add_and_or", surface_reductions},
    {".logic", logic_operations}, {".inc_dec", increments}, {".scope_mbarrier", scope_mbarrier},
    {".layout_mbarrier", layout_mbarrier}, {".phase_type", phase_type}, {".proxies_of_fabric", proxies_of_fabric},
    {".scope_mmio", scope_mmio}, {".shared_async", shared_async}, {".get_first_ctaid::dimension", first_ctaid},
    {".shape_wgmma_k8", wgmma_k8},
    {".shape_wgmma_k16", wgmma_k16},
    {".shape_wgmma_k32", wgmma_k32},
    {".shape_wgmma_k64", wgmma_k64},
    {".shape_wgmma_integer_k32", wgmma_integer_k32},
    {".shape_wgmma_integer_k64", wgmma_integer_k64},
    {".shape_wgmma_integer_k256", wgmma_integer_k256},
    {".collector_usage_a", collector_a},
    {".collector_usage_b", collector_b},
    {".kind", kind_dense},
    {".scale_vectorsize", scale_vec},
    {".scale_vectorsize_1X", scale_of_bytes},
    {".scale_vectorsize_2X", scale_of_fours},
    {".num_tmem", x_count},
    {".multicast_warpx2", warpx2},
    {".src_fmt", cp_source},
    {".spvariant", metadata},
    {".scale", stype},
    {".shape_wmma", wmma_shape},
    {".bitOp", popc_operation},
    {".alayout", layout},
    {".blayout", layout}, {".layout", layout},
    {".shape_sub_byte", sub_byte_shapes}, {".ss_wmma", space_wmma},
    {".ss_tensormap", space_of_tensormap}, {".field2_tensormap", tensormap_dimensions},
    {".field3_tensormap", tensormap_modes},
    {".op2", add_min_max}, {".mode_video", shift_mode}, {".scale_vmad", product_scale},
    {".op_testp", testp_op}, {".action", grid_action}, {".action_setmaxnreg", register_action},
};
// clang-format on

}  // namespace modifier_classes

/// The members of a modifier class (".rnd" -> ".rn" ".rz" ...); empty when there is no such class.
constexpr std::span<std::string_view const> modifier_class(std::string_view name) {
    for (modifier_classes::Class const& c : modifier_classes::all) {
        if (c.name == name) return c.members;
    }
    return {};
}

}  // namespace warpsim::isa
