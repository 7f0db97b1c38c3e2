// What the passes make of small kernels, in the order of issue.
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <algorithm>

namespace plan_test {

using namespace warpsim;
using namespace warpsim::test;

using timing::Fate;

TEST_CASE("Copies, constants, unused values and what others take in cost nothing", "[timing]") {
    Compiled const k(R"(
mov.u32 %r1, %i;
mov.u32 %r2, 17;
add.u32 %r3, %r1, %r2;
mul.lo.u32 %r4, %r3, %r1;
add.u32 %r5, %r4, %r3;
mul.lo.u32 %r6, %r3, %r3;
and.b32 %r7, %r5, %r3;
xor.b32 %r8, %r7, %r1;
mul.wide.u32 %d1, %r8, 4;
add.s64 %d2, %out, %d1;
add.s64 %d3, %d2, 16;
st.global.u32 [%d3+4], %r8;
)");
    CHECK(k.fate("mov.u32 %r1") == Fate::removed);
    CHECK(k.fate("mov.u32 %r2") == Fate::removed);
    CHECK(k.fate("mul.lo.u32 %r4") == Fate::folded);
    CHECK(k.micros("add.u32 %r5") == 1);
    CHECK(k.fate("mul.lo.u32 %r6") == Fate::removed);  // nothing reads it
    CHECK(k.fate("and.b32 %r7") == Fate::folded);      // LOP3
    CHECK(k.fate("mul.wide.u32 %d1") == Fate::folded);
    CHECK(k.micros("add.s64 %d2") == 2);           // IMAD.WIDE, and the factor in a register
    CHECK(k.fate("add.s64 %d3") == Fate::folded);  // [register + 20]
}

TEST_CASE("A test of a logic result for zero is part of the logic, where nobody else wants the result",
          "[timing]") {
    Compiled const k(R"(
and.b32 %r1, %i, 5;
setp.eq.s32 %p1, %r1, 0;
xor.b32 %r2, %i, 9;
setp.ne.u32 %p2, %r2, 0;
or.b32 %r3, %i, 3;
setp.ne.u32 %p3, %r3, 1;
selp.b32 %r4, %r2, %r3, %p1;
selp.b32 %r5, %r4, %i, %p2;
selp.b32 %r6, %r5, %r4, %p3;
st.global.u32 [%o4], %r6;
)");
    CHECK(k.fate("and.b32 %r1") == Fate::folded);
    CHECK(k.micros("setp.eq.s32 %p1") == 1);
    CHECK(k.fate("xor.b32 %r2") == Fate::issued);  // also stored
    CHECK(k.fate("or.b32 %r3") == Fate::issued);   // compared with something else
}

TEST_CASE(
    "What is the same in all lanes is computed by the uniform datapath if all that read it can read it there",
    "[timing]") {
    auto const body = [](std::string const& aside) {
        return "mov.u32 %r1, %ctaid.y;\nmov.u32 %r2, %nctaid.x;\nmul.lo.u32 %r3, %r1, %r2;\nmov.u32 %r4, %tid.x;\n"
               "add.u32 %r5, %r3, %r4;\nxor.b32 %r7, %r3, 12;\nmul.lo.u32 %r8, %r5, %r7;\n" +
               aside + "st.global.u32 [%o4], %r8;\n";
    };
    auto const unit = [](Compiled const& k, std::string const& text) {
        timing::MachineFunction const& m = k.function();
        timing::MachineInstruction const& instruction = m.instructions[k.place(text)];
        return m.micros[instruction.first_micro + instruction.micros - 1u].unit;
    };
    // A shift shifts a vector register.
    std::string const shifts = "shl.b32 %r6, %r3, 3;\nst.global.u32 [%o4+128], %r6;\n";
    Compiled const volta(body("")), hopper(body(""), "", "h100"), shifted(body(shifts), "", "h100");
    CHECK(unit(volta, "mul.lo.u32 %r3") == timing::MicroUnit::fma);
    CHECK(unit(volta, "xor.b32 %r7") == timing::MicroUnit::alu);
    CHECK(unit(hopper, "mul.lo.u32 %r3") == timing::MicroUnit::uniform);
    CHECK(unit(hopper, "xor.b32 %r7") == timing::MicroUnit::uniform);
    CHECK(unit(hopper, "add.u32 %r5") != timing::MicroUnit::uniform);
    CHECK(unit(shifted, "mul.lo.u32 %r3") != timing::MicroUnit::uniform);
    CHECK(unit(shifted, "xor.b32 %r7") != timing::MicroUnit::uniform);
    CHECK(unit(shifted, "shl.b32 %r6") != timing::MicroUnit::uniform);
}

TEST_CASE(
    "A test for zero of logic leaves a place for a uniform register, and a comparison with a number does not",
    "[timing]") {
    for (char const* const config : {"rtx2060", "a100", "rtx3070", "h100"}) {
        INFO(config);
        for (char const* const number : {"0", "1"}) {
            Compiled const k("mov.u32 %r1, %ctaid.y;\nld.global.u32 %r2, [%in];\nand.b32 %r3, %r1, %r2;\n"
                             "setp.eq.s32 %p1, %r3, " +
                                 std::string(number) +
                                 ";\nselp.u32 %r4, %r2, 7, %p1;\nst.global.u32 [%o4], %r4;\n",
                             "", config);
            timing::MachineFunction const& m = k.function();
            CHECK(m.in_uniform_file(m.machine_writes[k.place("mov.u32 %r1")][0]));
        }
        Compiled const compared("mov.u32 %r1, %ctaid.y;\nsetp.eq.s32 %p1, %r1, 1;\nselp.u32 %r4, %i, 7, %p1;\n"
                                "st.global.u32 [%o4], %r4;\n",
                                "", config);
        timing::MachineFunction const& m = compared.function();
        CHECK(!m.in_uniform_file(m.machine_writes[compared.place("mov.u32 %r1")][0]));
    }
}

TEST_CASE("Lanes find the same in local memory where all have written the same", "[timing]") {
    for (char const* const config : {"rtx2060", "a100", "rtx3070", "h100"}) {
        for (char const* const stored : {"7", "%i"}) {
            INFO(config << ", " << stored);
            Compiled const k(".local .align 8 .b8 own[8];\nmov.u32 %r1, " + std::string(stored) +
                                 ";\nst.local.u32 [own], %r1;\nbar.sync 0;\nld.local.u32 %r2, [own];\n"
                                 "mov.u32 %r3, 0;\nagain:\n.pragma \"nounroll\";\n"
                                 "ld.global.u32 %r4, [%in];\nst.global.u32 [%o4], %r4;\nadd.u32 %r3, %r3, 1;\n"
                                 "setp.lt.u32 %p1, %r3, %r2;\n@%p1 bra again;\nst.global.u32 [%o4+4], %r4;\n",
                             "", config);
            timing::MachineFunction const& m = k.function();
            bool const is_same = std::string(stored) == "7";
            CHECK(m.in_uniform_file(m.machine_writes[k.place("add.u32 %r3")][0]) == is_same);
        }
    }
}

TEST_CASE("On Hopper what is computed from parameters alone is uniform, and they are loaded for vector registers",
          "[timing]") {
    runtime::Device device(sim::load_config("h100"));
    auto const units = [&](std::string const& text) {
        auto const module = device.load_text("k.ptx", ptx_header() + R"(
.visible .entry k(.param .u64 p, .param .u32 a, .param .u32 b) {
.reg .b32 %r<9>;
.reg .b64 %d<9>;
ld.param.u64 %d1, [p];
ld.param.u32 %r1, [a];
ld.param.u32 %r2, [b];
xor.b32 %r3, %r1, %r2;
mov.u32 %r4, %tid.x;
mov.u32 %r7, %ntid.x;
mov.u32 %r8, %nctaid.x;
mad.lo.u32 %r6, %r7, %r8, 5;
add.u32 %r5, %r3, %r4;
add.u32 %r4, %r4, %r6;
mul.wide.u32 %d2, %r5, 4;
add.u64 %d3, %d1, %d2;
st.global.u32 [%d3], %r4;
ret;
})");
        timing::MachineKernel const& kernel =
            module->state().machine_kernel(module->state().kernel("k"), device.config());
        timing::MachineFunction const& m = kernel.functions.front().machine;
        std::vector<timing::MicroUnit> found;
        for (std::size_t i = 0; i < m.instructions.size(); ++i) {
            if (!kernel.module.written(m.function->instructions[i]).starts_with(text)) continue;
            timing::MachineInstruction const& instruction = m.instructions[i];
            for (std::uint32_t k = 0; k < instruction.micros; ++k)
                found.push_back(m.micros[instruction.first_micro + k].unit);
        }
        return found;
    };
    CHECK(units("xor.b32 %r3") == std::vector{timing::MicroUnit::uniform});
    // An instruction has no place for one in a uniform register and a number.
    CHECK(units("mad.lo.u32 %r6") == std::vector{timing::MicroUnit::fma});
    CHECK(units("ld.param.u64").back() == timing::MicroUnit::special);
}

TEST_CASE("The address of a shared variable is known, wherever it is declared", "[timing]") {
    // The first one is at zero.
    std::string const body = "mov.u32 %r1, own;\nmov.u32 %r5, area;\nshl.b32 %r2, %i, 2;\nadd.u32 %r3, %r1, "
                             "%r2;\nadd.u32 %r6, %r5, %r2;\n"
                             "st.shared.u32 [%r3], %i;\nst.shared.u32 [%r6], %i;\nld.shared.u32 %r4, "
                             "[%r3+4];\nst.global.u32 [%o4], %r4;\n";
    Compiled const inside(".shared .align 16 .b8 own[512];\n" + body);
    CHECK(inside.fate("mov.u32 %r1") == timing::Fate::removed);
    CHECK(inside.fate("mov.u32 %r5") == timing::Fate::removed);
    CHECK(inside.fate("add.u32 %r3") == timing::Fate::removed);
    CHECK(inside.fate("add.u32 %r6") == timing::Fate::folded);
    Compiled const outside(
        "mov.u32 %r1, area;\nadd.u32 %r3, %r1, %i;\nxor.b32 %r4, %r3, %i;\nst.global.u32 [%o4], %r4;\n", "",
        "h100");
    CHECK(outside.fate("add.u32 %r3") == timing::Fate::issued);  // from 9.0 on there is something else at zero
}

TEST_CASE("Sums, shifts and moves go to the multipliers while these have less to do", "[timing]") {
    auto const share = [](std::string const& body, char const* config) {
        Compiled const k(body, "", config);
        std::size_t alu = 0, fma = 0;
        timing::MachineFunction const& m = k.function();
        for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
            if (m.function->block_of[i] != 1) continue;
            for (std::uint32_t j = 0; j < m.instructions[i].micros; ++j) {
                alu += m.micros[m.instructions[i].first_micro + j].unit == timing::MicroUnit::alu;
                fma += m.micros[m.instructions[i].first_micro + j].unit == timing::MicroUnit::fma;
            }
        }
        return std::pair(alu, fma);
    };
    auto const loop = [](std::string const& body) {
        return "mov.u32 %r1, %i;\nmov.u32 %r2, %ctaid.x;\nagain:\n" + body +
               "setp.ne.u32 %p1, %r1, %r2;\n@%p1 bra again;\nst.global.u32 [%o4], %r1;\n";
    };
    std::string sums, words, products;
    for (int i = 0; i < 8; ++i) {
        sums += "add.s32 %r1, %r1, %r2;\nadd.s32 %r2, %r2, %r1;\n";
        words += "xor.b32 %r1, %r1, %r2;\nmin.u32 %r2, %r2, %r1;\n";
        products += "mul.lo.u32 %r1, %r1, %r2;\nmul.lo.u32 %r2, %r2, %r1;\n";
    }
    CHECK(share(loop(sums), "a100") == std::pair<std::size_t, std::size_t>(9, 8));  // and the comparison
    CHECK(share(loop(words), "a100") == std::pair<std::size_t, std::size_t>(17, 0));
    CHECK(share(loop(words + sums), "a100") == std::pair<std::size_t, std::size_t>(17, 16));
    CHECK(share(loop(products + sums), "a100") == std::pair<std::size_t, std::size_t>(17, 16));
}

