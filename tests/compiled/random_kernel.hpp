// Kernels of random instructions, for comparing two ways to execute them: arithmetic, guards, divergent branches, loops,
// shared, global and local memory, atomics, barriers, shuffles, votes, threads that end early; in blocks of any shape. Every
// register is defined, every loop ends, and every address is valid, but for a thread's in kernels that end in a fault.
#pragma once

#include "tests/support/run_ptx.hpp"

#include <array>
#include <iterator>
#include <random>
#include <string>

namespace warpsim::test {

class RandomKernel {
public:
    static constexpr std::uint32_t registers = 8;

    explicit RandomKernel(std::uint32_t seed) : random_(seed) {
        static constexpr std::array<std::uint32_t, 3> shapes[] = {
            {96, 1, 1}, {32, 1, 1}, {256, 1, 1}, {16, 8, 1}, {8, 4, 4},  {100, 1, 1},
            {24, 5, 1}, {7, 3, 2},  {16, 3, 3},  {64, 2, 1}, {20, 1, 1}, {1, 64, 1}};
        threads_.block = shapes[below(std::size(shapes))];
        threads_.grid = {1 + below(5), 1, 1};
        faults_ = below(6) == 0;
        turn_ = below(3) == 0 ? 1 + below(200) : 0;
    }

    Threads const& threads() const { return threads_; }
    std::size_t out_words() const { return std::size_t{all_threads()} * (2 * registers + 1); }
    /// One of its threads may access what it must not.
    bool may_fault() const { return faults_; }
    /// Warp instructions; 0: as long as is usual.
    std::uint64_t turn() const { return turn_; }

    std::string text() {
        body_ = ".local .align 16 .b8 local_bytes[128];\nmov.b16 %h1, 513;\n";
        number_thread();
        for (int i = 0; i < static_cast<int>(registers); ++i) {
            line("mad.lo.u32 " + r(i) + ", %i, " + std::to_string(2 * below(5000) + 1) + ", " +
                 std::to_string(below(100000)) + ";");
            line("cvt.rn.f32.u32 " + f(i) + ", " + r(i) + ";");
        }
        for (int i = 0; i < 4; ++i) {
            line("setp.gt.u32 %p" + std::to_string(i) + ", " + r(i) + ", " + std::to_string(below(2000000)) + ";");
            line("cvt.u64.u32 %d" + std::to_string(i) + ", " + r(i) + ";");
        }
        std::uint32_t const fault_at = below(12);
        for (std::uint32_t i = 0; i < 12; ++i) {
            if (faults_ && i == fault_at) fault();
            statement(0);
        }
        std::uint32_t const stride = 4 * all_threads();
        for (std::uint32_t i = 0; i < registers; ++i) {
            line("st.global.u32 [%o4+" + std::to_string(stride * i) + "], " + r(static_cast<int>(i)) + ";");
            line("st.global.f32 [%o4+" + std::to_string(stride * (8 + i)) + "], " + f(static_cast<int>(i)) + ";");
        }
        line("xor.b64 %d0, %d0, %d1;\nxor.b64 %d0, %d0, %d2;\ncvt.u32.u64 %r0, %d0;\nselp.u32 %r1, 1, 0, %p0;");
        line("add.u32 %r0, %r0, %r1;\nst.global.u32 [%o4+" + std::to_string(stride * 16) + "], %r0;");
        line("DONE:");
        return kernel(body_, ".shared .align 16 .b8 sm[4096];\n");
    }

private:
    std::uint32_t all_threads() const {
        return threads_.block[0] * threads_.block[1] * threads_.block[2] * threads_.grid[0];
    }
    /// %i and %o4, in blocks of more than one dimension.
    void number_thread() {
        line("mov.u32 %r0, %tid.z;\nmov.u32 %r1, %ntid.y;\nmov.u32 %r2, %tid.y;\nmad.lo.u32 %r0, %r0, %r1, %r2;");
        line("mov.u32 %r3, %ntid.x;\nmov.u32 %r4, %tid.x;\nmad.lo.u32 %r0, %r0, %r3, %r4;");
        line("mul.lo.u32 %r1, %r1, %r3;\nmov.u32 %r2, %ntid.z;\nmul.lo.u32 %r1, %r1, %r2;");
        line("mov.u32 %r2, %ctaid.x;\nmad.lo.u32 %i, %r2, %r1, %r0;");
        line("mul.wide.u32 %o4, %i, 4;\nadd.u64 %o4, %o4, %out;");
    }
    void fault() {
        line("setp.eq.u32 %p7, %i, " + std::to_string(below(all_threads())) + ";");
        line("@%p7 st.global.u32 [%in+" + std::to_string(4096 + 4 * below(4)) + "], %i;");
    }
    std::uint32_t below(std::uint32_t limit) { return static_cast<std::uint32_t>(random_()) % limit; }
    static std::string r(int i) { return "%r" + std::to_string(i); }
    static std::string f(int i) { return "%f" + std::to_string(i); }
    std::string any_r() { return "%r" + std::to_string(below(registers)); }
    std::string any_f() { return "%f" + std::to_string(below(registers)); }
    std::string any_d() { return "%d" + std::to_string(below(4)); }
    std::string any_p() { return "%p" + std::to_string(below(4)); }
    void line(std::string const& text) { body_ += text + "\n"; }

