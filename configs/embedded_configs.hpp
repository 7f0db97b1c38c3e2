// The files of this folder, compiled in: the command and the libraries work wherever they are installed.
#pragma once

#include <span>
#include <string_view>

namespace warpsim {

struct EmbeddedConfig {
    std::string_view file;  // "h100.json"; also "schema.json"
    std::string_view text;
};

/// In alphabetical order of the file names.
std::span<EmbeddedConfig const> embedded_configs();

}  // namespace warpsim
