#include "runtime/cuda/memory/memory.hpp"

#include "runtime/cuda/devices/host_guard.hpp"
#include "runtime/cuda/devices/thread.hpp"
#include "sim/error.hpp"
#include "sim/events.hpp"
#include "sim/hexadecimal.hpp"
#include "sim/memory/reservation.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

/// Whether a device may have given out the address.
bool is_of_devices(std::uint64_t address) {
    sim::Reservation const& all = sim::Reservation::process();
    return address - all.base() < sim::max_devices * all.slot_bytes();
}

}  // namespace

std::uint64_t Memory::allocate(MemoryKind kind, int device, std::uint64_t bytes, unsigned flags,
                               std::uint64_t pool, MemoryUse use) {
    if (bytes == 0) return 0;
    auto const owner = static_cast<std::size_t>(device);
    // The host provides pages only when they are touched; promising more than it has would get the process killed.
    // The host is asked for large pieces only, because that takes longer than a small allocation.
    constexpr std::uint64_t large = std::uint64_t{16} << 20;
    if (bytes > unpromised(device) || (bytes > large && bytes > amount(device).free))
        throw Failure(Result::out_of_memory);
    std::uint64_t address = 0;
    try {
        address = gpus_[owner]->device.allocate(bytes, use == MemoryUse::texels ? sim::AllocationSource::texels
                                                       : is_shared(kind) ? sim::AllocationSource::host_shared
                                                                         : sim::AllocationSource::runtime);
    } catch (Error const&) {
        throw Failure(Result::out_of_memory);
    }
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        if (is_shared(kind) && i != owner) gpus_[i]->device.make_visible(reinterpret_cast<void*>(address), bytes);
    }
    if (HostGuard* const guard = HostGuard::present(); guard != nullptr && is_shared(kind))
        guard->add(address, bytes);
    std::lock_guard const lock(mutex_);
    ranges_[address] = {address, bytes, kind, device, flags, pool, Thread::current().context(), ++last_id_, false};
    return address;
}

void Memory::free(std::uint64_t address, std::initializer_list<MemoryKind> kinds, Result otherwise) {
    if (address == 0) return;
    MemoryRange range;
    {
        std::lock_guard const lock(mutex_);
        auto const at = ranges_.find(address);
        if (at == ranges_.end() || std::find(kinds.begin(), kinds.end(), at->second.kind) == kinds.end()) {
            bool const is_known = at != ranges_.end();
            throw BadMemory(otherwise,
                            "cannot free " + (is_known ? sim::hexadecimal(address) + ": it is of another sort"
                                                       : describe(address)));
        }
        range = at->second;
        ranges_.erase(at);
        if (range.is_of_graph) {
            graph_use_[range.device].live -= range.size;
            suspended_[address] = range.size;
            return;
        }
    }
    give_back(range);
}

void Memory::give_back(MemoryRange const& range) {
    auto const owner = static_cast<std::size_t>(range.device);
    for (std::size_t i = 0; i < gpus_.size(); ++i) {
        bool const sees = range.kind == MemoryKind::registered || (is_shared(range.kind) && i != owner);
        if (sees) gpus_[i]->device.end_visible(reinterpret_cast<void*>(range.begin));
    }
    if (HostGuard* const guard = HostGuard::present()) guard->remove(range.begin);
    if (range.kind != MemoryKind::registered) gpus_[owner]->device.free(range.begin);
}

void Memory::check_device(int device) const {
    if (device < 0 || static_cast<std::size_t>(device) >= gpus_.size()) throw Failure(Result::invalid_device);
}

void Memory::free_all(void const* context, bool with_pools) {
    std::vector<MemoryRange> gone;
    {
        std::lock_guard const lock(mutex_);
        std::erase_if(ranges_, [&](auto const& entry) {
            MemoryRange const& range = entry.second;
            bool const ends = range.context == context && !range.is_mapped && (with_pools || range.pool == 0);
            if (ends) gone.push_back(range);
            return ends;
        });
    }
    for (MemoryRange const& range : gone) {
        if (!range.is_of_graph) give_back(range);
    }
}

