// All that the checkers of one process have found: alike findings are one with a count.
#pragma once

#include "runtime/check/findings/finding.hpp"
#include "runtime/check/findings/suppressions.hpp"

#include <compare>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace warpsim::check {

/// What makes findings alike before anything is put into words: what was found, and the instructions that take part.
struct Alike {
    Kind kind = Kind::memory;
    std::uint32_t sort = 0;  // of the checker's
    void const* module = nullptr;
    std::uint32_t function = 0, instruction = 0;
    std::uint32_t other_function = 0, other_instruction = 0;

    auto operator<=>(Alike const&) const = default;
};

/// Safe to use from all host threads.
class Findings {
public:
    /// `found` is called with each that is like none before, by whoever found it; null: nobody wants to know.
    explicit Findings(Suppressions suppressions, std::function<void(Finding const&)> found = nullptr)
        : suppressions_(std::move(suppressions)), found_(std::move(found)) {}

    /// A launch begins; findings without a launch of their own belong to it.
    void launch_begins(std::string const& kernel, bool is_watched = true);
    /// Those that were looked at.
    std::uint64_t launches() const { return watched_; }
    /// All: the number of the next.
    std::uint64_t next_launch() const { return launches_; }
    std::size_t kernels() const { return kernels_.size(); }

    /// Counts findings that are alike. The first time, `describe` puts one into words.
    void add(Alike const& alike, std::function<Finding()> const& describe, std::uint64_t count = 1);
    /// Findings of the host, which are alike if their texts are.
    void add(Finding finding);

    /// Those that are not suppressed, in the order in which they were found.
    std::vector<Finding> all() const;
    /// Those that were found since the last call.
    std::vector<Finding> take_new();
    /// All since the last call: what is found from now on is alike to none of them.
    std::vector<Finding> take_all();
    std::uint64_t suppressed() const { return suppressed_; }

private:
    std::size_t place_of(Finding finding);

    mutable std::mutex mutex_;
    Suppressions suppressions_;
    std::function<void(Finding const&)> const found_;
    std::uint64_t launches_ = 0, watched_ = 0;
    std::set<std::string> kernels_;
    static constexpr std::size_t none = ~std::size_t{0};  // suppressed
    std::map<Alike, std::size_t> known_;                  // to its place in `findings_`
    std::map<std::string, std::size_t> by_text_;
    std::vector<Finding> findings_;
    std::size_t told_ = 0;
    std::uint64_t suppressed_ = 0;
};

}  // namespace warpsim::check
