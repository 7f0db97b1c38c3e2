// The order of instructions beside that of ptxas 13.0, which the lines of its code (-lineinfo) tell.
#include "sim/timing/plan/routines.hpp"
#include "tests/support/catch.hpp"
#include "tests/timing/plan_support.hpp"

#include <array>
#include <cstdlib>
#include <sstream>

namespace plan_order_test {

using namespace warpsim;
using namespace warpsim::test;

namespace {

/// The lines of the body that cost something, in the order of issue.
std::vector<int> order_of(std::string const& body, std::string const& config) {
    Compiled const k(body, "", config);
    std::vector<std::pair<std::size_t, int>> places;
    std::istringstream lines(body);
    int number = 0;
    for (std::string line; std::getline(lines, line); ++number) {
        std::size_t const place = k.place(line);
        if (k.function().instructions[place].micros != 0) places.emplace_back(place, number);
    }
    std::sort(places.begin(), places.end());
    std::vector<int> order;
    order.reserve(places.size());
    for (auto const& [place, line] : places) order.push_back(line);
    return order;
}

/// `count` values from shared memory, one after the other combined with what was made of those before.
std::string combined(int count, std::string const& type, std::string const& prefix, std::string const& operation) {
    std::ostringstream text;
    for (int i = 0; i < count; ++i)
        text << "ld.shared." << type << " " << prefix << i << ", [area+" << 64 * i << "];\n";
    for (int i = 1; i < count; ++i) {
        text << operation << " " << prefix << 15 + i << ", " << prefix << (i == 1 ? 0 : 14 + i) << ", " << prefix
             << i << ";\n";
    }
    text << "st.global." << type << " [%o4], " << prefix << 14 + count << ";\n";
    return text.str();
}

}  // namespace

TEST_CASE("Loads from shared memory are asked for every fourth cycle, and what they bring is used between them",
          "[timing]") {
    for (char const* const config : {"rtx2060", "a100", "rtx3070"}) {
        INFO(config);
        CHECK(order_of(combined(16, "f32", "%f", "add.f32"), config) ==
              std::vector<int>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 16, 11, 17, 12, 18,
                               13, 19, 14, 20, 15, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31});
        CHECK(order_of(combined(14, "u32", "%r", "min.u32"), config) ==
              std::vector<int>{0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 14, 11, 15,
                               12, 16, 13, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27});
    }
}

TEST_CASE("Loads from global memory go ahead of what does not lead to them", "[timing]") {
    struct Sequence {
        std::string body;
        std::vector<int> order;
    };
    std::vector<Sequence> const sequences{
        {"ld.global.f32 %f0, [%in];\n"
         "ex2.approx.ftz.f32 %f1, %f0;\n"
         "ex2.approx.ftz.f32 %f2, %f1;\n"
         "ex2.approx.ftz.f32 %f3, %f2;\n"
         "ld.global.f32 %f9, [%in+64];\n"
         "rsqrt.approx.ftz.f32 %f10, %f9;\n"
         "mul.f32 %f11, %f10, %f3;\n"
         "st.global.f32 [%o4], %f11;\n",
         {0, 4, 1, 5, 2, 3, 6, 7}},
        {"ld.global.u32 %r1, [%in];\n"
         "xor.b32 %r3, %i, 77;\n"
         "mul.lo.u32 %r4, %r3, %r3;\n"
         "xor.b32 %r5, %r4, %r1;\n"
         "ld.global.u32 %r2, [%in+64];\n"
         "min.u32 %r6, %r5, %r2;\n"
         "st.global.u32 [%o4], %r6;\n",
         {0, 4, 1, 2, 3, 5, 6}},
        // Stores to other bytes need not wait for one another.
        {"ld.global.u32 %r1, [%in];\n"
         "ld.global.u32 %r2, [%in+64];\n"
         "mul.lo.u32 %r3, %r1, %r1;\n"
         "mul.lo.u32 %r4, %r3, %r3;\n"
         "st.global.u32 [%o4], %r4;\n"
         "st.global.u32 [%o4+4], %r2;\n",
         {0, 1, 2, 3, 5, 4}},
    };
    for (Sequence const& s : sequences) {
        for (char const* const config : {"rtx2060", "a100", "rtx3070", "h100"}) {
            INFO(config << ": " << s.body);
            CHECK(order_of(s.body, config) == s.order);
        }
    }
}

