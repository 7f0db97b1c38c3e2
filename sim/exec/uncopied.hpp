// Pointers that a copy of a CTA's state does not have: they lead into the engine that runs it, or into the rest of
// the state that was copied. Interpreter::adopt() sets them when an engine goes on with the copy.
#pragma once

#include <cstddef>

namespace warpsim::sim {

template <class T> class Uncopied;

template <class T> class Uncopied<T*> {
public:
    Uncopied() = default;
    Uncopied(T* to) : to_(to) {}
    Uncopied(Uncopied const&) {}
    Uncopied(Uncopied&&) = default;
    Uncopied& operator=(Uncopied const&) {
        to_ = nullptr;
        return *this;
    }
    Uncopied& operator=(Uncopied&&) = default;
    ~Uncopied() = default;

    operator T*() const { return to_; }
    T* operator->() const { return to_; }

private:
    T* to_ = nullptr;
};

template <class T, std::size_t count>
class Uncopied<T* [count]> {
public:
    Uncopied() = default;
    Uncopied(Uncopied const&) {}
    Uncopied(Uncopied &&) = default;
    Uncopied& operator=(Uncopied const&) {
        for (T*& to : to_) to = nullptr;
        return *this;
    }
    Uncopied& operator=(Uncopied&&) = default;
    ~Uncopied() = default;

    operator T* const*() const { return to_; }
    // As pointers take them, so that neither of the two is the better match for a number.
    T*& operator[](std::ptrdiff_t i) { return to_[i]; }
    T* operator[](std::ptrdiff_t i) const { return to_[i]; }

private:
    T* to_[count] = {};
};

}  // namespace warpsim::sim