TEST_CASE("A constant that is stored takes a move, and the store is one of memory all the same", "[timing]") {
    Compiled const k("st.global.u32 [%o4], 77;\nst.global.u32 [%o4+128], %i;\n");
    timing::MachineFunction const& m = k.function();
    timing::MachineInstruction const& store = m.instructions[k.place("st.global.u32 [%o4], 77")];
    REQUIRE(store.micros == 2);
    CHECK(m.micros[store.first_micro].unit == timing::MicroUnit::lsu);
}

TEST_CASE("Loads that come later leave registers to wide ones that are needed first", "[timing]") {
    // A row of a product of matrices: 32 words of a column, and four at once of a row that is the same in all lanes.
    std::string body = ".reg .f32 %sum, %a<32>, %b<32>;\nmov.f32 %sum, 0f00000000;\nmov.u32 %r1, area;\n"
                       "shl.b32 %r2, %i, 2;\nadd.u32 %r2, %r2, %r1;\n";
    for (int k = 0; k < 32; ++k) {
        std::string const n = std::to_string(k);
        body += "ld.shared.f32 %a" + n + ", [%r1+" + std::to_string(4 * k) + "];\n";
        body += "ld.shared.f32 %b" + n + ", [%r2+" + std::to_string(16 * k) + "];\n";
        body += "fma.rn.f32 %sum, %a" + n + ", %b" + n + ", %sum;\n";
    }
    Compiled const k(body + "st.global.f32 [%o4], %sum;\n", ".maxnreg 32");
    timing::MachineFunction const& m = k.function();
    // Between the load of four words and the first sum that needs one there are others to issue.
    std::size_t wide = 0;
    for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
        if (m.machine_writes[i].size() != 4) continue;
        ++wide;
        std::size_t between = 0;
        for (std::uint32_t j = i + 1; j < m.instructions.size(); ++j) {
            auto const reads = m.machine_reads[j];
            if (std::find(reads.begin(), reads.end(), m.machine_writes[i].front()) != reads.end()) break;
            between += m.instructions[j].micros;
        }
        CHECK(between >= 5);
    }
    CHECK(wide == 8);
}

