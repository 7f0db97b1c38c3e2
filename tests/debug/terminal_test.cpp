// The debugger at a terminal: prompts, repetition by an empty line, Ctrl-C.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <sys/wait.h>

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

namespace debug_terminal_test {

using namespace warpsim;

namespace {

/// Some containers have none.
bool has_terminals() {
    int const file = posix_openpt(O_RDWR | O_NOCTTY);
    bool const is_there = file >= 0 && grantpt(file) == 0 && unlockpt(file) == 0 && ptsname(file) != nullptr &&
                          access(ptsname(file), R_OK | W_OK) == 0;
    if (file >= 0) close(file);
    if (!is_there) WARN("skipped: there are no pseudo-terminals");
    return is_there;
}

/// A program at a terminal of its own.
class Terminal {
public:
    explicit Terminal(std::vector<std::string> const& words, char const* kind = "dumb") {
        master_ = posix_openpt(O_RDWR | O_NOCTTY);
        REQUIRE(master_ >= 0);
        REQUIRE(grantpt(master_) == 0);
        REQUIRE(unlockpt(master_) == 0);
        std::string const name = ptsname(master_);
        child_ = fork();
        if (child_ != 0) return;
        setsid();
        int const slave = open(name.c_str(), O_RDWR);  // and so the terminal of the session
        for (int const file : {0, 1, 2}) dup2(slave, file);
        setenv("TERM", kind, 1);
        std::vector<char*> arguments;
        for (std::string const& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
        arguments.push_back(nullptr);
        execv(arguments.front(), arguments.data());
        _exit(127);
    }
    ~Terminal() {
        if (child_ > 0) kill(child_, SIGKILL);
        close(master_);
    }
    Terminal(Terminal const&) = delete;
    Terminal& operator=(Terminal const&) = delete;

    void type(std::string const& text) const {
        REQUIRE(write(master_, text.data(), text.size()) == static_cast<ssize_t>(text.size()));
    }
    /// Reads until the text is there, and returns all that came before it since the last call.
    std::string wait_for(std::string const& text) {
        std::size_t found = 0;
        while ((found = seen_.find(text)) == std::string::npos) {
            pollfd file{master_, POLLIN, 0};
            INFO(seen_);
            REQUIRE(poll(&file, 1, 60000) == 1);
            char buffer[4096];
            ssize_t const size = read(master_, buffer, sizeof buffer);
            REQUIRE(size > 0);
            seen_.append(buffer, static_cast<std::size_t>(size));
        }
        std::string before = seen_.substr(0, found);
        seen_.erase(0, found + text.size());
        return before;
    }
    int status() {
        if (child_ != 0) waitpid(child_, &status_, 0);
        child_ = 0;
        return WIFEXITED(status_) ? WEXITSTATUS(status_) : 1000 + status_;
    }
    /// Waits for its end, for a second at most.
    bool is_running() {
        for (int i = 0; i < 100 && child_ != 0; ++i) {
            if (waitpid(child_, &status_, WNOHANG) == child_) child_ = 0;
            else usleep(10000);
        }
        return child_ != 0;
    }

private:
    int master_ = -1;
    pid_t child_ = 0;
    int status_ = 0;
    std::string seen_;
};

}  // namespace

TEST_CASE("At a terminal there are prompts, and an empty line repeats a step", "[debug]") {
    if (!has_terminals()) return;
    test::TemporaryFolder const folder;
    Terminal terminal(
        {WARPSIM_COMMAND, "debug", WARPSIM_SOURCE_DIR "/tests/kernels/plans/saxpy.json", "--out", folder / ""});
    terminal.wait_for("(warpsim) ");
    terminal.type("start\n");
    terminal.wait_for("(warpsim) ");
    terminal.type("stepi\n");
    terminal.wait_for("(warpsim) ");
    terminal.type("\n");
    terminal.wait_for("(warpsim) ");
    terminal.type("info position\n");
    terminal.wait_for("instruction 3 of the launch");
    terminal.wait_for("(warpsim) ");
    terminal.type("continue\n");
    terminal.wait_for("[all launches have ended]");
    terminal.wait_for("(warpsim) ");
    terminal.type("run\n");
    terminal.wait_for("[all launches have ended]");
    terminal.wait_for("(warpsim) ");
    terminal.type("quit\n");
    CHECK(terminal.status() == 0);
}

TEST_CASE("Ctrl-C stops an endless kernel at a prompt", "[debug]") {
    if (!has_terminals()) return;
    test::TemporaryFolder const folder;
    folder.write("endless.ptx",
                 ".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry endless() {\n.reg .b32 %r<2>;\n"
                 "mov.u32 %r1, 0;\nAGAIN: add.u32 %r1, %r1, 1;\nbra AGAIN;\n}\n");
    Terminal terminal({WARPSIM_COMMAND, "debug", folder / "endless.ptx"});
    terminal.wait_for("(warpsim) ");
    terminal.type("run\n");
    terminal.wait_for("begins]");
    terminal.type("\x03");
    terminal.wait_for("Interrupted, endless at ");
    terminal.wait_for("(warpsim) ");
    terminal.type("stepi\n");
    terminal.wait_for("(warpsim) ");
    terminal.type("quit\n");
    CHECK(terminal.status() == 0);
}

TEST_CASE("Lines are edited, taken up again and completed", "[debug]") {
    if (!has_terminals()) return;
    if (access(WARPSIM_BINARY_DIR "/lib/libwarpsim_line_editor.so", R_OK) != 0) {
        WARN("skipped: built without libedit");
        return;
    }
    test::TemporaryFolder const folder;
    Terminal terminal(
        {WARPSIM_COMMAND, "debug", WARPSIM_SOURCE_DIR "/tests/kernels/plans/saxpy.json", "--out", folder / ""},
        "vt100");
    terminal.wait_for("(warpsim) ");
    // Two letters that were too many, and one that is missing at the beginning.
    terminal.type("tartxy\x7f\x7f\x01s\n");
    terminal.wait_for("saxpy.ptx:");
    terminal.wait_for("(warpsim) ");
    // One word begins so; several do, and are listed.
    terminal.type("info pos\t\n");
    terminal.wait_for("instruction 1 of the launch");
    terminal.wait_for("(warpsim) ");
    terminal.type("reverse-\t\t");
    terminal.wait_for("reverse-stepi");
    terminal.type("\x15");
    terminal.type("break sax\t\x15print blockD\t\n");
    terminal.wait_for("$1 = {x = 256, y = 1, z = 1}");
    terminal.wait_for("(warpsim) ");
    // Up, twice.
    terminal.type("\x10\x10\n");
    terminal.wait_for("instruction 1 of the launch");
    terminal.wait_for("(warpsim) ");
    // Ctrl-C gives the line up, and not the program.
    terminal.type("nonsense");
    terminal.wait_for("nonsense");
    terminal.type("\x03");
    terminal.wait_for("^C");
    terminal.wait_for("(warpsim) ");
    terminal.type("continue\n");
    terminal.wait_for("[all launches have ended]");
    terminal.wait_for("(warpsim) ");
    // A key between two lines, when nobody reads, is lost.
    int tries = 0;
    do terminal.type("\x04");
    while (terminal.is_running() && ++tries < 60);
    CHECK(terminal.status() == 0);
}

}  // namespace debug_terminal_test
