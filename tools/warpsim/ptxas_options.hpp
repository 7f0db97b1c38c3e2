// The command line of ptxas, as its users write it.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::command {

/// What was written, by the long names of options; values are as written. Of an option that was written twice, the
/// last counts.
struct PtxasWords {
    std::map<std::string, std::string> options;
    std::vector<std::string> files;
    std::vector<std::string> texts;  // of --input-as-string

    bool has(std::string const& name) const { return options.contains(name); }
    std::string value(std::string const& name, std::string const& otherwise) const {
        auto const found = options.find(name);
        return found != options.end() ? found->second : otherwise;
    }
};

/// Throws Error(usage) with ptxas's own words for what is wrong.
PtxasWords read_ptxas_words(std::vector<std::string> const& words);

/// "sm_90a" taken apart; no name that ptxas knows has number 0.
struct Architecture {
    int number = 0;    // 90
    char suffix = 0;   // 'a', 'f' or 0
    bool real = true;  // sm_: code is written; compute_ and lto_ are only checked
};
Architecture architecture_named(std::string_view name);

/// The text of --help.
std::string ptxas_help();

}  // namespace warpsim::command