TEST_CASE("Loads go up as far as nothing that they may overlap stands in the way", "[timing]") {
    Compiled const k(R"(
ld.shared.u32 %r1, [area];
mul.lo.u32 %r2, %r1, %i;
mul.lo.u32 %r3, %r2, %i;
st.global.u32 [%o4], %r3;
ld.shared.u32 %r4, [area+16];
ld.global.u32 %r5, [%o4+4];
ld.global.u32 %r6, [%in];
mul.lo.u32 %r7, %r4, %r5;
mul.lo.u32 %r8, %r7, %r6;
st.global.u32 [%o4+8], %r8;
)");
    CHECK(k.place("ld.shared.u32 %r4") < k.place("st.global.u32 [%o4], %r3"));  // another space
    CHECK(k.place("ld.global.u32 %r5") <
          k.place("st.global.u32 [%o4], %r3"));  // other bytes from the same register
    CHECK(k.place("ld.global.u32 %r6") > k.place("st.global.u32 [%o4], %r3"));  // may overlap
}

TEST_CASE("Where registers are scarce, what takes none goes between what waits for one another", "[timing]") {
    // 40 loads that are summed up in their order, more than 32 registers hold, and a chain that needs one register.
    std::string body = ".reg .b32 %v<48>;\nmov.u32 %r1, %tid.x;\n";
    for (int i = 0; i < 40; ++i)
        body += "ld.global.u32 %v" + std::to_string(i) + ", [%in+" + std::to_string(64 * i) + "];\n";
    body += "mov.u32 %r2, %v0;\n";
    for (int i = 1; i < 40; ++i) body += "mad.lo.u32 %r2, %r2, %r2, %v" + std::to_string(i) + ";\n";
    for (int i = 0; i < 8; ++i) body += "mul.lo.u32 %r1, %r1, %r1;\n";
    body += "add.u32 %r2, %r2, %r1;\nst.global.u32 [%o4], %r2;\n";
    Compiled k(body);
    CHECK(k.machine.registers <= 32);
    CHECK(k.place("ld.global.u32 %v16") < k.place("mad.lo.u32 %r2"));
    // As ptxas 13.0 does: loads to begin with, then one for each sum, and the chain between the last sums.
    CHECK(k.place("mad.lo.u32 %r2, %r2, %r2, %v1;") < k.place("ld.global.u32 %v39"));
    CHECK(k.place("ld.global.u32 %v39") < k.place("mul.lo.u32 %r1"));
    CHECK(k.place("mul.lo.u32 %r1") < k.place("mad.lo.u32 %r2, %r2, %r2, %v30;"));
    check_as_functional(k, 2);
}

