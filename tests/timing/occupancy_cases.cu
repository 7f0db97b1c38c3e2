// Writes how many CTAs of an SM CUDA's own calculator (cuda_occupancy.h) allows, a line each: configuration, threads,
// registers of a thread, bytes of shared memory, barriers, CTAs. From the top folder:
//   nvcc -o /tmp/cases tests/timing/occupancy_cases.cu && /tmp/cases > tests/timing/occupancy_cases.txt
#include <cuda_occupancy.h>

#include <climits>
#include <cstdint>
#include <cstdio>

namespace {

struct Gpu {
    char const* name;
    int major, minor, threads;
    std::size_t shared, opt_in, reserved;
};

std::uint64_t state = 88172645463325252u;
int below(int n) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<int>(state % static_cast<std::uint64_t>(n));
}

}  // namespace

int main() {
    Gpu const gpus[] = {{"v100", 7, 0, 2048, 96 << 10, 96 << 10, 0},         {"rtx2060", 7, 5, 1024, 64 << 10, 64 << 10, 0},
                        {"a100", 8, 0, 2048, 164 << 10, 163 << 10, 1024},    {"rtx3070", 8, 6, 1536, 100 << 10, 99 << 10, 1024},
                        {"h100", 9, 0, 2048, 228 << 10, 227 << 10, 1024},    {"b200", 10, 0, 2048, 228 << 10, 227 << 10, 1024},
                        {"rtx5090", 12, 0, 1536, 100 << 10, 99 << 10, 1024}};
    for (Gpu const& gpu : gpus) {
        for (int i = 0; i < 150; ++i) {
            cudaOccDeviceProp device;
            device.computeMajor = gpu.major;
            device.computeMinor = gpu.minor;
            device.maxThreadsPerBlock = 1024;
            device.maxThreadsPerMultiprocessor = gpu.threads;
            device.regsPerBlock = device.regsPerMultiprocessor = 65536;
            device.warpSize = 32;
            device.sharedMemPerBlock = 48 << 10;
            device.sharedMemPerMultiprocessor = gpu.shared;
            device.sharedMemPerBlockOptin = gpu.opt_in;
            device.reservedSharedMemPerBlock = gpu.reserved;
            device.numSms = 80;
            cudaOccFuncAttributes kernel;
            kernel.maxThreadsPerBlock = INT_MAX;
            kernel.numRegs = 16 + below(240);
            kernel.sharedSizeBytes = 0;
            kernel.partitionedGCConfig = PARTITIONED_GC_OFF;
            kernel.shmemLimitConfig = FUNC_SHMEM_LIMIT_OPTIN;
            kernel.maxDynamicSharedSizeBytes = gpu.opt_in;
            kernel.numBlockBarriers = below(3) == 0 ? below(17) : 1;
            kernel.virtualResourceCount = 0;
            cudaOccDeviceState wishes;
            wishes.cacheConfig = CACHE_PREFER_NONE;
            wishes.carveoutConfig = SHAREDMEM_CARVEOUT_MAX_SHARED;
            int const threads = below(4) == 0 ? 1 + below(1024) : 32 << below(6);
            std::size_t const shared = below(3) == 0 ? 0 : below(2) == 0 ? static_cast<std::size_t>(below(4096)) : static_cast<std::size_t>(below(static_cast<int>(gpu.opt_in)));
            cudaOccResult result;
            if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &wishes, threads, shared) != CUDA_OCC_SUCCESS) return 1;
            std::printf("%s %d %d %zu %d %d\n", gpu.name, threads, kernel.numRegs, shared, kernel.numBlockBarriers, result.activeBlocksPerMultiprocessor);
        }
    }
}
