#include "runtime/cuda/memory/pools.hpp"

#include <algorithm>
#include <cstring>

namespace warpsim::cuda {

namespace {

enum PoolAttribute : int {
    reuse_follow_events = 1,
    reuse_internal_dependencies = 3,
    release_threshold = 4,
    reserved_current = 5,
    reserved_high = 6,
    used_current = 7,
    used_high = 8,
};

constexpr std::uint64_t unit = std::uint64_t{2} << 20;  // by which a pool grows

std::uint64_t round_up(std::uint64_t bytes) { return (bytes + unit - 1) / unit * unit; }

}  // namespace

void Pool::take(std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    if (most_ != 0 && bytes > most_ - std::min(used_, most_)) throw Failure(Result::out_of_memory);
    used_ += bytes;
    used_high_ = std::max(used_high_, used_);
    reserved_ = std::max(reserved_, round_up(used_));
    reserved_high_ = std::max(reserved_high_, reserved_);
}

void Pool::keep(std::uint64_t at_most) {
    reserved_ = std::max(round_up(used_), at_most >= reserved_ ? reserved_ : round_up(at_most));
}

void Pool::give_back(std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    used_ -= bytes;
    keep(release_threshold_);
}

void Pool::trim(std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    keep(bytes);
}

void Pool::get(int attribute, void* value) const {
    if (value == nullptr) throw Failure(Result::invalid_value);
    std::lock_guard const lock(mutex_);
    auto const put = [&](auto number) { std::memcpy(value, &number, sizeof number); };
    switch (attribute) {
        case release_threshold: return put(release_threshold_);
        case reserved_current: return put(reserved_);
        case reserved_high: return put(reserved_high_);
        case used_current: return put(used_);
        case used_high: return put(used_high_);
        default:
            if (attribute < reuse_follow_events || attribute > reuse_internal_dependencies)
                throw Failure(Result::invalid_value);
            return put(reuse_[attribute - reuse_follow_events]);
    }
}

void Pool::set(int attribute, void const* value) {
    if (value == nullptr) throw Failure(Result::invalid_value);
    std::lock_guard const lock(mutex_);
    if (attribute >= reuse_follow_events && attribute <= reuse_internal_dependencies) {
        std::memcpy(&reuse_[attribute - reuse_follow_events], value, sizeof(int));
        return;
    }
    std::uint64_t number = 0;
    std::memcpy(&number, value, sizeof number);
    if (attribute == release_threshold) {
        release_threshold_ = number;
    } else if (attribute == reserved_high && number == 0) {
        reserved_high_ = reserved_;
    } else if (attribute == used_high && number == 0) {
        used_high_ = used_;
    } else {
        throw Failure(Result::invalid_value);
    }
}

Pools::Pools(HandleTable& handles, int devices) : pools_(handles, HandleKind::pool) {
    for (int device = 0; device < devices; ++device) default_of({MemoryKind::device, device});
}

void* Pools::create(PoolPlace const& place, std::uint64_t most_bytes) {
    auto pool = std::make_shared<Pool>(place, most_bytes);
    Pool& made = *pool;
    return made.handle = pools_.add(std::move(pool));
}

void* Pools::default_of(PoolPlace const& place) {
    std::lock_guard const lock(mutex_);
    void*& handle = default_[place];
    if (handle == nullptr) {
        handle = create(place, 0);
        get(handle)->is_default = true;
    }
    return handle;
}

void* Pools::current_of(PoolPlace const& place) {
    {
        std::lock_guard const lock(mutex_);
        if (auto const at = current_.find(place); at != current_.end()) return at->second;
    }
    return default_of(place);
}

void Pools::set_current(PoolPlace const& place, void* handle) {
    if (get(handle)->place != place) throw Failure(Result::invalid_value);
    std::lock_guard const lock(mutex_);
    current_[place] = handle;
}

void Pools::destroy(void* handle) {
    std::shared_ptr<Pool> const pool = get(handle);
    if (pool->is_default) throw Failure(Result::invalid_value);
    pools_.remove(handle);
    std::lock_guard const lock(mutex_);
    if (auto const at = current_.find(pool->place); at != current_.end() && at->second == handle)
        current_.erase(at);
}

}  // namespace warpsim::cuda