TEST_CASE("Accesses do not move across barriers, fences, atomics and volatile accesses; nothing does across "
          "clocks and divisions",
          "[timing]") {
    for (std::string const fence :
         {"bar.sync 0;", "ld.volatile.global.u32 %r9, [%in];", "membar.gl;", "atom.global.add.u32 %r9, [%in], 1;",
          "mov.u32 %r9, %clock;", "div.rn.f32 %f9, %f8, %f7;"}) {
        INFO(fence);
        Compiled const k(
            "ld.global.u32 %r1, [%in+128];\nmul.lo.u32 %r2, %r1, %i;\nst.global.u32 [%out+512], %r1;\n" + fence +
            "\nld.global.u32 %r3, [%in+64];\nadd.u32 %r4, %r3, %r2;\nadd.u32 %r4, %r4, "
            "%r9;\nmul.lo.u32 %r5, %r1, 77;\nst.global.u32 [%o4], %r4;\nst.global.u32 [%o4+512], %r5;\n"
            "st.global.f32 [%o4+1024], %f9;\n");
        std::size_t const middle = k.place(fence.substr(0, fence.find(';')));
        bool const stops_all = fence.starts_with("mov") || fence.starts_with("div");
        CHECK(k.place("st.global.u32 [%out+512]") < middle);
        CHECK(k.place("ld.global.u32 %r3") > middle);
        // The product waits for the load, which nothing but a store needs before the barrier.
        CHECK((k.place("mul.lo.u32 %r2") < middle) == stops_all);
        CHECK(k.place("mul.lo.u32 %r5") > middle);
    }
}

