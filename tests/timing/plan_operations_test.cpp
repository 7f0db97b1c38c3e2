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

}  // namespace plan_operations_test
