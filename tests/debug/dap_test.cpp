// `warpsim debug --dap` with a client of its own, dap_client.py, whose sessions check what they are answered.
#include "runtime/debug/dap/message.hpp"
#include "sim/error.hpp"
#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace dap_test {

using namespace warpsim;

namespace {

std::string const tests = WARPSIM_SOURCE_DIR "/tests/";
std::string const saxpy = tests + "kernels/plans/saxpy.json";

/// With a plan in the client's folder, plan.json, and PTX that it may be of.
void run_session(std::string const& session, std::string const& plan = "", std::string const& ptx = "") {
    if (std::system("python3 --version >/dev/null 2>&1") != 0) {
        WARN("skipped: there is no python3");
        return;
    }
    test::TemporaryFolder const folder;
    folder.write("plan.json", plan);
    folder.write("kernel.ptx", ptx);
    std::string const line = "cd " + (folder / "") + " && python3 " + tests +
                             "debug/dap_client.py " WARPSIM_COMMAND " " + session + " >out.txt 2>err.txt";
    int const status = std::system(line.c_str());
    INFO(folder.read("err.txt"));
    CHECK(status == 0);
    CHECK(folder.read("out.txt") == "all is well\n");
}

}  // namespace

TEST_CASE("An editor debugs a plan from its launch to its end, and back", "[debug]") {
    run_session("plan " + saxpy + " " + tests + "kernels/saxpy.cu");
}

TEST_CASE("An editor's breakpoints count hits, over a port", "[debug]") {
    run_session("hits " + saxpy + " " + tests + "kernels/saxpy.cu");
}

TEST_CASE("An editor sees a fault before it happens, and steps back from it", "[debug]") {
    run_session("fault plan.json", R"({"schema": "warpsim-plan/1", "module": ")" WARPSIM_SOURCE_DIR
                                   R"(/examples/bounds/kernel.ptx", "buffers": {"a": {"type": "u32", "count": 40}},
                "launches": [{"kernel": "store", "grid": [1], "block": [64], "args": ["a"]}]})");
}

TEST_CASE("An editor pauses a kernel that does not end, and ends it", "[debug]") {
    run_session("endless plan.json",
                R"({"schema": "warpsim-plan/1", "module": "kernel.ptx", "launches": [{"kernel": "endless"}]})",
                ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry endless() {\n.reg .b32 %r<2>;\n"
                "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n");
}

TEST_CASE("An editor's log points say what they are asked for", "[debug]") {
    run_session("log " + saxpy + " " + tests + "kernels/saxpy.cu");
}

TEST_CASE("An editor restarts a plan, and leaves it alone", "[debug]") {
    run_session("restart " + saxpy + " " + tests + "kernels/saxpy.cu");
}

TEST_CASE("An editor stops at what a checker finds", "[debug]") {
    run_session("finding " WARPSIM_SOURCE_DIR "/examples/race/plan.json");
}

TEST_CASE("What is no request of an editor is refused, or ends the session", "[debug]") {
    run_session("malformed " + saxpy);
}

#ifndef WARPSIM_SANITIZED

TEST_CASE("A program without a GPU ends an editor's session", "[debug]") {
    run_session("host sh -c 'echo one; echo two; exit 3'");
}

#endif

namespace {

/// What a reader finds in bytes that arrive in pieces of that size: each message, and "!" where none can be found any more.
std::string found(std::string_view bytes, std::size_t piece) {
    debug::dap::MessageReader reader;
    std::string all;
    try {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
            reader.add(bytes.substr(0, piece));
            while (std::optional<std::string> const text = reader.next()) all += "[" + *text + "]";
        }
    } catch (Error const&) {
        all += "!";
    }
    return all;
}

}  // namespace

TEST_CASE("Messages of the protocol are found in whatever pieces they arrive, and what is none is told of",
          "[debug]") {
    struct Case {
        std::string bytes, messages;
    };
    std::vector<Case> const cases{
        {"Content-Length: 2\r\n\r\n{}Content-Length: 3\r\n\r\n[1]", "[{}][[1]]"},
        {"content-length:2\r\nX-Other: 7\r\n\r\n{}", "[{}]"},
        {"X: y\r\nContent-Length:   0\r\n\r\nContent-Length: 1\r\n\r\nx", "[][x]"},
        {"Content-Length: 5\r\n\r\n{}", ""},
        {"Content-Length: 2\r\n", ""},
        {"Content-Length: -2\r\n\r\n{}", "!"},
        {"Content-Length: 2x\r\n\r\n{}", "!"},
        {"Content-Length: \r\n\r\n{}", "!"},
        {"Content-Length: 99999999999999999999\r\n\r\n{}", "!"},
        {"Content-Length: 16777217\r\n\r\n{}", "!"},
        {"Length: 2\r\n\r\n{}", "!"},
        {"\r\n\r\n", "!"},
        {std::string(5000, 'x'), "!"},
        {"Content-Length: 2\r\n\r\n{}GET / HTTP/1.1\r\n\r\n", "[{}]!"},
    };
    for (Case const& c : cases) {
        INFO(c.bytes);
        for (std::size_t const piece : {std::size_t{1}, std::size_t{3}, c.bytes.size()})
            CHECK(found(c.bytes, piece) == c.messages);
    }
}

TEST_CASE("A text is an object that is not nested without end, or no message", "[debug]") {
    using debug::dap::parsed;
    CHECK(parsed(R"({"seq": 1})")["seq"] == 1);
    for (std::string const& bad :
         {std::string(""), std::string("["), std::string("[]"), std::string("7"), std::string("{\"a\":}"),
          std::string("\xff"), std::string(101, '[') + std::string(101, ']'), std::string("{} {}")}) {
        INFO(bad);
        CHECK_THROWS_AS(parsed(bad), Error);
    }
    // Brackets in a string nest nothing.
    CHECK(parsed("{\"a\": \"" + std::string(500, '[') + "\\\"\"}").contains("a"));
}

}  // namespace dap_test
