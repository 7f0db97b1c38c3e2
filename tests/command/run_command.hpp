// The built command, run in a folder of the test's own.
#pragma once

#include "tests/support/temporary_folder.hpp"

#include <sys/wait.h>

#include <cstdlib>
#include <string>

namespace warpsim::test {

struct Ended {
    int status = 0;  // 1000 and more: it did not exit by itself
    std::string out, err;
};

/// `arguments` and `environment` ("A=1 -u B", as env takes them) are passed through a shell. The output is also in
/// the folder's out.txt and err.txt. `input` is a file of the folder.
inline Ended run_command(TemporaryFolder const& folder, std::string const& arguments,
                         std::string const& environment = "", std::string const& input = "/dev/null") {
    std::string const line = "cd " + (folder / "") + " && env " + environment + " " WARPSIM_COMMAND " " +
                             arguments + " >out.txt 2>err.txt <" + input;
    int const raw = std::system(line.c_str());
    return {WIFEXITED(raw) ? WEXITSTATUS(raw) : 1000 + raw, folder.read("out.txt"), folder.read("err.txt")};
}

inline bool contains(std::string const& text, std::string const& part) {
    return text.find(part) != std::string::npos;
}

}  // namespace warpsim::test
