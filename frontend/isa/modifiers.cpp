// The classes of modifiers that the rows name, as the manual spells them.
#include "frontend/isa/table.hpp"

#include <array>

namespace warpsim::isa {
namespace {

template <std::size_t n>
using Members = std::array<std::string_view, n>;

constexpr Members<4> rnd{".rn", ".rz", ".rm", ".rp"};
constexpr Members<4> irnd{".rni", ".rzi", ".rmi", ".rpi"};
constexpr Members<2> frnd2{".rn", ".rz"};
constexpr Members<2> frnd3{".rz", ".rp"};
constexpr Members<18> comparison{".eq",  ".ne",  ".lt",  ".le",  ".gt",  ".ge",  ".lo",  ".ls",  ".hi",
                                 ".hs",  ".equ", ".neu", ".ltu", ".leu", ".gtu", ".geu", ".num", ".nan"};
constexpr Members<3> boolean{".and", ".or", ".xor"};
constexpr Members<9> space_load{".const",       ".global", ".local",       ".param",          ".param::entry",
                                ".param::func", ".shared", ".shared::cta", ".shared::cluster"};
constexpr Members<7> space_store{".global", ".local", ".param", ".param::func", ".shared", ".shared::cta",
                                 ".shared::cluster"};
constexpr Members<4> space_atomic{".global", ".shared", ".shared::cta", ".shared::cluster"};
constexpr Members<2> space_prefetch{".global", ".local"};
constexpr Members<8> space_generic{".const",       ".global",         ".local", ".shared",
                                   ".shared::cta", ".shared::cluster", ".param", ".param::entry"};
constexpr Members<2> space_tensormap{".const", ".param"};
constexpr Members<5> cache_load{".ca", ".cg", ".cs", ".lu", ".cv"};
constexpr Members<3> cache_load_nc{".ca", ".cg", ".cs"};
constexpr Members<4> cache_store{".wb", ".cg", ".cs", ".wt"};
constexpr Members<5> eviction_l1{".L1::evict_normal", ".L1::evict_unchanged", ".L1::evict_first", ".L1::evict_last",
                                 ".L1::no_allocate"};
constexpr Members<3> eviction_l2{".L2::evict_normal", ".L2::evict_first", ".L2::evict_last"};
constexpr Members<2> eviction_prefetch{".L2::evict_last", ".L2::evict_normal"};
constexpr Members<1> cache_hint{".L2::cache_hint"};
constexpr Members<3> prefetch_size{".L2::64B", ".L2::128B", ".L2::256B"};
constexpr Members<4> primary_priority{".L2::evict_last", ".L2::evict_normal", ".L2::evict_first",
                                      ".L2::evict_unchanged"};
constexpr Members<2> secondary_priority{".L2::evict_first", ".L2::evict_unchanged"};
constexpr Members<2> cache_level{".L1", ".L2"};
constexpr Members<3> vectors{".v2", ".v4", ".v8"};
constexpr Members<4> order_atomic{".relaxed", ".acquire", ".release", ".acq_rel"};
constexpr Members<2> order_red{".relaxed", ".release"};
constexpr Members<4> order_fence{".sc", ".acq_rel", ".acquire", ".release"};
constexpr Members<4> scope{".cta", ".cluster", ".gpu", ".sys"};
constexpr Members<3> level_membar{".cta", ".gl", ".sys"};
constexpr Members<2> proxy_kind{".alias", ".async"};
constexpr Members<3> space_proxy{".global", ".shared::cta", ".shared::cluster"};
constexpr Members<4> mode_shuffle{".up", ".down", ".bfly", ".idx"};
constexpr Members<3> mode_vote{".all", ".any", ".uni"};
constexpr Members<2> and_or{".and", ".or"};
constexpr Members<3> add_min_max{".add", ".min", ".max"};
constexpr Members<2> min_max{".min", ".max"};
constexpr Members<6> permute_mode{".f4e", ".b4e", ".rc8", ".ecl", ".ecr", ".rc16"};
constexpr Members<6> testp_op{".finite", ".infinite", ".number", ".notanumber", ".normal", ".subnormal"};
constexpr Members<2> grid_action{".launch_dependents", ".wait"};
constexpr Members<2> register_action{".inc", ".dec"};

constexpr Members<2> shared_of_cta{".shared", ".shared::cta"};
constexpr Members<3> shared_of_any{".shared", ".shared::cta", ".shared::cluster"};
constexpr Members<2> cache_copy{".ca", ".cg"};
constexpr Members<2> order_wait{".acquire", ".relaxed"};
constexpr Members<3> matrix_count{".x1", ".x2", ".x4"};
constexpr Members<2> packed_source{".b6x16_p32", ".b4x16_p64"};

struct Class {
    std::string_view name;
    std::span<std::string_view const> members;
};
constexpr Class classes[] = {
    {".rnd", rnd}, {".frnd", rnd}, {".irnd", irnd}, {".frnd2", frnd2}, {".frnd3", frnd3},
    {".CmpOp", comparison}, {".BoolOp", boolean},
    {".ss", space_load}, {".ss_st", space_store}, {".ss_atom", space_atomic},
    {".space", space_prefetch}, {".space_isspacep", space_generic}, {".space_cvta", space_generic},
    {".tensormap_space", space_tensormap},
    {".cop", cache_load}, {".cop_nc", cache_load_nc}, {".cop_st", cache_store},
    {".level1::eviction_priority", eviction_l1}, {".level2::eviction_priority", eviction_l2},
    {".level::eviction_priority", eviction_prefetch}, {".level::cache_hint", cache_hint},
    {".level::prefetch_size", prefetch_size}, {".level", cache_level},
    {".primary_priority", primary_priority}, {".secondary_priority", secondary_priority},
    {".vec", vectors}, {".vec_atom", vectors},
    {".sem", order_atomic}, {".sem_red", order_red}, {".sem_arrive", order_red}, {".sem_fence", order_fence},
    {".scope", scope}, {".level_membar", level_membar}, {".proxykind", proxy_kind}, {".space_proxy", space_proxy},
    {".mode", mode_shuffle}, {".mode_vote", mode_vote}, {".mode_prmt", permute_mode},
    {".op_bar", and_or}, {".op_redux", add_min_max}, {".op_atom_vec", add_min_max}, {".op_minmax", min_max},
    {".shared_cta", shared_of_cta}, {".shared_any", shared_of_any}, {".space_bulk", shared_of_any},
    {".cop_async", cache_copy}, {".sem_wait", order_wait}, {".num", matrix_count}, {".packed_source", packed_source},
    {".op_testp", testp_op}, {".action", grid_action}, {".action_setmaxnreg", register_action},
};

}  // namespace

std::span<std::string_view const> modifier_class(std::string_view name) {
    for (Class const& c : classes) {
        if (c.name == name) return c.members;
    }
    return {};
}

std::string printed(std::string_view syntax) {
    std::string text;
    for (std::size_t at = 0; at < syntax.size();) {
        std::size_t end = at + 1;
        if (syntax[at] == '.') {
            while (end < syntax.size() && std::string_view(".{}, []|!()").find(syntax[end]) == std::string_view::npos) ++end;
        }
        std::string_view word = syntax.substr(at, end - at);
        if (!modifier_class(word).empty()) word = word.substr(0, word.find('_'));
        text += word;
        at = end;
    }
    return text;
}

}  // namespace warpsim::isa