TEST_CASE("Wide values lie in aligned pairs, and no two that live at once share a register", "[timing]") {
    Modules modules("a100");
    for (char const* const name : {"matmul", "nbody", "stencil", "transpose", "scan"}) {
        INFO(name);
        timing::CompiledFunction const& f =
            modules.kernel(std::string("tests/kernels/") + name + ".ptx", name).functions.front();
        timing::MachineFunction const& m = f.machine;
        for (std::uint32_t r = 0; r < m.function->registers.size(); ++r) {
            bool const is_wide = m.units(r) == 2 && f.allocation.place[r] != timing::no_register;
            if (is_wide && !m.in_uniform_file(r)) CHECK(f.allocation.place[r] % 2 == 0);
        }
        // Replayed in order inside blocks: a register still holds what was written for the value.
        for (ir::Block const& block : m.function->blocks) {
            std::map<std::uint32_t, std::uint32_t> holder;
            for (std::uint32_t i = block.first; i <= block.last; ++i) {
                for (std::uint32_t const r : m.machine_reads[i]) {
                    if (m.units(r) == 0) continue;
                    auto const held = holder.find(f.allocation.at(r, ir::read_point(i)));
                    if (held != holder.end()) CHECK(held->second == r);
                }
                for (std::uint32_t const r : m.machine_writes[i]) {
                    if (m.units(r) != 0) holder[f.allocation.at(r, ir::write_point(i))] = r;
                }
            }
        }
    }
}

