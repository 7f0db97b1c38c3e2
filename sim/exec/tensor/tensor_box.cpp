#include "sim/exec/tensor/tensor_box.hpp"

#include "sim/exec/copy_bytes.hpp"
#include "sim/tensor/elements.hpp"
#include "sim/tensor/swizzle.hpp"

#include <cstring>

namespace warpsim::sim {

namespace {

std::byte* host(std::uint64_t address) { return reinterpret_cast<std::byte*>(address); }

/// Moves a box between its bytes in order and shared memory: move(offset in the box, address, bytes).
template <class Move>
void for_each_unit(tensor::TensorMap const& map, std::uint64_t at, std::size_t bytes, Move const& move) {
    if (map.swizzle == tensor::Swizzle::none) return move(std::size_t{0}, at, bytes);
    for (std::size_t i = 0; i < bytes; i += tensor::swizzle_unit)
        move(i, tensor::swizzled(map, at + i), std::size_t{tensor::swizzle_unit});
}

}  // namespace

std::vector<std::byte> TensorBox::load(std::uint32_t shared_bytes) const {
    std::vector<std::byte> box(global_bytes), data(shared_bytes);
    tensor::fill(map, box.data(), box.size());
    for (tensor::Run const& run : runs) copy_weak(box.data() + run.offset, host(run.address), run.bytes);
    tensor::expand(map, box.data(), box.size(), data.data());
    return data;
}

std::vector<std::byte> TensorBox::gather(std::byte const* shared, std::uint64_t at,
                                         std::uint32_t shared_bytes) const {
    std::vector<std::byte> data(shared_bytes), box(global_bytes);
    for_each_unit(map, at, shared_bytes, [&](std::size_t i, std::uint64_t address, std::size_t bytes) {
        std::memcpy(data.data() + i, shared + address, bytes);
    });
    tensor::pack(map, data.data(), box.size(), box.data());
    return box;
}

void TensorBox::scatter(std::vector<std::byte> const& data, std::byte* shared, std::uint64_t at) const {
    for_each_unit(map, at, data.size(), [&](std::size_t i, std::uint64_t address, std::size_t bytes) {
        std::memcpy(shared + address, data.data() + i, bytes);
    });
}

void TensorBox::store(std::vector<std::byte> const& data) const {
    std::size_t const size = tensor::global_bits(map.element) / 8;
    for (tensor::Run const& run : runs) {
        std::byte const* const from = data.data() + run.offset;
        if (reduce != nullptr) reduce_weak(host(run.address), from, run.bytes, size, reduce);
        else copy_weak(host(run.address), from, run.bytes);
    }
}

}  // namespace warpsim::sim
