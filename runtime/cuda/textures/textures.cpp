#include "runtime/cuda/textures/textures.hpp"

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

void* number(ObjectHandle object) { return reinterpret_cast<void*>(object); }

}  // namespace

Textures::Textures(HandleTable& handles, Arrays const& arrays, Memory const& memory)
    : arrays_(arrays),
      memory_(memory),
      textures_(handles, HandleKind::texture),
      surfaces_(handles, HandleKind::surface) {}

/// Keeps the array of a resource alive; null for memory.
std::shared_ptr<void> Textures::kept_by(Resource const& r) const {
    if (r.kind == Kind::array) return arrays_.get(r.array);
    if (r.kind == Kind::mipmapped) return arrays_.get_mipmapped(r.array);
    return nullptr;
}

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
    // Formats of 8, 16 and 32 bits come first, signed and unsigned, with one, two and four channels; then
    // compressed ones.
    constexpr int first_compressed = 0x19, last = 0x22;
    require(r.kind <= Kind::mipmapped && v.format >= 0 && v.format <= last);
    if (v.format >= first_compressed) throw Failure(Result::not_supported);
    if (v.format != 0) {
        constexpr std::uint64_t bytes[] = {1, 2, 4,  1, 2, 4,  2, 4, 8, 2, 4, 8,
                                           4, 8, 16, 4, 8, 16, 2, 4, 8, 4, 8, 16};
        require(bytes[v.format - 1] == format.bytes());
    }
    std::size_t const levels = r.kind == Kind::array ? 1 : arrays_.get_mipmapped(r.array)->levels.size();
    require(v.first_level <= v.last_level && v.last_level < levels && v.first_layer <= v.last_layer);
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

ObjectHandle Textures::add(Resource const& resource, Sampling const& sampling, ResourceView const* view) {
    check(resource, sampling, view);
    Texture texture{resource, sampling, std::nullopt, kept_by(resource)};
    if (view != nullptr) texture.view = *view;
    return reinterpret_cast<ObjectHandle>(textures_.add(std::make_shared<Texture>(std::move(texture))));
}

ObjectHandle Textures::add_surface(Resource const& resource) {
    require(resource.kind == Kind::array);
    auto const array = arrays_.get(resource.array);
    require((array->shape.flags & ArrayShape::surface) != 0);
    return reinterpret_cast<ObjectHandle>(surfaces_.add(std::make_shared<Surface>(Surface{resource, array})));
}

std::shared_ptr<Texture> Textures::get(ObjectHandle object) const {
    return textures_.get(number(object), Result::invalid_value);
}

std::shared_ptr<Surface> Textures::get_surface(ObjectHandle object) const {
    return surfaces_.get(number(object), Result::invalid_value);
}

ResourceView Textures::view_of(ObjectHandle object) const {
    auto const texture = get(object);
    require(texture->view.has_value());
    return *texture->view;
}

void Textures::destroy(ObjectHandle object) {
    if (object != 0) textures_.remove(number(object));
}

void Textures::destroy_surface(ObjectHandle object) {
    if (object != 0) surfaces_.remove(number(object));
}

}  // namespace warpsim::cuda
