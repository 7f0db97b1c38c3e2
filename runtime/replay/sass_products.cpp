// Products of matrices, by shape, type of the factors, and type of the sums.
#include "runtime/replay/sass_table.hpp"

#include <string>

namespace warpsim::replay {

namespace {

using Widths = SassRow::Widths;
constexpr auto tensor = timing::MicroUnit::tensor;
constexpr Widths large{4, 2, 4, 1}, small{2, 1, 4, 1}, large_f16{4, 2, 2, 1}, small_f16{2, 1, 2, 1},
    tiny{1, 1, 2, 1}, step{2, 2, 2, 1}, sparse_large{4, 4, 4, 1}, sparse_small{2, 2, 4, 1}, sparse_f16{4, 4, 2, 1},
    sparse_small_f16{2, 2, 2, 1};

// clang-format off
constexpr SassRow products[] = {
    {"HMMA.884.F16", tensor, "m8n8k4.row.col.f16.f16.f16.f16", 0, 2, step, 2},
    {"HMMA.884.F32", tensor, "m8n8k4.row.col.f32.f16.f16.f32", 0, 2, step, 4},
    {"HMMA.1688.F16", tensor, "m16n8k8.row.col.f16.f16.f16.f16", 0, 2, small_f16},
    {"HMMA.1688", tensor, "m16n8k8.row.col.f32.f16.f16.f32", 0, 4, small},
    {"HMMA.16816.F16", tensor, "m16n8k16.row.col.f16.f16.f16.f16", 0, 2, large_f16},
    {"HMMA.16816", tensor, "m16n8k16.row.col.f32.f16.f16.f32", 0, 4, large},
    {"HMMA.1684.F32.TF32", tensor, "m16n8k4.row.col.f32.tf32.tf32.f32", 0, 4, small},
    {"HMMA.1688.F32.TF32", tensor, "m16n8k8.row.col.f32.tf32.tf32.f32", 0, 4, large},
    {"HMMA.SP.16816.F16", tensor, "sp.m16n8k16.row.col.f16.f16.f16.f16", 0, 2, sparse_small_f16},
    {"HMMA.SP.16816", tensor, "sp.m16n8k16.row.col.f32.f16.f16.f32", 0, 4, sparse_small},
    {"HMMA.SP.16832.F16", tensor, "sp.m16n8k32.row.col.f16.f16.f16.f16", 0, 2, sparse_f16},
    {"HMMA.SP.16832", tensor, "sp.m16n8k32.row.col.f32.f16.f16.f32", 0, 4, sparse_large},
    {"HMMA.SP.1688.F32.TF32", tensor, "sp.m16n8k8.row.col.f32.tf32.tf32.f32", 0, 4, sparse_small},
    {"HMMA.SP.16816.F32.TF32", tensor, "sp.m16n8k16.row.col.f32.tf32.tf32.f32", 0, 4, sparse_large},
    {"QMMA.16832", tensor, "m16n8k32.row.col.f32.e4m3.e4m3.f32", 0, 4, large},

    {"IMMA.8816", tensor, "m8n8k16.row.col.s32.s8.s8.s32", 0, 2, tiny},
    {"IMMA.16816", tensor, "m16n8k16.row.col.s32.s8.s8.s32", 0, 4, small},
    {"IMMA.16832", tensor, "m16n8k32.row.col.s32.s8.s8.s32", 0, 4, large},
    {"IMMA.8832", tensor, "m8n8k32.row.col.s32.s4.s4.s32", 0, 2, tiny},
    {"IMMA.16832.S4", tensor, "m16n8k32.row.col.s32.s4.s4.s32", 0, 4, small},
    {"IMMA.16832.U4", tensor, "m16n8k32.row.col.s32.u4.u4.s32", 0, 4, small},
    {"IMMA.16864", tensor, "m16n8k64.row.col.s32.s4.s4.s32", 0, 4, large},
    {"IMMA.SP.16832", tensor, "sp.m16n8k32.row.col.s32.s8.s8.s32", 0, 4, sparse_small},
    {"IMMA.SP.16864", tensor, "sp.m16n8k64.row.col.s32.s8.s8.s32", 0, 4, sparse_large},
    {"IMMA.SP.168128", tensor, "sp.m16n8k128.row.col.s32.s4.s4.s32", 0, 4, sparse_large},

    {"BMMA.88128", tensor, "m8n8k128.row.col.s32.b1.b1.s32.xor.popc", 0, 2, tiny},
    {"BMMA.168128", tensor, "m16n8k128.row.col.s32.b1.b1.s32.xor.popc", 0, 4, small},
    {"BMMA.168256", tensor, "m16n8k256.row.col.s32.b1.b1.s32.xor.popc", 0, 4, large},

    {"DMMA.884", tensor, "m8n8k4.row.col.f64.f64.f64.f64", 0, 4, {2, 2, 4, 1}},
    {"DMMA.8x8x4", tensor, "m8n8k4.row.col.f64.f64.f64.f64", 0, 4, {2, 2, 4, 1}},
    {"DMMA.16x8x4", tensor, "m16n8k4.row.col.f64.f64.f64.f64", 0, 8, {4, 2, 8, 1}},
    {"DMMA.16x8x8", tensor, "m16n8k8.row.col.f64.f64.f64.f64", 0, 8, {8, 4, 8, 1}},
    {"DMMA.16x8x16", tensor, "m16n8k16.row.col.f64.f64.f64.f64", 0, 8, {16, 8, 8, 1}},
};
// clang-format on

/// "{%r0,%r1}"; which registers they are does not matter.
std::string vector(char letter, int count) {
    std::string text = "{";
    for (int i = 0; i < count; ++i) text += (i == 0 ? "%" : ",%") + std::string(1, letter) + std::to_string(i);
    return text + "}";
}

}  // namespace

std::span<SassRow const> product_rows() { return products; }

std::string text_of(SassRow const& row) {
    if (row.unit != tensor) return std::string(row.stand_in);
    std::string_view types = row.stand_in;
    bool const is_sparse = types.starts_with("sp.");
    if (is_sparse) types.remove_prefix(3);
    bool const is_double = types.find("f64") != std::string_view::npos;
    char const sum = is_double                                          ? 'g'
                     : types.find(".col.f32") != std::string_view::npos ? 'f'
                                                                        : 'r',
               factor = is_double ? 'g' : 'r';
    int const words = is_double ? 2 : 1;
    std::string const sums = vector(sum, row.results * row.steps / words);
    return std::string(is_sparse ? "mma.sp" : "mma") + ".sync.aligned." + std::string(types) + " " + sums + ", " +
           vector(factor, row.sources[0] / words) + ", " + vector(factor, row.sources[1] / words) + ", " + sums +
           (is_sparse ? ", %r0, 0x0;" : ";");
}

}  // namespace warpsim::replay
