// A line on standard error that is written anew in its place, for those who wait.
#pragma once

#include <chrono>
#include <string>

namespace warpsim::statistics {

/// "0:07", "12:30", "1:02:03".
std::string clock_text(double seconds);

class ProgressLine {
public:
    /// Shown again after `pause` at the earliest.
    ProgressLine(bool is_shown, std::chrono::milliseconds pause) : is_shown_(is_shown), pause_(pause) {}
    ~ProgressLine() { clear(); }
    ProgressLine(ProgressLine const&) = delete;
    ProgressLine& operator=(ProgressLine const&) = delete;

    /// Whether show() is worth its text now.
    bool is_due() const { return is_shown_ && std::chrono::steady_clock::now() - last_ >= pause_; }
    /// Of a text that is wider than the terminal, as much as fits.
    void show(std::string text);
    /// So that something else can be printed.
    void clear();

private:
    bool const is_shown_;
    std::chrono::milliseconds const pause_;
    std::chrono::steady_clock::time_point last_{};
    bool is_there_ = false;
};

}  // namespace warpsim::statistics
