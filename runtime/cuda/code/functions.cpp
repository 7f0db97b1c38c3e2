#include "runtime/cuda/code/functions.hpp"

#include "runtime/cuda/code/kernel_launch.hpp"

#include <algorithm>
#include <vector>

namespace warpsim::cuda {

int function_attribute(Gpu& gpu, Kernel& kernel, int number) {
    runtime::KernelAttributes const a = gpu.device.attributes(*kernel.program->module(gpu), kernel.name);
    switch (static_cast<FunctionAttribute>(number)) {
        case FunctionAttribute::max_threads: return static_cast<int>(a.max_threads_per_cta);
        case FunctionAttribute::static_shared: return static_cast<int>(a.shared_bytes);
        case FunctionAttribute::constant: return static_cast<int>(a.constant_bytes);
        case FunctionAttribute::local: return static_cast<int>(a.local_bytes);
        case FunctionAttribute::registers: return static_cast<int>(a.registers_per_thread);
        case FunctionAttribute::ptx_version: return a.target;
        case FunctionAttribute::binary_version: return gpu.device.config().compute_capability.number();
        case FunctionAttribute::cache_mode: return 0;
        case FunctionAttribute::max_dynamic_shared: {
            std::uint32_t const limit = kernel.dynamic_shared_limit;
            std::uint64_t const room = gpu.device.config().sm.shared.cta_default_bytes();
            return static_cast<int>(limit != 0 ? limit : room - std::min<std::uint64_t>(room, a.shared_bytes));
        }
        case FunctionAttribute::carve_out: return kernel.preferred_carve_out;
        case FunctionAttribute::cluster_must_be_set: return a.required_cluster[0] != 0;
        case FunctionAttribute::cluster_width: return static_cast<int>(a.required_cluster[0]);
        case FunctionAttribute::cluster_height: return static_cast<int>(a.required_cluster[1]);
        case FunctionAttribute::cluster_depth: return static_cast<int>(a.required_cluster[2]);
        case FunctionAttribute::non_portable_cluster: return kernel.non_portable_cluster;
        case FunctionAttribute::cluster_policy: return kernel.cluster_policy;
    }
    throw Failure(Result::invalid_value);
}

void set_function_attribute(Gpu& gpu, Kernel& kernel, int number, int value) {
    switch (static_cast<FunctionAttribute>(number)) {
        case FunctionAttribute::max_dynamic_shared: {
            std::uint64_t const used =
                gpu.device.attributes(*kernel.program->module(gpu), kernel.name).shared_bytes;
            std::uint64_t const most = gpu.device.config().sm.shared.cta_opt_in_bytes();
            if (value < 0 || static_cast<std::uint64_t>(value) + used > most) throw Failure(Result::invalid_value);
            kernel.dynamic_shared_limit = static_cast<std::uint32_t>(value);
            return;
        }
        case FunctionAttribute::carve_out:
            if (value < -1 || value > 100) throw Failure(Result::invalid_value);
            kernel.preferred_carve_out = value;
            return;
        case FunctionAttribute::non_portable_cluster: kernel.non_portable_cluster = value != 0; return;
        case FunctionAttribute::cluster_policy:
            if (value < 0 || value > 2) throw Failure(Result::invalid_value);
            kernel.cluster_policy = value;
            return;
        default: throw Failure(Result::invalid_value);
    }
}

std::size_t available_shared(Gpu& gpu, Kernel& kernel, int ctas, int threads) {
    if (ctas <= 0 || threads <= 0) throw Failure(Result::invalid_value);
    auto const fits = [&](std::size_t bytes) {
        return occupancy(gpu, kernel, static_cast<std::uint32_t>(threads), bytes) >= ctas;
    };
    int const limit = function_attribute(gpu, kernel, static_cast<int>(FunctionAttribute::max_dynamic_shared));
    std::size_t low = 0, high = static_cast<std::size_t>(limit);
    if (!fits(0)) throw Failure(Result::invalid_value);
    while (low < high) {
        std::size_t const middle = (low + high + 1) / 2;
        if (fits(middle)) low = middle;
        else high = middle - 1;
    }
    return low;
}

namespace {

/// As many as each GPC has room for.
std::vector<int> ctas_of_gpcs(Gpu& gpu, Kernel& kernel, LaunchDescription const& launch) {
    std::uint64_t const threads = std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
    if (threads == 0 || threads > gpu.device.config().limits.max_threads_per_cta)
        throw Failure(Result::invalid_value);
    int const of_one = occupancy(gpu, kernel, static_cast<std::uint32_t>(threads), launch.dynamic_shared);
    sim::SmConfig const& sm = gpu.device.config().sm;
    std::vector<int> ctas;
    for (std::uint32_t gpc = 0; gpc < sm.gpc_count(); ++gpc)
        ctas.push_back(of_one * static_cast<int>(sm.first_of_gpc(gpc + 1) - sm.first_of_gpc(gpc)));
    return ctas;
}

}  // namespace

int active_clusters(Gpu& gpu, Kernel& kernel, LaunchDescription const& launch) {
    if (launch.attributes == nullptr && launch.attribute_count != 0) throw Failure(Result::invalid_value);
    KernelWork work;
    for (unsigned i = 0; i < launch.attribute_count; ++i) apply(launch.attributes[i], work);
    auto cluster = work.shape.cluster;
    if (cluster[0] == 0)
        cluster = gpu.device.attributes(*kernel.program->module(gpu), kernel.name).required_cluster;
    std::uint32_t const size = std::max(cluster[0], 1u) * std::max(cluster[1], 1u) * std::max(cluster[2], 1u);
    sim::LimitsConfig const& limits = gpu.device.config().limits;
    std::uint32_t const most =
        kernel.non_portable_cluster ? limits.max_cluster_size_non_portable : limits.max_cluster_size;
    if (size > most) throw Failure(Result::invalid_cluster_size);
    int clusters = 0;
    for (int const ctas : ctas_of_gpcs(gpu, kernel, launch)) clusters += ctas / static_cast<int>(size);
    return clusters;
}

int largest_cluster(Gpu& gpu, Kernel& kernel, LaunchDescription const& launch) {
    sim::LimitsConfig const& limits = gpu.device.config().limits;
    std::uint32_t const most =
        kernel.non_portable_cluster ? limits.max_cluster_size_non_portable : limits.max_cluster_size;
    std::vector<int> const ctas = ctas_of_gpcs(gpu, kernel, launch);
    return std::min(static_cast<int>(most), *std::max_element(ctas.begin(), ctas.end()));
}

Filling best_filling(Gpu& gpu, Kernel& kernel, std::size_t (*shared_of)(int threads), std::size_t shared,
                     int most_threads) {
    sim::Config const& config = gpu.device.config();
    int const limit = function_attribute(gpu, kernel, static_cast<int>(FunctionAttribute::max_threads));
    int const most = most_threads > 0 ? std::min(most_threads, limit) : limit;
    int best = 0, best_resident = 0, best_ctas = 0;
    // From the largest number of warps down, so that the largest of equally good sizes wins.
    for (int threads = (most + 31) / 32 * 32; threads > 0; threads -= 32) {
        int const tried = std::min(threads, most);
        int const ctas = occupancy(gpu, kernel, static_cast<std::uint32_t>(tried),
                                   shared_of != nullptr ? shared_of(tried) : shared);
        if (ctas * tried <= best_resident) continue;
        best = tried;
        best_ctas = ctas;
        best_resident = ctas * tried;
        if (best_resident == static_cast<int>(config.sm.max_threads)) break;
    }
    return {best, best_ctas * static_cast<int>(config.sm.count)};
}

}  // namespace warpsim::cuda
