#include "sim/huge_pages.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <new>
#include <sys/mman.h>
#include <vector>

namespace warpsim::sim {

namespace {

// Sanitizers watch what they have allocated themselves.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr bool is_watched = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
constexpr bool is_watched = true;
#else
constexpr bool is_watched = false;
#endif
#else
constexpr bool is_watched = false;
#endif

constexpr std::size_t line = 64, page = std::size_t{2} << 20;
constexpr std::size_t span_bytes = std::size_t{64} << 10, spans_of_page = page / span_bytes;
constexpr std::size_t largest_piece = span_bytes / 4;

/// Sizes that pieces have: of a few lines any number, beyond that at most an eighth more than was asked for. The number of lines is
/// odd, as else what all pieces of a size have in the same place would find room in few of the sets of the host's caches.
std::size_t size_of_piece(std::size_t bytes) {
    std::size_t const unit = std::max(line, std::bit_floor(std::max(bytes, line)) / 8);
    return (std::max(bytes, line) + unit - 1) / unit * unit | line;
}

/// Pages are divided into spans, and spans into pieces of one size. A span of which all pieces have been given back serves for any
/// other size, so that kernels with frames of other sizes, one after the other, take no more than the largest.
class Pool {
public:
    void* take(std::size_t size) {
        std::lock_guard const lock(mutex_);
        std::vector<Span*>& with_room = with_room_[size];
        if (with_room.empty()) with_room.push_back(&new_span(size));
        Span& span = *with_room.back();
        void* piece = span.free;
        if (piece != nullptr) {
            span.free = span.free->next;
        } else {
            piece = span.next;
            span.next += size;
        }
        ++span.live;
        if (!span.has_room()) with_room.pop_back();
        return piece;
    }
    void give_back(void* at) {
        std::lock_guard const lock(mutex_);
        auto const place = reinterpret_cast<std::uintptr_t>(at);
        auto const of = pages_.find(place / page);
        if (of == pages_.end()) return;  // of another library, which has a pool of its own
        Span& span = of->second[place % page / span_bytes];
        std::vector<Span*>& with_room = with_room_[span.size];
        if (!span.has_room()) with_room.push_back(&span);
        span.free = new (at) Free{span.free};
        if (--span.live != 0) return;
        std::erase(with_room, &span);
        unused_.push_back(&span);
    }

private:
    struct Free {
        Free* next;
    };
    struct Span {
        std::byte* begin = nullptr;
        std::byte* next = nullptr;  // behind all that have been pieces
        std::size_t size = 0;       // of its pieces
        std::size_t live = 0;       // pieces
        Free* free = nullptr;

        bool has_room() const { return free != nullptr || next + size <= begin + span_bytes; }
    };

    Span& new_span(std::size_t size) {
        if (unused_.empty()) add_page();
        Span& span = *unused_.back();
        unused_.pop_back();
        // What is left over lies in front of the first piece or behind the last one, each time another part of it, so that spans do
        // not have the same in the same sets either.
        std::size_t const left = span_bytes % size / line;
        std::size_t const skipped = ++spans_ * 7 % (left + 1) * line;
        span = {span.begin, span.begin + skipped, size, 0, nullptr};
        return span;
    }
    void add_page() {
        void* const got =
            mmap(nullptr, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (got == MAP_FAILED) throw std::bad_alloc();
        auto* const first = static_cast<std::byte*>(got);
        std::size_t const before = page - 1 - (reinterpret_cast<std::uintptr_t>(got) - 1) % page;
        std::byte* const begin = first + before;
        if (before != 0) munmap(first, before);
        munmap(begin + page, page - before);
        madvise(begin, page, MADV_HUGEPAGE);  // where there are none, they are small
        auto& spans = pages_[reinterpret_cast<std::uintptr_t>(begin) / page];
        for (std::size_t i = spans_of_page; i-- > 0;) {
            spans[i].begin = begin + i * span_bytes;
            unused_.push_back(&spans[i]);
        }
    }

    std::mutex mutex_;
    std::map<std::uintptr_t, std::array<Span, spans_of_page>> pages_;  // by address
    std::map<std::size_t, std::vector<Span*>> with_room_;              // by size of their pieces
    std::vector<Span*> unused_;
    std::size_t spans_ = 0;  // that have been taken into use
};

/// Never destroyed, since others are that have pieces of it.
Pool& pool() {
    static Pool& all = *new Pool;
    return all;
}

}  // namespace

void* take_huge(std::size_t bytes) {
    if (is_watched || bytes > largest_piece) return ::operator new (std::max(bytes, line), std::align_val_t{line});
    return pool().take(size_of_piece(bytes));
}

void give_back_huge(void* at, std::size_t bytes) noexcept {
    if (is_watched || bytes > largest_piece) ::operator delete (at, std::align_val_t{line});
    else pool().give_back(at);
}

}  // namespace warpsim::sim
