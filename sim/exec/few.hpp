// A list that mostly has a few elements, which it then keeps in place: a warp has one split and one activation most of
// the time, and in timing mode each step of a warp finds its state outside the host's nearest caches.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace warpsim::sim {

/// Keeps up to `few_count` in place. Adding and removing elements moves the others, as in a vector.
template <class T, std::uint32_t few_count = 4> class Few {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return size_ <= few_count ? few_.data() : many_.data(); }
    T* end() { return begin() + size_; }
    T const* begin() const { return size_ <= few_count ? few_.data() : many_.data(); }
    T const* end() const { return begin() + size_; }
    T& operator[](std::size_t i) { return begin()[i]; }
    T const& operator[](std::size_t i) const { return begin()[i]; }
    T& back() { return begin()[size_ - 1]; }
    T const& back() const { return begin()[size_ - 1]; }

    T& add(T element) {
        if (size_ < few_count) return few_[size_++] = std::move(element);
        return add_to_many(std::move(element));
    }
    void remove(std::size_t i) {
        if (size_ > few_count) return remove_of_many(i);
        --size_;
        for (; i < size_; ++i) few_[i] = std::move(few_[i + 1]);
        release(few_[size_]);
    }
    void clear() {
        for (std::size_t i = 0; i < std::min<std::size_t>(size_, few_count); ++i) release(few_[i]);
        if (size_ > few_count) many_.clear();  // else it is empty, and in another line of the host's caches
        size_ = 0;
    }

private:
    // Rare, and so no part of the code that calls it.
    [[gnu::noinline]] T& add_to_many(T element) {
        if (size_ == few_count) many_.assign(std::move_iterator(few_.begin()), std::move_iterator(few_.end()));
        ++size_;
        return many_.emplace_back(std::move(element));
    }
    [[gnu::noinline]] void remove_of_many(std::size_t i) {
        many_.erase(many_.begin() + static_cast<std::ptrdiff_t>(i));
        if (--size_ > few_count) return;
        std::move(many_.begin(), many_.end(), few_.begin());
        many_.clear();
    }
    /// What is no longer in the list owns nothing.
    static void release(T& element) {
        if constexpr (!std::is_trivially_destructible_v<T>) element = T{};
    }

    std::uint32_t size_ = 0;          // beside the first element, which mostly is the only one
    std::array<T, few_count> few_{};  // the elements, if there are no more
    std::vector<T> many_;             // ... all elements, if there are
};

}  // namespace warpsim::sim
