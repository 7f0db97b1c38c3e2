// Containers that nvcc 13 wrote (data/, made by tools/make-fatbins), whole and damaged.
#include "runtime/fatbin/fatbin.hpp"
#include "sim/error.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <random>
#include <tuple>

namespace fatbin_test {

using namespace warpsim;
using namespace warpsim::fatbin;

namespace {

std::string const folder = WARPSIM_SOURCE_DIR "/tests/fatbin/data/";

std::vector<char> file(std::string const& name) {
    std::ifstream in(folder + name, std::ios::binary);
    REQUIRE(in);
    return {std::istreambuf_iterator<char>(in), {}};
}

Bytes bytes(std::vector<char> const& v) { return std::as_bytes(std::span(v)); }

/// What fatbinary makes of PTX text before storing it: no comments, one blank instead of several, none at the
/// start of a line.
std::string minified(std::string const& text) {
    std::string out;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text.compare(i, 2, "//") == 0) {
            i = text.find('\n', i) - 1;
        } else if (text[i] == ' ' || text[i] == '\t') {
            bool const starts_line = out.empty() || out.back() == '\n';
            bool const follows_blank = !out.empty() && (out.back() == ' ' || out.back() == '\t');
            if (!starts_line && !follows_blank) out += text[i];
        } else {
            out += text[i];
        }
    }
    return out;
}

std::string scale_ptx() {
    auto const text = file("scale.ptx");
    return minified({text.begin(), text.end()});
}

std::string error_of(std::vector<char> const& damaged) {
    try {
        for (Entry const& e : entries(bytes(damaged))) contents(e);
    } catch (Error const& error) {
        CHECK(error.kind() == ErrorKind::ptx);
        return error.what();
    }
    return "";
}

Choice choice(std::vector<Entry> const& list, std::uint32_t device) { return choose(list, device); }

}  // namespace

TEST_CASE("A container's PTX is the text that nvcc compiled, raw and by LZ4", "[fatbin]") {
    for (char const* name : {"raw.fatbin", "lz4.fatbin"}) {
        INFO(name);
        auto const data = file(name);
        auto const list = entries(bytes(data));
        REQUIRE(list.size() == 1);
        CHECK(list[0].kind == Kind::ptx);
        CHECK(architecture_name(list[0]) == "sm_75");
        CHECK(list[0].isa_major == 9);
        CHECK(list[0].isa_minor == 0);
        CHECK(contents(list[0]) == scale_ptx());
    }
}

TEST_CASE("A container compressed by zstd carries its options and source file", "[fatbin]") {
    auto const data = file("zstd.fatbin");
    auto const list = entries(bytes(data));
    REQUIRE(list.size() == 1);
    CHECK(list[0].coding == Coding::zstd);
    CHECK(list[0].options == "--generate-line-info");
    CHECK(list[0].name == "scale.cu");
    std::string const text = contents(list[0]);
    CHECK(text.find(".visible .entry scale(") != std::string::npos);
    CHECK(text.find('\0') == std::string::npos);
    CHECK(text.size() + 1 == list[0].plain_size);
}

TEST_CASE("Machine code stands beside PTX", "[fatbin]") {
    auto const data = file("default.fatbin");
    auto const list = entries(bytes(data));
    REQUIRE(list.size() == 2);
    CHECK(std::count_if(list.begin(), list.end(), [](Entry const& e) { return e.kind == Kind::cubin; }) == 1);
    for (Entry const& e : list) {
        CHECK(e.architecture == 90);
        if (e.kind == Kind::cubin) CHECK(image_kind(contents(e).data()) == Image::elf);
    }
}

TEST_CASE("A device takes the newest PTX that it can run", "[fatbin]") {
    auto const data = file("many.fatbin");
    auto const list = entries(bytes(data));
    REQUIRE(list.size() == 5);
    auto const chosen = [&](std::uint32_t device) { return architecture_name(*choice(list, device).entry); };
    CHECK(chosen(75) == "sm_75");
    CHECK(chosen(86) == "sm_75");
    CHECK(chosen(90) == "sm_90a");
    CHECK(chosen(100) == "sm_100f");
    CHECK(chosen(103) == "sm_100f");
    CHECK(chosen(110) == "sm_90");  // neither of sm_90a's capability nor of sm_100's family
    CHECK(chosen(121) == "sm_120");
    CHECK_FALSE(choice(list, 75).above_device);
}

TEST_CASE("A device older than all PTX takes the least demanding", "[fatbin]") {
    auto const data = file("many.fatbin");
    auto const list = entries(bytes(data));
    Choice const found = choice(list, 70);
    REQUIRE(found.entry != nullptr);
    CHECK(architecture_name(*found.entry) == "sm_75");
    CHECK(found.above_device);
}

