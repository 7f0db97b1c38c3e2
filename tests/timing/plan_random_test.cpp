// Programs made at random: whatever the plan unrolls, folds and reorders, they compute and count as in functional mode.
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <cstdint>
#include <random>
#include <string>

namespace plan_random_test {

using namespace warpsim;
using namespace warpsim::test;

/// A body for 64 threads. Each thread has 14 words of `out` and four of shared memory for itself, 256 bytes apart, so that what it
/// reads depends on no other thread, but where barriers and shuffles say so.
class Program {
public:
    explicit Program(std::uint32_t seed) : random_(seed) {}

    std::string text() {
        line("cvt.u32.u64 %r10, %o4;");
        line("and.b32 %r11, %i, 63;");
        line("mov.u32 %r12, area;");
        line("shl.b32 %r13, %r11, 2;");
        line("add.s32 %r14, %r12, %r13;");  // the thread's words of shared memory
        line("xor.b32 %r15, %r11, 1;");
        line("mad.lo.s32 %r16, %r15, 4, %r12;");  // its neighbour's
        line("mul.wide.u32 %d3, %i, 4;");
        line("add.s64 %d4, %in, %d3;");
        for (int k = 0; k < 4; ++k) line("st.shared.u32 [%r14+" + std::to_string(256 * k) + "], %i;");
        line("mov.u32 %r21, other; add.s32 %r22, %r21, %r13;");
        for (int k = 0; k < 4; ++k) line("st.shared.u32 [%r22+" + std::to_string(256 * k) + "], %i;");
        for (std::uint32_t r = 0; r < values; ++r)
            line("ld.global.u32 " + reg(r) + ", [%d4+" + std::to_string(64 * r) + "];");
        statements(below(12) + 8, 2, true);
        for (std::uint32_t r = 0; r < values; ++r) line("st.global.u32 " + own(r) + ", " + reg(r) + ";");
        return body_;
    }

private:
    static constexpr std::uint32_t values = 6;  // registers that statements read and write

    std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
    static std::string reg(std::uint32_t r) { return "%r" + std::to_string(r); }
    std::string any() { return reg(below(values)); }
    static std::string own(std::uint32_t k) { return "[%o4+" + std::to_string(256 * k) + "]"; }
    void line(std::string const& text) { body_ += text + "\n"; }

    void statements(std::uint32_t count, int depth, bool together) {
        for (std::uint32_t k = 0; k < count; ++k) statement(depth, together);
    }

    void statement(int depth, bool together) {
        switch (below(depth > 0 ? 18 : 16)) {
            case 0: line("ld.global.u32 " + any() + ", " + own(below(14)) + ";"); break;
            case 1: line("st.global.u32 " + own(below(14)) + ", " + any() + ";"); break;
            case 2: address(); break;
            case 3: line("ld.shared.u32 " + any() + ", [%r14+" + std::to_string(256 * below(4)) + "];"); break;
            case 4: line("st.shared.u32 [%r14+" + std::to_string(256 * below(4)) + "], " + any() + ";"); break;
            case 5: line("mad.lo.u32 " + any() + ", " + any() + ", " + any() + ", " + any() + ";"); break;
            case 6: line("xor.b32 " + any() + ", " + any() + ", " + any() + ";"); break;
            case 7: line("add.s32 " + any() + ", " + any() + ", " + std::to_string(below(100)) + ";"); break;
            case 8: choice(); break;
            case 9: division(); break;
            case 10: strong(); break;
            case 11: guarded(); break;
            case 12: exchange(together); break;
            case 13: twins(); break;
            case 14: wide(); break;
            case 15: line("ld.global.nc.u32 " + any() + ", [%d4+" + std::to_string(64 * below(8)) + "];"); break;
            case 16: path(depth); break;
            default: loop(depth, together); break;
        }
    }

