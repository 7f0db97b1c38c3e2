#include "runtime/plan/packed_bytes.hpp"

#include "runtime/plan/npy.hpp"
#include "sim/error.hpp"

#include <zlib.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <memory>

namespace warpsim::plan {

namespace {

constexpr std::size_t step = std::size_t{1} << 20;

struct Close {
    void operator()(gzFile_s* file) const { gzclose(file); }
};
using File = std::unique_ptr<gzFile_s, Close>;

[[noreturn]] void fail(std::string const& what, std::string const& path) {
    throw Error(ErrorKind::plan,
                what + " '" + path + "'" + (errno == 0 ? "" : ": " + std::string(std::strerror(errno))));
}

void write(gzFile file, void const* bytes, std::size_t size, std::string const& path) {
    for (std::size_t at = 0; at < size; at += step) {
        auto const length = static_cast<unsigned>(std::min(step, size - at));
        if (gzwrite(file, static_cast<char const*>(bytes) + at, length) != static_cast<int>(length))
            fail("cannot write", path);
    }
}

}  // namespace

void write_packed(std::string const& path, std::span<std::byte const> bytes) {
    errno = 0;
    File file(gzopen(path.c_str(), "wb1"));  // the fastest: most of it is floats, which hardly shrink
    if (!file) fail("cannot write", path);
    std::string const header = npy_header_bytes(isa::Type::u8, bytes.size());
    write(file.get(), header.data(), header.size(), path);
    write(file.get(), bytes.data(), bytes.size(), path);
    if (gzclose(file.release()) != Z_OK) fail("cannot write", path);
}

std::vector<std::byte> read_packed(std::string const& path) {
    errno = 0;
    File const file(gzopen(path.c_str(), "rb"));
    if (!file) fail("cannot read", path);
    std::vector<std::byte> all;
    while (true) {
        std::size_t const before = all.size();
        all.resize(before + step);
        int const got = gzread(file.get(), all.data() + before, static_cast<unsigned>(step));
        if (got < 0) fail("cannot read", path);
        all.resize(before + static_cast<std::size_t>(got));
        if (got == 0) break;
    }
    // A file that ends too early gives what there is of it.
    int state = Z_OK;
    gzerror(file.get(), &state);
    if (state != Z_OK) fail("cannot read all of", path);
    try {
        NpyHeader const header = read_npy_header(all, all.size());
        if (header.element_bytes != 1) throw Error(ErrorKind::plan, "its elements are no bytes");
        all.erase(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(header.data_offset));
    } catch (Error const& error) {
        throw Error(ErrorKind::plan, path + ": " + error.what());
    }
    return all;
}

}  // namespace warpsim::plan
