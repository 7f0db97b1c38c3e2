// The micro-ops of single PTX instructions compared with what NVIDIA's compiler generates, on the usual path of a
// warp (sass_operations.py says how the table is made).
#include "tests/timing/plan_support.hpp"

namespace plan_operations_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// The frame of the table's kernels around an operation, which may be none.
std::string framed(std::string const& operation, std::string const& type) {
    std::string text;
    for (std::size_t i = 0; i < operation.size(); ++i) {
        bool const is_operand = i > 0 && operation[i - 1] == ' ' &&
                                (operation[i] == 'D' || operation[i] == 'A' || operation[i] == 'B');
        text += !is_operand           ? std::string(1, operation[i])
                : operation[i] == 'D' ? "%v0"
                : operation[i] == 'A' ? "%v1"
                                      : "%v2";
    }
    std::string const bytes = std::to_string(std::stoi(type.substr(1)) / 8),
                      result = operation.empty() ? "%v1" : "%v0";
    return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 p)\n{\n.reg ." + type +
           " %v<3>;\n.reg .b32 %r<2>;\n" +
           ".reg .b64 %d<5>;\nld.param.u64 %d1, [p];\nmov.u32 %r1, %tid.x;\nmul.wide.u32 %d2, %r1, " + bytes +
           ";\ncvta.to.global.u64 %d3, %d1;\nadd.s64 %d4, %d3, %d2;\nld.global." + type +
           " %v1, [%d4];\nld.global." + type + " %v2, [%d4+4096];\n" + text + (text.empty() ? "" : ";\n") +
           "st.global." + type + " [%d4], " + result + ";\nst.global." + type + " [%d4+8192], %v2;\nret;\n}\n";
}

}  // namespace

TEST_CASE("A PTX instruction takes as many micro-ops as ptxas makes instructions of it", "[timing]") {
    char const* const configs[] = {"rtx2060", "a100"};
    for (std::size_t c = 0; c < 2; ++c) {
        Modules modules(configs[c]);
        auto const count = [&](std::string const& text) {
            auto const module = modules.device.load_text("k.ptx", text);
            return static_cast<int>(modules.compiled(*module, "k").functions.front().machine.micros.size());
        };
        std::map<std::string, int> frames;
        std::ifstream in(WARPSIM_SOURCE_DIR "/tests/timing/sass_operations.txt");
        std::size_t seen = 0;
        for (std::string line; std::getline(in, line);) {
            if (line.empty() || line[0] == '#') continue;
            int wanted[2] = {};
            std::string type, operation;
            std::istringstream words(line);
            words >> wanted[0] >> wanted[1] >> type >> std::ws;
            std::getline(words, operation);
            auto const [frame, is_new] = frames.try_emplace(type, 0);
            if (is_new) frame->second = count(framed("", type));
            INFO(operation << " on " << configs[c]);
            CHECK(count(framed(operation, type)) - frame->second == wanted[c]);
            ++seen;
        }
        CHECK(seen > 90);
    }
}

namespace {

/// A kernel that divides `count` loaded values by one parameter; `in_loop`: one value, again and again.
std::string divisions(std::string const& operation, int count, bool in_loop) {
    std::string const type = operation.substr(4);
    std::string loads, work, stores;
    for (int i = 0; i < count; ++i) {
        std::string const n = std::to_string(i), at = "+" + std::to_string(4 * i) + "]";
        loads += "ld.global.b32 %r" + n + ", [%d1" + at + ";\n";
        work += operation + " %r" + std::to_string(20 + i) + ", %r" + n + ", %r50;\n";
        stores += "st.global.b32 [%d2" + at + ", %r" + std::to_string(20 + i) + ";\n";
    }
    if (in_loop)
        work =
            "mov.u32 %r51, 0;\nagain:\n.pragma \"nounroll\";\nld.volatile.global.b32 %r0, [%d1];\n" + work +
            "add.u32 %r51, %r51, 1;\nst.global.b32 [%d2], %r20;\nsetp.lt.u32 %p1, %r51, %r52;\n@%p1 bra again;\n";
    return ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 a, .param .u64 b, .param "
           "." +
           type +
           " n, .param .u32 m)\n{\n.reg .b32 %r<60>;\n.reg .b64 %d<5>;\n.reg .pred %p<2>;\nld.param.u64 %d1, "
           "[a];\n"
           "ld.param.u64 %d2, [b];\nld.param." +
           type + " %r50, [n];\nld.param.u32 %r52, [m];\n" + loads + work + stores + "ret;\n}\n";
}

}  // namespace

