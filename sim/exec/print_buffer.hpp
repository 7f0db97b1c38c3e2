// What kernels print: the formatting of vprintf, and the buffer that keeps its output until the host asks for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <string_view>

namespace warpsim::sim {

/// Output of kernels in the order in which it was printed; if it does not fit, the oldest is lost, as with CUDA.
/// Safe to use from all host threads.
class PrintBuffer {
public:
    explicit PrintBuffer(std::uint64_t limit_bytes) : limit_(limit_bytes) {}

    /// `bytes` is what the record takes in the buffer, not the length of its text.
    void add(std::string text, std::uint64_t bytes);

    struct Output {
        std::string text;
        std::uint64_t lost = 0;  // calls of printf
    };
    /// Everything that was printed since the last call.
    Output take();

    /// What is in it.
    struct Content {
        struct Record {
            std::string text;
            std::uint64_t bytes;
        };
        std::uint64_t used = 0;  // bytes
        std::uint64_t lost = 0;
        std::deque<Record> records;
    };
    /// A copy, and the way back to it.
    Content content() const;
    void restore(Content content);

private:
    mutable std::mutex mutex_;
    std::uint64_t const limit_;
    Content content_;
};

/// Where vprintf reads its arguments and strings; both functions may throw for a bad address.
struct PrintArguments {
    std::function<std::uint64_t(std::uint64_t offset, std::uint32_t bytes)> value;  // in the argument buffer
    std::function<std::string(std::uint64_t address)> text;                         // a string that ends with 0
};

struct Printed {
    std::string text;
    int arguments = 0;        // converted, as CUDA's printf returns
    std::uint64_t bytes = 0;  // of the record in the buffer
};

/// Formats as the host's printf does. The argument buffer has the layout of C's varargs: each item aligned to its
/// size, 8 bytes for pointers, floating point and the sizes l, ll, z, j and t, else 4.
Printed format_printf(std::string_view format, PrintArguments const& arguments);

}  // namespace warpsim::sim
