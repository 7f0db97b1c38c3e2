// Members of modifier classes that came later than the rows that name the class, or that only some targets have.
#include "frontend/isa/table.hpp"

namespace warpsim::isa {
namespace {

constexpr Since cluster = since(7, 8, 90);
constexpr Since hints = since(7, 4, 80);
constexpr Since f4_to_f8 = only_on("100f 110f 120f", 8, 6, 100);
constexpr Since paired_types = since(8, 1, 80);
constexpr Since strong_copies = only_on("90a 100f 110f", 9, 3, 90);
constexpr Since reports = since(9, 3, 90);
constexpr Since relaxed_barriers = since(8, 6, 90);
constexpr Since own_targets = only_on("100a 103a 110a", 8, 6, 100);

// clang-format off
constexpr Requirement all[] = {
    {"ld{", ".cluster", cluster}, {"ld.", ".cluster", cluster}, {"st{", ".cluster", cluster}, {"st.", ".cluster", cluster},
    {"atom", ".cluster", cluster}, {"red{", ".cluster", cluster}, {"fence", ".cluster", cluster},
    {"", ".shared::cluster", cluster}, {"", ".shared::cta", since(7, 8)}, {"bar", ".cta", since(7, 8)},
    {"", ".L2::cache_hint", hints}, {"", ".L2::256B", hints}, {"cp.async", ".L2::64B", hints}, {"cp.async", ".L2::128B", hints},
    {"ld", ".L2::64B", since(7, 4, 75)}, {"ld", ".L2::128B", since(7, 4, 75)},
    {"", ".param::entry", since(8, 3)}, {"", ".param::func", since(8, 3)},
    {"", ".b128", since(8, 3, 70)},
    {"isspacep", ".param", since(7, 7)}, {"cvta", ".param", since(7, 7)}, {"isspacep", ".const", since(3, 1)},
    {"fence.proxy", ".async", since(8, 0, 90)}, {"membar.proxy", ".async", since(8, 0, 90)},
    {"atom", ".bf16", since(7, 8, 90)}, {"atom", ".bf16x2", since(7, 8, 90)}, {"red{", ".bf16", since(7, 8, 90)},
    {"red{", ".bf16x2", since(7, 8, 90)},

    {"mbarrier.expect_tx", ".relaxed", since(8, 0, 90)}, {"mbarrier.complete_tx", ".relaxed", since(8, 0, 90)},
    {"mbarrier.arrive", ".relaxed", relaxed_barriers}, {"mbarrier.test_wait", ".relaxed", relaxed_barriers},
    {"mbarrier.try_wait", ".relaxed", relaxed_barriers}, {"mbarrier", ".cluster", since(8, 0, 90)},
    {"mbarrier", ".release", since(8, 0, 80)}, {"mbarrier", ".acquire", since(8, 0, 80)},
    {"mbarrier.test_wait", ".parity", since(7, 1, 80)},
    {"mbarrier", ".layout::v0", reports}, {"mbarrier", ".layout::v1", reports}, {"mbarrier", ".phase_type::primary", reports},
    {"mbarrier", ".phase_type::conditional", reports},
    {"cp.async.bulk", ".weak", strong_copies}, {"cp.reduce.async.bulk", ".relaxed", strong_copies},
    {"multimem.cp", ".weak", strong_copies}, {"multimem.cp", ".relaxed", strong_copies},

    {"cvt.frnd2", ".satfinite", paired_types}, {"cvt.rs", ".rs", only_on("100a 103a", 8, 7, 100)},
    {"cvt", ".e2m1x2", f4_to_f8}, {"cvt", ".e2m3x2", f4_to_f8}, {"cvt", ".e3m2x2", f4_to_f8}, {"cvt", ".ue8m0x2", f4_to_f8},
    {"cvt.rn", ".e4m3x2", since(8, 1, 89), 90}, {"cvt.rn", ".e5m2x2", since(8, 1, 89), 90},
    {"multimem", ".acc::f32", since(8, 2, 90)},
    {"clusterlaunchcontrol", ".multicast::cluster::all", f4_to_f8},

    {"barrier.cluster", ".release", since(8, 0, 90)}, {"barrier.cluster", ".relaxed", since(8, 0, 90)},
    {"barrier.cluster", ".acquire", since(8, 0, 90)}, {"wmma", ".aligned", since(6, 3, 70)},
    {"mma", ".sp::ordered_metadata", since(8, 5, 80)}, {"mma", ".and", since(7, 1, 80)},
    {"wgmma", ".sp", only_on("90a", 8, 2, 90)},
    {"tcgen05.mma", ".kind::i8", only_on("100a 110a", 8, 6, 100)}, {"tcgen05.mma", ".block16", only_on("100f 110f", 8, 8, 100)},
    {"tcgen05.mma", ".block32", only_on("100f 110f", 8, 8, 100)}, {"tcgen05.mma", ".scale_vec::1X", own_targets},
    {"tcgen05.mma", ".scale_vec::2X", own_targets}, {"tcgen05.mma", ".scale_vec::4X", own_targets},
    {"tcgen05.mma", ".kind::mxf4nvf4", only_on("100f 110f", 8, 7, 100)},
    {"tcgen05.mma.sp", ".kind::mxf4nvf4", own_targets}, {"tcgen05.mma.sp", ".kind::mxf4", own_targets},
};
// clang-format on

}  // namespace

std::span<Requirement const> requirements() { return all; }

}  // namespace warpsim::isa
