// Fetches have the bits that an H200 gave (hardware/).
#include "runtime/plan/packed_bytes.hpp"
#include "sim/texture/planes.hpp"
#include "sim/texture/sample.hpp"
#include "tests/support/catch.hpp"
#include "tests/texture/asked_textures.hpp"

#include <bit>
#include <cstring>
#include <fstream>
#include <string>
#include <vector>

namespace texture_hardware_test {

using namespace warpsim::sim::texture;
using warpsim::isa::HostIsa;

namespace {

std::string const folder = std::string(WARPSIM_SOURCE_DIR) + "/tests/texture/hardware/";

struct Line {
    std::uint64_t digest = 0;
    std::string name;
};
std::vector<Line> lines() {
    std::ifstream file(folder + "h200.txt");
    std::vector<Line> all;
    for (std::string line; std::getline(file, line);) {
        constexpr std::size_t digits = 16;
        if (line[0] != '#')
            all.push_back({std::stoull(line.substr(0, digits), nullptr, 16), line.substr(digits + 1)});
    }
    return all;
}

std::uint64_t digest_of(std::vector<Texel> const& texels) {
    std::uint64_t digest = 0;
    for (std::uint64_t i = 0; i < texels.size(); ++i) {
        auto const halves = std::bit_cast<std::array<std::uint64_t, 2>>(texels[i]);
        digest += mixed(halves[0], 2 * i) ^ mixed(halves[1], 2 * i + 1);
    }
    return digest;
}

std::vector<Texel> one_by_one(AskedTexture const& asked) {
    MadeImage const made = asked.image();
    std::vector<Fetch> const fetches = asked.fetches();
    std::vector<Texel> texels;
    for (std::size_t i = 0; i < fetches.size(); ++i) {
        FetchKind kind = asked.kind;
        kind.component = i % 4;
        texels.push_back(sample(made.image, asked.sampler, kind, fetches[i], nullptr));
    }
    return texels;
}

/// By the vectors of a host; what they leave as single ones.
std::vector<Texel> by_lanes(AskedTexture const& asked, HostIsa host) {
    MadeImage const made = asked.image();
    std::vector<Fetch> const fetches = asked.fetches();
    std::vector<Texel> texels(fetches.size());
    for (std::size_t begin = 0; begin < fetches.size(); begin += 32) {
        alignas(64) float at[3][32], level[32];
        alignas(64) std::uint32_t layer[32], results[4][32];
        FetchColumns columns;
        for (std::size_t lane = 0; lane < 32; ++lane) {
            for (std::size_t d = 0; d < 3; ++d) at[d][lane] = fetches[begin + lane].at[d];
            level[lane] = fetches[begin + lane].level;
            layer[lane] = fetches[begin + lane].layer;
        }
        for (std::size_t d = 0; d < 3; ++d) columns.at[d] = at[d];
        columns.level = level;
        columns.layer = layer;
        for (std::size_t c = 0; c < 4; ++c) columns.results[c] = results[c];
        std::uint32_t const every_fourth = 0x11111111;
        for (std::uint8_t component = 0; component < 4; ++component) {
            FetchKind kind = asked.kind;
            kind.component = component;
            std::uint32_t const mask = every_fourth << component;
            std::uint32_t const left =
                fetch_planes(plane_functions(host), made.image, asked.sampler, kind, columns, mask);
            for (std::size_t lane = component; lane < 32; lane += 4) {
                Texel& texel = texels[begin + lane];
                for (std::size_t c = 0; c < 4; ++c) texel[c] = results[c][lane];
                if ((left >> lane & 1) != 0)
                    texel = sample(made.image, asked.sampler, kind, fetches[begin + lane], nullptr);
            }
        }
    }
    return texels;
}

/// The first fetches of each line.
class KeptAnswers {
public:
    explicit KeptAnswers(std::size_t lines)
        : bytes_(warpsim::plan::read_packed(folder + "h200.npy.gz")),
          fetches_(bytes_.size() / sizeof(Texel) / lines) {}

    std::size_t fetches() const { return fetches_; }
    Texel at(std::size_t line, std::size_t fetch) const {
        Texel texel;
        std::memcpy(&texel, &bytes_[(line * fetches_ + fetch) * sizeof texel], sizeof texel);
        return texel;
    }
    /// Of the answers that differ from these.
    std::string differences(std::size_t line, std::vector<Texel> const& got) const {
        std::string text;
        std::size_t count = 0;
        for (std::size_t i = 0; i < fetches_; ++i) {
            constexpr std::size_t most = 5;
            Texel const wanted = at(line, i);
            if (wanted == got[i] || ++count > most) continue;
            text += "fetch " + std::to_string(i) + ":";
            for (std::size_t c = 0; c < wanted.size(); ++c)
                text += " " + std::to_string(std::bit_cast<float>(got[i][c])) +
                        " (GPU: " + std::to_string(std::bit_cast<float>(wanted[c])) + ")";
            text += "\n";
        }
        return text + std::to_string(count) + " of " + std::to_string(fetches_) + " differ";
    }

private:
    std::vector<std::byte> bytes_;
    std::size_t fetches_;
};

}  // namespace

TEST_CASE("Texture fetches have a GPU's bits", "[texture]") {
    std::vector<Line> const all = lines();
    REQUIRE(all.size() == 294);
    KeptAnswers const kept(all.size());
    REQUIRE(kept.fetches() == 256);
    for (std::size_t i = 0; i < all.size(); ++i) {
        AskedTexture const asked(all[i].name);
        std::vector<Texel> const texels = one_by_one(asked);
        INFO(all[i].name << ", " << kept.differences(i, texels));
        CHECK(digest_of(texels) == all[i].digest);
        bool are_kept = true;
        for (std::size_t fetch = 0; fetch < kept.fetches(); ++fetch)
            are_kept = are_kept && kept.at(i, fetch) == texels[fetch];
        CHECK(are_kept);
        for (HostIsa const host : {HostIsa::baseline, HostIsa::avx2, HostIsa::avx512}) {
            if (host > warpsim::isa::host_isa()) continue;
            INFO("host " << static_cast<int>(host));
            CHECK(by_lanes(asked, host) == texels);
        }
    }
}

}  // namespace texture_hardware_test
