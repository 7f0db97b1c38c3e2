#include "runtime/cuda/memory.hpp"

#include "runtime/cuda/process.hpp"
#include "sim/error.hpp"

#include <algorithm>
#include <fstream>
#include <string>

namespace warpsim::cuda {

namespace {

/// What the host could still give without swapping, in bytes.
std::uint64_t available_on_host() {
    std::ifstream file("/proc/meminfo");
    std::string key, unit;
    std::uint64_t kib = 0;
    while (file >> key >> kib) {
        std::getline(file, unit);
        if (key == "MemAvailable:") return kib << 10;
    }
    return ~std::uint64_t{0};
}

}  // namespace

std::uint64_t Memory::allocate(MemoryKind kind, int device, std::uint64_t bytes, unsigned flags, std::uint64_t pool) {
    if (bytes == 0) return 0;
    auto const owner = static_cast<std::size_t>(device);
    // Pages are the host's only once they are touched; to promise more than it has would end in the process's death.
    if (bytes > std::uint64_t{16} << 20 && bytes > available_on_host()) throw Failure(Result::out_of_memory);
    std::uint64_t address = 0;
    try {
        address = gpus_[owner]->device.allocate(bytes);
    } catch (Error const&) {
        throw Failure(Result::out_of_memory);
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        if (is_shared(kind) && i != owner) gpus_[i]->device.make_visible(reinterpret_cast<void*>(address), bytes);
    }
    std::lock_guard const lock(mutex_);
    ranges_[address] = {address, bytes, kind, device, flags, pool, Thread::current().context(), ++last_id_};
    return address;
}

void Memory::free(std::uint64_t address, std::initializer_list<MemoryKind> kinds, Result otherwise) {
    if (address == 0) return;
    Range range;
    {
        std::lock_guard const lock(mutex_);
        auto const at = ranges_.find(address);
        if (at == ranges_.end() || std::find(kinds.begin(), kinds.end(), at->second.kind) == kinds.end()) {
            throw Failure(otherwise);
        }
        range = at->second;
        ranges_.erase(at);
    }
    give_back(range);
}

void Memory::give_back(Range const& range) {
    auto const owner = static_cast<std::size_t>(range.device);
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        bool const sees = range.kind == MemoryKind::registered || (is_shared(range.kind) && i != owner);
        if (sees) gpus_[i]->device.end_visible(reinterpret_cast<void*>(range.begin));
    }
    if (range.kind != MemoryKind::registered) gpus_[owner]->device.free(range.begin);
}

void Memory::free_all(void const* context) {
    std::vector<Range> gone;
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(ranges_, [&](auto const& entry) {
            bool const ends = entry.second.context == context && entry.second.kind != MemoryKind::variable;
            if (ends) gone.push_back(entry.second);
            return ends;
        });
    }
    for (Range const& range : gone) give_back(range);
}

void Memory::add_registered(std::uint64_t address, std::uint64_t bytes, unsigned flags) {
    if (address == 0 || bytes == 0 || address + bytes < address) throw Failure(Result::invalid_value);
    std::size_t done = 0;
    try {
        for (; done < gpus_.size(); ++done) gpus_[done]->device.make_visible(reinterpret_cast<void*>(address), bytes);
    } catch (Error const&) {
        while (done-- > 0) gpus_[done]->device.end_visible(reinterpret_cast<void*>(address));
        throw Failure(Result::host_memory_already_registered);
    }
    std::lock_guard const lock(mutex_);
    ranges_[address] = {address, bytes, MemoryKind::registered, 0, flags, 0, Thread::current().context(), ++last_id_};
}

void Memory::remove_registered(std::uint64_t address) {
    {
        std::lock_guard const lock(mutex_);
        auto const at = ranges_.find(address);
        if (at == ranges_.end() || at->second.kind != MemoryKind::registered) {
            throw Failure(Result::host_memory_not_registered);
        }
        ranges_.erase(at);
    }
    for (auto const& gpu : gpus_) gpu->device.end_visible(reinterpret_cast<void*>(address));
}

void Memory::add_variable(std::uint64_t address, std::uint64_t bytes, int device, bool is_managed) {
    std::lock_guard const lock(mutex_);
    ranges_[address] = {address, bytes, is_managed ? MemoryKind::managed_variable : MemoryKind::variable, device, 0, 0, nullptr, ++last_id_};
}

void Memory::remove_variable(std::uint64_t address) {
    std::lock_guard const lock(mutex_);
    ranges_.erase(address);
}

std::optional<Range> Memory::find(std::uint64_t address) const {
    std::lock_guard const lock(mutex_);
    auto const after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return std::nullopt;
    Range const& range = std::prev(after)->second;
    return address < range.end() ? std::optional(range) : std::nullopt;
}

void Memory::check(std::uint64_t address, std::uint64_t bytes) const {
    if (bytes == 0) return;
    if (address == 0 || address + bytes < address) throw Failure(Result::invalid_value);
    std::lock_guard const lock(mutex_);
    auto const after = ranges_.upper_bound(address);
    if (after != ranges_.begin()) {
        Range const& range = std::prev(after)->second;
        if (address < range.end()) {
            if (address + bytes > range.end()) throw Failure(Result::invalid_value);
            return;
        }
    }
    if (after != ranges_.end() && after->first < address + bytes) throw Failure(Result::invalid_value);
}

Memory::Memory(std::vector<std::unique_ptr<Gpu>> const& gpus) : gpus_(gpus), most_of_host_(available_on_host()) {}

Memory::Amount Memory::amount(int device) const {
    runtime::Device const& d = gpus_[static_cast<std::size_t>(device)]->device;
    // Programs expect the total to stay: what the host could give at the start.
    std::uint64_t const total = std::min(d.capacity_bytes(), most_of_host_), used = d.used_bytes();
    return {std::min(total - std::min(used, total), available_on_host()), total};
}

}  // namespace warpsim::cuda
