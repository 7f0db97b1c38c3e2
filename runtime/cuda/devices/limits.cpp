#include "runtime/cuda/devices/limits.hpp"

#include "runtime/cuda/devices/attributes.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <algorithm>

namespace warpsim::cuda {

namespace {

enum Number : int {
    stack = 0,
    printf_buffer = 1,
    malloc_heap = 2,
    sync_depth = 3,
    pending_launches = 4,
    l2_fetch = 5,
    persisting_l2 = 6
};

constexpr int most_persisting_l2 = 108;  // the attribute

bool is_of_device(int number) { return number == stack || number == printf_buffer || number == malloc_heap; }

void check_number(Gpu const& gpu, int number) {
    std::uint32_t const major = gpu.device.config().compute_capability.major;
    bool const is_known = is_of_device(number) || number == pending_launches || number == l2_fetch ||
                          (number == sync_depth && major < 9) || (number == persisting_l2 && major >= 8);
    if (!is_known) throw Failure(Result::unsupported_limit);
}

}  // namespace

std::uint64_t limit(Gpu const& gpu, int number) {
    check_number(gpu, number);
    if (is_of_device(number)) return gpu.device.limit(static_cast<runtime::Limit>(number));
    return gpu.hints[static_cast<std::size_t>(number)];
}

void set_limit(Gpu& gpu, int number, std::uint64_t value) {
    check_number(gpu, number);
    if (is_of_device(number)) {
        gpu.wait_all();
        try {
            gpu.device.set_limit(static_cast<runtime::Limit>(number), value);
        } catch (Error const& error) {
            log::warning(error.what());
            throw Failure(Result::invalid_value);
        }
        return;
    }
    if (number == l2_fetch && value > 128) throw Failure(Result::invalid_value);
    if (number == sync_depth && value > 24) throw Failure(Result::launch_max_depth_exceeded);
    if (number == persisting_l2) {
        auto const most = attribute(gpu.device.config(), most_persisting_l2, gpu.ordinal);
        value = std::min(value, static_cast<std::uint64_t>(most));
    }
    gpu.hints[static_cast<std::size_t>(number)] = value;
}

}  // namespace warpsim::cuda
