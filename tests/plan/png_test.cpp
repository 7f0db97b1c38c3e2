// PNG files as the contents of buffers, and buffers as PNG files.
#include "runtime/plan/png.hpp"
#include "runtime/plan/sequence.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_folder.hpp"

#include <cstddef>

namespace png_test {

using namespace warpsim;

TEST_CASE("Bytes survive a PNG file with one to four channels", "[plan]") {
    test::TemporaryFolder const folder;
    for (std::uint32_t channels = 1; channels <= 4; ++channels) {
        plan::PngSize const size{5, 3, channels};
        std::vector<std::byte> bytes(size.bytes());
        for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(i * 37);
        std::string const path = folder / ("picture" + std::to_string(channels) + ".png");
        plan::write_png(path, size, bytes);
        CHECK(plan::png_size(path).channels == channels);
        CHECK(plan::png_size(path).width == 5);
        CHECK(plan::read_png(path, 0) == bytes);
        plan::Init init;
        init.kind = plan::Init::Kind::file;
        init.file = path;
        CHECK(plan::own_count(init, plan::Type::u8) == bytes.size());
        init.channels = 4;
        CHECK(plan::own_count(init, plan::Type::u8) == 60);
        CHECK(plan::make_bytes(init, plan::Type::u8, 60, {}).size() == 60);
        CHECK_THROWS_AS(plan::own_count(init, plan::Type::f32), Error);
    }
}

TEST_CASE("A file that is no PNG is named", "[plan]") {
    std::string what;
    try {
        plan::read_png("nothing.png", 0);
    } catch (Error const& error) {
        what = error.what();
    }
    CHECK(what.find("'nothing.png'") != std::string::npos);
}

}  // namespace png_test