void Memory::add_registered(std::uint64_t address, std::uint64_t bytes, unsigned flags) {
    if (address == 0 || bytes == 0 || address + bytes < address) throw Failure(Result::invalid_value);
    std::size_t done = 0;
    try {
        for (; done < gpus_.size(); ++done)
            gpus_[done]->device.make_visible(reinterpret_cast<void*>(address), bytes);
    } catch (Error const&) {
        while (done-- > 0) gpus_[done]->device.end_visible(reinterpret_cast<void*>(address));
        throw Failure(Result::host_memory_already_registered);
    }
    constexpr unsigned read_only = 8;  // its protection is the program's
    if (HostGuard* const guard = HostGuard::present(); guard != nullptr && (flags & read_only) == 0)
        guard->add_own(address, bytes);
    std::lock_guard const lock(mutex_);
    ranges_[address] = {address,    bytes, MemoryKind::registered, 0, flags, 0, Thread::current().context(),
                        ++last_id_, false};
}

void Memory::remove_registered(std::uint64_t address) {
    {
        std::lock_guard const lock(mutex_);
        auto const at = ranges_.find(address);
        if (at == ranges_.end() || at->second.kind != MemoryKind::registered) {
            auto const after = ranges_.upper_bound(address);
            bool const is_inside = after != ranges_.begin() && address < std::prev(after)->second.end() &&
                                   std::prev(after)->second.kind == MemoryKind::registered;
            throw Failure(is_inside ? Result::invalid_value : Result::host_memory_not_registered);
        }
        ranges_.erase(at);
    }
    if (HostGuard* const guard = HostGuard::present()) guard->remove(address);
    for (auto const& gpu : gpus_) gpu->device.end_visible(reinterpret_cast<void*>(address));
}

void Memory::add_variable(std::uint64_t address, std::uint64_t bytes, int device, bool is_managed) {
    if (HostGuard* const guard = HostGuard::present(); guard != nullptr && is_managed) guard->add(address, bytes);
    std::lock_guard const lock(mutex_);
    ranges_[address] = {address, bytes,      is_managed ? MemoryKind::managed_variable : MemoryKind::variable,
                        device,  0,          0,
                        nullptr, ++last_id_, false};
}

void Memory::remove_variable(std::uint64_t address) {
    if (HostGuard* const guard = HostGuard::present()) guard->remove(address);
    std::lock_guard const lock(mutex_);
    ranges_.erase(address);
}

void Memory::suspend(std::uint64_t address, bool is_new) {
    std::lock_guard const lock(mutex_);
    auto const at = ranges_.find(address);
    if (at == ranges_.end()) return;
    if (!is_new) graph_use_[at->second.device].live -= at->second.size;
    suspended_[address] = at->second.size;
    ranges_.erase(at);
}

bool Memory::is_suspended(std::uint64_t address) const {
    std::lock_guard const lock(mutex_);
    return is_suspended_here(address);
}

bool Memory::is_suspended_here(std::uint64_t address) const {
    auto const after = suspended_.upper_bound(address);
    return after != suspended_.begin() && address - std::prev(after)->first < std::prev(after)->second;
}

void Memory::resume(std::uint64_t address, std::uint64_t bytes, MemoryKind kind, int device) {
    std::lock_guard const lock(mutex_);
    suspended_.erase(address);
    ranges_[address] = {address, bytes, kind, device, 0, 0, Thread::current().context(), ++last_id_, true};
    GraphUse& use = graph_use_[device];
    use.live += bytes;
    use.used = std::max(use.used, use.live);
    use.used_high = std::max(use.used_high, use.used);
    use.reserved = std::max(use.reserved, use.used);
    use.reserved_high = std::max(use.reserved_high, use.reserved);
}

void Memory::end_of_graph(std::uint64_t address, std::uint64_t bytes, MemoryKind kind, int device) {
    {
        std::lock_guard const lock(mutex_);
        suspended_.erase(address);
        if (auto const at = ranges_.find(address); at != ranges_.end()) {
            graph_use_[device].live -= bytes;
            at->second.is_of_graph = false;
            return;
        }
    }
    MemoryRange range{};
    range.begin = address;
    range.kind = kind;
    range.device = device;
    give_back(range);
}

Memory::GraphUse Memory::graph_use(int device) const {
    std::lock_guard const lock(mutex_);
    auto const at = graph_use_.find(device);
    return at != graph_use_.end() ? at->second : GraphUse{};
}

void Memory::reset_graph_use(int device, bool of_used) {
    std::lock_guard const lock(mutex_);
    GraphUse& use = graph_use_[device];
    if (of_used) use.used_high = use.used;
    else use.reserved_high = use.reserved;
}

void Memory::trim_graph_use(int device) {
    std::lock_guard const lock(mutex_);
    GraphUse& use = graph_use_[device];
    use.used = use.reserved = use.live;
}

