#include "runtime/cuda/textures/arrays.hpp"

#include <algorithm>

namespace warpsim::cuda {

unsigned ChannelFormat::channels() const {
    unsigned count = 0;
    while (count < 4 && bits[count] != 0) ++count;
    return count;
}

bool ChannelFormat::is_valid() const {
    unsigned const count = channels();
    if (count != 1 && count != 2 && count != 4) return false;
    for (std::size_t i = 0; i < 4; ++i) {
        if (bits[i] != (i < count ? bits[0] : 0)) return false;
    }
    if (is_integer()) return bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    return kind == ChannelKind::floating && (bits[0] == 16 || bits[0] == 32);
}

Array::Array(Memory& memory, int owner, ArrayShape const& wanted) : shape(wanted), device(owner), memory_(memory) {
    constexpr unsigned layered = ArrayShape::layered, surface = ArrayShape::surface, cubemap = ArrayShape::cubemap,
                       gather = ArrayShape::gather;
    // For depth buffers, colour attachments, sparse arrays, memory that is mapped later, and video.
    constexpr unsigned known_elsewhere = 0x1f0;
    if ((shape.flags & known_elsewhere) != 0) throw Failure(Result::not_supported);
    if (!shape.format.is_valid()) throw Failure(Result::invalid_channel_descriptor);
    bool const is_layered = (shape.flags & layered) != 0, is_cubemap = (shape.flags & cubemap) != 0;
    bool const known_flags = (shape.flags & ~(layered | surface | cubemap | gather)) == 0;
    bool const lacks_height = shape.height == 0 && shape.depth != 0 && !is_layered;
    bool const bad_cube = is_cubemap && (shape.width != shape.height || shape.depth == 0 || shape.depth % 6 != 0 ||
                                         (!is_layered && shape.depth != 6));
    bool const bad_gather = (shape.flags & gather) != 0 && (shape.height == 0 || shape.depth != 0);
    bool const bad_layers = is_layered && shape.depth == 0;
    // As on current GPUs; the attributes of textures report the same limits.
    bool const is_volume = shape.depth != 0 && !is_layered && !is_cubemap;
    std::uint64_t const most_wide = is_volume ? 16384 : is_layered ? 32768 : 131072;
    std::uint64_t const most_high = is_volume ? 16384 : is_layered ? 32768 : 65536;
    std::uint64_t const most_deep = is_layered ? 2048 * (is_cubemap ? 6 : 1) : 16384;
    bool const too_large = shape.width > most_wide || shape.height > most_high || shape.depth > most_deep;
    if (shape.width == 0 || !known_flags || lacks_height || bad_cube || bad_gather || bad_layers || too_large) {
        throw Failure(Result::invalid_value);
    }
    row_bytes_ = shape.width * shape.format.bytes();
    address_ = memory.allocate(MemoryKind::device, device, row_bytes_ * shape.rows() * shape.slices());
    memory_id_ = memory.find(address_)->id;
}

Array::~Array() {
    if (is_there()) memory_.free(address_, {MemoryKind::device}, Result::invalid_value);
}

bool Array::is_there() const {
    auto const range = memory_.find(address_);
    return range && range->id == memory_id_;
}

namespace {

bool fits(std::uint64_t at, std::uint64_t count, std::uint64_t most) { return at <= most && count <= most - at; }

}  // namespace

Box Array::box(std::uint64_t x, std::uint64_t y, std::uint64_t z, Extent const& extent) const {
    bool const is_inside = fits(x, extent.width, row_bytes_) && fits(y, extent.height, shape.rows()) &&
                           fits(z, extent.depth, shape.slices());
    std::uint64_t const element = shape.format.bytes();
    bool const is_whole = x % element == 0 && extent.width % element == 0;
    if (!is_inside || !is_whole) throw Failure(Result::invalid_value);
    if (!is_there()) throw Failure(Result::context_is_destroyed);
    std::uint64_t const slice = row_bytes_ * shape.rows();
    return {address_ + z * slice + y * row_bytes_ + x, row_bytes_, slice, {handle, x / element, y, z, element}};
}

Box Array::line(std::uint64_t x, std::uint64_t y, std::uint64_t bytes) const {
    bool const is_inside =
        x <= row_bytes_ && y < shape.rows() && fits(y * row_bytes_ + x, bytes, row_bytes_ * shape.rows());
    if (!is_inside) throw Failure(Result::invalid_value);
    if (!is_there()) throw Failure(Result::context_is_destroyed);
    return {address_ + y * row_bytes_ + x,
            bytes,
            bytes,
            {handle, x / shape.format.bytes(), y, 0, shape.format.bytes()}};
}

MipmappedArray::MipmappedArray(Memory& memory, int device, ArrayShape const& shape, unsigned count) {
    std::uint64_t const depth = (shape.flags & (ArrayShape::layered | ArrayShape::cubemap)) != 0 ? 1 : shape.depth;
    std::uint64_t longest = std::max({shape.width, shape.height, depth});
    unsigned most = 0;
    for (; longest != 0; longest /= 2) ++most;
    count = std::clamp(count, 1u, std::max(most, 1u));
    ArrayShape level = shape;
    for (unsigned i = 0; i < count; ++i) {
        levels.push_back(std::make_shared<Array>(memory, device, level));
        level.width = std::max<std::uint64_t>(level.width / 2, 1);
        if (level.height != 0) level.height = std::max<std::uint64_t>(level.height / 2, 1);
        if (level.depth != 0 && depth == shape.depth) level.depth = std::max<std::uint64_t>(level.depth / 2, 1);
    }
}

Arrays::Arrays(HandleTable& handles, Memory& memory, Gpus const& gpus)
    : memory_(memory),
      gpus_(gpus),
      arrays_(handles, HandleKind::array),
      mipmapped_(handles, HandleKind::mipmapped_array) {}

void* Arrays::name(std::shared_ptr<Array> const& array) {
    if (array->handle == nullptr) array->handle = arrays_.add(array);
    return array->handle;
}

void* Arrays::add(Gpu const& gpu, ArrayShape const& shape) {
    return name(std::make_shared<Array>(memory_, gpu.ordinal, shape));
}

void Arrays::destroy(void* handle) {
    auto const kept = arrays_.remove(handle);
    gpus_[static_cast<std::size_t>(kept->device)]->queue.wait_all();  // copies that are in flight
}

void* Arrays::add_mipmapped(Gpu const& gpu, ArrayShape const& shape, unsigned levels) {
    return mipmapped_.add(std::make_shared<MipmappedArray>(memory_, gpu.ordinal, shape, levels));
}

void* Arrays::level_of(void* mipmapped, unsigned level) {
    auto const array = mipmapped_.get(mipmapped);
    if (level >= array->levels.size()) throw Failure(Result::invalid_value);
    return name(array->levels[level]);
}

void Arrays::destroy_mipmapped(void* mipmapped) {
    auto const array = mipmapped_.remove(mipmapped);
    for (std::shared_ptr<Array> const& level : array->levels) arrays_.forget(level->handle);
    gpus_[static_cast<std::size_t>(array->levels.front()->device)]->queue.wait_all();
}

}  // namespace warpsim::cuda
