#include "runtime/cuda/textures/arrays.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

bool is_ten_bits(ChannelFormat const& f) {
    return f.kind == ChannelKind::unsigned_normalized && f.bits == std::array{10, 10, 10, 2};
}

}  // namespace

unsigned ChannelFormat::channels() const {
    unsigned count = 0;
    while (count < 4 && bits[count] != 0) ++count;
    return count;
}

bool ChannelFormat::is_valid() const {
    bool const is_normalized = kind == ChannelKind::unsigned_normalized || kind == ChannelKind::signed_normalized;
    if (is_ten_bits(*this)) return true;
    unsigned const count = channels();
    if (count != 1 && count != 2 && count != 4) return false;
    for (std::size_t i = 0; i < 4; ++i) {
        if (bits[i] != (i < count ? bits[0] : 0)) return false;
    }
    if (is_normalized) return bits[0] == 8 || bits[0] == 16;
    if (is_integer()) return bits[0] == 8 || bits[0] == 16 || bits[0] == 32;
    return kind == ChannelKind::floating && (bits[0] == 16 || bits[0] == 32);
}

sim::texture::Format ChannelFormat::texels() const {
    using sim::texture::Channel;
    auto const count = static_cast<std::uint8_t>(channels());
    auto const of_width = [&](Channel of_8, Channel of_16, Channel of_32) {
        return sim::texture::Format{bits[0] == 8 ? of_8 : bits[0] == 16 ? of_16 : of_32, count};
    };
    if (is_ten_bits(*this)) return {Channel::unorm10, 4};
    switch (kind) {
        case ChannelKind::signed_integer: return of_width(Channel::s8, Channel::s16, Channel::s32);
        case ChannelKind::unsigned_integer: return of_width(Channel::u8, Channel::u16, Channel::u32);
        case ChannelKind::unsigned_normalized: return {bits[0] == 8 ? Channel::unorm8 : Channel::unorm16, count};
        case ChannelKind::signed_normalized: return {bits[0] == 8 ? Channel::snorm8 : Channel::snorm16, count};
        case ChannelKind::floating:
        case ChannelKind::none: break;
    }
    return {bits[0] == 16 ? Channel::f16 : Channel::f32, count};
}

sim::texture::Geometry ArrayShape::geometry() const {
    using sim::texture::Geometry;
    if (is_cubemap()) return is_layered() ? Geometry::layered_cubemap : Geometry::cubemap;
    if (is_layered()) return height == 0 ? Geometry::layered_d1 : Geometry::layered_d2;
    return depth != 0 ? Geometry::d3 : height != 0 ? Geometry::d2 : Geometry::d1;
}

ArrayShape ArrayShape::level(unsigned number) const {
    auto const smaller = [&](std::uint64_t size) {
        return size == 0 ? 0 : std::max<std::uint64_t>(size >> number, 1);
    };
    ArrayShape s = *this;
    s.width = smaller(width);
    s.height = smaller(height);
    if (is_volume()) s.depth = smaller(depth);
    return s;
}

namespace {

/// Throws what the constructor of ArrayMemory does.
void check_shape(ArrayShape const& s) {
    constexpr unsigned layered = ArrayShape::layered, surface = ArrayShape::surface, cubemap = ArrayShape::cubemap,
                       gather = ArrayShape::gather;
    // For depth buffers, colour attachments, sparse arrays, memory that is mapped later, and video.
    constexpr unsigned known_elsewhere = 0x1f0;
    if ((s.flags & known_elsewhere) != 0) throw Failure(Result::not_supported);
    if (!s.format.is_valid()) throw Failure(Result::invalid_channel_descriptor);
    bool const known_flags = (s.flags & ~(layered | surface | cubemap | gather)) == 0;
    bool const lacks_height = s.height == 0 && s.depth != 0 && !s.is_layered();
    bool const bad_cube = s.is_cubemap() && (s.width != s.height || s.depth == 0 || s.depth % 6 != 0 ||
                                             (!s.is_layered() && s.depth != 6));
    bool const bad_gather = (s.flags & gather) != 0 && (s.height == 0 || s.depth != 0);
    bool const bad_layers = s.is_layered() && s.depth == 0;
    // As on current GPUs; the attributes of textures report the same limits.
    std::uint64_t const most_wide = s.is_volume() ? 16384 : s.is_layered() ? 32768 : 131072;
    std::uint64_t const most_high = s.is_volume() ? 16384 : s.is_layered() ? 32768 : 65536;
    std::uint64_t const most_deep = s.is_layered() ? 2048 * (s.is_cubemap() ? 6 : 1) : 16384;
    bool const too_large = s.width > most_wide || s.height > most_high || s.depth > most_deep;
    if (s.width == 0 || !known_flags || lacks_height || bad_cube || bad_gather || bad_layers || too_large) {
        throw Failure(Result::invalid_value);
    }
}

sim::texture::Extent extent_of(ArrayShape const& s) {
    auto const size = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
    return {size(s.width), size(s.rows()), s.is_volume() ? size(s.depth) : 1};
}

std::shared_ptr<sim::texture::ArrayLayout const> layout_of(ArrayShape const& s, unsigned levels) {
    sim::texture::ArrayShape shape;
    shape.texel_bytes = static_cast<std::uint32_t>(s.format.bytes());
    shape.extent = extent_of(s);
    shape.slices = s.is_volume() ? 1 : static_cast<std::uint32_t>(s.slices());
    shape.levels = levels;
    shape.is_line = s.height == 0;
    return std::make_shared<sim::texture::ArrayLayout const>(shape);
}

bool fits(std::uint64_t at, std::uint64_t count, std::uint64_t most) { return at <= most && count <= most - at; }

}  // namespace

