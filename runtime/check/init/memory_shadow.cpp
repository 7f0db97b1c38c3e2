#include "runtime/check/init/memory_shadow.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

namespace warpsim::check {

bool has_undefined(ShadowByte const* bytes, std::size_t count) {
    std::uint64_t all = 0;
    std::size_t i = 0;
    for (; i + 8 <= count; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + i, 8);
        all |= word;
    }
    for (; i < count; ++i) all |= bytes[i];
    return all != 0;
}

std::size_t define_bytes(ShadowByte* bytes, std::size_t count) {
    std::size_t were = 0, i = 0;
    for (; i + 8 <= count; i += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + i, 8);
        if (word == 0) continue;
        // The lowest bit of each byte that has any.
        word |= word >> 4 & 0x0f0f0f0f0f0f0f0f;
        word |= word >> 2 & 0x3f3f3f3f3f3f3f3f;
        word |= word >> 1 & 0x7f7f7f7f7f7f7f7f;
        were += static_cast<std::size_t>(std::popcount(word & 0x0101010101010101));
        word = 0;
        std::memcpy(bytes + i, &word, 8);
    }
    for (; i < count; ++i) {
        were += bytes[i] != 0;
        bytes[i] = 0;
    }
    return were;
}

void FlatShadow::reset(std::size_t size) {
    bytes.assign(size, undefined_byte);
    origins.clear();
}

void FlatShadow::set_origin(std::uint64_t at, OriginId origin) {
    if (origins.empty()) {
        if (origin == 0) return;
        origins.assign((bytes.size() + 3) / 4, 0);
    }
    origins[at / 4] = origin;
}

void InterleavedShadow::grow(std::uint64_t end) {
    std::size_t const wanted = (end + 3) / 4 * 128;
    if (wanted <= flat_.bytes.size()) return;
    flat_.bytes.resize(wanted, undefined_byte);
    if (!flat_.origins.empty()) flat_.origins.resize(wanted / 4, 0);
}

void InterleavedShadow::undefine(std::uint64_t begin, std::uint64_t end, std::uint32_t lanes) {
    grow(end);
    for (std::uint64_t byte = begin; byte < end; ++byte) {
        for (std::uint32_t m = lanes; m != 0; m &= m - 1) {
            std::size_t const where = place(byte, static_cast<unsigned>(std::countr_zero(m)));
            flat_.bytes[where] = undefined_byte;
            if (!flat_.origins.empty()) flat_.origins[where / 4] = 0;
        }
    }
}

void GlobalShadow::add(std::uint64_t begin, std::uint64_t bytes, std::string made_by, bool is_of_heap) {
    remove(begin);
    auto region = std::make_unique<Pages>();
    region->begin = begin;
    region->end = begin + bytes;
    region->number = ++last_number_;
    region->made_by = std::move(made_by);
    region->is_of_heap = is_of_heap;
    std::size_t const pages = (bytes + page_bytes - 1) / page_bytes;
    region->states.assign(pages, State::undefined);
    region->pages.resize(pages);
    regions_[begin] = std::move(region);
    recent_.fill({});
}

void GlobalShadow::remove(std::uint64_t begin) {
    auto const at = regions_.find(begin);
    if (at == regions_.end()) return;
    for (auto const& page : at->second->pages) mixed_pages_ -= page != nullptr;
    regions_.erase(at);
    recent_.fill({});
}

/// The region or the gap between regions that the address is in.
GlobalShadow::Part GlobalShadow::part(std::uint64_t address) {
    for (Part const& known : recent_)
        if (address >= known.begin && address < known.end) return known;
    auto const after = regions_.upper_bound(address);
    Part found{nullptr, 0, after == regions_.end() ? UINT64_MAX : after->first};
    if (after != regions_.begin()) {
        Pages& before = *std::prev(after)->second;
        if (address < before.end) found = {&before, before.begin, before.end};
        else found.begin = before.end;
    }
    recent_[next_recent_++ % recent_.size()] = found;
    return found;
}

GlobalShadow::Region* GlobalShadow::find(std::uint64_t address) { return part(address).region; }

/// Each page of each region that is touched: each(region, page, offset in the page, bytes, address).
template <class Each> void GlobalShadow::for_each_piece(std::uint64_t begin, std::uint64_t end, Each const& each) {
    while (begin < end) {
        Part const in = part(begin);
        std::uint64_t const stop = std::min(end, in.end);
        if (in.region != nullptr) {
            for (std::uint64_t at = begin; at < stop;) {
                std::uint64_t const offset = at - in.region->begin;
                std::uint64_t const bytes = std::min(page_bytes - offset % page_bytes, stop - at);
                if (!each(*in.region, offset / page_bytes, offset % page_bytes, bytes, at)) return;
                at += bytes;
            }
        }
        if (stop == UINT64_MAX) return;
        begin = stop;
    }
}

