// What the host allocates, writes and reads.
#include "runtime/check/init/init_check.hpp"
#include "runtime/check/init/unwritten_bytes.hpp"

#include "sim/hexadecimal.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <mutex>
#include <utility>

namespace warpsim::check {

namespace {

std::string bytes_text(std::uint64_t count) { return std::to_string(count) + (count == 1 ? " byte" : " bytes"); }

}  // namespace

void InitCheck::allocation(sim::AllocationEvent const& e) {
    auto const take = [&](HostEvent const& event) { hear(event); };
    bool const is_heap = e.source == sim::AllocationSource::device_heap;
    if (e.source != sim::AllocationSource::runtime && !is_heap) {
        if (!is_heap && e.is_free) host_.add(Freed{e.address}, take);
        return;
    }
    if (is_heap) {  // by the thread of the kernel itself
        if (e.is_free) return global_.remove(e.address);
        if (e.address == 0) return;
        std::string const by =
            "malloc() of block " + dims_text(e.cta) + ", thread " + dims_text(place_in(launch_->block, e.thread));
        return global_.add(e.address, e.bytes, by, true);
    }
    std::lock_guard const lock(peers_->mutex);
    if (e.is_free) allocated_.erase(e.address);
    else allocated_[e.address] = e.address + e.bytes;
    if (e.is_free) return host_.add(Freed{e.address}, take);
    if (e.address != 0) host_.add(Allocated{e.address, e.bytes, present_call_ ? present_call_() : ""}, take);
}

void InitCheck::host_access(sim::HostAccessEvent const& e) {
    host_.add(e, [&](HostEvent const& event) { hear(event); });
}

void InitCheck::hear_of_host() {
    host_.give([&](HostEvent const& event) { hear(event); });
}

void InitCheck::hear(HostEvent const& event) {
    if (auto const* const allocated = std::get_if<Allocated>(&event))
        return global_.add(allocated->address, allocated->bytes, allocated->made_by, false);
    if (auto const* const arrived = std::get_if<Arrived>(&event)) return arrive(*arrived);
    if (auto const* const freed = std::get_if<Freed>(&event)) return global_.remove(freed->address);
    using enum sim::HostAccessEvent::Operation;
    auto const& e = std::get<sim::HostAccessEvent>(event);
    switch (e.operation) {
        case write:
        case fill: return global_.define(e.address, e.address + e.bytes);
        case sim::HostAccessEvent::Operation::read: return check_host_read(e.address, e.bytes);
        case copy: break;
    }
    GlobalShadow::Region* const to = global_.find(e.address);
    InitCheck* const other = to == nullptr ? owner(e.address) : nullptr;
    if (other != nullptr) return send(*other, e.address, e.from, e.bytes);
    // Memory that is not looked at: the host's own, which it then reads; or an array.
    if (to == nullptr) return check_host_read(e.from, e.bytes);
    if (global_.is_defined(e.from, e.from + e.bytes)) return global_.define(e.address, e.address + e.bytes);
    if (GlobalShadow::Region const* const from = global_.find(e.from)) to->element_sizes |= from->element_sizes;
    std::array<ShadowByte, 4096> part;
    for (std::uint64_t done = 0; done < e.bytes;) {
        std::size_t const count = std::min<std::uint64_t>(part.size(), e.bytes - done);
        global_.read(e.from + done, count, part.data());
        OriginId origin = 0;
        for (std::size_t b = 0; b < count && origin == 0; ++b)
            if (part[b] != 0) origin = global_.origin(e.from + done + b);
        global_.write(e.address + done, count, part.data(), origin);
        done += count;
    }
}

/// The checker of another device that has the memory.
InitCheck* InitCheck::owner(std::uint64_t address) const {
    for (InitCheck* const peer : peers_->all) {
        auto const after = peer->allocated_.upper_bound(address);
        if (peer != this && after != peer->allocated_.begin() && address < std::prev(after)->second) return peer;
    }
    return nullptr;
}

/// The other device hears that its memory was written, and now what of it is undefined nevertheless.
void InitCheck::send(InitCheck& to, std::uint64_t address, std::uint64_t from, std::uint64_t bytes) {
    if (global_.is_defined(from, from + bytes)) return;
    GlobalShadow::Region const* const region = global_.find(from);
    if (region == nullptr) return;
    Arrived arrived{address, std::vector<ShadowByte>(bytes), {}, region->element_sizes};
    global_.read(from, bytes, arrived.bytes.data());
    auto const first =
        std::find_if(arrived.bytes.begin(), arrived.bytes.end(), [](auto byte) { return byte != 0; });
    if (first == arrived.bytes.end()) return;
    OriginId const stored = global_.origin(from + static_cast<std::uint64_t>(first - arrived.bytes.begin()));
    if (stored != 0) arrived.origin = origins_[stored];
    else arrived.origin.what = region_text(*region);
    arrived.origin.space = "global";
    arrived.origin.is_copied = true;
    to.host_.add(std::move(arrived), [&](HostEvent const& event) { to.hear(event); });
}

void InitCheck::arrive(Arrived const& arrived) {
    GlobalShadow::Region* const region = global_.find(arrived.address);
    if (region == nullptr) return;
    region->element_sizes |= arrived.element_sizes;
    global_.write(arrived.address, arrived.bytes.size(), arrived.bytes.data(), origins_.add(arrived.origin));
}

/// The host reads: whatever is undefined there is a finding, but padding.
void InitCheck::check_host_read(std::uint64_t address, std::uint64_t bytes) {
    if (bytes == 0 || global_.is_defined(address, address + bytes)) return;
    GlobalShadow::Region const* const region = global_.find(address);
    if (region == nullptr) return;
    UnwrittenBytes unwritten(region->begin, is_strict_ ? std::uint8_t{0} : region->element_sizes);
    std::array<ShadowByte, 4096> part;
    std::uint64_t run = 0;   // undefined bytes before the present one
    bool has_parts = false;  // ... some of them not as a whole: computed values, which are no padding
    auto const end_run = [&](std::uint64_t at) {
        if (run != 0) unwritten.add(at - run, at, !has_parts);
        run = 0;
        has_parts = false;
    };
    for (std::uint64_t done = 0; done < bytes;) {
        std::size_t const count = std::min<std::uint64_t>(part.size(), bytes - done);
        global_.read(address + done, count, part.data());
        for (std::size_t b = 0; b < count; ++b) {
            if (part[b] == 0) {
                end_run(address + done + b);
                continue;
            }
            ++run;
            has_parts |= part[b] != undefined_byte;
        }
        done += count;
    }
    end_run(address + bytes);
    UnwrittenBytes::Found const found = unwritten.found();
    if (found.count == 0) return;
    Finding finding;
    finding.kind = Kind::init;
    finding.what = "uninitialised value reaches the host";
    finding.space = "global";
    finding.address = found.first;
    finding.bytes = found.count;
    finding.allocation = Finding::Allocation{region->begin, region->end - region->begin};
    finding.message = "uninitialised value reaches the host: " + std::to_string(found.count) + " of " +
                      bytes_text(bytes) + " that it reads at global " + sim::hexadecimal(address) +
                      ", the first at " + sim::hexadecimal(found.first);
    OriginId const stored = global_.origin(found.first);
    if (stored != 0) {
        Origin const& origin = origins_[stored];
        finding.other = origin.read;
        finding.notes.push_back((origin.is_copied ? "a copy from another device brought it there; it comes from "
                                                  : "a kernel stored it there; it comes from ") +
                                origin.what);
    } else {
        finding.notes.push_back("nothing has written " + bytes_text(found.count) + " of " + region_text(*region));
    }
    std::string const call = present_call_ ? present_call_() : "";
    if (!call.empty()) finding.notes.push_back("the host reads it by " + call);
    findings_.add(std::move(finding));
}

std::string InitCheck::region_text(GlobalShadow::Region const& region) const {
    std::string text = bytes_text(region.end - region.begin) +
                       (region.is_of_heap ? " of the device's heap at " : " of global memory at ") +
                       sim::hexadecimal(region.begin);
    return region.made_by.empty() ? text : text + ", made by " + region.made_by;
}

}  // namespace warpsim::check