TEST_CASE("Divisions by one divisor make its reciprocal once, as ptxas does", "[timing]") {
    // What ptxas 13.0 takes for each further quotient or remainder, for sm_75, sm_80 and sm_90 alike.
    std::map<std::string, int> const further{{"div.u32", 9}, {"div.s32", 13}, {"rem.u32", 8}, {"rem.s32", 11}};
    for (char const* const config : configs_of_table) {
        Modules modules(config);
        std::vector<std::shared_ptr<runtime::Module>> kept;
        auto const micros = [&](std::string const& text) -> timing::MachineFunction const& {
            kept.push_back(modules.device.load_text("k.ptx", text));
            return modules.compiled(*kept.back(), "k").functions.front().machine;
        };
        for (auto const& line : further) {
            std::string const& operation = line.first;
            int const ops = line.second;
            INFO(operation << " on " << config);
            auto const count = [&](int n) {
                return static_cast<int>(micros(divisions(operation, n, false)).micros.size());
            };
            CHECK(count(8) - count(2) == 6 * (ops + 2));  // a load and a store each
            // In a loop the reciprocal comes before it.
            timing::MachineFunction const& m = micros(divisions(operation, 1, true));
            int inside = 0, before = 0;
            for (std::uint32_t i = 0; i < m.instructions.size(); ++i) {
                if (m.form(i).operation == isa::Operation::div || m.form(i).operation == isa::Operation::rem)
                    inside += m.instructions[i].micros;
                before += m.instructions[i].reciprocals;
            }
            CHECK(inside == ops);
            CHECK(before == 1);
        }
        // A divisor that changes, a constant, and one that only some paths have divided by, are no such case.
        auto const text = [&](std::string const& from, std::string const& to) {
            std::string made = divisions("rem.u32", 2, false);
            REQUIRE(made.find(from) != std::string::npos);
            made.replace(made.find(from), from.size(), to);
            return micros(made).micros.size();
        };
        std::size_t const shared = text("ret;", "ret;");
        CHECK(text("rem.u32 %r21, %r1, %r50;", "rem.s32 %r21, %r1, %r50;") > shared + 6);
        CHECK(text("rem.u32 %r21, %r1, %r50;", "rem.u32 %r21, %r1, %r0;") > shared + 6);
        CHECK(text("rem.u32 %r20, %r0, %r50;", "mov.u32 %r20, 0;\nsetp.eq.u32 %p1, %r1, 0;\n@%p1 bra "
                                               "past;\nst.global.u32 [%d2], %r1;\nbar.sync 0;\n"
                                               "rem.u32 %r20, %r0, %r50;\npast:\n") > shared + 6);
    }
}

TEST_CASE("Where lanes may be missing, a shuffle asks for them first", "[timing]") {
    std::string const begin = "mov.u32 %r1, %tid.x; ld.global.u32 %r2, [%in];\n",
                      shuffle = "shfl.sync.down.b32 %r3, %r2, 4, 31, ",
                      end = "st.global.u32 [%o4], %r3;\nend: ret;\n";
    auto const micros = [&](std::string const& body, std::string const& config) {
        return Compiled(begin + body + end, "", config).micros("shfl");
    };
    std::string const branch = "setp.gt.u32 %p1, %r1, 31; @%p1 bra end;\nbar.sync 1, 32;\n",
                      join = "setp.gt.u32 %p1, %r1, 31; mov.u32 %r3, 0; @%p1 bra over;\nbar.sync 1, 32;\n";
    CHECK(micros(shuffle + "-1;\n", "a100") == 1);
    CHECK(micros(branch + shuffle + "-1;\n", "a100") == 1);  // those that are gone do not come back
    CHECK(micros(join + shuffle + "-1;\nover: bar.sync 0;\n", "a100") == 2);
    CHECK(micros(join + shuffle + "-1;\nover: bar.sync 0;\n", "rtx2060") == 2);
    CHECK(micros("shl.b32 %r4, 15, %r1;\n" + shuffle + "%r4;\n", "a100") == 6);
    CHECK(micros("shl.b32 %r4, 15, %r1;\n" + shuffle + "%r4;\n", "rtx2060") == 1);
    CHECK(micros(shuffle + "%r2;\n", "a100") == 1);  // of an address that is the same in all lanes
    CHECK(micros("activemask.b32 %r4;\n" + shuffle + "%r4;\n", "a100") == 1);
}

