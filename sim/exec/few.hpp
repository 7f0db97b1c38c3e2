// A list that mostly has one element, which it then keeps in place: a warp has one split and one activation most of the
// time, and in timing mode each step of a warp finds its state outside the host's nearest caches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace warpsim::sim {

/// Adding and removing elements moves the others, as in a vector.
template <class T> class Few {
public:
    std::size_t size() const { return size_; }
    bool empty() const { return size_ == 0; }
    T* begin() { return size_ <= 1 ? &only_ : several_.data(); }
    T* end() { return begin() + size_; }
    T const* begin() const { return size_ <= 1 ? &only_ : several_.data(); }
    T const* end() const { return begin() + size_; }
    T& operator[](std::size_t i) { return begin()[i]; }
    T const& operator[](std::size_t i) const { return begin()[i]; }
    T& back() { return begin()[size_ - 1]; }
    T const& back() const { return begin()[size_ - 1]; }

    T& add(T element) {
        if (size_ == 0) {
            only_ = std::move(element);
        } else {
            if (size_ == 1) several_.push_back(std::move(only_));
            several_.push_back(std::move(element));
        }
        ++size_;
        return back();
    }
    void remove(std::size_t i) {
        if (size_ > 1) several_.erase(several_.begin() + static_cast<std::ptrdiff_t>(i));
        if (--size_ > 1) return;
        only_ = size_ == 1 && !several_.empty() ? std::move(several_.front()) : T{};
        several_.clear();
    }
    void clear() {
        only_ = T{};
        several_.clear();
        size_ = 0;
    }

private:
    T only_{};                // the element, if there is one
    std::vector<T> several_;  // ... all elements, if there are more
    std::uint32_t size_ = 0;
};

}  // namespace warpsim::sim
