// The module libwarpsim_line_editor.so: lines by libedit.
#include "runtime/debug/line_editor/line_editor.hpp"

#include <histedit.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdint>
#include <cstring>
#include <cwchar>

namespace warpsim::debug {

namespace {

class LibeditLines final : public LineEditor {
public:
    LibeditLines(std::FILE* in, std::FILE* out, Completions completions)
        : in_(fileno(in)),
          out_(out),
          given_up_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)),
          completions_(std::move(completions)),
          editor_(el_init("warpsim", in, out, out)),
          history_(history_init()) {
        if (!is_there()) return;
        HistEvent event;
        history(history_, &event, H_SETSIZE, 1000);
        history(history_, &event, H_SETUNIQUE, 1);
        el_set(editor_, EL_CLIENTDATA, this);
        el_set(editor_, EL_GETCFN, &LibeditLines::next);
        el_set(editor_, EL_PROMPT, &LibeditLines::prompt);
        el_set(editor_, EL_EDITOR, "emacs");
        el_set(editor_, EL_HIST, history, history_);
        // By its wide name: el_set() makes copies that nobody frees.
        el_wset(editor_, EL_ADDFN, L"complete", L"Complete the word", &LibeditLines::complete);
        el_set(editor_, EL_BIND, "^I", "complete", nullptr);
        el_set(editor_, EL_BIND, "^R", "em-inc-search-prev", nullptr);
        el_source(editor_, nullptr);  // the user's ~/.editrc
    }
    ~LibeditLines() override {
        if (history_ != nullptr) history_end(history_);
        if (editor_ != nullptr) el_end(editor_);
        if (given_up_ >= 0) close(given_up_);
    }
    LibeditLines(LibeditLines const&) = delete;
    LibeditLines& operator=(LibeditLines const&) = delete;

    bool is_there() const { return editor_ != nullptr && history_ != nullptr && given_up_ >= 0; }

    void give_up() override {
        int const before = errno;
        std::uint64_t const one = 1;
        [[maybe_unused]] ssize_t const written = write(given_up_, &one, sizeof one);
        errno = before;
    }

    std::optional<std::string> read_line(std::string const& prompt) override {
        prompt_ = prompt;
        while (true) {
            int count = 0;
            errno = 0;
            char const* const line = el_gets(editor_, &count);
            if (line == nullptr || count <= 0) {
                if (errno != EINTR) return std::nullopt;
                // Ctrl-C.
                std::fputs("^C\n", out_);
                el_reset(editor_);
                continue;
            }
            std::string text(line, static_cast<std::size_t>(count));
            while (!text.empty() && (text.back() == '\n' || text.back() == '\r')) text.pop_back();
            HistEvent event;
            if (text.find_first_not_of(" \t") != std::string::npos)
                history(history_, &event, H_ENTER, text.c_str());
            return text;
        }
    }

private:
    static LibeditLines& self(EditLine* editor) {
        void* data = nullptr;
        el_get(editor, EL_CLIENTDATA, &data);
        return *static_cast<LibeditLines*>(data);
    }

    /// The next character of the input: 1; 0 at its end, -1 if there is none, with EINTR when the line is given up. A signal
    /// alone would not do: it may come before the wait begins, or to another thread.
    static int next(EditLine* editor, wchar_t* character) {
        LibeditLines const& lines = self(editor);
        std::array<char, MB_LEN_MAX> bytes{};
        for (std::size_t count = 0; count < bytes.size();) {
            std::array<pollfd, 2> files{{{lines.in_, POLLIN, 0}, {lines.given_up_, POLLIN, 0}}};
            if (poll(files.data(), files.size(), -1) < 0) {
                if (errno == EINTR) continue;
                return -1;
            }
            std::uint64_t times = 0;
            if (files[1].revents != 0 && read(lines.given_up_, &times, sizeof times) > 0) {
                errno = EINTR;
                return -1;
            }
            if (files[0].revents == 0) continue;
            ssize_t const size = read(lines.in_, &bytes[count], 1);
            if (size < 0 && errno == EINTR) continue;
            if (size <= 0) return static_cast<int>(size);
            ++count;
            std::mbstate_t state{};
            std::size_t const used = std::mbrtowc(character, bytes.data(), count, &state);
            if (used == static_cast<std::size_t>(-2)) continue;  // there is more of it
            // A Ctrl-D that was typed while no line was read has become a zero by now.
            if (used != static_cast<std::size_t>(-1) && *character != L'\0') return 1;
            count = 0;  // no character of this locale
        }
        return -1;
    }

    static char const* prompt(EditLine* editor) { return self(editor).prompt_.c_str(); }

    /// What all have in common is written; where that is nothing more, all are listed.
    static unsigned char complete(EditLine* editor, int) {
        LibeditLines& lines = self(editor);
        LineInfo const* const info = el_line(editor);
        std::string const before(info->buffer, info->cursor);
        std::size_t const there = before.size() - last_word_at(before);
        std::vector<std::string> const words = lines.completions_(before);
        if (words.empty()) return CC_ERROR;
        std::string common = words.front();
        for (std::string const& word : words) {
            auto const [end, other] = std::mismatch(common.begin(), common.end(), word.begin(), word.end());
            common.erase(end, common.end());
        }
        std::string more = common.size() > there ? common.substr(there) : "";
        if (words.size() == 1) more += ' ';
        if (!more.empty()) return el_insertstr(editor, more.c_str()) == 0 ? CC_REFRESH : CC_ERROR;
        std::fputc('\n', lines.out_);
        std::size_t column = 0;
        for (std::string const& word : words) {
            if (column != 0 && column + word.size() + 2 > 100) std::fputc('\n', lines.out_), column = 0;
            std::fprintf(lines.out_, "%s%s", column == 0 ? "" : "  ", word.c_str());
            column += word.size() + 2;
        }
        std::fputc('\n', lines.out_);
        return CC_REDISPLAY;
    }

    int const in_;
    std::FILE* const out_;
    int const given_up_;  // an event
    Completions const completions_;
    EditLine* const editor_;
    History* const history_;
    std::string prompt_;
};

}  // namespace

extern "C" __attribute__((visibility("default"))) LineEditor*
warpsim_make_line_editor(std::FILE* in, std::FILE* out, Completions const& completions);
extern "C" LineEditor* warpsim_make_line_editor(std::FILE* in, std::FILE* out, Completions const& completions) {
    auto lines = std::make_unique<LibeditLines>(in, out, completions);
    return lines->is_there() ? lines.release() : nullptr;
}

}  // namespace warpsim::debug
