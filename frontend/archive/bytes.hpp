// Numbers and texts as bytes. Small numbers take one byte.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace warpsim::frontend {

class ByteWriter {
public:
    void byte(std::uint8_t value) {
        *room(1) = static_cast<char>(value);
        ++size_;
    }
    /// Seven bits per byte, least significant first.
    void number(std::uint64_t value) {
        char* const begin = room(10);
        char* at = begin;
        for (; value >= 0x80; value >>= 7) *at++ = static_cast<char>(value | 0x80);
        *at++ = static_cast<char>(value);
        size_ += static_cast<std::size_t>(at - begin);
    }
    void signed_number(std::int64_t value) {
        number(static_cast<std::uint64_t>(value) << 1 ^ static_cast<std::uint64_t>(value >> 63));
    }
    void text(std::string_view text) {
        number(text.size());
        append(text);
    }
    void append(std::string_view bytes) {
        bytes.copy(room(bytes.size()), bytes.size());
        size_ += bytes.size();
    }
    std::size_t size() const { return size_; }
    std::string_view bytes() const { return std::string_view(bytes_).substr(0, size_); }
    std::string take() {
        bytes_.resize(size_);
        return std::move(bytes_);
    }

private:
    /// Where the next `count` bytes may be written.
    char* room(std::size_t count) {
        if (bytes_.size() - size_ < count) bytes_.resize(2 * bytes_.size() + count + 4096);
        return bytes_.data() + size_;
    }

    std::string bytes_;  // the bytes from size_ on are spare room
    std::size_t size_ = 0;
};

/// Thrown by ByteReader and its callers; never leaves PackedModule.
struct Damaged {};

class ByteReader {
public:
    explicit ByteReader(std::string_view bytes) : at_(bytes.data()), end_(bytes.data() + bytes.size()) {}

    std::uint8_t byte() {
        if (at_ == end_) throw Damaged{};
        return static_cast<std::uint8_t>(*at_++);
    }
    std::uint64_t number() {
        std::uint8_t next = byte();
        if (next < 0x80) return next;
        std::uint64_t value = next & 0x7f;
        for (unsigned shift = 7; shift < 64; shift += 7) {
            next = byte();
            value |= static_cast<std::uint64_t>(next & 0x7f) << shift;
            if (next < 0x80) return value;
        }
        throw Damaged{};
    }
    std::int64_t signed_number() {
        std::uint64_t const value = number();
        return static_cast<std::int64_t>(value >> 1 ^ (0 - (value & 1)));
    }
    /// Reads a number that must be at most `most`.
    std::uint64_t number(std::uint64_t most) {
        std::uint64_t const value = number();
        if (value > most) throw Damaged{};
        return value;
    }
    std::uint32_t number32() { return static_cast<std::uint32_t>(number(UINT32_MAX)); }
    /// Reads an index that must be below `end`.
    std::uint32_t index(std::size_t end) {
        std::uint64_t const value = number();
        if (value >= end) throw Damaged{};
        return static_cast<std::uint32_t>(value);
    }
    /// How many items follow. Each takes at least one byte, so damaged bytes cannot ask for much memory.
    std::size_t count() { return static_cast<std::size_t>(number(left())); }
    std::string_view text() { return bytes(count()); }
    std::string_view bytes(std::size_t count) {
        if (count > left()) throw Damaged{};
        std::string_view const found(at_, count);
        at_ += count;
        return found;
    }
    std::size_t left() const { return static_cast<std::size_t>(end_ - at_); }
    char const* at() const { return at_; }

private:
    char const* at_;
    char const* end_;
};

}  // namespace warpsim::frontend
