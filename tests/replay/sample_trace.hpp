// Traces for tests, written by hand.
#pragma once

#include "runtime/replay/replay.hpp"
#include "sim/config/config.hpp"
#include "tests/support/temporary_folder.hpp"

#include <string>
#include <vector>

namespace warpsim::replay {

struct SampleTrace {
    int version = 4;
    int binary_version = 70;
    int grid = 1, block = 32;
    int shared_bytes = 1024;
    std::string more;                             // of the header
    std::vector<std::vector<std::string>> warps;  // of each CTA: instructions

    std::string text() const {
        std::string result =
            "-kernel name = sample\n-kernel id = 1\n-grid dim = (" + std::to_string(grid) +
            ",1,1)\n-block dim = (" + std::to_string(block) + ",1,1)\n-shmem = " + std::to_string(shared_bytes) +
            "\n-nregs = 32\n-binary version = " + std::to_string(binary_version) + "\n-cuda stream id = 0\n" +
            more + "-nvbit version = 1.7\n-accelsim tracer version = " + std::to_string(version) +
            "\n\n#traces format = PC mask ...\n\n\n";
        for (int cta = 0; cta < grid; ++cta) {
            result += "\n#BEGIN_TB\n\nthread block = " + std::to_string(cta) + ",0,0\n";
            for (std::size_t w = 0; w < warps.size(); ++w) {
                result += "\nwarp = " + std::to_string(w) + "\ninsts = " + std::to_string(warps[w].size()) + "\n";
                for (std::string const& line : warps[w]) {
                    if (version < 3) result += std::to_string(cta) + " 0 0 " + std::to_string(w) + " ";
                    result += line + "\n";
                }
            }
            result += "\n#END_TB\n";
        }
        return result;
    }

    sim::LaunchStatistics run(sim::Config const& config, int threads = 1) const {
        test::TemporaryFolder const folder;
        ReplayOptions options;
        options.device.threads = threads;
        sim::LaunchStatistics result;
        options.launched = [&](sim::LaunchStatistics const& launched) { result = launched; };
        replay(folder.write("kernel-1.traceg", text()), config, options);
        return result;
    }
    std::uint64_t cycles(sim::Config const& config) const { return run(config).timing->cycles; }
};

/// An instruction at one of the eight places of a cache line, so that its code is fetched once.
inline std::string at(int place, std::string const& rest, std::string const& mask = "ffffffff") {
    return "00" + std::to_string(place) + "0 " + mask + " " + rest;
}
inline std::string const leave = at(7, "0 EXIT 0 0");

/// So many times the same, and the end.
inline std::vector<std::string> repeated(std::string const& line, int times) {
    std::vector<std::string> lines(static_cast<std::size_t>(times), line);
    lines.push_back(leave);
    return lines;
}

}  // namespace warpsim::replay
