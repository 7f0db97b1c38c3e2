// Whether undefined bits go where their bytes go: a kernel that writes all of its `out` runs with a few bytes of `in` as
// zeros, as others, and unwritten. What changes in `out` must be what the checker finds undefined there.
#pragma once

#include "runtime/check/checkers.hpp"
#include "sim/tensor/tensor_map.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/run_ptx.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace warpsim::test {

struct Followed {
    std::string text;  // of a kernel k(out, in), or k(map, out, in)
    Threads threads;
    std::vector<std::uint8_t> in;
    std::size_t out_bytes = 0;
    std::size_t unit = 1;                         // bytes of `out` that are undefined together
    std::optional<sim::tensor::TensorMap> map{};  // of memory at `map_offset` of `in`, or of `out`
    bool map_is_of_out = false;
    std::size_t map_offset = 0;
    std::vector<std::string> overrides{};
};

class FollowRun {
public:
    FollowRun(Followed const& what, std::vector<std::uint8_t> const& in, std::size_t hidden,
              std::size_t hidden_bytes) {
        check::Options options;
        options.kinds = {check::Kind::init};
        options.print_limit = 0;
        check::Checkers checkers(options);
        runtime::DeviceOptions of_device;
        of_device.threads = 1;
        checkers.observe(of_device);
        runtime::Device device(sim::load_config("h100", what.overrides), of_device);
        auto const module = device.load_text("test.ptx", what.text);
        runtime::DevicePointer const from = device.allocate(in.size());
        device.write(from, in.data(), hidden);
        device.write(from + hidden + hidden_bytes, in.data() + hidden + hidden_bytes,
                     in.size() - hidden - hidden_bytes);
        runtime::DevicePointer const to = device.upload(std::vector<std::uint8_t>(what.out_bytes));
        runtime::Arguments arguments;
        if (what.map) {
            sim::tensor::TensorMap map = *what.map;
            map.address = (what.map_is_of_out ? to : from) + what.map_offset;
            auto const bytes = sim::tensor::encode(map);
            arguments.add_bytes(bytes.data(), bytes.size(), 128);
        }
        arguments.add(to);
        arguments.add(from);
        runtime::LaunchShape shape;
        shape.grid = what.threads.grid;
        shape.block = what.threads.block;
        device.launch(*module, "k", shape, arguments);
        out = device.download<std::uint8_t>(to, what.out_bytes);
        for (check::Finding const& finding : checkers.findings().all()) {
            text += check::to_text(finding);
            if (finding.what != "uninitialised value reaches the host") {
                undefined = SIZE_MAX;
                continue;
            }
            undefined += finding.bytes;
            first = finding.address.value_or(0) - to;
        }
    }

    std::vector<std::uint8_t> out;
    std::string text;
    std::size_t undefined = 0, first = 0;  // bytes of `out`
};

/// With so many bytes of `in` from `at` on; `value` is theirs, repeated.
inline void check_followed(Followed const& what, std::size_t at, std::vector<std::uint8_t> const& value) {
    INFO("byte " << at << " of in");
    std::vector<std::uint8_t> with_zeros = what.in, with_value = what.in;
    std::fill_n(with_zeros.begin() + static_cast<std::ptrdiff_t>(at), value.size(), std::uint8_t{0});
    std::copy(value.begin(), value.end(), with_value.begin() + static_cast<std::ptrdiff_t>(at));
    FollowRun const zeros(what, with_zeros, 0, 0), values(what, with_value, 0, 0),
        unwritten(what, what.in, at, value.size());
    std::size_t changed = 0, first = 0;
    for (std::size_t unit = 0; unit < what.out_bytes; unit += what.unit) {
        auto const begin = static_cast<std::ptrdiff_t>(unit), end = begin + static_cast<std::ptrdiff_t>(what.unit);
        if (std::equal(zeros.out.begin() + begin, zeros.out.begin() + end, values.out.begin() + begin)) continue;
        if (changed == 0) first = unit;
        changed += what.unit;
    }
    UNSCOPED_INFO(unwritten.text);
    CHECK(zeros.text.empty());
    CHECK(changed != 0);
    CHECK(unwritten.undefined == changed);
    CHECK(unwritten.first == first);
}

}  // namespace warpsim::test
