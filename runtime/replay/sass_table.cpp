#include "runtime/replay/sass_table.hpp"

namespace warpsim::replay {

namespace {

using U = timing::MicroUnit;
constexpr std::string_view integer = "add.u32 %r0, %r1, %r2;", multiply = "mad.lo.u32 %r0, %r1, %r2, %r3;",
                           single = "fma.rn.f32 %f0, %f1, %f2, %f3;", half = "fma.rn.f16x2 %r0, %r1, %r2, %r3;",
                           twofold = "fma.rn.f64 %g0, %g1, %g2, %g3;", root = "rsqrt.approx.ftz.f32 %f0, %f1;",
                           convert = "cvt.rn.f32.s32 %f0, %r1;",
                           shuffle = "shfl.sync.idx.b32 %r0, %r1, 0, 31, -1;",
                           vote = "vote.sync.any.pred %p0, %p1, -1;", load = "ld.global.b32 %r0, [%d0];",
                           store = "st.global.b32 [%d0], %r0;", add = "atom.global.add.u32 %r0, [%d0], %r1;",
                           reduce = "red.global.add.u32 [%d0], %r1;", jump = "bra.uni NEXT;", fence = "membar.gl;",
                           constant = "ld.const.b32 %r0, [bank];", barrier = "bar.sync 0;",
                           moved = "mov.b32 %r0, %r1;";
constexpr SassRow::Widths pairs = SassRow::pairs, last_is_pair{1, 1, 2, 1};
constexpr unsigned result_follows = SassRow::result_follows;

// clang-format off
constexpr SassRow table[] = {
    {"FADD", U::fma, single}, {"FADD32I", U::fma, single}, {"FMUL", U::fma, single}, {"FMUL32I", U::fma, single},
    {"FFMA", U::fma, single}, {"FFMA32I", U::fma, single}, {"FSWZADD", U::fma, single},
    {"FCHK", U::sfu, root}, {"MUFU", U::sfu, root},
    {"FMNMX", U::alu, integer}, {"FSEL", U::alu, integer}, {"FSET", U::alu, integer}, {"FSETP", U::alu, integer},

    {"HADD2", U::fp16, half}, {"HADD2_32I", U::fp16, half}, {"HMUL2", U::fp16, half}, {"HMUL2_32I", U::fp16, half},
    {"HFMA2", U::fp16, half}, {"HFMA2_32I", U::fp16, half}, {"HSET2", U::fp16, half}, {"HSETP2", U::fp16, half},
    {"HMNMX2", U::alu, integer},

    {"DADD", U::fp64, twofold, 0, 2, pairs}, {"DMUL", U::fp64, twofold, 0, 2, pairs},
    {"DFMA", U::fp64, twofold, 0, 2, pairs}, {"DSETP", U::fp64, twofold, 0, 1, pairs},

    {"IADD3", U::alu, integer}, {"IADD", U::alu, integer}, {"IADD32I", U::alu, integer}, {"IABS", U::alu, integer},
    {"BMSK", U::alu, integer}, {"IMNMX", U::alu, integer}, {"ISCADD", U::alu, integer},
    {"ISCADD32I", U::alu, integer}, {"ISETP", U::alu, integer}, {"LEA", U::alu, integer}, {"LOP", U::alu, integer},
    {"LOP3", U::alu, integer, result_follows}, {"LOP32I", U::alu, integer}, {"SHF", U::alu, integer}, {"SHL", U::alu, integer},
    {"SHR", U::alu, integer}, {"SGXT", U::alu, integer}, {"VABSDIFF", U::alu, integer},
    {"VABSDIFF4", U::alu, integer}, {"VIADD", U::alu, integer}, {"VIADDMNMX", U::alu, integer},
    {"VIMNMX", U::alu, integer}, {"VIMNMX3", U::alu, integer}, {"VHMNMX", U::alu, integer},
    {"IMAD", U::fma, multiply}, {"IMAD.WIDE", U::fma, multiply, 0, 2, last_is_pair}, {"IMAD.MOV", U::fma, multiply},
    {"IMUL", U::fma, multiply}, {"IMUL32I", U::fma, multiply}, {"IDP", U::fma, multiply},
    {"IDP4A", U::fma, multiply},
    {"BREV", U::sfu, root}, {"FLO", U::sfu, root}, {"POPC", U::sfu, root},

    {"F2F", U::sfu, convert}, {"F2F.F64", U::sfu, convert, 0, 2}, {"F2F.F64.F64", U::sfu, convert, 0, 2, pairs},
    {"F2F.F32.F64", U::sfu, convert, 0, 1, pairs}, {"F2F.F16.F64", U::sfu, convert, 0, 1, pairs},
    {"F2I", U::sfu, convert}, {"F2I.F64", U::sfu, convert, 0, 1, pairs}, {"F2I.U32.F64", U::sfu, convert, 0, 1, pairs},
    {"F2I.S64", U::sfu, convert, 0, 2}, {"F2I.U64", U::sfu, convert, 0, 2},
    {"F2I.S64.F64", U::sfu, convert, 0, 2, pairs}, {"F2I.U64.F64", U::sfu, convert, 0, 2, pairs},
    {"I2F", U::sfu, convert}, {"I2F.F64", U::sfu, convert, 0, 2}, {"I2F.S64", U::sfu, convert, 0, 1, pairs},
    {"I2F.U64", U::sfu, convert, 0, 1, pairs}, {"I2F.F64.S64", U::sfu, convert, 0, 2, pairs},
    {"I2F.F64.U64", U::sfu, convert, 0, 2, pairs}, {"FRND", U::sfu, convert},
    {"FRND.F64", U::sfu, convert, 0, 2, pairs},
    {"F2FP", U::alu, integer}, {"I2I", U::alu, integer}, {"I2IP", U::alu, integer}, {"I2FP", U::alu, integer},
    {"F2IP", U::alu, integer},

    {"MOV", U::alu, moved}, {"MOV32I", U::alu, moved}, {"PRMT", U::alu, integer}, {"SEL", U::alu, integer},
    {"PLOP3", U::alu, integer}, {"PSETP", U::alu, integer}, {"P2R", U::alu, integer}, {"R2P", U::alu, integer},
    {"CS2R", U::alu, integer, 0, 2}, {"CS2R.32", U::alu, integer}, {"NOP", U::alu, moved}, {"LEPC", U::alu, integer, 0, 2},
    {"GETLMEMBASE", U::alu, integer, 0, 2}, {"S2R", U::special, moved}, {"B2R", U::special, moved},
    {"R2B", U::special, moved}, {"PMTRIG", U::alu, moved}, {"CSMTEST", U::alu, moved},
    {"SETCTAID", U::alu, moved}, {"SETLMEMBASE", U::alu, moved}, {"USETMAXREG", U::alu, moved},
    {"SHFL", U::shuffle, shuffle, result_follows}, {"MOVM", U::shuffle, shuffle},
    {"VOTE", U::vote, vote}, {"VOTE_VTG", U::vote, vote},
    {"MATCH", U::vote, vote, result_follows}, {"MATCH.ANY.U64", U::vote, vote, 0, 1, pairs},
    {"MATCH.ALL.U64", U::vote, vote, result_follows, 1, pairs}, {"ELECT", U::vote, vote}, {"REDUX", U::sfu, root},

    {"LDG", U::lsu, load}, {"LD", U::lsu, load, SassRow::generic}, {"LDS", U::lsu, "ld.shared.b32 %r0, [%r1];"},
    {"LDSM", U::lsu, "ld.shared.b32 %r0, [%r1];"}, {"LDL", U::lsu, "ld.local.b32 %r0, [%r1];"},
    {"STG", U::lsu, store}, {"ST", U::lsu, store, SassRow::generic}, {"STS", U::lsu, "st.shared.b32 [%r1], %r0;"},
    {"STSM", U::lsu, "st.shared.b32 [%r1], %r0;"}, {"STL", U::lsu, "st.local.b32 [%r1], %r0;"},
    {"ATOM", U::lsu, add, SassRow::generic | SassRow::result_follows}, {"ATOMG", U::lsu, add, result_follows},
    {"ATOMS", U::lsu, "atom.shared.add.u32 %r0, [%r1], %r2;"}, {"RED", U::lsu, reduce},
    {"REDG", U::lsu, reduce}, {"LDGSTS", U::lsu, load, SassRow::copies},
    {"LDGDEPBAR", U::alu, moved, SassRow::commits_copies}, {"DEPBAR", U::alu, moved, SassRow::awaits_copies},
    {"LDC", U::constant, constant},
    {"QSPC", U::alu, integer}, {"CCTL", U::fence, moved}, {"CCTLL", U::fence, moved}, {"CCTLT", U::fence, moved},
    {"ERRBAR", U::fence, moved},
    {"CGAERRBAR", U::fence, moved}, {"MEMBAR", U::fence, fence},
    {"FENCE", U::fence, "fence.proxy.async;"},

    {"BRA", U::branch, jump}, {"BRX", U::branch, jump}, {"BRXU", U::branch, jump}, {"JMP", U::branch, jump},
    {"JMX", U::branch, jump}, {"JMXU", U::branch, jump}, {"CALL", U::branch, jump}, {"RET", U::branch, jump},
    {"BREAK", U::branch, jump}, {"BSYNC", U::branch, jump}, {"BSSY", U::branch, jump}, {"BMOV", U::branch, jump},
    {"WARPSYNC", U::branch, jump}, {"YIELD", U::branch, jump}, {"RPCMOV", U::branch, jump},
    {"KILL", U::branch, jump}, {"RTT", U::branch, jump}, {"ENDCOLLECTIVE", U::branch, jump},
    {"ACQBULK", U::branch, jump}, {"PREEXIT", U::branch, jump},
    {"NANOSLEEP", U::branch, "nanosleep.u32 1;", SassRow::sleeps}, {"BPT", U::branch, jump},
    {"EXIT", U::branch, jump, SassRow::leaves}, {"BAR", U::barrier, barrier, SassRow::is_barrier},

    {"R2UR", U::uniform, moved}, {"S2UR", U::uniform, moved}, {"ULDC", U::uniform, moved},
    {"UBMSK", U::uniform, moved}, {"UBREV", U::uniform, moved}, {"UCLEA", U::uniform, moved},
    {"UF2FP", U::uniform, moved}, {"UFLO", U::uniform, moved}, {"UIADD3", U::uniform, moved},
    {"UIMAD", U::uniform, moved}, {"UISETP", U::uniform, moved}, {"ULEA", U::uniform, moved},
    {"ULOP", U::uniform, moved}, {"ULOP3", U::uniform, moved}, {"ULOP32I", U::uniform, moved}, {"UMOV", U::uniform, moved},
    {"UP2UR", U::uniform, moved}, {"UPLOP3", U::uniform, moved}, {"UPOPC", U::uniform, moved},
    {"UPRMT", U::uniform, moved}, {"UPSETP", U::uniform, moved}, {"UR2UP", U::uniform, moved},
    {"USEL", U::uniform, moved}, {"USGXT", U::uniform, moved}, {"USHF", U::uniform, moved},
    {"USHL", U::uniform, moved}, {"USHR", U::uniform, moved}, {"VOTEU", U::uniform, moved},
};

struct Untimed {
    std::string_view opcode, why;
};
constexpr std::string_view tma = "the trace does not say when asynchronous copies end",
                           group = "the trace does not say which products of a warpgroup are waited for",
                           texels = "the trace has no addresses of texels",
                           shape = "no product of this shape is known";
constexpr Untimed untimed[] = {
    {"UBLKCP", tma}, {"UBLKPF", tma}, {"UBLKRED", tma}, {"UTMALDG", tma}, {"UTMASTG", tma}, {"UTMAPF", tma},
    {"UTMAREDG", tma}, {"UTMACCTL", tma}, {"UTMACMDFLUSH", tma}, {"SYNCS", tma}, {"ARRIVES", tma},
    {"UCGABAR_ARV", "traces of clusters are not supported"}, {"UCGABAR_WAIT", "traces of clusters are not supported"},
    {"HGMMA", group}, {"QGMMA", group}, {"IGMMA", group}, {"BGMMA", group}, {"WARPGROUP", group},
    {"HMMA", shape}, {"IMMA", shape}, {"BMMA", shape}, {"DMMA", shape}, {"QMMA", shape},
    {"TEX", texels}, {"TLD", texels}, {"TLD4", texels}, {"TXD", texels}, {"TMML", texels}, {"TXQ", texels},
    {"SULD", texels}, {"SUST", texels}, {"SURED", texels}, {"SUATOM", texels}, {"SUQUERY", texels},
    {"BAR.ARV", "the trace does not say how many threads the barrier is for"},
};
// clang-format on

/// Whether `opcode` begins with all parts of `parts`.
constexpr bool begins_with(std::string_view opcode, std::string_view parts) {
    return opcode.starts_with(parts) && (opcode.size() == parts.size() || opcode[parts.size()] == '.');
}

}  // namespace

SassRow const* sass_row(std::string_view opcode) {
    SassRow const* best = nullptr;
    for (std::span<SassRow const> const rows : {std::span<SassRow const>(table), product_rows()})
        for (SassRow const& row : rows)
            if (begins_with(opcode, row.opcode) && (best == nullptr || row.opcode.size() > best->opcode.size()))
                best = &row;
    return best;
}

std::string_view why_not_timed(std::string_view opcode) {
    SassRow const* const row = sass_row(opcode);
    for (Untimed const& one : untimed)
        if (begins_with(opcode, one.opcode) && (row == nullptr || row->opcode.size() < one.opcode.size()))
            return one.why;
    return {};
}

}  // namespace warpsim::replay