ArrayMemory::ArrayMemory(Memory& memory, int owner, ArrayShape const& wanted, unsigned levels)
    : shape(wanted), device(owner), memory_(memory) {
    check_shape(shape);
    layout_ = layout_of(shape, std::clamp(levels, 1u, sim::texture::whole_pyramid(extent_of(shape))));
    address_ = memory.allocate(MemoryKind::device, device, layout_->bytes(), 0, 0, MemoryUse::texels);
    memory_id_ = memory.find(address_)->id;
}

ArrayMemory::~ArrayMemory() {
    if (is_there()) memory_.free(address_, {MemoryKind::device}, Result::invalid_value);
}

bool ArrayMemory::is_there() const {
    auto const range = memory_.find(address_);
    return range && range->id == memory_id_;
}

sim::texture::Image ArrayMemory::image() const {
    return sim::texture::image_of_array(address_, shape.format.texels(), shape.geometry(), *layout_);
}

Array::Array(std::shared_ptr<ArrayMemory const> memory)
    : shape(memory->shape), device(memory->device), memory_(std::move(memory)) {}

Array::Array(std::shared_ptr<ArrayMemory const> memory, unsigned level)
    : shape(memory->shape.level(level)),
      device(memory->device),
      memory_(std::move(memory)),
      level_(level),
      is_level_(true) {}

Box Array::box(std::uint64_t x, std::uint64_t y, std::uint64_t z, Extent const& extent) const {
    bool const is_inside = fits(x, extent.width, row_bytes()) && fits(y, extent.height, shape.rows()) &&
                           fits(z, extent.depth, shape.slices());
    std::uint64_t const element = shape.format.bytes();
    bool const is_whole = x % element == 0 && extent.width % element == 0;
    if (!is_inside || !is_whole) throw Failure(Result::invalid_value);
    if (!memory_->is_there()) throw Failure(Result::context_is_destroyed);
    ArrayPlace place{handle, x / element, y, z, element, memory_->layout(), level_, memory_->memory_id()};
    return {memory_->address(), 0, 0, std::move(place)};
}

std::vector<Array::LinePart> Array::line(std::uint64_t x, std::uint64_t y, std::uint64_t bytes) const {
    std::uint64_t const row = row_bytes();
    bool const is_inside = x <= row && y < shape.rows() && fits(y * row + x, bytes, row * shape.rows());
    if (!is_inside) throw Failure(Result::invalid_value);
    std::vector<LinePart> parts;
    for (std::uint64_t done = 0; done < bytes;) {
        std::uint64_t const at = y * row + x + done, column = at % row, rest = bytes - done;
        std::uint64_t const width = std::min(row - column, rest);
        Extent const extent{width, width == row ? rest / row : 1, 1};
        parts.push_back({box(column, at / row, 0, extent), extent, done});
        done += extent.width * extent.height;
    }
    return parts;
}

sim::texture::Image Array::image() const {
    sim::texture::Image image = memory_->image();
    image.first_level = image.last_level = level_;
    return image;
}

MipmappedArray::MipmappedArray(Memory& from, int device, ArrayShape const& shape, unsigned count)
    : memory(std::make_shared<ArrayMemory const>(from, device, shape, count)) {
    for (unsigned i = 0; i < memory->layout()->shape().levels; ++i)
        levels.push_back(std::make_shared<Array>(memory, i));
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
    auto const memory = std::make_shared<ArrayMemory const>(memory_, gpu.ordinal, shape, 1);
    return name(std::make_shared<Array>(memory));
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
