// Memory in huge pages, for the state of what is simulated: it lies all over, and that of a large GPU takes more pages of 4 KiB than
// a host finds the addresses of at once. What is given back serves for others, also of other sizes.
#pragma once

#include <cstddef>
#include <vector>

namespace warpsim::sim {

/// Bytes that begin in a line of the host's caches. Many take memory like any other.
void* take_huge(std::size_t bytes);
/// What take_huge() has given for as many.
void give_back_huge(void* at, std::size_t bytes) noexcept;

template <class T> struct HugeAllocator {
    using value_type = T;

    HugeAllocator() = default;
    template <class Other> HugeAllocator(HugeAllocator<Other> const&) {}
    T* allocate(std::size_t count) {
        static_assert(alignof(T) <= 64);
        return static_cast<T*>(take_huge(count * sizeof(T)));
    }
    void deallocate(T* at, std::size_t count) noexcept { give_back_huge(at, count * sizeof(T)); }
    bool operator==(HugeAllocator const&) const = default;
};
template <class T> using HugeVector = std::vector<T, HugeAllocator<T>>;

/// A class whose objects, made by `new`, lie there.
struct InHugePages {
    static void* operator new(std::size_t bytes) { return take_huge(bytes); }
    static void operator delete(void* at, std::size_t bytes) noexcept { give_back_huge(at, bytes); }
};

}  // namespace warpsim::sim
