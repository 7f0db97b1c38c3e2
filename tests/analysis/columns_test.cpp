#include "frontend/decode/control_flow.hpp"
#include "frontend/ir/analysis/columns.hpp"
#include "frontend/ir/registers.hpp"
#include "frontend/isa/effect.hpp"
#include "tests/support/build_function.hpp"
#include "tests/support/catch.hpp"

#include <random>
#include <set>

namespace columns_test {

using namespace warpsim;
using namespace warpsim::test;
using ir::Type;

namespace {

ir::RegisterLayout const& allocated(FunctionBuilder& b) {
    b.finish();
    frontend::build_control_flow(b.module, b.function);
    frontend::lay_out_registers(b.module, b.function);
    return b.function.layout;
}

/// Runs one thread on its own lane of the columns and in parallel one with a place for every register, and says
/// whether every read found the same value in both. `random` decides branches, guards and loops.
class Thread {
public:
    Thread(FunctionBuilder const& b, std::uint32_t seed)
        : b_(b), random_(seed), own_(b.function.registers.size(), 0) {}

    bool reads_agree(int steps) {
        auto const& f = b_.function;
        std::uint32_t at = 0;
        while (steps-- > 0 && at < f.instructions.size()) {
            ir::Instruction const& instruction = f.instructions[at];
            bool const runs = instruction.guard == ir::none || random_() % 2 == 0;
            if (runs && !execute(instruction)) {
                return false;
            }
            ir::Block const& block = f.blocks[f.block_of[at]];
            bool const jumps = runs && at == block.last && ends_path(instruction);
            if (!jumps) {
                ++at;
            } else if (block.successors.empty()) {
                return true;
            } else {
                at = f.blocks[block.successors[random_() % block.successors.size()]].first;
            }
        }
        return true;
    }

private:
    bool ends_path(ir::Instruction const& instruction) const {
        auto const effect = ir::effect(b_.module, instruction);
        return effect == isa::Effect::branch || effect == isa::Effect::ret;
    }

    /// A column is named by its class and number.
    std::uint64_t& shared(std::uint32_t reg) {
        Type const type = b_.function.registers[reg].type;
        int const bits = type == Type::pred ? 0 : isa::width(type);
        return columns_[{bits == 8 ? 16 : bits, b_.function.layout.column[reg]}];
    }

    bool execute(ir::Instruction const& instruction) {
        std::vector<std::uint32_t> read, written;
        ir::for_each_register(b_.module, b_.function, instruction, [&](std::uint32_t reg, bool is_written) {
            (is_written ? written : read).push_back(reg);
        });
        bool agree = true;
        auto const check = [&] {
            for (std::uint32_t reg : read) {
                agree = agree && shared(reg) == own_[reg];
            }
        };
        check();
        for (std::uint32_t reg : written) {
            // With several destinations, sources may be read after the first of them has been written.
            if (written.size() > 1 && std::find(read.begin(), read.end(), reg) == read.end()) {
                shared(reg) = own_[reg] = ++token_;
                check();
            } else {
                shared(reg) = own_[reg] = ++token_;
            }
        }
        return agree;
    }

