// needs: libcurand.so curand_kernel.h
// compile: -lcurand
// output: all types: the same numbers on the device and on the host
// cuRAND's generators for the device: the same numbers as those for the host, as those that its device functions make in kernels.
#include "curand.hpp"

#include <curand_kernel.h>

#include <cmath>
#include <thread>

namespace {

/// A generator for the device and one for the host, of which the same is asked.
struct Pair {
    explicit Pair(curandRngType_t of) : type(of) {
        DONE(curandCreateGenerator(&device, type));
        DONE(curandCreateGeneratorHost(&host, type));
    }
    Pair(Pair const&) = delete;
    ~Pair() {
        DONE(curandDestroyGenerator(device));
        DONE(curandDestroyGenerator(host));
    }
    template <class Call> void both(Call&& call) const {
        int const on_device = call(device), on_host = call(host);
        CHECK(on_device == on_host);
    }
    /// Some numbers in two calls of different lengths: call(generator, to, count).
    template <class T, class Call> void generate(char const* what, Call&& call) const {
        constexpr std::size_t count = 1206, first = 606;
        DeviceArray<T> const array(count);
        std::vector<T> values(count);
        both([&](curandGenerator_t g) { return call(g, g == device ? array.data() : values.data(), first); });
        both([&](curandGenerator_t g) { return call(g, (g == device ? array.data() : values.data()) + first, count - first); });
        if (!are_same(array.values(), values) && is_told()) {
            ++failures;
            std::printf("type %d: %s differs\n", type, what);
        }
    }

    curandRngType_t type;
    curandGenerator_t device = nullptr, host = nullptr;
};

void all_distributions(Pair const& p) {
    if (p.type < CURAND_RNG_QUASI_SOBOL64)
        p.generate<unsigned>("curandGenerate", [](auto g, unsigned* to, std::size_t n) { return curandGenerate(g, to, n); });
    else
        p.generate<unsigned long long>("curandGenerateLongLong", [](auto g, unsigned long long* to, std::size_t n) {
            return curandGenerateLongLong(g, to, n);
        });
    p.generate<float>("curandGenerateUniform", [](auto g, float* to, std::size_t n) { return curandGenerateUniform(g, to, n); });
    p.generate<double>("curandGenerateUniformDouble",
                       [](auto g, double* to, std::size_t n) { return curandGenerateUniformDouble(g, to, n); });
    p.generate<float>("curandGenerateNormal",
                      [](auto g, float* to, std::size_t n) { return curandGenerateNormal(g, to, n, 3, 2); });
    p.generate<double>("curandGenerateNormalDouble",
                       [](auto g, double* to, std::size_t n) { return curandGenerateNormalDouble(g, to, n, -1, 0.5); });
    p.generate<float>("curandGenerateLogNormal",
                      [](auto g, float* to, std::size_t n) { return curandGenerateLogNormal(g, to, n, 0.5F, 0.25F); });
    p.generate<double>("curandGenerateLogNormalDouble",
                       [](auto g, double* to, std::size_t n) { return curandGenerateLogNormalDouble(g, to, n, 0, 1); });
    for (double const lambda : {0.25, 12.0, 900.0, 5000.0})
        p.generate<unsigned>("curandGeneratePoisson", [lambda](auto g, unsigned* to, std::size_t n) {
            return curandGeneratePoisson(g, to, n, lambda);
        });
}

void all_of_type(curandRngType_t type) {
    bool const is_quasi = type >= CURAND_RNG_QUASI_DEFAULT;
    bool const has_offsets = type != CURAND_RNG_PSEUDO_MT19937 && type != CURAND_RNG_PSEUDO_MTGP32;
    Pair const p(type);
    if (is_quasi) p.both([](auto g) { return curandSetQuasiRandomGeneratorDimensions(g, 3); });
    else p.both([](auto g) { return curandSetPseudoRandomGeneratorSeed(g, 0x123456789abcdefULL); });
    if (has_offsets) p.both([](auto g) { return curandSetGeneratorOffset(g, 4711); });
    p.both([](auto g) { return curandGenerateSeeds(g); });
    all_distributions(p);
    if (is_quasi || !has_offsets) return;
    p.both([](auto g) { return curandSetGeneratorOffset(g, 5); });
    p.both([](auto g) { return curandSetGeneratorOrdering(g, CURAND_ORDERING_PSEUDO_LEGACY); });
    p.generate<unsigned>("after an offset", [](auto g, unsigned* to, std::size_t n) { return curandGenerate(g, to, n); });
}

/// What cuRAND's manual says of orderings: number n comes from that position of subsequence n mod `subsequences`.
template <class State>
__global__ void sequences(unsigned* to, float* uniform, int count, unsigned long long seed, int offset, int subsequences) {
    int const first = blockIdx.x * blockDim.x + threadIdx.x;
    if (first >= subsequences) return;
    State state;
    // The first number is `offset` of all.
    int const begin = (first - offset % subsequences + subsequences) % subsequences;
    curand_init(seed, first, (offset + begin) / subsequences, &state);
    State other = state;
    for (int i = begin; i < count; i += subsequences) {
        to[i] = curand(&state);
        uniform[i] = curand_uniform(&other);
    }
}

__global__ void philox(unsigned* to, int count, unsigned long long seed) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (4 * i >= count) return;
    curandStatePhilox4_32_10_t state;
    curand_init(seed, i, 0, &state);
    uint4 const four = curand4(&state);
    to[4 * i] = four.x, to[4 * i + 1] = four.y, to[4 * i + 2] = four.z, to[4 * i + 3] = four.w;
}

