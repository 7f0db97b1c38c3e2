// "memory": what a launch that was captured has touched, at the addresses that it had.
#include "runtime/plan/reader.hpp"

#include <charconv>

namespace warpsim::plan {

namespace {

constexpr std::uint64_t most_bytes = std::uint64_t{1} << 47;

std::uint64_t read_address(Reader const& reader, Json const& value, JsonPath const& place) {
    std::string const& text = reader.string(value, place);
    std::uint64_t address = 0;
    auto const [end, error] = std::from_chars(text.data() + std::min<std::size_t>(text.size(), 2),
                                              text.data() + text.size(), address, 16);
    bool const is_one = text.starts_with("0x") && error == std::errc() && end == text.data() + text.size();
    if (!is_one || address == 0 || address >= most_bytes)
        reader.fail(place, "'" + text + "' is no address; for example: \"0x10000000000\"");
    return address;
}

/// [[at, bytes], ...] in order.
std::vector<MemoryPart> read_parts(Reader const& reader, Json const* value, JsonPath const& place,
                                   std::uint64_t region_bytes) {
    std::vector<MemoryPart> parts;
    if (value == nullptr) return parts;
    reader.array(*value, place);
    std::uint64_t past = 0;
    for (std::size_t i = 0; i < value->items.size(); ++i) {
        JsonPath const here(place, i);
        Json const& pair = value->items[i];
        reader.array(pair, here);
        if (pair.items.size() != 2) reader.fail(here, "two numbers are wanted: where, and how many bytes");
        MemoryPart const part{
            reader.unsigned_integer(pair.items[0], JsonPath(here, std::size_t{0}), past, region_bytes),
            reader.unsigned_integer(pair.items[1], JsonPath(here, std::size_t{1}), 1, region_bytes)};
        if (part.bytes > region_bytes - part.at) reader.fail(here, "it is past the end of the region");
        past = part.at + part.bytes;
        parts.push_back(part);
    }
    return parts;
}

MemoryRegion read_region(Reader const& reader, Json const& value, JsonPath const& place) {
    reader.object(value, place, {"address", "bytes", "touched", "written"});
    for (std::string_view const key : {"address", "bytes"})
        if (value.find(key) == nullptr) reader.fail(place, "the key '" + std::string(key) + "' is missing");
    MemoryRegion region;
    region.address = read_address(reader, *value.find("address"), JsonPath(place, "address"));
    region.bytes =
        reader.unsigned_integer(*value.find("bytes"), JsonPath(place, "bytes"), 1, most_bytes - region.address);
    region.touched = read_parts(reader, value.find("touched"), JsonPath(place, "touched"), region.bytes);
    region.written = read_parts(reader, value.find("written"), JsonPath(place, "written"), region.bytes);
    return region;
}

}  // namespace

CapturedMemory Reader::captured_memory(Json const& value, JsonPath const& place) const {
    object(value, place, {"before", "after", "regions", "placement"});
    CapturedMemory memory;
    if (Json const* const file = value.find("before"))
        memory.before = resolve(string(*file, JsonPath(place, "before")));
    if (Json const* const file = value.find("after"))
        memory.after = resolve(string(*file, JsonPath(place, "after")));
    if (Json const* const regions = value.find("regions")) {
        JsonPath const here(place, "regions");
        array(*regions, here);
        for (std::size_t i = 0; i < regions->items.size(); ++i)
            memory.regions.push_back(read_region(*this, regions->items[i], JsonPath(here, i)));
    }
    if (Json const* const placement = value.find("placement")) {
        JsonPath const here(place, "placement");
        array(*placement, here);
        for (std::size_t i = 0; i < placement->items.size(); ++i)
            memory.placement.push_back(read_address(*this, placement->items[i], JsonPath(here, i)));
    }
    return memory;
}

}  // namespace warpsim::plan