    FunctionBuilder const& b_;
    std::mt19937 random_;
    std::vector<std::uint64_t> own_;
    std::map<std::pair<int, std::uint32_t>, std::uint64_t> columns_;
    std::uint64_t token_ = 0;
};

void random_instruction(FunctionBuilder& b, std::mt19937& random, std::uint32_t registers, std::uint32_t blocks) {
    auto const reg = [&] { return r(static_cast<std::uint32_t>(random() % registers)); };
    Guard const guard{.reg = random() % 3 == 0 ? registers : ir::none};
    switch (random() % 8) {
        case 0: b.emit("ld.global.v2.u32", {vector({reg(), reg()}), reg()}, guard); break;
        case 1: b.emit("setp.lt.u32", {reg(), reg(), reg(), reg()}, guard); break;
        case 2: b.emit("st.global.u32", {reg(), reg()}, guard); break;
        case 3: b.emit("bra", {to("b" + std::to_string(random() % blocks))}, Guard{.reg = registers}); break;
        case 4: b.emit("ret", {}, Guard{.reg = registers}); break;
        default: b.emit("add.u32", {reg(), reg(), reg()}, guard); break;
    }
}

}  // namespace

TEST_CASE("Registers whose lives do not meet share a column", "[analysis]") {
    FunctionBuilder b;
    auto const p = b.reg("%p");
    auto const x = b.reg("%x"), y = b.reg("%y"), z = b.reg("%z");
    b.emit("mov.u32", {r(p), immediate(0)});
    b.emit("ld.global.u32", {r(x), address(p)});
    b.emit("st.global.u32", {address(p), r(x)});
    b.emit("ld.global.u32", {r(y), address(p)});
    b.emit("add.u32", {r(z), r(y), immediate(1)});
    b.emit("st.global.u32", {address(p), r(z)});
    b.emit("ret");
    auto const& layout = allocated(b);
    CHECK(layout.columns32 == 2);
    CHECK(layout.column[x] == layout.column[y]);
    // One destination may reuse the column of a source that is not needed any more.
    CHECK(layout.column[z] == layout.column[y]);
    CHECK(layout.column[p] != layout.column[x]);
    CHECK(layout.pressure == 2);
}

TEST_CASE("Columns are shared within one width only", "[analysis]") {
    FunctionBuilder b;
    for (Type type : {Type::u8, Type::b16, Type::f16, Type::b32, Type::f32, Type::f16x2, Type::b64, Type::f64,
                      Type::b128, Type::pred}) {
        auto const reg = b.reg("%r" + std::to_string(b.function.registers.size()), type);
        b.emit("mov.u32", {r(reg), immediate(0)});
        b.emit("st.global.u32", {immediate(0), r(reg)});
    }
    auto const& layout = allocated(b);
    CHECK(layout.columns16 == 1);
    CHECK(layout.columns32 == 1);
    CHECK(layout.columns64 == 1);
    CHECK(layout.columns128 == 1);
    CHECK(layout.predicates == 1);
    CHECK(layout.pressure == 4);

    auto const own = ir::separate_columns(b.function);
    CHECK(own.columns16 == 3);
    CHECK(own.columns32 == 3);
    CHECK(own.columns64 == 2);
    CHECK(own.columns128 == 1);
    CHECK(own.predicates == 1);
    CHECK(own.column == std::vector<std::uint32_t>{0, 1, 2, 0, 1, 2, 0, 1, 0, 0});
    CHECK(own.pressure == 4);
}

TEST_CASE("Several destinations take no column of the instruction's sources", "[analysis]") {
    FunctionBuilder b;
    auto const base = b.reg("%base"), x = b.reg("%x"), y = b.reg("%y");
    b.emit("mov.u32", {r(base), immediate(0)});
    b.emit("ld.global.v2.u32", {vector({r(x), r(y)}), address(base)});
    b.emit("st.global.u32", {immediate(0), r(x)});
    b.emit("st.global.u32", {immediate(0), r(y)});
    auto const& layout = allocated(b);
    CHECK(layout.columns32 == 3);
    CHECK(std::set<std::uint32_t>(layout.column.begin(), layout.column.end()).size() == 3);
}

TEST_CASE("A result that nothing reads still has a column of its own where it is written", "[analysis]") {
    FunctionBuilder b;
    auto const kept = b.reg("%kept"), dead = b.reg("%dead");
    b.emit("mov.u32", {r(kept), immediate(1)});
    b.emit("mov.u32", {r(dead), immediate(2)});
    b.emit("st.global.u32", {immediate(0), r(kept)});
    auto const& layout = allocated(b);
    CHECK(layout.column[kept] != layout.column[dead]);
}

TEST_CASE("A register written before a loop and read in it lives through the whole loop", "[analysis]") {
    FunctionBuilder b;
    auto const p = b.reg("%p", Type::pred);
    auto const limit = b.reg("%limit"), i = b.reg("%i"), late = b.reg("%late");
    b.emit("mov.u32", {r(limit), immediate(10)});
    b.emit("mov.u32", {r(i), immediate(0)});
    b.label("loop");
    b.emit("setp.lt.u32", {r(p), sink(), r(i), r(limit)});
    b.emit("mov.u32", {r(late), immediate(3)});
    b.emit("add.u32", {r(i), r(i), r(late)});
    b.emit("bra", {to("loop")}, {.reg = p});
    b.emit("ret");
    auto const& layout = allocated(b);
    CHECK(layout.column[late] != layout.column[limit]);
    CHECK(layout.column[late] != layout.column[i]);
    CHECK(layout.columns32 == 3);
    CHECK(layout.pressure == 3);
}

TEST_CASE("A write under a guard keeps what other lanes wrote before", "[analysis]") {
    FunctionBuilder b;
    auto const p = b.reg("%p", Type::pred);
    auto const x = b.reg("%x"), other = b.reg("%other");
    b.emit("mov.u32", {r(x), immediate(1)});
    b.emit("mov.u32", {r(other), immediate(2)});
    b.emit("setp.lt.u32", {r(p), sink(), r(other), immediate(3)});
    b.emit("mov.u32", {r(x), immediate(4)}, {.reg = p});
    b.emit("st.global.u32", {immediate(0), r(x)});
    auto const& layout = allocated(b);
    CHECK(layout.column[x] != layout.column[other]);
}

TEST_CASE("A register read before it is written lives from the entry on", "[analysis]") {
    FunctionBuilder b;
    auto const early = b.reg("%early"), unset = b.reg("%unset");
    b.emit("mov.u32", {r(early), immediate(1)});
    b.emit("st.global.u32", {immediate(0), r(early)});
    b.emit("st.global.u32", {immediate(0), r(unset)});
    auto const& layout = allocated(b);
    CHECK(layout.column[early] != layout.column[unset]);
    auto const registers = ir::list_registers(b.module, b.function);
    auto const liveness = ir::find_liveness(ir::uses_of(b.function, registers));
    CHECK(liveness.intervals[unset].begin == ir::entry_point);
}

TEST_CASE("Parameters in registers live from the entry, results in registers up to every ret", "[analysis]") {
    FunctionBuilder b;
    auto const p = b.reg("%p", Type::pred);
    auto const unread = b.reg("%unread"), read = b.reg("%read"), result = b.reg("%result"), late = b.reg("%late");
    b.function.parameters = {unread, read};
    b.function.parameter_in_register = {true, true};
    b.function.returns = {result};
    b.function.return_in_register = {true};
    b.emit("mov.u32", {r(result), r(read)});
    b.emit("ret", {}, {.reg = p});
    b.emit("mov.u32", {r(late), immediate(1)});
    b.emit("st.global.u32", {immediate(0), r(late)});
    b.emit("ret");
    auto const& layout = allocated(b);
    CHECK(layout.column[unread] != layout.column[read]);
    CHECK(layout.column[late] != layout.column[result]);
}

TEST_CASE("A function without a body and one without registers have a layout", "[analysis]") {
    FunctionBuilder b;
    CHECK(allocated(b).pressure == 1);
    b.emit("ret");
    CHECK(allocated(b).columns32 == 0);
}

TEST_CASE("No thread of a random program reads what sharing has overwritten", "[analysis]") {
    std::mt19937 random(11);
    for (int round = 0; round < 400; ++round) {
        FunctionBuilder b;
        // Some have more registers across blocks than one group of the data flow.
        bool const is_big = round % 40 == 0;
        auto const registers = static_cast<std::uint32_t>(is_big ? 700 : 3 + random() % 12);
        std::array const types{Type::b32, Type::b32, Type::f32, Type::b64, Type::b16, Type::pred};
        for (std::uint32_t i = 0; i < registers; ++i) {
            b.reg("%r" + std::to_string(i), types[random() % types.size()]);
        }
        b.reg("%p", Type::pred);
        auto const blocks = static_cast<std::uint32_t>(1 + random() % 8);
        for (std::uint32_t block = 0; block < blocks; ++block) {
            b.label("b" + std::to_string(block));
            for (auto count = is_big ? 300 : 1 + random() % 6; count > 0; --count) {
                random_instruction(b, random, registers, blocks);
            }
        }
        b.emit("ret");
        allocated(b);
        for (std::uint32_t lane = 0; lane < 8; ++lane) {
            INFO("round " << round << ", lane " << lane);
            REQUIRE(Thread(b, lane).reads_agree(is_big ? 3000 : 300));
        }
    }
}

TEST_CASE("A big function with many registers across many blocks is allocated", "[analysis]") {
    FunctionBuilder b;
    std::uint32_t const registers = 50000;
    for (std::uint32_t i = 0; i < registers; ++i) {
        b.reg("%r" + std::to_string(i));
    }
    auto const p = b.reg("%p", Type::pred);
    for (std::uint32_t i = 0; i < 2 * registers; ++i) {
        if (i % 8 == 0) {
            b.emit("bra", {to("end")}, {.reg = p});
        } else {
            // Written once, read 20 registers (five blocks) later.
            b.emit("add.u32", {r(i / 2), r(i / 2 < 20 ? 0 : i / 2 - 20), r(i / 2 < 1 ? 0 : i / 2 - 1)});
        }
    }
    b.label("end");
    b.emit("ret");
    auto const& layout = allocated(b);
    CHECK(layout.columns32 >= 20);
    CHECK(layout.columns32 <= 24);
    CHECK(layout.pressure <= layout.columns32);
}

}  // namespace columns_test