TEST_CASE("An instruction comes after the computation of the registers that it names", "[timing]") {
    // An address in local memory is computed once, for the generic address that calls take and for stores.
    Modules modules("v100");
    timing::MachineFunction const& m =
        modules.kernel("tests/cuda/ptx/children.ptx", "_Z3askPi").functions.front().machine;
    unsigned shared = 0;  // computed by an instruction that the PTX does not name
    for (ir::Block const& block : m.function->blocks) {
        for (std::uint32_t i = block.first; i <= block.last; ++i) {
            for (std::uint32_t const reg : m.machine_reads[i]) {
                std::uint32_t const maker = m.only_definition[reg];
                if (maker == ir::none || maker < block.first || maker > block.last) continue;
                CHECK(maker < i);
                shared += std::ranges::find(m.reads[i], reg) == m.reads[i].end();
            }
        }
    }
    CHECK(shared > 0);
}

namespace {

/// 40 values that are all live at once, in a loop: read before any is written back.
std::string much_alive() {
    std::string body = ".reg .b32 %x<64>;\nmov.u32 %x60, 0;\nagain:\n";
    for (int i = 0; i < 40; ++i)
        body += "ld.volatile.global.u32 %x" + std::to_string(i) + ", [%in+" + std::to_string(4 * i) + "];\n";
    body += "mov.u32 %x50, %x60;\n";
    for (int i = 0; i < 40; ++i)
        body += "mad.lo.u32 %x50, %x" + std::to_string(i) + ", %i, %x50;\nst.volatile.global.u32 [%o4], %x50;\n";
    return body + "add.u32 %x60, %x60, 1;\nsetp.lt.u32 %p1, %x60, 3;\n@%p1 bra again;\n";
}

}  // namespace

TEST_CASE("What does not fit the registers goes to local memory, and the results stay", "[timing]") {
    std::vector<std::uint32_t> bytes[2];
    std::uint64_t instructions[2] = {}, stores[2] = {};
    for (int const tight : {0, 1}) {
        Compiled k(much_alive(), tight != 0 ? ".maxnreg 24" : "");
        CHECK(k.machine.registers <= (tight != 0 ? 24u : 255u));
        CHECK((k.machine.spilled_bytes != 0) == (tight != 0));
        std::vector<std::uint32_t> values(64);
        for (std::uint32_t i = 0; i < 64; ++i) values[i] = i * 2654435761u;
        auto const in = k.modules.device.upload(values), out = k.modules.device.allocate(256);
        runtime::LaunchShape shape;
        shape.block = {64, 1, 1};
        Timed const run = timed_launch(k.modules.device, *k.module, "k", shape, runtime::Arguments::of(out, in),
                                       timing_options(1));
        bytes[tight] = k.modules.device.download<std::uint32_t>(out, 64);
        instructions[tight] = run.statistics.instructions.warp;
        stores[tight] = run.timing->l1.store_requests;
    }
    CHECK(bytes[0] == bytes[1]);
    CHECK(instructions[0] == instructions[1]);  // of the PTX; spills are none
    CHECK(stores[1] > stores[0]);
}

TEST_CASE("Spilled values are counted: their bytes, and the loads and stores that move them", "[timing]") {
    for (char const* const directive : {"", ".maxnreg 24"}) {
        Compiled k(much_alive(), directive);
        auto const in = k.modules.device.allocate(4096), out = k.modules.device.allocate(4096);
        runtime::LaunchShape shape;
        shape.block = {40, 1, 1};  // two warps, 40 threads
        Timed const run = timed_launch(k.modules.device, *k.module, "k", shape, runtime::Arguments::of(out, in),
                                       timing_options(1));
        auto const& spills = run.timing->spills;
        timing::CompiledFunction const& f = k.machine.functions.front();
        std::uint64_t loads = 0, stores = 0;  // those in the loop three times, by each warp
        std::uint32_t const body = f.machine.function->block_of[k.place("mad.lo.u32 %x50")];
        for (std::uint32_t i = 0; i < f.original.size(); ++i) {
            if (f.original[i] != ir::none) continue;
            bool const is_load = ir::effect(k.machine.module, f.machine.ir(i)) == isa::Effect::load;
            (is_load ? loads : stores) += f.machine.function->block_of[i] == body ? 6u : 2u;
        }
        CHECK(spills.bytes_per_thread == k.machine.spilled_bytes);
        CHECK((spills.loads != 0) == (*directive != 0));
        CHECK(spills.loads == loads);
        CHECK(spills.stores == stores);
        // All values of much_alive() that are spilled have 32 bits.
        CHECK(spills.load_bytes == 4 * spills.loads / 2 * 40);
        CHECK(spills.store_bytes == 4 * spills.stores / 2 * 40);
    }
}

