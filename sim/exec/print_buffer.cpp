#include "sim/exec/print_buffer.hpp"

#include <algorithm>
#include <bit>
#include <cstdio>
#include <vector>

namespace warpsim::sim {

void PrintBuffer::add(std::string text, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    content_.used += bytes;
    content_.records.push_back({std::move(text), bytes});
    while (content_.used > limit_ && !content_.records.empty()) {
        content_.used -= content_.records.front().bytes;
        content_.records.pop_front();
        ++content_.lost;
    }
}

PrintBuffer::Output PrintBuffer::take() {
    std::lock_guard const lock(mutex_);
    Output output;
    if (content_.records.empty() && content_.lost == 0) return output;  // as after most launches
    for (Content::Record const& record : content_.records) output.text += record.text;
    output.lost = content_.lost;
    content_ = {};
    return output;
}

PrintBuffer::Content PrintBuffer::content() const {
    std::lock_guard const lock(mutex_);
    return content_;
}

void PrintBuffer::restore(Content content) {
    std::lock_guard const lock(mutex_);
    content_ = std::move(content);
}

namespace {

// The caller, and the address of the format. With the arguments as they lie in vprintf's buffer behind it, a record of six
// ints takes less than 64 bytes, of which a test of Triton's finds 16384 in the default buffer of 1 MiB on NVIDIA's GPUs.
constexpr std::uint64_t record_overhead = 24;

/// One conversion, `%-08.3lld`, without its constant parts.
struct Conversion {
    std::string head;      // "%-08.3", with numbers given by `*` inserted
    bool is_long = false;  // 8 bytes
    std::string size;      // "h" or "hh"
    char kind = 0;
};

class Formatter {
public:
    Formatter(std::string_view format, PrintArguments const& arguments) : format_(format), arguments_(arguments) {}

    Printed run() {
        while (at_ < format_.size()) {
            char const c = format_[at_];
            if (c != '%') {
                printed_.text += c;
                ++at_;
            } else if (at_ + 1 < format_.size() && format_[at_ + 1] == '%') {
                printed_.text += '%';
                at_ += 2;
            } else {
                std::size_t const begin = at_;
                Conversion const conversion = parse();
                if (conversion.kind == 0) printed_.text += format_.substr(begin, at_ - begin);  // not one: text
                else convert(conversion);
            }
        }
        printed_.bytes += record_overhead + (offset_ + 7) / 8 * 8;  // beside the strings
        return std::move(printed_);
    }

private:
    char peek() const { return at_ < format_.size() ? format_[at_] : '\0'; }

    std::uint64_t next(std::uint32_t bytes) {
        offset_ = (offset_ + bytes - 1) / bytes * bytes;
        std::uint64_t const value = arguments_.value(offset_, bytes);
        offset_ += bytes;
        ++printed_.arguments;
        return value;
    }

    void number(std::string& head) {
        if (peek() == '*') {
            ++at_;
            head += std::to_string(static_cast<std::int32_t>(next(4)));
            return;
        }
        while (peek() >= '0' && peek() <= '9') head += format_[at_++];
    }

    Conversion parse() {
        Conversion c;
        c.head = "%";
        ++at_;
        while (std::string_view("-+ #0").find(peek()) != std::string_view::npos && peek() != '\0')
            c.head += format_[at_++];
        number(c.head);
        if (peek() == '.') {
            c.head += format_[at_++];
            number(c.head);
        }
        while (std::string_view("hlzjtL").find(peek()) != std::string_view::npos && peek() != '\0') {
            if (peek() == 'h') c.size += 'h';
            else c.is_long = true;
            ++at_;
        }
        if (std::string_view("diouxXcpeEfFgGaAs").find(peek()) != std::string_view::npos && peek() != '\0')
            c.kind = format_[at_++];
        return c;
    }

    template <class Value> void put(std::string const& specification, Value value) {
        char small[128];
        int const length = std::snprintf(small, sizeof small, specification.c_str(), value);
        if (length < 0) return;
        if (static_cast<std::size_t>(length) < sizeof small) {
            printed_.text.append(small, static_cast<std::size_t>(length));
            return;
        }
        // A program may compute any width; CUDA's buffer would not hold such a line either.
        std::size_t const room = std::min<std::size_t>(static_cast<std::size_t>(length), 1u << 20) + 1;
        std::vector<char> large(room);
        std::snprintf(large.data(), room, specification.c_str(), value);
        printed_.text.append(large.data(), room - 1);
    }

    void convert(Conversion const& c) {
        switch (c.kind) {
            case 'e':
            case 'E':
            case 'f':
            case 'F':
            case 'g':
            case 'G':
            case 'a':
            case 'A': put(c.head + c.kind, std::bit_cast<double>(next(8))); break;
            case 'c': put(c.head + 'c', static_cast<int>(next(4))); break;
            case 'p': put(c.head + 'p', reinterpret_cast<void const*>(next(8))); break;
            case 's': {
                std::uint64_t const address = next(8);
                std::string const text = address == 0 ? "(null)" : arguments_.text(address);
                printed_.bytes += text.size() + 1;
                put(c.head + 's', text.c_str());
                break;
            }
            default:
                if (c.is_long) put(c.head + "ll" + c.kind, static_cast<long long>(next(8)));
                else put(c.head + c.size + c.kind, static_cast<int>(next(4)));
                break;
        }
    }

    std::string_view format_;
    PrintArguments const& arguments_;
    std::size_t at_ = 0;
    std::uint64_t offset_ = 0;
    Printed printed_;
};

}  // namespace

Printed format_printf(std::string_view format, PrintArguments const& arguments) {
    return Formatter(format, arguments).run();
}

}  // namespace warpsim::sim
