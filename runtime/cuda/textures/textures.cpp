#include "runtime/cuda/textures/textures.hpp"

#include "runtime/cuda/devices/thread.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

using Kind = Resource::Kind;

/// Checks that the manual allows the combination.
void check_sampling(Sampling const& s, Kind kind, ChannelFormat const& format) {
    for (int const mode : s.address_modes) require(mode >= 0 && mode <= 3);
    require(s.filter >= 0 && s.filter <= 1 && s.level_filter >= 0 && s.level_filter <= 1);
    if (kind == Kind::linear) return;  // read without filter and address mode, whatever these are set to
    bool const stays_integer = format.is_integer() && !(s.promotes_integers && format.bits[0] < 32);
    require(s.filter == 0 || !stays_integer);
    // Levels other than the first require normalised coordinates.
    require(kind != Kind::mipmapped || s.has_normalized_coordinates);
}

template <class Object>
Object found(std::map<ObjectHandle, Object> const& objects, std::mutex& mutex, ObjectHandle handle) {
    std::lock_guard const lock(mutex);
    auto const at = objects.find(handle);
    require(at != objects.end());
    return at->second;
}

/// Kernels that use it may be under way.
template <class Object>
void end(std::map<ObjectHandle, Object>& objects, std::mutex& mutex, Gpus const& gpus, ObjectHandle handle) {
    if (handle == 0) return;
    std::unique_lock lock(mutex);
    auto const object = objects.extract(handle);
    lock.unlock();
    if (object.empty()) throw Failure(Result::invalid_handle);
    Gpu& gpu = *gpus[static_cast<std::size_t>(object.mapped().device)];
    gpu.queue.wait_all();
    gpu.device.textures().remove(handle);
}

sim::texture::Sampler sampler_of(Sampling const& s) {
    sim::texture::Sampler sampler;
    for (std::size_t i = 0; i < 3; ++i)
        sampler.address[i] = static_cast<sim::texture::Address>(s.address_modes[i]);
    sampler.filter = static_cast<sim::texture::Filter>(s.filter);
    sampler.level_filter = static_cast<sim::texture::Filter>(s.level_filter);
    sampler.is_normalized = s.has_normalized_coordinates;
    sampler.is_seamless = s.is_seamless_cubemap;
    sampler.anisotropy = std::max(s.anisotropy, 1u);
    sampler.level_bias = s.level_bias;
    sampler.least_level = s.least_level;
    sampler.most_level = s.most_level;
    sampler.border = s.border;
    return sampler;
}

/// Formats of views: signed and unsigned integers of 8, 16 and 32 bits, then floats of 16 and 32, each of one, two and
/// four channels; then compressed ones.
constexpr int first_compressed_view = 0x19, last_view = 0x22;

sim::texture::Format format_of_view(int format) {
    using sim::texture::Channel;
    constexpr Channel channels[] = {Channel::u8,  Channel::s8,  Channel::u16, Channel::s16,
                                    Channel::u32, Channel::s32, Channel::f16, Channel::f32};
    auto const index = static_cast<unsigned>(format - 1);
    return {channels[index / 3], static_cast<std::uint8_t>(1u << index % 3)};
}

void apply(ResourceView const& view, sim::texture::Image& image) {
    if (view.format != 0) image.format = format_of_view(view.format);
    image.last_level = image.first_level + view.last_level;
    image.first_level += view.first_level;
    if (!sim::texture::is_layered(image.geometry)) return;
    // Layers of cubemaps have six faces.
    std::uint32_t const faces = sim::texture::is_cube(image.geometry) ? 6 : 1;
    image.first_slice = view.first_layer * faces;
    image.slices = (view.last_layer - view.first_layer + 1) * faces;
}

}  // namespace

Textures::Textures(Arrays const& arrays, Memory const& memory, Gpus const& gpus)
    : arrays_(arrays), memory_(memory), gpus_(gpus) {}

void Textures::check_memory(Resource const& r, ChannelFormat const& format) const {
    constexpr std::uint64_t alignment = 512, pitch_alignment = 32;
    std::uint64_t const element = format.bytes();
    std::uint64_t bytes = r.bytes;
    if (r.kind == Kind::pitched) {
        require(r.pitch % pitch_alignment == 0 && r.pitch / element >= r.width);
        bytes = r.height == 0 ? 0 : (r.height - 1) * r.pitch + r.width * element;
    } else {
        require(bytes / element <= most_linear_elements);
    }
    require(bytes != 0 && r.address % alignment == 0 && memory_.find(r.address));
    memory_.check(r.address, bytes);
}