    /// A word that is known when the program runs, of the first eight or the six behind.
    void address() {
        std::string const at = below(2) == 0 ? "[%d5]" : "[%d5+1536]";
        line("and.b32 %r17, " + any() + ", " + (at == "[%d5]" ? "7" : "3") + ";");
        line("mul.wide.u32 %d6, %r17, 256;");
        line("add.s64 %d5, %o4, %d6;");
        if (below(2) == 0) line("ld.global.u32 " + any() + ", " + at + ";");
        else line("st.global.u32 " + at + ", " + any() + ";");
    }
    /// The same place in two arrays, which may take one register.
    void twins() {
        line("{ .reg .u32 %x<9>;");
        line("and.b32 %x0, " + any() + ", 3; shl.b32 %x1, %x0, 8;");
        line("mov.u32 %x2, area; add.s32 %x3, %x2, %r13; add.s32 %x4, %x3, %x1;");
        line("mov.u32 %x5, other; add.s32 %x6, %x5, %r13; add.s32 %x7, %x6, %x1;");
        for (int k = 0; k < 4; ++k) {
            std::string const at = below(2) == 0 ? "[%x4]" : "[%x7]";
            if (below(2) == 0) line("ld.shared.u32 " + any() + ", " + at + ";");
            else line("st.shared.u32 " + at + ", " + any() + ";");
        }
        line("}");
    }
    /// Four words at once, of what nothing writes.
    void wide() {
        line("{ .reg .u32 %y<4>; .reg .u64 %z;");
        line("mul.wide.u32 %z, %r11, 16; add.s64 %z, %in, %z;");
        line("ld.global.v4.u32 {%y0, %y1, %y2, %y3}, [%z];");
        for (int k = 0; k < 3; ++k)
            line("add.u32 " + any() + ", " + any() + ", %y" + std::to_string(below(4)) + ";");
        line("}");
    }
    void choice() {
        line("setp.lt.u32 %p1, " + any() + ", " + any() + ";");
        line("selp.b32 " + any() + ", " + any() + ", " + any() + ", %p1;");
    }
    void division() {
        std::string const from = any(), by = any();
        if (below(2) == 0) {
            line("or.b32 %r18, " + by + ", 1;");
            line((below(2) == 0 ? "div.u32 " : "rem.s32 ") + any() + ", " + from + ", %r18;");
            return;
        }
        line("cvt.rn.f32.u32 %f1, " + from + ";");
        line("cvt.rn.f32.u32 %f2, " + by + ";");
        line("div.rn.f32 %f3, %f1, %f2;");
        line("mov.b32 " + any() + ", %f3;");
    }
    void strong() {
        switch (below(5)) {
            case 0: line("atom.global.add.u32 " + any() + ", " + own(below(14)) + ", " + any() + ";"); break;
            case 1:
                line("atom.shared.max.u32 " + any() + ", [%r14+" + std::to_string(256 * below(4)) + "], " + any() +
                     ";");
                break;
            case 2: line("ld.volatile.global.u32 " + any() + ", " + own(below(14)) + ";"); break;
            case 3: line("st.volatile.global.u32 " + own(below(14)) + ", " + any() + ";"); break;
            default: line("membar.gl;"); break;
        }
    }
    void guarded() {
        line("setp.gt.s32 %p2, " + any() + ", " + any() + ";");
        std::string const guard = below(2) == 0 ? "@%p2 " : "@!%p2 ";
        switch (below(3)) {
            case 0: line(guard + "add.u32 " + any() + ", " + any() + ", 3;"); break;
            case 1: line(guard + "st.global.u32 " + own(below(14)) + ", " + any() + ";"); break;
            default: line(guard + "ld.shared.u32 " + any() + ", [%r14];"); break;
        }
    }
    /// What a neighbour has: all threads must be there.
    void exchange(bool together) {
        if (!together) return line("popc.b32 " + any() + ", " + any() + ";");
        if (below(2) == 0) {
            line("shfl.sync.bfly.b32 " + any() + ", " + any() + ", " + std::to_string(1 + below(31)) +
                 ", 31, -1;");
            return;
        }
        line("bar.sync 0;");
        line("ld.shared.u32 " + any() + ", [%r16+" + std::to_string(256 * below(4)) + "];");
        line("bar.sync 0;");
    }
    /// Which some lanes take.
    void path(int depth) {
        std::string const label = "path" + std::to_string(labels_++);
        line("and.b32 %r19, " + any() + ", " + std::to_string(1 + below(3)) + ";");
        line("setp.eq.s32 %p3, %r19, 0;");
        line("@%p3 bra " + label + ";");
        statements(1 + below(4), depth - 1, false);
        line(label + ":");
    }
    /// Of rounds that are known, or not, or differ between the lanes; an address may go on with them.
    void loop(int depth, bool together) {
        std::string const number = std::to_string(labels_++), label = "loop" + number;
        std::string const counter = "%n" + number, pointer = "%a" + number, sum = "%s" + number;
        line(".reg .u32 " + counter + ", %m" + number + ";");
        line(".reg .u64 " + pointer + ", " + sum + ";");
        std::uint32_t const kind = below(3);
        std::uint32_t const rounds = 2 + below(9);
        bool const stays = kind != 2;  // all lanes take as many
        if (kind == 0) line("mov.u32 %m" + number + ", " + std::to_string(rounds) + ";");
        if (kind == 1)
            line("mov.u32 %r20, %ntid.x; shr.u32 %m" + number + ", %r20, " + std::to_string(3 + below(3)) + ";");
        if (kind == 2)
            line("and.b32 %m" + number + ", " + any() + ", 7; add.u32 %m" + number + ", %m" + number + ", 1;");
        line("mov.u32 " + counter + ", 0; mov.u64 " + pointer + ", 0;");
        line(label + ":");
        line("add.s64 " + sum + ", %o4, " + pointer + ";");
        std::string const temporary = "%t" + number;
        line("{ .reg .u32 " + temporary + ";");
        line("ld.global.u32 " + temporary + ", [" + sum + "+" + std::to_string(256 * below(3)) + "];");
        line("mad.lo.u32 " + temporary + ", " + temporary + ", 5, " + any() + ";");
        line("st.global.u32 [" + sum + "+" + std::to_string(256 * below(3)) + "], " + temporary + "; }");
        statements(below(3), depth - 1, together && stays);
        line("add.s64 " + pointer + ", " + pointer + ", 256; add.u32 " + counter + ", " + counter + ", 1;");
        if (below(3) != 0) {
            line("setp.lt.u32 %p4, " + counter + ", %m" + number + ";");
            line("@%p4 bra " + label + ";");
            return;
        }
        // Left for what does not follow, with the jump back behind it.
        line("setp.ge.u32 %p4, " + counter + ", %m" + number + ";");
        line("@%p4 bra left" + number + ";");
        line("bra.uni " + label + ";");
        line("aside" + number + ":");
        line("st.global.u32 " + own(below(14)) + ", " + any() + ";");
        line("left" + number + ":");
        line("setp.eq.u32 %p4, %i, 1000000; @%p4 bra aside" + number + ";");
    }

    std::mt19937 random_;
    std::string body_;
    int labels_ = 0;
};

TEST_CASE("Programs made at random compute and count in timing mode as in functional mode", "[timing][plan]") {
    std::string const arrays = ".shared .align 1024 .b8 area[1024];\n.shared .align 1024 .b8 other[1024];\n";
    for (std::uint32_t seed = 1; seed <= 1200; ++seed) {
        std::string const body = Program(seed).text();
        CAPTURE(seed, body);
        char const* const configs[] = {"v100", "a100", "h100", "rtx2060"};
        Compiled k(body, "", configs[seed % 4], arrays);
        check_as_functional(k, 1, false);
    }
}

}  // namespace plan_random_test