    void statement(int depth) {
        switch (below(depth < 3 ? 17 : 12)) {
            case 0:
            case 1:
            case 2: return line(guard() + integer());
            case 3:
            case 4: return line(guard() + floating());
            case 5: return line(guard() + wide());
            case 6: return compare();
            case 7: return shared();
            case 8:
            case 9: return global();
            case 10: return depth == 0 ? together() : line(integer());
            case 11: return below(2) != 0 ? own() : atomic();
            case 12:
            case 13:
            case 14: return branch(depth);
            default: return loop(depth);
        }
    }
    std::string guard() {
        return below(4) != 0 ? "" : "@" + std::string(below(2) != 0 ? "!" : "") + any_p() + " ";
    }

    std::string integer() {
        static char const* const two[] = {"add.s32", "sub.s32", "mul.lo.s32", "mul.hi.u32", "and.b32", "or.b32",
                                          "xor.b32", "shl.b32", "shr.u32",    "shr.s32",    "min.s32", "max.u32",
                                          "div.u32", "rem.s32", "add.u32",    "sub.u32"};
        static char const* const one[] = {"popc.b32", "clz.b32", "brev.b32", "not.b32", "neg.s32", "abs.s32"};
        switch (below(5)) {
            case 0: return std::string(one[below(6)]) + " " + any_r() + ", " + any_r() + ";";
            case 1: return "mad.lo.s32 " + any_r() + ", " + any_r() + ", " + any_r() + ", " + any_r() + ";";
            case 2: return "selp.b32 " + any_r() + ", " + any_r() + ", " + any_r() + ", " + any_p() + ";";
            default:
                return std::string(two[below(16)]) + " " + any_r() + ", " + any_r() + ", " +
                       (below(2) != 0 ? any_r() : std::to_string(below(100))) + ";";
        }
    }
    std::string floating() {
        static char const* const two[] = {"add.f32", "sub.f32",     "mul.f32",    "min.f32",
                                          "max.f32", "add.ftz.f32", "div.rn.f32", "copysign.f32"};
        static char const* const one[] = {"sqrt.rn.f32", "rcp.approx.f32", "neg.f32", "abs.f32", "ex2.approx.f32"};
        switch (below(5)) {
            case 0: return std::string(one[below(5)]) + " " + any_f() + ", " + any_f() + ";";
            case 1: return "fma.rn.f32 " + any_f() + ", " + any_f() + ", " + any_f() + ", " + any_f() + ";";
            case 2: return "cvt.rzi.s32.f32 " + any_r() + ", " + any_f() + ";";
            case 3: return "cvt.rn.f32.s32 " + any_f() + ", " + any_r() + ";";
            default: return std::string(two[below(8)]) + " " + any_f() + ", " + any_f() + ", " + any_f() + ";";
        }
    }
    std::string wide() {
        static char const* const two[] = {"add.s64", "sub.s64", "mul.lo.s64", "xor.b64", "max.s64"};
        switch (below(4)) {
            case 0: return "mul.wide.s32 " + any_d() + ", " + any_r() + ", " + any_r() + ";";
            case 1: return "cvt.u32.u64 " + any_r() + ", " + any_d() + ";";
            case 2: return "mov.b64 " + any_d() + ", {" + any_r() + ", " + any_r() + "};";
            default: return std::string(two[below(5)]) + " " + any_d() + ", " + any_d() + ", " + any_d() + ";";
        }
    }
    void compare() {
        switch (below(4)) {
            case 0: return line("setp.lt.s32 " + any_p() + ", " + any_r() + ", " + any_r() + ";");
            case 1: return line("setp.geu.f32 " + any_p() + ", " + any_f() + ", " + any_f() + ";");
            case 2:
                return line("setp.ne.and.u32 " + any_p() + "|" + any_p() + ", " + any_r() + ", 0, " + any_p() +
                            ";");
            default: return line("xor.pred " + any_p() + ", " + any_p() + ", " + any_p() + ";");
        }
    }
    /// %r30: a multiple of 4 below 1024, by thread, for all, or anywhere.
    void offset() {
        switch (below(3)) {
            case 0: line("mov.u32 %r30, %tid.x;\nshl.b32 %r30, %r30, 2;"); break;
            case 1: line("mov.u32 %r30, " + std::to_string(4 * below(250)) + ";"); break;
            default: line("and.b32 %r30, " + any_r() + ", 1020;"); break;
        }
    }
    void shared() {
        offset();
        line("mov.u32 %r31, sm;\nadd.u32 %r30, %r30, %r31;");
        switch (below(5)) {
            case 4:
                line("cvt.u64.u32 %d9, %r30;\ncvta.shared.u64 %d9, %d9;");
                return line(guard() +
                            (below(2) != 0 ? "ld.u32 " + any_r() + ", [%d9+8];" : "st.u32 [%d9], %r30;"));
            case 0: return line(guard() + "ld.shared.u32 " + any_r() + ", [%r30+16];");
            case 1: return line(guard() + "ld.shared.s8 " + any_r() + ", [%r30+1];");
            case 2: return line(guard() + "st.shared.u16 [%r30+2], %h1;");
            default: return line(guard() + "st.shared.u32 [%r30], " + any_r() + ";");
        }
    }
    void global() {
        offset();
        line("cvt.u64.u32 %d9, %r30;\nadd.u64 %d9, %d9, %in;");
        switch (below(5)) {
            case 0: return line(guard() + "ld.global.f32 " + any_f() + ", [%d9+4];");
            case 1: return line(guard() + "ld.u32 " + any_r() + ", [%d9];");
            case 2:
                line("and.b64 %d9, %d9, -16;");
                return line(guard() + "ld.global.v2.u32 {%r28, %r29}, [%d9];\nxor.b32 " + any_r() +
                            ", %r28, %r29;");
            case 3: return line(guard() + "ld.global.u8 " + any_r() + ", [%d9+3];");
            default: return line(guard() + "st.global.u32 [%d9], " + any_r() + ";");
        }
    }
    /// Local memory, at an address that all threads share or not.
    void own() {
        line("mov.u32 %r30, local_bytes;");
        if (below(2) != 0) line("and.b32 %r31, " + any_r() + ", 112;\nadd.u32 %r30, %r30, %r31;");
        switch (below(4)) {
            case 0: return line(guard() + "ld.local.u32 " + any_r() + ", [%r30+4];");
            case 1: return line(guard() + "ld.local.u64 " + any_d() + ", [%r30+8];");
            case 2: return line(guard() + "st.local.u16 [%r30+6], %h1;");
            default: return line(guard() + "st.local.u64 [%r30+8], " + any_d() + ";");
        }
    }
    /// What it gives each thread depends on the order in which they come.
    void atomic() {
        offset();
        switch (below(3)) {
            case 0:
                line("cvt.u64.u32 %d9, %r30;\nadd.u64 %d9, %d9, %in;");
                return line(guard() + "atom.global.add.u32 " + any_r() + ", [%d9], " + any_r() + ";");
            case 1: return line("membar.cta;");
            default:
                line("mov.u32 %r31, sm;\nadd.u32 %r30, %r30, %r31;");
                return line(guard() + "atom.shared.max.u32 " + any_r() + ", [%r30], " + any_r() + ";");
        }
    }
    /// All threads that are left.
    void together() {
        switch (below(11)) {
            case 0:
            case 1:
            case 2: return line("bar.sync " + std::to_string(below(2)) + ";");
            case 3: return barriers_in_loop();
            case 4:
                return line("vote.sync." + std::string(vote()) + ".pred " + any_p() + ", " + any_p() + ", -1;");
            case 5: return line("vote.sync.ballot.b32 " + any_r() + ", !" + any_p() + ", -1;");
            case 6: return line("activemask.b32 " + any_r() + ";\nbar.warp.sync -1;");
            case 7: return early_end();
            default: return shuffle();
        }
    }
    char const* vote() {
        static char const* const votes[] = {"all", "any", "uni"};
        return votes[below(3)];
    }
    void shuffle() {
        static char const* const modes[] = {"bfly", "up", "down", "idx"};
        std::uint32_t const mode = below(4);
        std::string const distance = below(4) == 0 ? any_r() : std::to_string(below(32));
        std::uint32_t const segments = below(2) != 0 ? 0 : 8 * below(4);
        std::uint32_t const clamp = (segments << 8) | (mode == 1 ? 0 : 31);
        line("shfl.sync." + std::string(modes[mode]) + ".b32 " + any_r() + (below(2) != 0 ? "|" + any_p() : "") +
             ", " + any_r() + ", " + distance + ", " + std::to_string(clamp) + ", -1;");
    }
    /// As many times for all threads of the CTA.
    void barriers_in_loop() {
        std::string const label = "L" + std::to_string(++labels_);
        line("mov.u32 %r27, " + std::to_string(1 + below(5)) + ";");
        line(label + ":");
        for (std::uint32_t i = below(3) + 1; i > 0; --i) statement(1);
        line("bar.sync 0;");
        for (std::uint32_t i = below(3); i > 0; --i) statement(1);
        line("sub.u32 %r27, %r27, 1;\nsetp.ne.u32 %p12, %r27, 0;\n@%p12 bra " + label + ";");
    }
    void early_end() {
        line("setp.gt.u32 %p13, " + any_r() + ", " + std::to_string(3000000000u + below(1200000000)) + ";");
        if (below(2) != 0) return line("@%p13 ret;");
        line(below(2) != 0 ? "@%p13 exit;" : "@%p13 bra DONE;");
    }
    void branch(int depth) {
        std::string const label = "L" + std::to_string(++labels_), end = "E" + std::to_string(labels_);
        bool const has_else = below(2) != 0;
        line("@" + any_p() + " bra " + label + ";");
        for (std::uint32_t i = below(3) + 1; i > 0; --i) statement(depth + 1);
        if (has_else) line("bra " + end + ";");
        line(label + ":");
        if (!has_else) return;
        for (std::uint32_t i = below(3) + 1; i > 0; --i) statement(depth + 1);
        line(end + ":");
    }
    /// Ends where its counter does, which differs between threads or not, or in the middle, for some; asks before or behind its body.
    void loop(int depth) {
        std::string const label = "L" + std::to_string(++labels_), end = "E" + std::to_string(labels_),
                          counter = "%r" + std::to_string(20 + depth), more = "%p" + std::to_string(8 + depth);
        line("and.b32 " + counter + ", " + (below(2) != 0 ? any_r() : std::to_string(below(8))) + ", " +
             (below(4) != 0 ? "7;" : "31;"));
        line(label + ":");
        bool const asks_first = below(3) == 0, may_break = below(3) == 0;
        if (asks_first) line("setp.gt.s32 " + more + ", " + counter + ", 0;\n@!" + more + " bra " + end + ";");
        for (std::uint32_t i = below(4) + 1; i > 0; --i) statement(depth + 1);
        if (may_break) {
            line("@" + any_p() + " bra " + end + ";");
            statement(depth + 1);
        }
        line("sub.u32 " + counter + ", " + counter + ", 1;");
        if (asks_first) line("bra " + label + ";");
        else line("setp.gt.s32 " + more + ", " + counter + ", 0;\n@" + more + " bra " + label + ";");
        line(end + ":");
    }

    std::mt19937 random_;
    Threads threads_;
    bool faults_ = false;
    std::uint64_t turn_ = 0;
    std::string body_;
    int labels_ = 0;
};

}  // namespace warpsim::test