void Memory::add_mapped(std::uint64_t address, std::uint64_t bytes, int device) {
    std::lock_guard const lock(mutex_);
    MemoryRange& range = ranges_[address];
    range = {address, bytes, MemoryKind::device, device, 0, 0, Thread::current().context(), ++last_id_, false};
    range.is_mapped = true;
}

void Memory::take_physical(int device, std::uint64_t bytes) {
    if (bytes > amount(device).free) throw Failure(Result::out_of_memory);
    std::lock_guard const lock(mutex_);
    physical_[device] += bytes;
}

void Memory::return_physical(int device, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    physical_[device] -= bytes;
}

std::optional<MemoryRange> Memory::find(std::uint64_t address) const {
    std::lock_guard const lock(mutex_);
    auto const after = ranges_.upper_bound(address);
    if (after == ranges_.begin()) return std::nullopt;
    MemoryRange const& range = std::prev(after)->second;
    return address < range.end() ? std::optional(range) : std::nullopt;
}

void Memory::set_advice(std::uint64_t begin, MemoryAdvice const& advice) {
    std::lock_guard const lock(mutex_);
    auto const at = ranges_.find(begin);
    if (at != ranges_.end()) at->second.advice = advice;
}

void Memory::check(std::uint64_t address, std::uint64_t bytes) const {
    if (bytes == 0) return;
    if (address == 0 || address + bytes < address)
        throw BadMemory(Result::invalid_value, std::to_string(bytes) + " bytes at " + sim::hexadecimal(address));
    auto const fail = [&](MemoryRange const& range) {
        bool const is_before = address < range.begin;
        std::uint64_t const outside = is_before ? range.begin - address : address + bytes - range.end();
        throw BadMemory(Result::invalid_value,
                        std::to_string(bytes) + " bytes at " + sim::hexadecimal(address) + ", of which the " +
                            (is_before ? "first " : "last ") + std::to_string(outside) + " are " +
                            (is_before ? "before the beginning" : "past the end") + " of a " +
                            std::to_string(range.size) + "-byte allocation at " + sim::hexadecimal(range.begin));
    };
    std::lock_guard const lock(mutex_);
    auto after = ranges_.upper_bound(address);
    if (after != ranges_.begin() && address < std::prev(after)->second.end()) {
        MemoryRange const* range = &std::prev(after)->second;
        for (; address + bytes > range->end(); ++after) {
            bool const goes_on = after != ranges_.end() && after->first == range->end() && range->is_mapped &&
                                 after->second.is_mapped;
            if (!goes_on) fail(*range);
            range = &after->second;
        }
        return;
    }
    if (after != ranges_.end() && after->first < address + bytes) fail(after->second);
    if (is_of_devices(address) && !is_suspended_here(address))
        throw BadMemory(Result::invalid_value, std::to_string(bytes) + " bytes at " + describe(address));
}

std::string Memory::describe(std::uint64_t address) const {
    std::string const text = sim::hexadecimal(address) + ", ", nowhere = "not inside any allocation";
    if (!is_of_devices(address)) return text + "which is memory of the host that CUDA does not know";
    for (auto const& gpu : gpus_) {
        std::byte first{};
        try {
            gpu->device.read(&first, address, 1);
        } catch (Error const& error) {
            std::string const why = error.what();  // "cannot read 1 bytes at 0x...: inside a freed ..."
            std::string const where = why.substr(why.rfind(": ") + 2);
            if (where != nowhere) return text + where;
        }
    }
    return text + nowhere;
}

Memory::Memory(Gpus const& gpus) : gpus_(gpus) {}

std::uint64_t Memory::physical(int device) const {
    std::lock_guard const lock(mutex_);
    auto const at = physical_.find(device);
    return at != physical_.end() ? at->second : 0;
}

// Programs expect the total to stay the same, so it is what the host could give at the start.
std::uint64_t Memory::total(int device) const {
    return std::min(gpus_[static_cast<std::size_t>(device)]->device.capacity_bytes(), host_.most());
}

std::uint64_t Memory::unpromised(int device) const {
    std::uint64_t used_here = 0, used = 0;
    for (auto const& gpu : gpus_) {
        std::uint64_t const of_it = gpu->device.used_bytes() + physical(gpu->ordinal);
        used += of_it;
        if (gpu->ordinal == device) used_here = of_it;
    }
    std::uint64_t const all = total(device);
    return std::min(all - std::min(used_here, all), host_.most() - std::min(used, host_.most()));
}

Memory::Amount Memory::amount(int device) const { return {host_.left_of(unpromised(device)), total(device)}; }

}  // namespace warpsim::cuda
