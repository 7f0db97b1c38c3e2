// The table of opcodes knows what Accel-Sim and NVIDIA's assembler know.
#include "runtime/replay/sass_table.hpp"
#include "sim/config/config.hpp"
#include "sim/error.hpp"
#include "tests/replay/sample_trace.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <sstream>
#include <string>

namespace {
namespace opcodes_test {

using namespace warpsim;
using namespace warpsim::replay;
using U = timing::MicroUnit;

/// All that Accel-Sim's tables for Volta, Turing, Ampere and Hopper name.
constexpr char const* of_accel_sim =
    "FADD FADD32I FCHK FFMA32I FFMA FMNMX FMUL FMUL32I FSEL FSET FSETP FSWZADD MUFU HADD2 HADD2_32I HFMA2 "
    "HFMA2_32I "
    "HMUL2 HMUL2_32I HSET2 HSETP2 HMNMX2 HMMA DMMA BMMA IMMA DADD DFMA DMUL DSETP BMSK BREV FLO IABS IADD IADD3 "
    "IADD32I "
    "IDP IDP4A IMAD IMNMX IMUL IMUL32I ISCADD ISCADD32I ISETP LEA LOP LOP3 LOP32I POPC SHF SHL SHR VABSDIFF "
    "VABSDIFF4 "
    "F2F F2FP F2I I2F I2I I2IP I2FP F2IP FRND MOV MOV32I MOVM PRMT SEL SGXT SHFL PLOP3 PSETP P2R R2P LD LDC LDG "
    "LDL LDS "
    "LDSM ST STG STL STS MATCH QSPC ATOM ATOMS ATOMG RED CCTL CCTLL ERRBAR MEMBAR CCTLT LDGDEPBAR LDGSTS VIADD "
    "VIADDMNMX VIMNMX VIMNMX3 CGAERRBAR R2UR REDUX S2UR UBMSK UBREV UCLEA UF2FP UFLO UIADD3 UIMAD UISETP ULDC "
    "ULEA ULOP "
    "ULOP3 ULOP32I UMOV UP2UR UPLOP3 UPOPC UPRMT UPSETP UR2UP USEL USGXT USHF USHL USHR VOTEU UBLKCP UBLKPF "
    "UBLKRED "
    "UTMALDG UTMAPF UTMAREDG UTMASTG UTMACCTL UTMACMDFLUSH FENCE SYNCS ARRIVES UCGABAR_ARV UCGABAR_WAIT WARPGROUP "
    "QGMMA "
    "HGMMA TEX TLD TLD4 TMML TXD TXQ SUATOM SULD SUQUERY SURED SUST BMOV BPT BRA BREAK BRX BRXU BSSY BSYNC CALL "
    "EXIT JMP "
    "JMX JMXU KILL NANOSLEEP RET RPCMOV RTT WARPSYNC YIELD ELECT B2R BAR CS2R CSMTEST DEPBAR GETLMEMBASE LEPC NOP "
    "PMTRIG "
    "R2B S2R SETCTAID SETLMEMBASE VOTE VOTE_VTG USETMAXREG";

/// What ptxas 12.8 makes of products, atomics, copies and barriers for sm_70 to sm_90.
constexpr char const* of_ptxas =
    "HMMA.884.F16.F16.STEP1 HMMA.884.F32.F32.STEP3 HMMA.1688.F16 HMMA.1688.F32 HMMA.1688.F32.BF16 "
    "HMMA.1688.F32.TF32 "
    "HMMA.1684.F32.TF32 HMMA.16816.F16 HMMA.16816.F32 HMMA.16816.F32.BF16 HMMA.SP.16816.F32 "
    "HMMA.SP.16816.F32.TF32 "
    "HMMA.SP.16832.F32 IMMA.8816.S8.S8 IMMA.8832.S4.S4 IMMA.16816.U8.S8 IMMA.16832.S8.S8 IMMA.16832.U4.S4 "
    "IMMA.16864.S4.S4 IMMA.SP.16864.S8.S8 BMMA.88128.XOR.POPC BMMA.168128.AND.POPC BMMA.168256.AND.POPC DMMA.884 "
    "DMMA.8x8x4 DMMA.16x8x4 DMMA.16x8x8 DMMA.16x8x16 QMMA.16832.F32.E4M3.E5M2 ATOM.E.ADD.STRONG.GPU "
    "ATOMG.E.CAS.STRONG.GPU ATOMG.E.ADD.F64.RN.STRONG.GPU ATOMG.E.EXCH.64.STRONG.GPU ATOMS.ADD ATOMS.CAST.SPIN "
    "RED.E.ADD.F16x2.RN.STRONG.GPU REDG.E.ADD.F32.FTZ.RN.STRONG.GPU LDGSTS.E LDGSTS.E.BYPASS.128 DEPBAR.LE "
    "LDSM.16.M88.4 LDSM.16.MT88.2 STSM.16.M88.4 MOVM.16.MT88 MEMBAR.SC.GPU MEMBAR.ALL.SYS MEMBAR.SC.VC CCTL.IVALL "
    "CCTL.E.PF2 SHFL.BFLY VOTE.ANY VOTEU.ANY MATCH.ANY.U64 MATCH.ALL REDUX.SUM.S32 WARPSYNC.COLLECTIVE "
    "ENDCOLLECTIVE "
    "MUFU.RCP64H MUFU.EX2.F16 MUFU.TANH F2F.F64.F32 F2I.S64.TRUNC F2I.U64.F64.TRUNC I2F.F64.S64 I2F.U32.RP "
    "FRND.F64 "
    "F2FP.BF16.F32.PACK_AB I2FP.F32.S32 HFMA2.MMA HFMA2.MMA.BF16_V2 IDP.4A.S8.S8 BAR.RED.POPC.DEFER_BLOCKING "
    "B2R.RESULT "
    "CALL.REL.NOINC RET.REL.NODEC BRX NANOSLEEP QSPC.E.S PMTRIG ULDC.64 LDC.64 R2UR";

TEST_CASE("Each opcode that Accel-Sim names has a unit, or a reason why not", "[replay]") {
    std::istringstream names(of_accel_sim);
    std::string refused;
    for (std::string name; names >> name;) {
        INFO(name);
        bool const is_refused = !why_not_timed(name).empty();
        CHECK((is_refused || sass_row(name) != nullptr));
        if (is_refused) refused += name + " ";
    }
    // Of products the name alone does not say how large they are.
    CHECK(refused == "HMMA DMMA BMMA IMMA UBLKCP UBLKPF UBLKRED UTMALDG UTMAPF UTMAREDG UTMASTG UTMACCTL "
                     "UTMACMDFLUSH SYNCS ARRIVES "
                     "UCGABAR_ARV UCGABAR_WAIT WARPGROUP QGMMA HGMMA TEX TLD TLD4 TMML TXD TXQ SUATOM SULD "
                     "SUQUERY SURED SUST ");
}

TEST_CASE("What the assembler makes of special instructions is known, and runs", "[replay]") {
    std::istringstream names(of_ptxas);
    for (std::string name; names >> name;) {
        INFO(name);
        CHECK(why_not_timed(name).empty());
        SassRow const* const row = sass_row(name);
        REQUIRE(row != nullptr);
        SampleTrace trace;
        bool const is_of_fp8 = name.starts_with("QMMA"), is_old = name.starts_with("HMMA.884");
        trace.binary_version = is_old ? 70 : is_of_fp8 ? 89 : 90;
        trace.version = 5;
        std::string const access = row->is_access() ? "4 1 0x100 4" : "0";
        std::string const sources = row->unit == U::barrier ? " 0 " : " 3 R8 R12 R16 ";
        trace.warps = {{at(1, "1 R4 " + name + sources + access + " 0"), leave}};
        sim::LaunchStatistics const ran = trace.run(sim::load_config(is_old ? "v100" : "h100"));
        CHECK(ran.instructions.warp == 2);
        CHECK(ran.timing->units[static_cast<std::size_t>(row->unit)].micro_ops ==
              (row->unit == U::branch ? 2 : 1));
    }
}

TEST_CASE("Opcodes belong to the units of the hardware", "[replay]") {
    std::map<std::string, U> const units{
        {"IADD3.X", U::alu},      {"FSETP.GT.AND", U::alu}, {"IMAD.MOV.U32", U::fma}, {"FFMA.FTZ", U::fma},
        {"HFMA2.MMA", U::fp16},   {"DFMA", U::fp64},        {"MUFU.EX2", U::sfu},     {"POPC", U::sfu},
        {"F2I.TRUNC", U::sfu},    {"SHFL.IDX", U::shuffle}, {"VOTE.ANY", U::vote},    {"S2R", U::special},
        {"LDC", U::constant},     {"ULDC.64", U::uniform},  {"UIADD3", U::uniform},   {"BAR.SYNC", U::barrier},
        {"MEMBAR.SC", U::fence},  {"BSYNC", U::branch},     {"LDSM.16.M88", U::lsu},  {"ATOMS.ADD", U::lsu},
        {"BMMA.88128", U::tensor}};
    for (auto const& [opcode, unit] : units) {
        INFO(opcode);
        CHECK(sass_row(opcode)->unit == unit);
    }
}

TEST_CASE("An opcode that is not known is told with its place", "[replay]") {
    SampleTrace trace;
    for (std::string const name : {"FROB", "HMMA.4.F32", "TEX.SCR.LL"}) {
        trace.warps = {{at(1, "1 R1 " + name + " 0 0"), leave}};
        std::string told;
        try {
            trace.run(sim::load_config("v100"));
        } catch (Error const& error) {
            told = error.what();
        }
        INFO(told);
        CHECK(told.find("kernel-1.traceg:22:20: error: ") != std::string::npos);
        CHECK(told.find(name) != std::string::npos);
    }
}

}  // namespace opcodes_test
}  // namespace
