#include "runtime/cuda/memory/virtual_memory.hpp"

#include "runtime/cuda/memory/memory.hpp"
#include "sim/error.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <bit>
#include <vector>

namespace warpsim::cuda {

namespace {

void* pointer(std::uint64_t address) { return reinterpret_cast<void*>(address); }

bool is_multiple(std::uint64_t value) { return value % VirtualMemory::granularity == 0; }

/// The size of a file, if it could belong to a PhysicalMemory.
std::uint64_t size_of(int file) {
    struct stat about {};
    require(fstat(file, &about) == 0 && S_ISREG(about.st_mode) && about.st_size > 0);
    // Only anonymous files can be asked for seals.
    require(fcntl(file, F_GET_SEALS) >= 0 && is_multiple(static_cast<std::uint64_t>(about.st_size)));
    return static_cast<std::uint64_t>(about.st_size);
}

}  // namespace

PhysicalMemory::PhysicalMemory(Memory& memory, int owner, std::uint64_t size, int types)
    : device(owner), bytes(size), handle_types(types), memory_(memory), is_counted_(true) {
    memory_.take_physical(device, bytes);
    file_ = memfd_create("warpsim", MFD_CLOEXEC);
    if (file_ >= 0 && ftruncate(file_, static_cast<off_t>(bytes)) == 0) return;
    if (file_ >= 0) close(file_);
    memory_.return_physical(device, bytes);
    throw Failure(Result::out_of_memory);
}

PhysicalMemory::PhysicalMemory(Memory& memory, int owner, int file)
    : device(owner),
      bytes(size_of(file)),
      handle_types(1),
      memory_(memory),
      is_counted_(false),
      file_(fcntl(file, F_DUPFD_CLOEXEC, 0)) {
    if (file_ < 0) throw Failure(Result::operating_system);
}

PhysicalMemory::~PhysicalMemory() {
    close(file_);
    if (is_counted_) memory_.return_physical(device, bytes);
}

std::uint64_t VirtualMemory::reserve(std::uint64_t bytes, std::uint64_t alignment, std::uint64_t wanted) {
    require(bytes != 0 && is_multiple(bytes) && (alignment == 0 || std::has_single_bit(alignment)));
    std::uint64_t const unit = std::max(alignment, granularity), room = bytes + unit;
    require(room > bytes);
    void* const hint = wanted % unit == 0 ? pointer(wanted) : nullptr;
    void* const found = mmap(hint, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (found == MAP_FAILED) throw Failure(Result::out_of_memory);
    // Returns what precedes the first multiple and what follows the last byte.
    auto const begin = reinterpret_cast<std::uint64_t>(found);
    std::uint64_t const first = (begin + unit - 1) / unit * unit;
    if (first != begin) munmap(found, first - begin);
    if (begin + room != first + bytes) munmap(pointer(first + bytes), begin + room - first - bytes);
    std::lock_guard const lock(mutex_);
    reserved_[first] = bytes;
    return first;
}

void VirtualMemory::free(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    auto const at = reserved_.find(address);
    require(at != reserved_.end() && at->second == bytes);
    auto const mapped = mappings_.lower_bound(address);
    require(mapped == mappings_.end() || mapped->first >= address + bytes);
    reserved_.erase(at);
    munmap(pointer(address), bytes);
}

std::uint64_t VirtualMemory::import(int device, int file) {
    auto memory = std::make_shared<PhysicalMemory>(memory_, device, file);
    PhysicalMemory& made = *memory;
    return made.handle = reinterpret_cast<std::uint64_t>(memories_.add(std::move(memory)));
}

std::uint64_t VirtualMemory::create(int device, std::uint64_t bytes, int handle_types) {
    require(bytes != 0 && is_multiple(bytes));
    auto memory = std::make_shared<PhysicalMemory>(memory_, device, bytes, handle_types);
    PhysicalMemory& made = *memory;
    return made.handle = reinterpret_cast<std::uint64_t>(memories_.add(std::move(memory)));
}

std::shared_ptr<PhysicalMemory> VirtualMemory::physical(std::uint64_t handle) const {
    return memories_.get(pointer(handle), Result::invalid_value);
}

void VirtualMemory::release(std::uint64_t handle) {
    std::shared_ptr<PhysicalMemory> const memory = physical(handle);
    std::lock_guard const lock(mutex_);
    if (--memory->references == 0) memories_.forget(pointer(handle));
}

std::uint64_t VirtualMemory::retain(std::uint64_t address) {
    std::lock_guard const lock(mutex_);
    auto const after = mappings_.upper_bound(address);
    require(after != mappings_.begin());
    auto const& [begin, mapping] = *std::prev(after);
    require(address < begin + mapping.bytes);
    // After its release a handle may be given to other memory.
    if (mapping.memory->references == 0) {
        mapping.memory->handle = reinterpret_cast<std::uint64_t>(memories_.add(mapping.memory));
    }
    ++mapping.memory->references;
    return mapping.memory->handle;
}

bool VirtualMemory::is_reserved(std::uint64_t address, std::uint64_t bytes) const {
    auto const after = reserved_.upper_bound(address);
    if (after == reserved_.begin()) return false;
    auto const& [begin, size] = *std::prev(after);
    return address + bytes >= address && address + bytes <= begin + size;
}

void VirtualMemory::map(std::uint64_t address, std::uint64_t bytes, std::uint64_t offset, std::uint64_t handle) {
    std::shared_ptr<PhysicalMemory> memory = physical(handle);
    require(bytes != 0 && is_multiple(address) && is_multiple(bytes) && is_multiple(offset));
    require(offset <= memory->bytes && bytes <= memory->bytes - offset);
    std::lock_guard const lock(mutex_);
    require(is_reserved(address, bytes));
    auto const next = mappings_.lower_bound(address);
    bool const overlaps =
        (next != mappings_.end() && next->first < address + bytes) ||
        (next != mappings_.begin() && std::prev(next)->first + std::prev(next)->second.bytes > address);
    require(!overlaps);
    void* const mapped = mmap(pointer(address), bytes, PROT_NONE, MAP_SHARED | MAP_FIXED, memory->file(),
                              static_cast<off_t>(offset));
    if (mapped == MAP_FAILED) throw Failure(Result::out_of_memory);
    mappings_[address] = {bytes, std::move(memory), {}};
}

/// Visits the mappings that make up a range, which must have no gaps and contain each of them entirely.
template <class F> void VirtualMemory::for_whole_mappings(std::uint64_t address, std::uint64_t bytes, F&& visit) {
    std::vector<std::map<std::uint64_t, Mapping>::iterator> list;
    std::uint64_t at = address;
    while (at < address + bytes) {
        auto const found = mappings_.find(at);
        require(found != mappings_.end());
        list.push_back(found);
        at += found->second.bytes;
    }
    require(bytes != 0 && at == address + bytes);
    for (auto const one : list) visit(one);
}

void VirtualMemory::end_access(std::uint64_t address, Mapping& mapping, Gpu& gpu) {
    gpu.device.end_visible(pointer(address));
    mapping.devices.erase(&gpu);
    if (!mapping.devices.empty()) return;
    memory_.remove_variable(address);
    mprotect(pointer(address), mapping.bytes, PROT_NONE);
}

void VirtualMemory::unmap(std::uint64_t address, std::uint64_t bytes) {
    std::lock_guard const lock(mutex_);
    for_whole_mappings(address, bytes, [&](auto const at) {
        auto& [begin, mapping] = *at;
        while (!mapping.devices.empty()) end_access(begin, mapping, **mapping.devices.begin());
        mmap(pointer(begin), mapping.bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1,
             0);
        mappings_.erase(at);
    });
}

void VirtualMemory::set_access(std::uint64_t address, std::uint64_t bytes, Gpu& gpu, bool is_allowed) {
    std::lock_guard const lock(mutex_);
    for_whole_mappings(address, bytes, [&](auto const at) {
        auto& [begin, mapping] = *at;
        if (mapping.devices.contains(&gpu) == is_allowed) return;
        if (!is_allowed) {
            end_access(begin, mapping, gpu);
            return;
        }
        if (mprotect(pointer(begin), mapping.bytes, PROT_READ | PROT_WRITE) != 0)
            throw Failure(Result::out_of_memory);
        gpu.device.make_visible(pointer(begin), mapping.bytes);
        mapping.devices.insert(&gpu);
        memory_.add_mapped(begin, mapping.bytes, mapping.memory->device);
    });
}

bool VirtualMemory::has_access(std::uint64_t address, Gpu const& gpu) const {
    std::lock_guard const lock(mutex_);
    auto const after = mappings_.upper_bound(address);
    require(after != mappings_.begin());
    auto const& [begin, mapping] = *std::prev(after);
    require(address < begin + mapping.bytes);
    return mapping.devices.contains(const_cast<Gpu*>(&gpu));
}

}  // namespace warpsim::cuda