bool GlobalShadow::is_defined(std::uint64_t begin, std::uint64_t end) {
    bool is_defined = true;
    for_each_piece(begin, end,
                   [&](Pages& r, std::size_t page, std::uint64_t offset, std::uint64_t bytes, std::uint64_t) {
                       if (r.states[page] == State::defined) return true;
                       is_defined = r.states[page] == State::mixed &&
                                    !has_undefined(r.pages[page]->bytes.data() + offset, bytes);
                       return is_defined;
                   });
    return is_defined;
}

/// The page's shadow, of a page that becomes mixed.
GlobalShadow::Page& GlobalShadow::mixed(Pages& r, std::size_t page) {
    if (r.states[page] == State::mixed) return *r.pages[page];
    bool const was_undefined = r.states[page] == State::undefined;
    r.pages[page] = std::make_unique<Page>();
    r.pages[page]->bytes.fill(was_undefined ? undefined_byte : 0);
    std::uint64_t const there = std::min(page_bytes, r.end - r.begin - page * page_bytes);
    r.pages[page]->undefined = was_undefined ? static_cast<std::uint32_t>(there) : 0;
    r.states[page] = State::mixed;
    ++mixed_pages_;
    return *r.pages[page];
}

void GlobalShadow::settle(Pages& r, std::size_t page, Page& with) {
    if (with.undefined != 0) return;
    r.states[page] = State::defined;
    r.pages[page].reset();
    --mixed_pages_;
}

void GlobalShadow::define(std::uint64_t begin, std::uint64_t end) {
    for_each_piece(begin, end,
                   [&](Pages& r, std::size_t page, std::uint64_t offset, std::uint64_t bytes, std::uint64_t) {
                       if (r.states[page] == State::defined) return true;
                       bool const is_whole =
                           offset == 0 && (bytes == page_bytes || r.begin + page * page_bytes + bytes == r.end);
                       if (is_whole && r.states[page] == State::undefined) {
                           r.states[page] = State::defined;
                           return true;
                       }
                       Page& p = mixed(r, page);
                       p.undefined -= static_cast<std::uint32_t>(define_bytes(p.bytes.data() + offset, bytes));
                       settle(r, page, p);
                       return true;
                   });
}

void GlobalShadow::undefine(std::uint64_t begin, std::uint64_t end) {
    std::array<ShadowByte, 64> undefined;
    undefined.fill(undefined_byte);
    for (; begin < end; begin += std::min<std::uint64_t>(undefined.size(), end - begin))
        write(begin, std::min<std::uint64_t>(undefined.size(), end - begin), undefined.data(), 0);
}

void GlobalShadow::read(std::uint64_t address, std::size_t bytes, ShadowByte* to) {
    std::fill_n(to, bytes, ShadowByte{0});
    for_each_piece(address, address + bytes,
                   [&](Pages& r, std::size_t page, std::uint64_t offset, std::uint64_t count, std::uint64_t at) {
                       ShadowByte* const here = to + (at - address);
                       if (r.states[page] == State::undefined) std::memset(here, undefined_byte, count);
                       else if (r.states[page] == State::mixed)
                           std::memcpy(here, r.pages[page]->bytes.data() + offset, count);
                       return true;
                   });
}

void GlobalShadow::write(std::uint64_t address, std::size_t bytes, ShadowByte const* from, OriginId origin) {
    if (!has_undefined(from, bytes)) return define(address, address + bytes);
    for_each_piece(address, address + bytes,
                   [&](Pages& r, std::size_t page, std::uint64_t offset, std::uint64_t count, std::uint64_t at) {
                       Page& p = mixed(r, page);
                       p.undefined -= static_cast<std::uint32_t>(define_bytes(p.bytes.data() + offset, count));
                       std::memcpy(p.bytes.data() + offset, from + (at - address), count);
                       p.undefined += static_cast<std::uint32_t>(
                           std::count_if(p.bytes.data() + offset, p.bytes.data() + offset + count,
                                         [](ShadowByte b) { return b != 0; }));
                       if (origin != 0 && !p.origins) {
                           p.origins = std::make_unique<std::array<OriginId, page_bytes / 4>>();
                           p.origins->fill(0);
                       }
                       if (p.origins)
                           for (std::uint64_t b = offset / 4; b <= (offset + count - 1) / 4; ++b)
                               (*p.origins)[b] = origin;
                       settle(r, page, p);
                       return true;
                   });
}

OriginId GlobalShadow::origin(std::uint64_t address) {
    Part const in = part(address);
    if (in.region == nullptr) return 0;
    std::uint64_t const offset = address - in.region->begin;
    auto const& page = in.region->pages[offset / page_bytes];
    return page && page->origins ? (*page->origins)[offset % page_bytes / 4] : 0;
}

}  // namespace warpsim::check