TEST_CASE("A predicate that becomes a number and a predicate again stays what it was", "[timing]") {
    Compiled const k("ld.global.u32 %r1, [%in]; setp.gt.u32 %p1, %r1, 5; selp.b32 %r2, 1, 0, %p1;\n"
                     "setp.eq.s32 %p2, %r2, 0; @%p2 bra end;\nst.global.u32 [%o4], %r1; bar.sync 0;\nend: ret;\n",
                     "", "h100");
    CHECK(k.fate("selp.b32 %r2") == timing::Fate::folded);
    CHECK(k.fate("setp.eq.s32 %p2") == timing::Fate::folded);
    CHECK(k.fate("setp.gt.u32 %p1") == timing::Fate::issued);
}

TEST_CASE("The least of three is one instruction from 9.0 on", "[timing]") {
    std::string const body = "ld.global.u32 %r1, [%in]; ld.global.u32 %r2, [%in+4]; ld.global.u32 %r3, [%in+8];\n"
                             "min.u32 %r4, %r1, %r2; min.u32 %r5, %r4, %r3; max.u32 %r6, %r5, %r1;\n"
                             "st.global.u32 [%o4], %r6;\n";
    CHECK(Compiled(body, "", "h100").fate("min.u32 %r4") == timing::Fate::folded);
    CHECK(Compiled(body, "", "h100").fate("min.u32 %r5") == timing::Fate::issued);
    CHECK(Compiled(body, "", "a100").fate("min.u32 %r4") == timing::Fate::issued);
}

TEST_CASE("A number that is copied into registers that change takes a move for each, zeros one for a pair",
          "[timing]") {
    auto const moves = [](std::string const& number) {
        std::string body = "mov.f32 %f1, " + number + ";\n", end;
        for (int r = 2; r <= 8; ++r) body += "mov.f32 %f" + std::to_string(r) + ", %f1;\n";
        body += "mov.u32 %r1, %tid.x;\nagain: ld.global.f32 %f9, [%in]; bar.sync 0;\n";
        for (int r = 1; r <= 8; ++r) {
            std::string const f = "%f" + std::to_string(r);
            body += "fma.rn.f32 " + f + ", " + f + ", %f9, %f9;\n";
            end += "st.global.f32 [%o4+" + std::to_string(4 * r) + "], " + f + ";\n";
        }
        Compiled const k(body + "add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, 99; @%p1 bra again;\n" + end, "",
                         "a100");
        std::size_t all = 0;
        for (int r = 1; r <= 8; ++r) all += k.micros("mov.f32 %f" + std::to_string(r) + ",");
        return all;
    };
    CHECK(moves("0f3F800000") == 8);
    CHECK(moves("0f00000000") == 5);  // of ptxas four, in pairs that begin with the first
}

TEST_CASE("A branch on what all lanes load from one place keeps them together", "[timing]") {
    auto const convergence = [](std::string const& address) {
        Compiled const k("ld.global.u32 %r1, [" + address +
                         "]; setp.gt.u32 %p1, %r1, 7; mov.u32 %r2, 1; @%p1 bra end;\n"
                         "ld.global.u32 %r2, [%o8]; bar.warp.sync -1; st.global.u32 [%o4+4], %r2; membar.gl;\n"
                         "end: st.global.u32 [%o4], %r2;\n");
        std::size_t all = 0;
        for (timing::MachineInstruction const& i : k.function().instructions) all += i.convergence;
        return all;
    };
    CHECK(convergence("%in") == 0);
    CHECK(convergence("%o4") > 0);
}

TEST_CASE("Integers of 32 bits become floats in the integer pipe from 8.6 on", "[timing]") {
    // I2FP in ptxas 13.0's code, before I2F; of 64 bits always I2F.
    for (auto const& [config, is_fast] :
         {std::pair("rtx2060", false), {"a100", false}, {"rtx3070", true}, {"h100", true}}) {
        INFO(config);
        Compiled const k("ld.global.u32 %r1, [%in];\nld.global.u64 %d1, [%in+8];\ncvt.rn.f32.s32 %f1, %r1;\n"
                         "cvt.rn.f32.u64 %f2, %d1;\nst.global.f32 [%o4], %f1;\nst.global.f32 [%o4+4], %f2;\n",
                         "", config);
        using timing::MicroUnit;
        auto const place = [&](char const* text) { return static_cast<std::uint32_t>(k.place(text)); };
        CHECK(k.function().uses(place("cvt.rn.f32.s32"), {MicroUnit::alu}) == is_fast);
        CHECK(k.function().uses(place("cvt.rn.f32.s32"), {MicroUnit::sfu}) != is_fast);
        CHECK(k.function().uses(place("cvt.rn.f32.u64"), {MicroUnit::sfu}));
    }
}

}  // namespace plan_operations_test
