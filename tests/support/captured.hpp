// What this process writes to its standard output or error while an object lives.
#pragma once

#include <cstdio>
#include <string>
#include <unistd.h>

namespace warpsim::test {

class Captured {
public:
    /// 1: standard output, 2: standard error.
    explicit Captured(int stream = 1) : stream_(stream), file_(std::tmpfile()), saved_(dup(stream)) {
        flush();
        dup2(fileno(file_), stream_);
    }
    ~Captured() {
        end();
        std::fclose(file_);
    }
    Captured(Captured const&) = delete;
    Captured& operator=(Captured const&) = delete;
    /// All of it; ends the capture.
    std::string text() {
        end();
        std::rewind(file_);
        std::string all;
        for (int c = std::fgetc(file_); c != EOF; c = std::fgetc(file_)) all += static_cast<char>(c);
        return all;
    }

private:
    void flush() const { std::fflush(stream_ == 1 ? stdout : stderr); }
    void end() {
        if (saved_ < 0) return;
        flush();
        dup2(saved_, stream_);
        close(saved_);
        saved_ = -1;
    }

    int stream_;
    std::FILE* file_;
    int saved_;
};

}  // namespace warpsim::test
