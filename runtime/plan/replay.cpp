#include "runtime/plan/replay.hpp"

#include "runtime/plan/packed_bytes.hpp"
#include "sim/error.hpp"
#include "sim/hexadecimal.hpp"

#include <algorithm>

namespace warpsim::plan {

namespace {

std::uint64_t bytes_of(std::vector<MemoryPart> const& parts) {
    std::uint64_t bytes = 0;
    for (MemoryPart const& part : parts) bytes += part.bytes;
    return bytes;
}

std::vector<std::byte> read(std::string const& file, CapturedMemory const& memory,
                            std::vector<MemoryPart> MemoryRegion::*parts, std::string const& path) {
    std::vector<std::byte> bytes = read_packed(file);
    std::uint64_t wanted = 0;
    for (MemoryRegion const& region : memory.regions) wanted += bytes_of(region.*parts);
    if (bytes.size() != wanted)
        throw Error(ErrorKind::plan, path + ": memory: '" + file + "' has " + std::to_string(bytes.size()) +
                                         " bytes, but the regions " + std::to_string(wanted));
    return bytes;
}

}  // namespace

void place_memory(CapturedMemory const& memory, runtime::Device& device, std::string const& path) {
    for (MemoryRegion const& region : memory.regions) {
        // A variable of the module is there already.
        if (device.is_allocated(region.address, region.bytes)) continue;
        try {
            device.allocate_at(region.address, region.bytes);
        } catch (Error const& error) {
            throw Error(ErrorKind::plan, path + ": memory: " + error.what());
        }
    }
    if (memory.before.empty()) return;
    std::vector<std::byte> const bytes = read(memory.before, memory, &MemoryRegion::touched, path);
    std::uint64_t at = 0;
    for (MemoryRegion const& region : memory.regions)
        for (MemoryPart const& part : region.touched) {
            device.write(region.address + part.at, bytes.data() + at, part.bytes);
            at += part.bytes;
        }
}

std::string compare_memory(CapturedMemory const& memory, runtime::Device const& device, std::string const& path) {
    if (memory.after.empty()) return "";
    std::vector<std::byte> const want = read(memory.after, memory, &MemoryRegion::written, path);
    std::uint64_t at = 0, differing = 0, first = 0;
    for (MemoryRegion const& region : memory.regions)
        for (MemoryPart const& part : region.written) {
            std::vector<std::byte> got(part.bytes);
            device.read(got.data(), region.address + part.at, part.bytes);
            for (std::uint64_t i = 0; i < part.bytes; ++i) {
                if (got[i] == want[at + i]) continue;
                if (differing++ == 0) first = region.address + part.at + i;
            }
            at += part.bytes;
        }
    if (differing == 0) return "";
    return path + ": memory: " + std::to_string(differing) + " of " + std::to_string(want.size()) +
           " bytes that the launch had written differ, the first at " + sim::hexadecimal(first);
}

}  // namespace warpsim::plan
