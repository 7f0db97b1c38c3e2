#include "runtime/report/step_values.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <bit>
#include <charconv>
#include <optional>
#include <vector>

namespace warpsim::report {

namespace {

/// Small enough for the page's numbers.
std::optional<std::int64_t> as_integer(std::string const& text) {
    std::int64_t value = 0;
    auto const [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    bool const is_whole = error == std::errc() && end == text.data() + text.size();
    return is_whole && value > -(1ll << 40) && value < 1ll << 40 ? std::optional(value) : std::nullopt;
}

}  // namespace

void StepValues::take(sim::Site const& site, runtime::UsedRegister const& used, sim::LaneMask lanes) {
    std::vector<std::string> const texts = runtime::lane_texts(site.warp, site.frame, used, lanes);
    if (texts.empty()) return;
    lanes_ |= lanes;
    std::size_t i = 0;
    for (sim::LaneMask m = lanes; m != 0; m &= m - 1)
        texts_[static_cast<std::size_t>(std::countr_zero(m))] = texts[i++];
}

std::string StepValues::to_json() const {
    std::vector<std::string> texts;
    std::vector<std::int64_t> numbers, at;
    for (sim::LaneMask m = lanes_; m != 0; m &= m - 1) {
        int const lane = std::countr_zero(m);
        texts.push_back(texts_[static_cast<std::size_t>(lane)]);
        if (std::optional<std::int64_t> const number = as_integer(texts.back())) numbers.push_back(*number);
        at.push_back(lane);
    }
    nlohmann::ordered_json json = {name_, lanes_};
    bool const is_same = std::equal(texts.begin() + 1, texts.end(), texts.begin());
    std::int64_t const step = numbers.size() < 2 ? 0 : (numbers[1] - numbers[0]) / (at[1] - at[0]);
    bool is_line = numbers.size() == texts.size() && numbers.size() > 1;
    for (std::size_t i = 1; is_line && i < numbers.size(); ++i)
        is_line = numbers[i] == numbers[0] + step * (at[i] - at[0]);
    if (is_same) json.push_back(texts.front());
    else if (is_line) json.push_back({numbers[0] - step * at[0], step});
    else json.push_back(texts);
    return json.dump();
}

}  // namespace warpsim::report
