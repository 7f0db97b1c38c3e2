// Tensor copies: a box goes the way of its bytes, which is that of their shadow, with gaps between its rows in global memory,
// the padding of narrow elements, and the swizzle of shared memory.
#include "runtime/check/init/init_check.hpp"

#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/tensor/elements.hpp"

#include <algorithm>
#include <cstring>
#include <span>
#include <vector>

namespace warpsim::check {

namespace {

using sim::tensor::Element;

/// Loads of these elements round values or flush them to zero, so that bits do not stay where they are.
bool are_computed(Element element) {
    return element == Element::f32_ftz || element == Element::tf32 || element == Element::tf32_ftz;
}

void undefine_elements(std::vector<ShadowByte>& bytes, std::size_t element) {
    for (std::size_t at = 0; at + element <= bytes.size(); at += element)
        if (has_undefined(&bytes[at], element)) std::fill_n(&bytes[at], element, undefined_byte);
}

/// Bytes of shared memory among which a box of so many is.
std::size_t touched_bytes(sim::TensorBox const& box, std::size_t bytes) {
    constexpr std::size_t line = 128;  // within which a swizzle exchanges
    return box.map.swizzle == sim::tensor::Swizzle::none ? bytes : (bytes + line - 1) / line * line;
}

template <class To, class From> std::vector<To> as(std::vector<From> const& bytes) {
    std::vector<To> same(bytes.size());
    if (!bytes.empty()) std::memcpy(same.data(), bytes.data(), bytes.size());
    return same;
}

}  // namespace

void InitCheck::copy_tensor(sim::CopyIssue const& e) {
    bool const is_load = e.to.cta != nullptr;
    sim::MemoryPlace const& shared = is_load ? e.to : e.from;
    FlatShadow& flat = cta(*shared.cta).shared;
    if (shared.address + touched_bytes(*e.tensor, e.bytes) > flat.bytes.size()) return;
    if (is_load) load_tensor(e, flat);
    else store_tensor(e, flat);
}

void InitCheck::load_tensor(sim::CopyIssue const& e, FlatShadow& flat) {
    sim::TensorBox const& box = *e.tensor;
    auto const lane = static_cast<unsigned>(e.lane);
    std::vector<ShadowByte> global(box.global_bytes);  // what is outside of the tensor is filled, and defined
    OriginId from = 0;
    for (sim::tensor::Run const& run : box.runs) {
        std::span<ShadowByte> const part(global.data() + run.offset, run.bytes);
        global_.read(run.address, part.size(), part.data());
        if (from == 0) from = origin_at({nullptr, run.address}, e.site, lane, part);
    }
    if (from != 0 && is_strict_) {
        note_read(e.site, LaneMask{1} << lane, lane, from);
        std::fill(global.begin(), global.end(), ShadowByte{0});
    }
    sim::tensor::TensorMap plain = box.map;
    if (are_computed(plain.element)) {
        undefine_elements(global, sizeof(float));
        plain.element = Element::u32;
    }
    std::vector<std::byte> brought(e.bytes);
    sim::tensor::expand(plain, as<std::byte>(global).data(), global.size(), brought.data());
    box.scatter(brought, reinterpret_cast<std::byte*>(flat.bytes.data()), e.to.address);
    std::uint64_t const end = e.to.address + touched_bytes(box, e.bytes);
    for (std::uint64_t at = e.to.address; at < end; at += 4) flat.set_origin(at, from);
}

void InitCheck::store_tensor(sim::CopyIssue const& e, FlatShadow& flat) {
    sim::TensorBox const& box = *e.tensor;
    auto const* const bytes = reinterpret_cast<std::byte const*>(flat.bytes.data());
    std::vector<ShadowByte> const brought = as<ShadowByte>(box.gather(bytes, e.from.address, e.bytes));
    OriginId from = 0;
    if (has_undefined(brought.data(), brought.size())) {
        std::span<ShadowByte const> const read(&flat.bytes[e.from.address], touched_bytes(box, e.bytes));
        auto const lane = static_cast<unsigned>(e.lane);
        from = origin_at(e.from, e.site, lane, read);
        if (is_strict_) {
            note_read(e.site, LaneMask{1} << lane, lane, from);
            from = 0;
        }
    }
    std::size_t const element = sim::tensor::global_bits(box.map.element) / 8;
    for (sim::tensor::Run const& run : box.runs) {
        std::vector<ShadowByte> part(run.bytes);
        if (from != 0) std::copy_n(brought.begin() + run.offset, run.bytes, part.begin());
        if (box.reduce != nullptr) reduce(part, bytes_at({nullptr, run.address}, run.bytes), element);
        global_.write(run.address, part.size(), part.data(), from);
    }
}

}  // namespace warpsim::check