TEST_CASE("Predicates beyond seven go through a vector register, and the results stay", "[timing]") {
    auto const body = [](int count) {
        std::string text = "mov.u32 %r31, 0;\n";
        for (int i = 1; i <= count; ++i)
            text += "add.u32 %r1, %i, " + std::to_string(i) + ";\nand.b32 %r1, %r1, 3;\nsetp.gt.u32 %p" +
                    std::to_string(i) + ", %r1, 1;\nmov.u32 %r30, %clock;\n";
        for (int i = 1; i <= count; ++i)
            text += "@%p" + std::to_string(i) + " add.u32 %r31, %r31, " + std::to_string(1 << i) +
                    ";\nmov.u32 %r30, %clock;\n";
        return text + "st.global.u32 [%o4], %r31;\n";
    };
    Compiled few(body(7)), many(body(12));
    auto const moved = [&](Compiled const& k) {
        std::size_t more = 0;
        for (int i = 1; i <= 12 && (&k == &many || i <= 7); ++i)
            more += k.micros("setp.gt.u32 %p" + std::to_string(i) + ",") - 1;
        return more;
    };
    CHECK(few.machine.functions.front().allocation.predicates == 7);
    CHECK(moved(few) == 0);
    CHECK(many.machine.functions.front().allocation.predicates == 7);
    CHECK(moved(many) == 6);  // one of seven stays free for those that are moved back
    check_as_functional(few, 1);
    check_as_functional(many, 1);
}

TEST_CASE("What was computed on every way here is not computed again", "[timing]") {
    Compiled k(R"(
mov.u32 %r20, %tid.x;
mul.lo.u32 %r1, %r20, %r20;
setp.gt.u32 %p1, %r20, 20;
@%p1 bra other;
mul.lo.u32 %r2, %r20, %r20;
xor.b32 %r3, %r20, 77;
bar.warp.sync 0xffffffff;
st.global.u32 [%o4], %r2;
other:
xor.b32 %r4, %r20, 77;
mul.lo.u32 %r5, %r20, %r20;
add.u32 %r6, %r4, %r5;
mul.lo.u32 %r7, %r6, %r1;
st.global.u32 [%o4+512], %r7;
st.global.u32 [%o4+1024], %r3;
)");
    CHECK(k.fate("mul.lo.u32 %r1") == Fate::issued);
    CHECK(k.fate("mul.lo.u32 %r2") == Fate::removed);
    CHECK(k.fate("mul.lo.u32 %r5") == Fate::folded);  // costs nothing there
    CHECK(k.fate("xor.b32 %r4") != Fate::removed);    // the other path bypasses it
}

TEST_CASE("Directives on the size and number of CTAs bound the registers", "[timing]") {
    CHECK(Compiled(much_alive(), ".maxntid 1024 .minnctapersm 2").machine.registers <= 32);
    CHECK(Compiled(much_alive(), ".maxntid 1024").machine.registers <= 64);
    CHECK(Compiled(much_alive()).machine.registers > 40);
}

TEST_CASE("A kernel of a megabyte is compiled within seconds", "[timing]") {
    std::string body = ".reg .b32 %x<64>;\n";
    for (int i = 0; i < 30000; ++i) {
        std::string const a = std::to_string(i % 60), b = std::to_string((i * 7 + 3) % 60);
        body += i % 5 == 0 ? "ld.global.u32 %x" + a + ", [%in+" + std::to_string(4 * (i % 1000)) + "];\n"
                           : "mad.lo.u32 %x" + a + ", %x" + b + ", %x" + a + ", 3;\n";
    }
    body += "st.global.u32 [%o4], %x1;\n";
    Compiled const k(body);
    CHECK(k.function().micros.size() > 10000);
}

}  // namespace plan_test
