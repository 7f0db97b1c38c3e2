#include "runtime/plan/png.hpp"

#include "sim/error.hpp"

#include <png.h>

namespace warpsim::plan {

namespace {

/// Ends with its scope, whatever has happened.
struct OpenPng {
    png_image image{};

    OpenPng() { image.version = PNG_IMAGE_VERSION; }
    ~OpenPng() { png_image_free(&image); }
    OpenPng(OpenPng const&) = delete;
    OpenPng& operator=(OpenPng const&) = delete;

    void open(std::string const& path) {
        if (png_image_begin_read_from_file(&image, path.c_str()) == 0) fail(path);
    }
    [[noreturn]] void fail(std::string const& path) const {
        throw Error(ErrorKind::plan, "'" + path + "': " + image.message);
    }
};

std::uint32_t format_of(std::uint32_t channels) {
    constexpr std::uint32_t formats[] = {PNG_FORMAT_GRAY, PNG_FORMAT_GA, PNG_FORMAT_RGB, PNG_FORMAT_RGBA};
    return formats[channels - 1];
}

}  // namespace

PngSize png_size(std::string const& path) {
    OpenPng p;
    p.open(path);
    std::uint32_t const colours = (p.image.format & PNG_FORMAT_FLAG_COLOR) != 0 ? 3 : 1;
    return {p.image.width, p.image.height, colours + ((p.image.format & PNG_FORMAT_FLAG_ALPHA) != 0 ? 1 : 0)};
}

std::vector<std::byte> read_png(std::string const& path, std::uint32_t channels) {
    PngSize const own = png_size(path);
    OpenPng p;
    p.open(path);
    p.image.format = format_of(channels != 0 ? channels : own.channels);
    std::vector<std::byte> bytes(PNG_IMAGE_SIZE(p.image));
    if (png_image_finish_read(&p.image, nullptr, bytes.data(), 0, nullptr) == 0) p.fail(path);
    return bytes;
}

void write_png(std::string const& path, PngSize const& size, std::span<std::byte const> bytes) {
    OpenPng p;
    p.image.width = size.width;
    p.image.height = size.height;
    p.image.format = format_of(size.channels);
    if (bytes.size() != size.bytes()) throw Error(ErrorKind::plan, "'" + path + "': wrong number of bytes");
    if (png_image_write_to_file(&p.image, path.c_str(), 0, bytes.data(), 0, nullptr) == 0) p.fail(path);
}

}  // namespace warpsim::plan