TEST_CASE("What has registers fills the cycles that others wait, whatever it is needed for", "[timing]") {
    std::string const long_way = "cvt.rn.f32.s32 %f1, %i;\n"
                                 "ex2.approx.ftz.f32 %f2, %f1;\n"
                                 "ex2.approx.ftz.f32 %f3, %f2;\n"
                                 "st.shared.f32 [area], %f3;\n"
                                 "bar.sync 0;\n"
                                 "ld.shared.f32 %f4, [area+64];\n"
                                 "xor.b32 %r1, %i, 77;\n"
                                 "mul.lo.u32 %r2, %r1, %r1;\n"
                                 "st.global.f32 [%o4], %f4;\n"
                                 "st.global.u32 [%o4+4], %r2;\n";
    CHECK(order_of(long_way, "a100") == std::vector<int>{0, 6, 7, 1, 2, 3, 4, 5, 9, 8});
    std::string const short_way = "cvt.rn.f32.s32 %f1, %i;\n"
                                  "mul.f32 %f2, %f1, 0f3F000000;\n"
                                  "st.shared.f32 [area], %f2;\n"
                                  "bar.sync 0;\n"
                                  "ld.shared.f32 %f3, [area+64];\n"
                                  "xor.b32 %r1, %i, 77;\n"
                                  "st.global.f32 [%o4], %f3;\n"
                                  "st.global.u32 [%o4+4], %r1;\n";
    for (char const* const config : {"a100", "rtx3070"}) {
        INFO(config);
        CHECK(order_of(short_way, config) == std::vector<int>{0, 5, 1, 2, 3, 4, 7, 6});
    }
}

TEST_CASE("Of values with equally long paths those come first whose last users do", "[timing]") {
    std::string const made = "ld.volatile.shared.f32 %f2, [area+4];\n"
                             "ld.volatile.shared.f32 %f3, [area+8];\n"
                             "ld.volatile.shared.f32 %f4, [area+12];\n"
                             "ld.volatile.shared.f32 %f1, [area];\n"
                             "fma.rn.f32 %f10, %f1, %f2, %f2;\n"
                             "fma.rn.f32 %f11, %f1, %f3, %f3;\n"
                             "fma.rn.f32 %f12, %f1, %f4, %f4;\n";
    struct Stores {
        std::string text;
        std::vector<int> order;
    };
    std::vector<Stores> const all{
        {"st.shared.f32 [area+64], %f11;\nst.shared.f32 [area+168], %f10;\nst.shared.f32 [area+272], %f12;\n",
         {5, 4, 6}},
        {"st.shared.f32 [area+64], %f12;\nst.shared.f32 [area+168], %f11;\nst.shared.f32 [area+868], %f12;\n"
         "st.shared.f32 [area+272], %f10;\n",
         {5, 6, 4}},
    };
    for (Stores const& stores : all) {
        std::vector<int> order = order_of(made + stores.text, "a100");
        std::erase_if(order, [](int line) { return line < 4 || line > 6; });
        CHECK(order == stores.order);
    }
}

TEST_CASE("Where registers are scarce, predicates are used before more are made", "[timing]") {
    constexpr int count = 30;
    std::ostringstream text;
    text
        << ".version 7.8\n.target sm_75\n.address_size 64\n.visible .entry k(.param .u64 out, .param .u64 in)\n{\n"
           ".reg .pred %p<30>;\n.reg .b32 %r<100>;\n.reg .b64 %d<8>;\nld.param.u64 %d0, [out];\nld.param.u64 %d1, "
           "[in];\n"
           "mov.u32 %r99, %tid.x;\ncvta.to.global.u64 %d0, %d0;\ncvta.to.global.u64 %d1, %d1;\n"
           "mul.wide.u32 %d2, %r99, 4;\nadd.s64 %d3, %d0, %d2;\n";
    for (int k = 0; k < count; ++k) text << "ld.global.u32 %r" << k << ", [%d1+" << 4 * k << "];\n";
    text << "mul.wide.s32 %d4, %r0, 4;\nadd.s64 %d5, %d1, %d4;\n";
    for (int k = 0; k < count; ++k) {
        text << "setp.lt.s32 %p" << k << ", %r" << k << ", 0;\nmov.u32 %r" << k + 40 << ", 7;\n@%p" << k
             << " bra past" << k << ";\nld.global.u32 %r" << k + 40 << ", [%d5+" << 4 * k << "];\npast" << k
             << ":\n";
    }
    for (int k = 0; k < count; ++k) text << "st.global.u32 [%d3+" << 4 * k << "], %r" << k + 40 << ";\n";
    text << "ret;\n}\n";
    std::array const wanted{157, 159, 159};  // of ptxas
    for (std::size_t c = 0; c < configs_of_table.size(); ++c) {
        Modules modules(configs_of_table[c]);
        auto const module = modules.device.load_text("k.ptx", text.str());
        auto const& function = modules.compiled(*module, "k").functions.front().machine;
        auto const found = static_cast<int>(timing::code_places(function).back());
        INFO(configs_of_table[c] << ": " << found);
        CHECK(std::abs(found - wanted[c]) <= wanted[c] / 50);
    }
}

}  // namespace plan_order_test
