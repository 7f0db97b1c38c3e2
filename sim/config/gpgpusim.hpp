// From gpgpusim.config, the configuration of GPGPU-Sim and Accel-Sim, to ours.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace warpsim::sim {

struct FromGpgpusim {
    std::string json;                // a configuration with a base
    std::string base;                // the nearest built-in one
    std::size_t mapped = 0;          // keys of gpgpusim.config that became some of ours
    std::vector<std::string> notes;  // the others, each with the reason
};

struct GpgpusimFile {
    std::string label;  // for messages
    std::string_view text;
};

/// gpgpusim.config, and trace.config where it comes with one; what the last file says holds. Throws Error(config) for what is no
/// such file.
FromGpgpusim from_gpgpusim(std::vector<GpgpusimFile> const& files);

/// configs/gpgpusim.md, made of the same table.
std::string gpgpusim_page();

}  // namespace warpsim::sim
