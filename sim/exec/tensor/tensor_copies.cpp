// Tensor copies: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor and prefetches. Which bytes they move is decided
// when they are issued, by the tensor map as it is then; sim/tensor knows how.
#include "sim/exec/async_operations.hpp"
#include "sim/exec/tensor/tensor_box.hpp"
#include "sim/exec/tensor/tensor_copy.hpp"

namespace warpsim::sim {

namespace {

using tensor::Element;

constexpr std::uint32_t shared_alignment = 128;  // of a box in shared memory
constexpr std::uint32_t line_bytes = 128;        // within which a swizzle exchanges

AtomicType atomic_type_of(Element element) {
    switch (element) {
        case Element::u32: return AtomicType::u32;
        case Element::s32: return AtomicType::s32;
        case Element::u64: return AtomicType::u64;
        case Element::s64: return AtomicType::s64;
        case Element::f16: return AtomicType::f16;
        case Element::bf16: return AtomicType::bf16;
        case Element::f64: return AtomicType::f64;
        case Element::f32:
        case Element::f32_ftz:
        case Element::tf32:
        case Element::tf32_ftz: return AtomicType::f32;
        default: return AtomicType::count;
    }
}

}  // namespace

Atomic reduction_of(TensorCopy const& copy, Element element) {
    if (copy.atomics == nullptr) return nullptr;
    AtomicType type = atomic_type_of(element);
    if (type == AtomicType::count) return nullptr;
    bool const is_bitwise = copy.operation == AtomicOperation::bit_and ||
                            copy.operation == AtomicOperation::bit_or ||
                            copy.operation == AtomicOperation::bit_xor;
    // .and, .or and .xor are operations on .b32 and .b64.
    if (is_bitwise && type == AtomicType::s32) type = AtomicType::u32;
    if (is_bitwise && type == AtomicType::s64) type = AtomicType::u64;
    // Sums of s64 are those of u64.
    if (copy.operation == AtomicOperation::add && type == AtomicType::s64) type = AtomicType::u64;
    return copy.atomics->of[0][static_cast<std::size_t>(type)][static_cast<std::size_t>(copy.operation)];
}

std::shared_ptr<TensorBox const> AsyncOperations::box_of(Issue const& by, Asynchronous const& a,
                                                         std::uint32_t& shared_bytes) {
    TensorCopy const& copy = *a.tensor;
    auto const refuse = [&](std::string const& what) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_operand, what);
    };
    std::optional<tensor::TensorMap> const map = tensor::decode(cluster_.map_bytes(by, copy.map, false));
    if (!map) refuse("tensor copy with 128 bytes that are no tensor map");
    if (auto const problem = tensor::check(*map))
        refuse("tensor copy with a map whose '" + problem->field + "' is wrong: " + problem->what);
    tensor::Request request = copy.request;
    for (std::size_t i = 0; i < copy.coordinates; ++i)
        request.at[i] = isa::column<std::int32_t>(by.warp.bases, copy.at[i])[by.lane];
    for (std::size_t i = 0; i < copy.offset_count; ++i)
        request.offsets[i] = isa::column<std::uint16_t>(by.warp.bases, copy.offsets[i])[by.lane];
    if (std::string const wrong = tensor::check(*map, request); !wrong.empty()) refuse("tensor copy: " + wrong);
    if (copy.only_prefetches) return nullptr;
    tensor::BoxSize const size = tensor::size_of(*map, request);
    if (size.shared_bytes() > launch_.shared_bytes) {
        fault(by.cta, by.warp, by.op, by.lane, FaultKind::illegal_address,
              "illegal address: a box of " + std::to_string(size.shared_bytes()) + " bytes, with " +
                  std::to_string(launch_.shared_bytes) + " bytes of shared memory per block");
    }
    auto box = std::make_shared<TensorBox>();
    box->map = *map;
    box->map_address = cluster_.address_at(by, copy.map);
    box->global_bytes = static_cast<std::uint32_t>(size.global_bytes());
    shared_bytes = static_cast<std::uint32_t>(size.shared_bytes());
    if (copy.atomics != nullptr) {
        box->reduce = reduction_of(copy, map->element);
        if (box->reduce == nullptr) refuse("tensor reduction that elements of the map's type do not have");
    }
    box->runs = tensor::walk(*map, request);
    for (tensor::Run const& run : box->runs) cluster_.global_range(by, run.address, run.bytes, 1, a.to_global);
    return box;
}

void AsyncOperations::copy_tensor(Issue const& by, Asynchronous const& a) {
    UnderWay w;
    w.plan = &a;
    w.is_bulk = true;
    w.box = box_of(by, a, w.bytes);
    if (!w.box) return;
    w.source_bytes = w.bytes;
    bool const swizzles = w.box->map.swizzle != tensor::Swizzle::none;
    std::uint32_t const touched = swizzles ? (w.bytes + line_bytes - 1) / line_bytes * line_bytes : w.bytes;
    Bytes const in_global{Bytes::global, w.box->runs.empty() ? w.box->map.address : w.box->runs.front().address};
    if (a.to_global) {
        w.from = cluster_.shared_bytes(by, a.source, touched, shared_alignment);
        w.to = in_global;
        w.in_group = true;
        return issue(by, std::move(w));
    }
    w.from = in_global;
    w.to = cluster_.shared_bytes(by, a.target, touched, shared_alignment);
    w.barrier = cluster_.shared_bytes(by, a.barrier, 8, 8);
    w.has_barrier = true;
    if (!a.is_multicast) return issue(by, std::move(w));
    issue_to_all(by, a, w);
}

}  // namespace warpsim::sim
