// Chooses which of a container's PTX texts runs on a device.
#include "runtime/fatbin/fatbin.hpp"

#include <set>
#include <tuple>

namespace warpsim::fatbin {

namespace {

/// sm_101 was renamed sm_110, which is not in the family of sm_100.
std::uint32_t capability(Entry const& e) { return e.architecture == 101 ? 110 : e.architecture; }

bool runs_on(Entry const& e, std::uint32_t device) {
    std::uint32_t const own = capability(e);
    switch (e.variant) {
        case Variant::exact: return own == device;
        case Variant::family: return own / 10 == device / 10 && own <= device;
        case Variant::any: return own <= device;
    }
    return false;
}

/// Newer architectures first, then the more specific variant, which may use more of the device.
auto rank(Entry const& e) { return std::tuple(capability(e), static_cast<int>(e.variant)); }

}  // namespace

Choice choose(std::vector<Entry> const& entries, std::uint32_t device) {
    Choice best;
    for (Entry const& e : entries) {
        if (e.kind != Kind::ptx || !runs_on(e, device)) continue;
        if (best.entry == nullptr || rank(e) > rank(*best.entry)) best.entry = &e;
    }
    if (best.entry != nullptr) return best;
    // There is nothing for this device: take the least demanding of the others, for programs built for a newer
    // one.
    for (Entry const& e : entries) {
        if (e.kind != Kind::ptx) continue;
        auto const distance = [&](Entry const& x) {
            return std::tuple(x.variant != Variant::any, capability(x) < device, capability(x));
        };
        if (best.entry == nullptr || distance(e) < distance(*best.entry)) best = {&e, true};
    }
    return best;
}

Entry const* choose_machine_code(std::vector<Entry> const& entries, std::uint32_t device) {
    Entry const* best = nullptr;
    for (Entry const& e : entries) {
        bool const runs = e.kind == Kind::cubin && runs_on(e, device) && capability(e) / 10 == device / 10;
        if (runs && (best == nullptr || rank(e) > rank(*best))) best = &e;
    }
    return best;
}

std::string advice_without_ptx(std::vector<Entry> const& entries, std::uint32_t device) {
    std::set<std::string> machine_code;
    bool lto = false;
    for (Entry const& e : entries) {
        if (e.kind == Kind::cubin) machine_code.insert(architecture_name(e));
        lto = lto || e.kind == Kind::lto;
    }
    std::string text = "this program's device code has no PTX";
    if (!machine_code.empty()) {
        text += ", only machine code for";
        for (std::string const& name : machine_code) text += ' ' + name;
    } else if (lto) {
        text += ", only code for link-time optimisation";
    }
    std::string const number = std::to_string(device);
    return text + "; build it with nvcc -gencode arch=compute_" + number + ",code=compute_" + number;
}

std::string advice_on_linked_runtime() {
    return "Build it with the shared runtime: nvcc -cudart shared (or NVCC_APPEND_FLAGS=\"-cudart shared\" in the "
           "environment of any "
           "build), cmake -DCMAKE_CUDA_RUNTIME_LIBRARY=Shared, or link its objects again with nvcc -cudart shared";
}

}  // namespace warpsim::fatbin