TEST_CASE("The parts of a program built with -rdc are containers whose PTX refers to one another", "[fatbin]") {
    for (auto const& [name, coding, wanted] :
         {std::tuple("part_one.fatbin", Coding::zstd, ".extern .func (.param .b32 func_retval0) _Z9factor_ofi"),
          std::tuple("part_two.fatbin", Coding::lz4,
                     ".visible .func (.param .b32 func_retval0) _Z9factor_ofi(")}) {
        INFO(name);
        auto const data = file(name);
        auto const list = entries(bytes(data));
        REQUIRE(list.size() == 1);
        CHECK(list[0].kind == Kind::ptx);
        CHECK(list[0].coding == coding);
        CHECK(contents(list[0]).find(wanted) != std::string::npos);
    }
}

TEST_CASE("A program without PTX is told what to build", "[fatbin]") {
    auto const data = file("cubin.fatbin");
    auto const list = entries(bytes(data));
    CHECK(choice(list, 90).entry == nullptr);
    CHECK(advice_without_ptx(list, 90) ==
          "this program's device code has no PTX, only machine code for sm_75 sm_80; build it with nvcc -gencode "
          "arch=compute_90,code=compute_90");
}

TEST_CASE("An image is known by its first bytes", "[fatbin]") {
    CHECK(image_kind(file("raw.fatbin").data()) == Image::container);
    CHECK(image_kind("\x7f"
                     "ELF\x02") == Image::elf);
    CHECK(image_kind("//\n.version 9.0") == Image::text);
    CHECK(image_kind(".") == Image::text);
    CHECK(image_kind("\xb1\x43\x62\x46\x01") == Image::wrapper);
    CHECK(image_kind("") == Image::unknown);
    CHECK(image_kind("\xff\xff\xff\xff") == Image::unknown);
}

TEST_CASE("A wrapper leads to its container, that of a linked program to its parts", "[fatbin]") {
    struct Wrapper {
        std::uint32_t magic, version;
        void const* data;
        void const* const* parts;
    };
    auto const one = file("raw.fatbin"), two = file("lz4.fatbin");
    Wrapper const plain{0x466243b1, 1, one.data(), nullptr};
    REQUIRE(containers(&plain).size() == 1);
    CHECK(containers(&plain)[0].size() == one.size());

    void const* const parts[] = {one.data(), two.data(), nullptr};
    Wrapper const linked{0x466243b1, 2, one.data(), parts};
    auto const found = containers(&linked);
    REQUIRE(found.size() == 2);
    CHECK(found[1].size() == two.size());

    Wrapper const unknown{0x466243b1, 7, one.data(), nullptr};
    CHECK_THROWS_AS(containers(&unknown), Error);
}

TEST_CASE("Damaged containers are errors that say what is wrong", "[fatbin]") {
    auto data = file("zstd.fatbin");
    SECTION("another mark") {
        data[0] = 0;
        CHECK(error_of(data).find("a container without its mark") != std::string::npos);
    }
    SECTION("cut off") {
        data.resize(data.size() - 8);
        CHECK(error_of(data).find("a container longer than the place it lies in") != std::string::npos);
    }
    SECTION("an entry too long") {
        data[16 + 8 + 3] = 0x7f;
        CHECK(error_of(data).find("an entry longer than its container") != std::string::npos);
    }
    SECTION("compressed bytes changed") {
        data[16 + 64 + 40] = static_cast<char>(data[16 + 64 + 40] ^ 0x5a);
        data.back() = static_cast<char>(data.back() ^ 1);
        std::fill(data.end() - 60, data.end() - 8, '\x77');
        CHECK(error_of(data).find("an entry for sm_75 cannot be decompressed") != std::string::npos);
    }
    SECTION("a size that the frame does not have") {
        data[16 + 56 + 3] = 0x10;
        CHECK_FALSE(error_of(data).empty());
    }
}

TEST_CASE("Random damage never crashes", "[fatbin]") {
    std::mt19937 random(7);
    for (char const* name : {"zstd.fatbin", "lz4.fatbin", "many.fatbin"}) {
        auto const whole = file(name);
        for (int i = 0; i < 3000; ++i) {
            auto data = whole;
            for (unsigned n = random() % 8; n != 0; --n)
                data[random() % data.size()] = static_cast<char>(random());
            data.resize(data.size() - random() % 3 * (random() % 64));
            error_of(data);
        }
    }
}

}  // namespace fatbin_test
