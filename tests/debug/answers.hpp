// What the debugger answers to commands from a file.
#pragma once

#include "tests/command/run_command.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <vector>

namespace warpsim::test::debugger {

inline std::string const source = WARPSIM_SOURCE_DIR "/";

/// What it says to these commands, of a plan, a PTX file, or `-- PROGRAM`.
inline std::string answers(std::string const& commands, std::string const& target, int status = 0) {
    TemporaryFolder const folder;
    folder.write("commands", commands);
    Ended const ended = run_command(folder, "debug -x commands " + target);
    INFO(ended.err);
    CHECK(ended.status == status);
    return ended.out + ended.err;
}

/// Whether the parts are there, one behind the other.
inline void check_in_order(std::string const& text, std::vector<std::string> const& parts) {
    INFO(text);
    std::size_t at = 0;
    for (std::string const& part : parts) {
        INFO(part);
        std::size_t const found = text.find(part, at);
        REQUIRE(found != std::string::npos);
        at = found + part.size();
    }
}

}  // namespace warpsim::test::debugger
