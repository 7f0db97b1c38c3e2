// What fuzz targets read their input with.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

/// Takes numbers from the input; behind its end they are zero.
class Input {
public:
    Input(std::uint8_t const* data, std::size_t size) : data_(data), size_(size) {}

    template <class T> T take() {
        T value{};
        std::size_t const count = std::min(sizeof value, size_);
        if (count != 0) std::memcpy(&value, data_, count);
        data_ += count;
        size_ -= count;
        return value;
    }
    /// An enumerator of a type whose last one is `count`.
    template <class E> E choice() {
        return static_cast<E>(take<std::uint8_t>() % static_cast<unsigned>(E::count));
    }

private:
    std::uint8_t const* data_;
    std::size_t size_;
};
