// Which launches checkers and coverage look at: by the names of their kernels, and then by their numbers.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace warpsim::runtime {

class LaunchChoice {
public:
    /// Of launches whose kernels fit one of the patterns (none: of all), `skip` are passed over and then `count` chosen.
    /// A pattern is `regex:R`; a name, or `kernel_name=` or `kne=` before one; `kernel_substring=` or `kns=` before a part of
    /// one. It may fit the name as in PTX, as in the source, or as in the source without namespaces, template arguments
    /// and parameters. Throws Error(usage) for what is no regular expression.
    LaunchChoice(std::vector<std::string> const& patterns, std::uint64_t skip, std::uint64_t count);
    ~LaunchChoice();
    LaunchChoice(LaunchChoice const&) = delete;
    LaunchChoice& operator=(LaunchChoice const&) = delete;

    bool chooses_all() const;
    /// To be asked once for each launch, in their order.
    bool chooses(std::string_view kernel);

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace warpsim::runtime
