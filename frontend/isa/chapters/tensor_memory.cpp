// PTX ISA "TensorCore 5th Generation Family Instructions": read and checked, not executed.
#include "frontend/isa/lanes.hpp"

namespace warpsim::isa::WARPSIM_HOST {
namespace {

using enum Type;

constexpr Since tensor_memory_since = only_on("100f 110f", 8, 6, 100);
constexpr Row todo(std::string_view syntax, std::string_view operands, Since since = tensor_memory_since) {
    return effect_row(syntax, Types<>{}, since, Unit::tensor, Effect::not_executed, operands);
}

// Registers of a load or store: what the shape holds, as often as .num says.
#define WARPSIM_TMEM(shape, num, count)                                                                \
    todo("tcgen05.ld.sync{.aligned}" shape num "{.pack::16b}.b32 r, [taddr]", "=" count "*b32 taddr"), \
        todo("tcgen05.st.sync{.aligned}" shape num "{.unpack::16b}.b32 [taddr], r", "taddr " count "*b32")
#define WARPSIM_TMEM_SPLIT(num, count)                                                                  \
    todo("tcgen05.ld.sync{.aligned}.16x32bx2" num "{.pack::16b}.b32 r, [taddr], immHalfSplitoff",       \
         "=" count "*b32 taddr #b32"),                                                                  \
        todo("tcgen05.st.sync{.aligned}.16x32bx2" num "{.unpack::16b}.b32 [taddr], immHalfSplitoff, r", \
             "taddr #b32 " count "*b32")
#define WARPSIM_TMEM_REDUCE(num, count)                                                                          \
    todo("tcgen05.ld.red.sync{.aligned}.32x32b" num ".op_minmax.u32 r, d, [taddr]", "=" count "*b32 =b32 taddr", \
         only_on("101a 103a 103f 110f", 8, 8, 103)),                                                             \
        todo("tcgen05.ld.red.sync{.aligned}.32x32b" num ".op_minmax.s32 r, d, [taddr]",                          \
             "=" count "*b32 =b32 taddr", only_on("101a 103a 103f 110f", 8, 8, 103)),                            \
        todo("tcgen05.ld.red.sync{.aligned}.32x32b" num ".op_minmax{.abs}{.NaN}.f32 r, d, [taddr]",              \
             "=" count "*b32 =b32 taddr", only_on("101a 103a 103f 110f", 8, 8, 103))

// Matrix a comes as a descriptor or in tensor memory.
#define WARPSIM_MMA_A(mnemonic, rest, words)                               \
    todo(mnemonic " [d-tmem], a-desc, b-desc" rest, "tmem u64 u64" words), \
        todo(mnemonic " [d-tmem], [a-tmem], b-desc" rest, "tmem tmem u64" words)
#define WARPSIM_MMA_SCALED(mnemonic, kind, meta, meta_words)                      \
    WARPSIM_MMA_A(mnemonic ".cta_group" kind "{.collector_usage_a}",              \
                  meta ", idesc, [scale-A-tmem], [scale-B-tmem], enable-input-d", \
                  meta_words " b32 tmem tmem pred")
#define WARPSIM_MMA_MASKED(mnemonic, meta, meta_words)                                                       \
    WARPSIM_MMA_A(mnemonic ".cta_group::1.kind{.collector_usage_a}",                                         \
                  meta ", idesc, enable-input-d{, scale-input-d}", meta_words " b32 pred #0..15"),           \
        WARPSIM_MMA_A(mnemonic ".cta_group::2.kind{.collector_usage_a}",                                     \
                      meta ", idesc, enable-input-d{, scale-input-d}", meta_words " b32 pred #0..15"),       \
        todo(mnemonic ".cta_group.kind.ashift{.collector_usage_a} [d-tmem], [a-tmem], b-desc" meta           \
                      ", idesc, enable-input-d{, scale-input-d}",                                            \
             "tmem tmem u64" meta_words " b32 pred #0..15"),                                                 \
        WARPSIM_MMA_A(mnemonic ".cta_group::1.kind{.collector_usage_a}",                                     \
                      meta ", idesc, disable-output-lane, enable-input-d{, scale-input-d}",                  \
                      meta_words " b32 4*b32 pred #0..15"),                                                  \
        WARPSIM_MMA_A(mnemonic ".cta_group::2.kind{.collector_usage_a}",                                     \
                      meta ", idesc, disable-output-lane, enable-input-d{, scale-input-d}",                  \
                      meta_words " b32 8*b32 pred #0..15"),                                                  \
        WARPSIM_MMA_SCALED(mnemonic, ".kind::mxf8f6f4.block_scale{.scale_vectorsize_1X}", meta, meta_words), \
        WARPSIM_MMA_SCALED(mnemonic, ".kind::mxf4.block_scale{.scale_vectorsize_2X}", meta, meta_words),     \
        WARPSIM_MMA_SCALED(mnemonic, ".kind::mxf4nvf4.block_scale.scale_vectorsize", meta, meta_words)
#define WARPSIM_MMA_WS(mnemonic, meta, meta_words)                   \
    WARPSIM_MMA_A(mnemonic ".cta_group::1.kind{.collector_usage_b}", \
                  meta ", idesc, enable-input-d{, zero-column-mask-desc}", meta_words " b32 pred u64")

constexpr Row rows[] = {
    todo("tcgen05.alloc.cta_group.sync.aligned{.shared_cta}.b32 [dst], nCols", "generic %32/64/128/256/512"),
    todo("tcgen05.dealloc.cta_group.sync.aligned.b32 taddr, nCols",
         "b32 %32/64/96/128/160/192/224/256/288/320/352/384/416/448/480/512"),
    todo("tcgen05.relinquish_alloc_permit.cta_group.sync.aligned", ""),
    WARPSIM_TMEM(".16x64b", ".x1", "1"),
    WARPSIM_TMEM(".16x64b", ".x2", "2"),
    WARPSIM_TMEM(".16x64b", ".x4", "4"),
    WARPSIM_TMEM(".16x64b", ".x8", "8"),
    WARPSIM_TMEM(".16x64b", ".x16", "16"),
    WARPSIM_TMEM(".16x64b", ".x32", "32"),
    WARPSIM_TMEM(".16x64b", ".x64", "64"),
    WARPSIM_TMEM(".16x64b", ".x128", "128"),
    WARPSIM_TMEM(".16x128b", ".x1", "2"),
    WARPSIM_TMEM(".16x128b", ".x2", "4"),
    WARPSIM_TMEM(".16x128b", ".x4", "8"),
    WARPSIM_TMEM(".16x128b", ".x8", "16"),
    WARPSIM_TMEM(".16x128b", ".x16", "32"),
    WARPSIM_TMEM(".16x128b", ".x32", "64"),
    WARPSIM_TMEM(".16x128b", ".x64", "128"),
    WARPSIM_TMEM(".16x256b", ".x1", "4"),
    WARPSIM_TMEM(".16x256b", ".x2", "8"),
    WARPSIM_TMEM(".16x256b", ".x4", "16"),
    WARPSIM_TMEM(".16x256b", ".x8", "32"),
    WARPSIM_TMEM(".16x256b", ".x16", "64"),
    WARPSIM_TMEM(".16x256b", ".x32", "128"),
    WARPSIM_TMEM(".32x32b", ".x1", "1"),
    WARPSIM_TMEM(".32x32b", ".x2", "2"),
    WARPSIM_TMEM(".32x32b", ".x4", "4"),
    WARPSIM_TMEM(".32x32b", ".x8", "8"),
    WARPSIM_TMEM(".32x32b", ".x16", "16"),
    WARPSIM_TMEM(".32x32b", ".x32", "32"),
    WARPSIM_TMEM(".32x32b", ".x64", "64"),
    WARPSIM_TMEM(".32x32b", ".x128", "128"),
    WARPSIM_TMEM_SPLIT(".x1", "1"),
    WARPSIM_TMEM_SPLIT(".x2", "2"),
    WARPSIM_TMEM_SPLIT(".x4", "4"),
    WARPSIM_TMEM_SPLIT(".x8", "8"),
    WARPSIM_TMEM_SPLIT(".x16", "16"),
    WARPSIM_TMEM_SPLIT(".x32", "32"),
    WARPSIM_TMEM_SPLIT(".x64", "64"),
    WARPSIM_TMEM_SPLIT(".x128", "128"),
    WARPSIM_TMEM_REDUCE(".x2", "2"),
    WARPSIM_TMEM_REDUCE(".x4", "4"),
    WARPSIM_TMEM_REDUCE(".x8", "8"),
    WARPSIM_TMEM_REDUCE(".x16", "16"),
    WARPSIM_TMEM_REDUCE(".x32", "32"),
    WARPSIM_TMEM_REDUCE(".x64", "64"),
    WARPSIM_TMEM_REDUCE(".x128", "128"),
    todo("tcgen05.wait::ld.sync.aligned", ""),
    todo("tcgen05.wait::st.sync.aligned", ""),
    todo("tcgen05.fence::before_thread_sync", ""),
    todo("tcgen05.fence::after_thread_sync", ""),
    todo("tcgen05.cp.cta_group.128x256b{.b8x16.src_fmt} [taddr], s-desc", "taddr u64"),
    todo("tcgen05.cp.cta_group.4x256b{.b8x16.src_fmt} [taddr], s-desc", "taddr u64"),
    todo("tcgen05.cp.cta_group.128x128b{.b8x16.src_fmt} [taddr], s-desc", "taddr u64"),
    todo("tcgen05.cp.cta_group.64x128b.multicast_warpx2{.b8x16.src_fmt} [taddr], s-desc", "taddr u64"),
    todo("tcgen05.cp.cta_group.32x128b.warpx4{.b8x16.src_fmt} [taddr], s-desc", "taddr u64"),
    todo("tcgen05.shift.cta_group.down [taddr]", "taddr", only_on("100a 103a 110a", 8, 6, 100)),
    todo("tcgen05.commit.cta_group.mbarrier::arrive::one{.shared::cluster}{.multicast::cluster}.b64 [mbar]{, "
         "ctaMask}",
         "generic u16"),
    WARPSIM_MMA_MASKED("tcgen05.mma", "", ""),
    WARPSIM_MMA_MASKED("tcgen05.mma.sp", ", [sp-meta-tmem]", " tmem"),
    WARPSIM_MMA_WS("tcgen05.mma.ws", "", ""),
    WARPSIM_MMA_WS("tcgen05.mma.ws.sp", ", [sp-meta-tmem]", " tmem"),
};

}  // namespace

extern constinit std::span<Row const> const tensor_memory{rows};

}  // namespace warpsim::isa::WARPSIM_HOST