__global__ void normals(float* to, int count, unsigned long long seed, int subsequences) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= subsequences) return;
    curandState state;
    curand_init(seed, i, 0, &state);
    for (int at = 2 * i; at < count; at += 2 * subsequences) {
        float2 const two = curand_normal2(&state);
        to[at] = two.x, to[at + 1] = two.y;
    }
}

/// Those of a dimension follow on each other.
template <class State, class Vectors, class Number>
__global__ void sobol(Number* to, int count, Vectors* vectors, int offset) {
    State state;
    curand_init(vectors[threadIdx.x], static_cast<unsigned>(offset), &state);
    for (int i = 0; i < count; ++i) to[threadIdx.x * count + i] = curand(&state);
}

template <class State> void by_kernels(curandRngType_t type, curandOrdering_t ordering, int subsequences) {
    constexpr int count = 10000, offset = 1000, seed = 1234;
    DeviceArray<unsigned> const made(count), wanted(count);
    DeviceArray<float> const uniform(count), uniform_wanted(count);
    curandGenerator_t generator;
    DONE(curandCreateGenerator(&generator, type));
    DONE(curandSetPseudoRandomGeneratorSeed(generator, seed));
    DONE(curandSetGeneratorOrdering(generator, ordering));
    DONE(curandSetGeneratorOffset(generator, offset));
    DONE(curandGenerate(generator, made.data(), count));
    DONE(curandSetGeneratorOffset(generator, offset));
    DONE(curandGenerateUniform(generator, uniform.data(), count));
    DONE(curandDestroyGenerator(generator));
    sequences<State><<<subsequences / 128, 128>>>(wanted.data(), uniform_wanted.data(), count, seed, offset, subsequences);
    OK(cudaDeviceSynchronize());
    CHECK(are_same(made.values(), wanted.values()));
    CHECK(are_same(uniform.values(), uniform_wanted.values()));
}

void philox_by_kernels() {
    constexpr int count = 10000, seed = 99;
    DeviceArray<unsigned> const made(count), wanted(count);
    curandGenerator_t generator;
    DONE(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_PHILOX4_32_10));
    DONE(curandSetPseudoRandomGeneratorSeed(generator, seed));
    DONE(curandGenerate(generator, made.data(), count));
    DONE(curandDestroyGenerator(generator));
    philox<<<count / 4 / 100, 100>>>(wanted.data(), count, seed);
    OK(cudaDeviceSynchronize());
    CHECK(are_same(made.values(), wanted.values()));
}

