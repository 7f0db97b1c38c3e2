// needs: libcurand.so
// compile: -lcurand -g
// exec: --check=memory --error-exitcode 5 --devices 2
// status: 5
// output: all is refused
// error: ========= memory: curandGenerateUniform(0x
// error: =========   the host called curandGenerateUniform at
// error: error: curandGenerateUniform: 404 bytes at 0x
// error: of which the last 4 are past the end of a 400-byte allocation at 0x
// error: error: curandGenerateUniform: memory of the device must be at 0x
// error: error: curandGenerateUniformDouble: numbers of 8 bytes cannot be stored at 0x
// error: is memory of device 0, and the stream is of device 1
// error: error: curandGenerate: numbers for a captured stream are not supported
// error: error: curandGenerate: invalid resource handle
// error: error: curandCreatePoissonDistribution: not supported
// error: error: curandGeneratePoissonMethod: not supported by method CURAND_3RD
// error: error: curandSetGeneratorOrdering: NVIDIA's generators on the host, which make the numbers here, do not have ordering 104
// What cuRAND answers to wrong calls, and what it does not do here. No wrong call writes anything.
#include "curand.hpp"

namespace {

constexpr std::size_t count = 100;

#define SAYS(call, wanted)                                                                       \
    do {                                                                                         \
        int const status_ = (call);                                                              \
        if (status_ != (wanted) && is_told())                                                    \
            std::printf("%s:%d: %s: %d, not %s\n", __FILE__, __LINE__, #call, status_, #wanted); \
    } while (false)

curandGenerator_t generator(curandRngType_t type = CURAND_RNG_PSEUDO_XORWOW) {
    curandGenerator_t made = nullptr;
    DONE(curandCreateGenerator(&made, type));
    return made;
}

/// What NVIDIA's library says itself.
void wrong_calls(float* memory) {
    curandGenerator_t const pseudo = generator(), quasi = generator(CURAND_RNG_QUASI_SOBOL64);
    auto* const words = reinterpret_cast<unsigned*>(memory);
    SAYS(curandCreateGenerator(nullptr, CURAND_RNG_PSEUDO_XORWOW), CURAND_STATUS_NOT_INITIALIZED);
    curandGenerator_t none = nullptr;
    SAYS(curandCreateGenerator(&none, static_cast<curandRngType_t>(7)), CURAND_STATUS_TYPE_ERROR);
    SAYS(curandGenerateNormal(pseudo, memory, 7, 0, 1), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    SAYS(curandGeneratePoisson(pseudo, words, 8, -1), CURAND_STATUS_OUT_OF_RANGE);
    SAYS(curandGenerateLongLong(pseudo, reinterpret_cast<unsigned long long*>(memory), 8), CURAND_STATUS_TYPE_ERROR);
    SAYS(curandSetQuasiRandomGeneratorDimensions(pseudo, 2), CURAND_STATUS_TYPE_ERROR);
    SAYS(curandSetPseudoRandomGeneratorSeed(quasi, 2), CURAND_STATUS_TYPE_ERROR);
    SAYS(curandGenerate(quasi, words, 8), CURAND_STATUS_TYPE_ERROR);
    DONE(curandSetQuasiRandomGeneratorDimensions(quasi, 3));
    SAYS(curandGenerateUniform(quasi, memory, 8), CURAND_STATUS_LENGTH_NOT_MULTIPLE);
    SAYS(curandGenerate(nullptr, words, 8), CURAND_STATUS_NOT_INITIALIZED);
    SAYS(curandSetStream(nullptr, nullptr), CURAND_STATUS_NOT_INITIALIZED);
    SAYS(curandDestroyGenerator(nullptr), CURAND_STATUS_NOT_INITIALIZED);
    DONE(curandGenerate(pseudo, words, 0));
    DONE(curandDestroyGenerator(pseudo));
    DONE(curandDestroyGenerator(quasi));
    int version = 0, major = 0;
    DONE(curandGetVersion(&version));
    DONE(curandGetProperty(MAJOR_VERSION, &major));
    CHECK(version / 1000 == major && major == 10);
}

/// A kernel could not write there.
void wrong_memory(float* memory) {
    curandGenerator_t const g = generator();
    std::vector<float> host(count);
    float* freed = nullptr;
    OK(cudaMalloc(&freed, count * sizeof(float)));
    OK(cudaFree(freed));
    SAYS(curandGenerateUniform(g, memory, count + 1), CURAND_STATUS_LAUNCH_FAILURE);
    SAYS(curandGenerateUniform(g, memory, ~std::size_t{0} / 2), CURAND_STATUS_LAUNCH_FAILURE);
    SAYS(curandGenerateUniform(g, host.data(), count), CURAND_STATUS_LAUNCH_FAILURE);
    SAYS(curandGenerateUniform(g, freed, count), CURAND_STATUS_LAUNCH_FAILURE);
    SAYS(curandGenerateUniform(g, nullptr, count), CURAND_STATUS_LAUNCH_FAILURE);
    SAYS(curandGenerateUniformDouble(g, reinterpret_cast<double*>(memory + 1), 2), CURAND_STATUS_LAUNCH_FAILURE);
    for (float const value : host) CHECK(value == 0);
    // Nothing was taken from the sequence.
    curandGenerator_t fresh = nullptr;
    std::vector<float> wanted(count), made(count);
    DONE(curandCreateGeneratorHost(&fresh, CURAND_RNG_PSEUDO_XORWOW));
    DONE(curandGenerateUniform(fresh, wanted.data(), count));
    DONE(curandGenerateUniform(g, memory, count));
    OK(cudaMemcpy(made.data(), memory, count * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(are_same(made, wanted));
    DONE(curandDestroyGenerator(g));
    DONE(curandDestroyGenerator(fresh));
}

void other_device(unsigned* memory) {
    OK(cudaSetDevice(1));
    curandGenerator_t const g = generator();
    unsigned* own = nullptr;
    OK(cudaMalloc(&own, count * sizeof(unsigned)));
    SAYS(curandGenerate(g, memory, count), CURAND_STATUS_LAUNCH_FAILURE);
    DONE(curandGenerate(g, own, count));
    std::vector<unsigned> made(count), wanted(count);
    OK(cudaMemcpy(made.data(), own, count * sizeof(unsigned), cudaMemcpyDeviceToHost));
    curandGenerator_t host = nullptr;
    DONE(curandCreateGeneratorHost(&host, CURAND_RNG_PSEUDO_XORWOW));
    DONE(curandGenerate(host, wanted.data(), count));
    CHECK(are_same(made, wanted));
    DONE(curandDestroyGenerator(g));
    DONE(curandDestroyGenerator(host));
    OK(cudaFree(own));
    OK(cudaSetDevice(0));
}

void captured(unsigned* memory) {
    curandGenerator_t const g = generator();
    cudaStream_t stream;
    cudaGraph_t graph = nullptr;
    OK(cudaStreamCreate(&stream));
    DONE(curandSetStream(g, stream));
    OK(cudaStreamBeginCapture(stream, cudaStreamCaptureModeRelaxed));
    SAYS(curandGenerate(g, memory, count), CURAND_STATUS_LAUNCH_FAILURE);
    // No graph comes of it that would lack the numbers.
    IS(cudaStreamEndCapture(stream, &graph), cudaErrorStreamCaptureInvalidated);
    DONE(curandGenerate(g, memory, count));
    OK(cudaStreamSynchronize(stream));
    OK(cudaStreamDestroy(stream));
    SAYS(curandGenerate(g, memory, count), CURAND_STATUS_LAUNCH_FAILURE);
    DONE(curandDestroyGenerator(g));
}

/// What would start the CUDA runtime inside of NVIDIA's library.
void of_gpus(unsigned* memory) {
    curandGenerator_t const g = generator();
    curandDiscreteDistribution_t distribution = nullptr;
    SAYS(curandCreatePoissonDistribution(5, &distribution), CURAND_STATUS_INITIALIZATION_FAILED);
    CHECK(distribution == nullptr);
    SAYS(curandDestroyDistribution(distribution), CURAND_STATUS_NOT_INITIALIZED);
    SAYS(curandGeneratePoissonMethod(g, memory, count, 5, CURAND_3RD), CURAND_STATUS_LAUNCH_FAILURE);
    DONE(curandGeneratePoissonMethod(g, memory, count, 5, CURAND_DEVICE_API));
    SAYS(curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_DYNAMIC), CURAND_STATUS_OUT_OF_RANGE);
    SAYS(curandSetGeneratorOrdering(g, CURAND_ORDERING_QUASI_DEFAULT), CURAND_STATUS_OUT_OF_RANGE);
    DONE(curandDestroyGenerator(g));
}

}  // namespace

int main() {
    float* memory = nullptr;
    OK(cudaMalloc(&memory, count * sizeof(float)));
    OK(cudaMemset(memory, 0, count * sizeof(float)));
    wrong_calls(memory);
    wrong_memory(memory);
    other_device(reinterpret_cast<unsigned*>(memory));
    captured(reinterpret_cast<unsigned*>(memory));
    of_gpus(reinterpret_cast<unsigned*>(memory));
    OK(cudaFree(memory));
    if (failures == 0) std::printf("all is refused\n");
    return result();
}