void Textures::check_view(ResourceView const& v, Resource const& r, ChannelFormat const& format) const {
    require(r.kind <= Kind::mipmapped && v.format >= 0 && v.format <= last_view);
    if (v.format >= first_compressed_view) throw Failure(Result::not_supported);
    require(v.format == 0 || format_of_view(v.format).bytes() == format.bytes());
    auto const mipmapped = r.kind == Kind::mipmapped ? arrays_.get_mipmapped(r.array) : nullptr;
    ArrayShape const shape = mipmapped ? mipmapped->memory->shape : arrays_.get(r.array)->shape;
    std::size_t const levels = mipmapped ? mipmapped->levels.size() : 1;
    std::size_t const layers = shape.is_layered() ? shape.depth / (shape.is_cubemap() ? 6 : 1) : 1;
    require(v.first_level <= v.last_level && v.last_level < levels);
    require(v.first_layer <= v.last_layer && v.last_layer < layers);
    // Only compressed formats change the size: it is that of the array, or of the first level of the view.
    ArrayShape const first = shape.level(v.first_level);
    require(v.width == shape.width || v.width == first.width);
    require(v.height == shape.height || v.height == first.height);
}

ChannelFormat Textures::format_of(Resource const& r) const {
    if (r.kind == Kind::array) return arrays_.get(r.array)->shape.format;
    if (r.kind == Kind::mipmapped) return arrays_.get_mipmapped(r.array)->levels.front()->shape.format;
    require(r.kind == Kind::linear || r.kind == Kind::pitched);
    if (!r.format.is_valid()) throw Failure(Result::invalid_channel_descriptor);
    return r.format;
}

void Textures::check(Resource const& resource, Sampling const& sampling, ResourceView const* view) const {
    ChannelFormat const format = format_of(resource);
    if (resource.kind == Kind::linear || resource.kind == Kind::pitched) check_memory(resource, format);
    check_sampling(sampling, resource.kind, format);
    if (view != nullptr) check_view(*view, resource, format);
}

sim::texture::Image Textures::image_of(Resource const& r, int device) const {
    namespace texture = sim::texture;
    if (r.kind == Kind::array) {
        auto const array = arrays_.get(r.array);
        require(array->device == device);
        return array->image();
    }
    if (r.kind == Kind::mipmapped) {
        auto const array = arrays_.get_mipmapped(r.array);
        require(array->memory->device == device);
        return array->memory->image();
    }
    texture::Format const format = r.format.texels();
    auto const size = [](std::uint64_t n) { return static_cast<std::uint32_t>(n); };
    if (r.kind == Kind::linear) return texture::image_of_line(r.address, format, size(r.bytes / format.bytes()));
    return texture::image_of_rows(r.address, format, {size(r.width), size(r.height), 1}, r.pitch);
}

sim::texture::Texture Textures::sampled(Gpu const& gpu, Resource const& resource, Sampling const& sampling,
                                        ResourceView const* view) const {
    check(resource, sampling, view);
    sim::texture::Texture texture{image_of(resource, gpu.ordinal), sampler_of(sampling)};
    if (view != nullptr) apply(*view, texture.image);
    if (sampling.promotes_integers)
        texture.image.format = sim::texture::normalized(texture.image.format, sampling.is_srgb);
    return texture;
}

sim::texture::Surface Textures::accessed(Gpu const& gpu, Resource const& resource) const {
    require(resource.kind == Kind::array);
    require(arrays_.get(resource.array)->is_for_surfaces());
    return {image_of(resource, gpu.ordinal)};
}

ObjectHandle Textures::add(Gpu const& gpu, Resource const& resource, Sampling const& sampling,
                           ResourceView const* view) {
    ObjectHandle const handle = gpu.device.textures().add(sampled(gpu, resource, sampling, view));
    Texture texture{resource, sampling, std::nullopt, gpu.ordinal, Thread::current().context()};
    if (view != nullptr) texture.view = *view;
    std::lock_guard const lock(mutex_);
    textures_.emplace(handle, texture);
    return handle;
}

ObjectHandle Textures::add_surface(Gpu const& gpu, Resource const& resource) {
    ObjectHandle const handle = gpu.device.textures().add(accessed(gpu, resource));
    std::lock_guard const lock(mutex_);
    surfaces_.emplace(handle, Surface{resource, gpu.ordinal, Thread::current().context()});
    return handle;
}

Texture Textures::get(ObjectHandle object) const { return found(textures_, mutex_, object); }

Surface Textures::get_surface(ObjectHandle object) const { return found(surfaces_, mutex_, object); }

ResourceView Textures::view_of(ObjectHandle object) const {
    auto const texture = get(object);
    require(texture.view.has_value());
    return *texture.view;
}

void Textures::destroy(ObjectHandle object) { end(textures_, mutex_, gpus_, object); }

void Textures::destroy_surface(ObjectHandle object) { end(surfaces_, mutex_, gpus_, object); }

void Textures::destroy_all(void const* context) {
    std::lock_guard const lock(mutex_);
    auto const destroy_in = [&](auto& objects) {
        std::erase_if(objects, [&](auto const& entry) {
            auto const& [handle, object] = entry;
            bool const ends = object.context == context;
            if (ends) gpus_[static_cast<std::size_t>(object.device)]->device.textures().remove(handle);
            return ends;
        });
    };
    destroy_in(textures_);
    destroy_in(surfaces_);
}

}  // namespace warpsim::cuda
