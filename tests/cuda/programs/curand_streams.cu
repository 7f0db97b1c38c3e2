// needs: libcurand.so
// compile: -lcurand
// exec: --check --error-exitcode 3
// exec: --mode timing
// Numbers of cuRAND's generators come in the order of streams, and into all memory that kernels write.
#include "curand.hpp"

namespace {

__global__ void wait_and_set(unsigned* to, int count, int turns) {
    unsigned sum = 0;
    for (int i = 0; i < turns; ++i) sum = sum * 1664525 + i;
    for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = sum;
}

__global__ void take(unsigned* to, unsigned const* from, int count) {
    for (int i = threadIdx.x; i < count; i += blockDim.x) to[i] = from[i];
}

/// What was submitted before comes before, and what comes after sees the numbers.
void in_stream(cudaStream_t stream) {
    constexpr int count = 500;
    DeviceArray<unsigned> const numbers(count), taken(count), rest(count);
    std::vector<unsigned> wanted(2 * count);
    curandGenerator_t generator, host;
    DONE(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_XORWOW));
    DONE(curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_XORWOW));
    DONE(curandGenerate(host, wanted.data(), wanted.size()));
    DONE(curandSetStream(generator, stream));
    wait_and_set<<<1, 64, 0, stream>>>(numbers.data(), count, 2000);
    DONE(curandGenerate(generator, numbers.data(), count));
    take<<<1, 64, 0, stream>>>(taken.data(), numbers.data(), count);
    // Into the same memory again, which nothing may take for the first ones.
    DONE(curandGenerate(generator, numbers.data(), count));
    take<<<1, 64, 0, stream>>>(rest.data(), numbers.data(), count);
    DONE(curandDestroyGenerator(generator));  // what was submitted is done nevertheless
    DONE(curandDestroyGenerator(host));
    OK(cudaStreamSynchronize(stream));
    CHECK(are_same(taken.values(), {wanted.begin(), wanted.begin() + count}));
    CHECK(are_same(rest.values(), {wanted.begin() + count, wanted.end()}));
}

/// Memory that kernels write and that is not the device's.
void elsewhere() {
    constexpr std::size_t count = 100;
    double *managed, *pinned;
    OK(cudaMallocManaged(&managed, count * sizeof(double)));
    OK(cudaMallocHost(&pinned, count * sizeof(double)));
    std::vector<double> wanted(2 * count);
    curandGenerator_t device, host;
    DONE(curandCreateGenerator(&device, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    DONE(curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    DONE(curandGenerateUniformDouble(host, wanted.data(), count));
    DONE(curandGenerateUniformDouble(host, wanted.data() + count, count));
    DONE(curandGenerateUniformDouble(device, managed, count));
    DONE(curandGenerateUniformDouble(device, pinned, count));
    OK(cudaDeviceSynchronize());
    CHECK(std::memcmp(managed, wanted.data(), count * sizeof(double)) == 0);
    CHECK(std::memcmp(pinned, wanted.data() + count, count * sizeof(double)) == 0);
    DONE(curandDestroyGenerator(device));
    DONE(curandDestroyGenerator(host));
    OK(cudaFree(managed));
    OK(cudaFreeHost(pinned));
}

}  // namespace

int main() {
    cudaStream_t own;
    OK(cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking));
    for (cudaStream_t const stream : {cudaStream_t{}, cudaStreamLegacy, cudaStreamPerThread, own}) in_stream(stream);
    OK(cudaStreamDestroy(own));
    elsewhere();
    return result();
}