/// Not bit by bit: the host's logarithms and sines are rounded in another way than the device's.
void normals_by_kernels() {
    constexpr int count = 10000, seed = 5;
    DeviceArray<float> const made(count), wanted(count);
    curandGenerator_t generator;
    DONE(curandCreateGenerator(&generator, CURAND_RNG_PSEUDO_DEFAULT));
    DONE(curandSetPseudoRandomGeneratorSeed(generator, seed));
    DONE(curandGenerateNormal(generator, made.data(), count, 0, 1));
    DONE(curandDestroyGenerator(generator));
    normals<<<32, 128>>>(wanted.data(), count, seed, 4096);
    std::vector<float> const a = made.values(), b = wanted.values();
    for (int i = 0; i < count; ++i) CHECK(std::fabs(a[i] - b[i]) <= 1e-5F);
}

template <class State, class Vectors, class Number, class Get, class Generate>
void sobol_by_kernels(curandRngType_t type, Get&& get, curandDirectionVectorSet_t set, Generate&& generate) {
    constexpr int dimensions = 5, count = 400, offset = 7;
    Vectors* vectors = nullptr;
    DONE(get(&vectors, set));
    DeviceArray<Vectors> const on_device(dimensions);
    OK(cudaMemcpy(on_device.data(), vectors, dimensions * sizeof(Vectors), cudaMemcpyHostToDevice));
    DeviceArray<Number> const made(dimensions * count), wanted(dimensions * count);
    curandGenerator_t generator;
    DONE(curandCreateGenerator(&generator, type));
    DONE(curandSetQuasiRandomGeneratorDimensions(generator, dimensions));
    DONE(curandSetGeneratorOffset(generator, offset));
    DONE(generate(generator, made.data(), dimensions * count));
    DONE(curandDestroyGenerator(generator));
    sobol<State><<<1, dimensions>>>(wanted.data(), count, on_device.data(), offset);
    OK(cudaDeviceSynchronize());
    CHECK(are_same(made.values(), wanted.values()));
}

}  // namespace

int main() {
    // That type takes seconds to begin.
    std::thread mersenne([] { all_of_type(CURAND_RNG_PSEUDO_MT19937); });
    for (curandRngType_t const type :
         {CURAND_RNG_PSEUDO_DEFAULT, CURAND_RNG_PSEUDO_XORWOW, CURAND_RNG_PSEUDO_MRG32K3A, CURAND_RNG_PSEUDO_MTGP32,
          CURAND_RNG_PSEUDO_PHILOX4_32_10, CURAND_RNG_QUASI_DEFAULT, CURAND_RNG_QUASI_SOBOL32,
          CURAND_RNG_QUASI_SCRAMBLED_SOBOL32, CURAND_RNG_QUASI_SOBOL64, CURAND_RNG_QUASI_SCRAMBLED_SOBOL64})
        all_of_type(type);
    by_kernels<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_DEFAULT, 4096);
    by_kernels<curandStateXORWOW_t>(CURAND_RNG_PSEUDO_XORWOW, CURAND_ORDERING_PSEUDO_LEGACY, 4096);
    by_kernels<curandStateMRG32k3a_t>(CURAND_RNG_PSEUDO_MRG32K3A, CURAND_ORDERING_PSEUDO_LEGACY, 4096);
    philox_by_kernels();
    normals_by_kernels();
    sobol_by_kernels<curandStateSobol32_t, curandDirectionVectors32_t, unsigned>(
        CURAND_RNG_QUASI_SOBOL32, curandGetDirectionVectors32, CURAND_DIRECTION_VECTORS_32_JOEKUO6, curandGenerate);
    sobol_by_kernels<curandStateSobol64_t, curandDirectionVectors64_t, unsigned long long>(
        CURAND_RNG_QUASI_SOBOL64, curandGetDirectionVectors64, CURAND_DIRECTION_VECTORS_64_JOEKUO6, curandGenerateLongLong);
    mersenne.join();
    if (failures == 0) std::printf("all types: the same numbers on the device and on the host\n");
    return result();
}
