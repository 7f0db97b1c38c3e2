#include "runtime/embed/image.hpp"

#include "sim/error.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <string_view>

namespace warpsim::embed {

namespace {

namespace texture = sim::texture;

[[noreturn]] void refuse(std::string const& why) { throw Error(ErrorKind::usage, why); }

texture::Format format_of(std::string const& name) {
    std::optional<texture::Format> const format = texture::format_named(name);
    if (!format) refuse("there is no format '" + name + "' of texels; for example: u8x4, unorm8x4, f16x2, f32");
    return *format;
}

/// The number of a name among those of an enumeration.
template <class T, std::size_t count>
T choice(std::string const& name, std::array<std::string_view, count> const& names, char const* what) {
    auto const found = std::find(names.begin(), names.end(), name);
    if (found != names.end()) return static_cast<T>(found - names.begin());
    std::string text = std::string(what) + " '" + name + "' is none of";
    for (std::string_view const one : names) text += (text.ends_with("of") ? " " : ", ") + std::string(one);
    refuse(text);
}

texture::Geometry geometry_of(ImageShape const& shape) {
    using texture::Geometry;
    if (shape.layers != 0) return shape.dimensions == 1 ? Geometry::layered_d1 : Geometry::layered_d2;
    return shape.dimensions == 1 ? Geometry::d1 : shape.dimensions == 2 ? Geometry::d2 : Geometry::d3;
}

texture::ArrayLayout layout_of(ImageShape const& shape, texture::Format const& format) {
    constexpr std::uint32_t most = 131072, most_layers = 2048;  // as in CUDA
    bool const has_dimensions = shape.dimensions >= 1 && shape.dimensions <= 3;
    bool const has_no_others =
        (shape.dimensions >= 3 || shape.depth == 1) && (shape.dimensions >= 2 || shape.height == 1);
    if (!has_dimensions || !has_no_others) refuse("an image has one to three dimensions");
    for (std::uint32_t const size : {shape.width, shape.height, shape.depth})
        if (size < 1 || size > most) refuse("an image has 1 to 131072 texels in each dimension");
    if (shape.layers > most_layers || (shape.layers != 0 && shape.dimensions == 3))
        refuse("an image has at most 2048 layers, of one or two dimensions");
    texture::ArrayShape array;
    array.texel_bytes = format.bytes();
    array.extent = {shape.width, shape.height, shape.depth};
    array.slices = std::max(shape.layers, 1u);
    array.is_line = shape.dimensions == 1;
    return texture::ArrayLayout(array);
}

// Device memory is memory of this process.
std::byte* texels_at(std::uint64_t address) { return std::bit_cast<std::byte*>(address); }

}  // namespace

Image::Image(std::shared_ptr<Device> device, ImageShape const& shape)
    : device_(std::move(device)),
      shape_(shape),
      format_(format_of(shape.format)),
      layout_(layout_of(shape, format_)),
      address_(device_->device().allocate(layout_.bytes())) {}

Image::~Image() {
    for (texture::Handle const handle : handles_) device_->device().textures().remove(handle);
    device_->free(address_);
}

std::uint64_t Image::row_bytes() const { return std::uint64_t{shape_.width} * format_.bytes(); }

std::uint64_t Image::slices() const { return shape_.layers != 0 ? shape_.layers : shape_.depth; }

std::uint64_t Image::bytes() const { return row_bytes() * shape_.height * slices(); }

texture::ArrayBox Image::whole() const { return {0, 0, 0, 0, row_bytes(), shape_.height, slices()}; }

void Image::check_size(std::size_t size) const {
    if (size != bytes())
        refuse("the image has " + std::to_string(bytes()) + " bytes, but " + std::to_string(size) + " are given");
}

void Image::write(void const* from, std::size_t size) {
    check_size(size);
    device_->finish_all();
    std::uint64_t const row = row_bytes();
    texture::copy_to_array(texels_at(address_), layout_, whole(), static_cast<std::byte const*>(from),
                           {row, row * shape_.height});
    device_->device().tell_set(address_, layout_.bytes());
}

void Image::read(void* to, std::size_t size) const {
    check_size(size);
    device_->finish_all();
    std::uint64_t const row = row_bytes();
    texture::copy_from_array(static_cast<std::byte*>(to), {row, row * shape_.height}, texels_at(address_), layout_,
                             whole());
}

texture::Image Image::seen_as(texture::Format format) const {
    return texture::image_of_array(address_, format, geometry_of(shape_), layout_);
}

texture::Handle Image::texture(Sampling const& sampling) {
    constexpr std::array<std::string_view, 2> filters{"point", "linear"};
    constexpr std::array<std::string_view, 5> addresses{"wrap", "clamp", "mirror", "border", "clamp_ogl"};
    texture::Format const format = sampling.reads_fractions ? texture::normalized(format_) : format_;
    texture::Sampler sampler;
    sampler.filter = sampler.level_filter = choice<texture::Filter>(sampling.filter, filters, "filter");
    if (sampler.filter == texture::Filter::linear && format.is_integer())
        refuse("integers cannot be filtered, but as fractions");
    sampler.is_normalized = sampling.is_normalized;
    if (sampling.address.empty() || sampling.address.size() > 3) refuse("address: one to three words are wanted");
    for (std::size_t i = 0; i < 3; ++i) {
        std::string const& word = sampling.address[std::min(i, sampling.address.size() - 1)];
        sampler.address[i] = choice<texture::Address>(word, addresses, "address");
        bool const repeats =
            sampler.address[i] == texture::Address::wrap || sampler.address[i] == texture::Address::mirror;
        if (repeats && !sampler.is_normalized) refuse("only normalised coordinates can " + word);
    }
    if (sampling.border.size() > 4) refuse("border: at most four numbers are wanted");
    for (std::size_t i = 0; i < sampling.border.size(); ++i) {
        float const value = sampling.border[i];
        sampler.border[i] = format.is_integer() ? std::bit_cast<float>(static_cast<std::int32_t>(value)) : value;
    }
    texture::Handle const handle = device_->device().textures().add(texture::Texture{seen_as(format), sampler});
    std::lock_guard const lock(mutex_);
    handles_.push_back(handle);
    return handle;
}

texture::Handle Image::surface() {
    texture::Handle const handle = device_->device().textures().add(texture::Surface{seen_as(format_)});
    std::lock_guard const lock(mutex_);
    handles_.push_back(handle);
    return handle;
}

}  // namespace warpsim::embed
