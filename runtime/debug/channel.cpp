#include "runtime/debug/channel.hpp"

#include <cerrno>
#include <cstdlib>

namespace warpsim::debug {

std::optional<std::string> FileChannel::read_line(std::string const& prompt) {
    if (editor_) return editor_->read_line(prompt);
    if (is_terminal_) write(prompt);
    std::string line;
    while (true) {
        int const c = std::getc(in_);
        if (c == '\n') break;
        if (c == EOF) {
            // A signal has interrupted the wait.
            if (std::ferror(in_) != 0 && errno == EINTR) {
                std::clearerr(in_);
                continue;
            }
            if (line.empty()) return std::nullopt;
            break;
        }
        line += static_cast<char>(c);
    }
    if (!line.empty() && line.back() == '\r') line.pop_back();
    return line;
}

void FileChannel::complete_by(Completions const& completions) {
    if (is_terminal_ && !editor_) editor_ = make_line_editor(in_, out_, completions);
}

void FileChannel::write(std::string_view text) {
    std::fwrite(text.data(), 1, text.size(), out_);
    std::fflush(out_);
}

}  // namespace warpsim::debug
