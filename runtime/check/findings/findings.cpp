#include "runtime/check/findings/findings.hpp"

#include <utility>

namespace warpsim::check {

namespace {

/// Where it happened, as far as people tell places apart: by lines of their source where there are some.
std::string place_text(std::optional<Act> const& act) {
    if (!act) return "";
    Line const& line = act->source ? act->source : act->ptx;
    return line.file + ":" + std::to_string(line.number);
}

/// Two findings with the same text are one: of a race, those of the same two lines, whichever came first.
std::string text_of_like(Finding const& finding) {
    std::string const head = std::string(name(finding.kind)) + "|" + finding.kernel + "|";
    std::string one = place_text(finding.act), other = place_text(finding.other);
    if (!finding.other) return head + finding.what + "|" + (finding.act ? one : finding.message);
    if (other < one) std::swap(one, other);
    return head + one + "|" + other;
}

}  // namespace

void Findings::launch_begins(std::string const& kernel, bool is_watched) {
    std::lock_guard const lock(mutex_);
    ++launches_;
    watched_ += is_watched;
    if (is_watched) kernels_.insert(kernel);
    // By its address alone a module cannot be told from one that has taken its place.
    known_.clear();
}

void Findings::add(Alike const& alike, std::function<Finding()> const& describe, std::uint64_t count) {
    std::lock_guard const lock(mutex_);
    auto const [known, is_new] = known_.try_emplace(alike, none);
    if (is_new) {
        Finding finding = describe();
        finding.kind = alike.kind;
        finding.launch = launches_ == 0 ? 0 : launches_ - 1;
        finding.count = 0;
        known->second = place_of(std::move(finding));
    }
    if (known->second == none) suppressed_ += count;
    else findings_[known->second].count += count;
}

void Findings::add(Finding finding) {
    std::lock_guard const lock(mutex_);
    std::uint64_t const count = std::exchange(finding.count, 0);
    std::size_t const place = place_of(std::move(finding));
    if (place == none) suppressed_ += count;
    else findings_[place].count += count;
}

std::size_t Findings::place_of(Finding finding) {
    if (suppressions_.match(finding)) return none;
    auto const [found, is_new] = by_text_.try_emplace(text_of_like(finding), findings_.size());
    if (is_new) {
        if (found_) found_(finding);
        findings_.push_back(std::move(finding));
    } else if (Finding& known = findings_[found->second]; known.is_benign && !finding.is_benign) {
        finding.count = known.count;
        known = std::move(finding);
    }
    return found->second;
}

std::vector<Finding> Findings::all() const {
    std::lock_guard const lock(mutex_);
    return findings_;
}

std::vector<Finding> Findings::take_new() {
    std::lock_guard const lock(mutex_);
    std::vector<Finding> fresh(findings_.begin() + static_cast<std::ptrdiff_t>(told_), findings_.end());
    told_ = findings_.size();
    return fresh;
}

std::vector<Finding> Findings::take_all() {
    std::lock_guard const lock(mutex_);
    known_.clear();
    by_text_.clear();
    told_ = 0;
    return std::exchange(findings_, {});
}

}  // namespace warpsim::check
