// cuRAND's host interface. Its generators for the device are machine code; those for the host give the same numbers, and NVIDIA's
// library makes them without a GPU. So a generator for the device is one for the host here, whose numbers are copied.
#include "runtime/cuda/core/arguments.hpp"
#include "runtime/cuda/curand/generators.hpp"
#include "runtime/cuda/curand/output.hpp"
#include "runtime/cuda/curand/real.hpp"
#include "runtime/cuda/stand_ins/tell.hpp"
#include "runtime/log.hpp"

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <string>

#define WARPSIM_API extern "C" __attribute__((visibility("default")))

using namespace warpsim;
using namespace warpsim::curand;
using cuda::Arguments;

namespace {

using Distribution = struct curandDiscreteDistribution_st*;

constexpr int first_quasi_type = 200;
enum Ordering : int { pseudo_best = 100, pseudo_dynamic = 104 };
enum Method : int { third = 11 };

void refuse(std::string const& why) {
    cuda::set_up_log();
    log::failure_once(why);
}

/// What a call generates, which NVIDIA's library writes where the program's own memory is, or else here for the device.
template <class Number, class... More>
int generate(char const* name, Generator generator, Number* to, std::size_t count, More... more) {
    auto const device = find(generator);
    if (!device) return forward(name, generator, to, count, more...);
    Number none{};
    if (count == 0) return forward(name, generator, &none, count, more...);
    Output const output{name, device->stream, reinterpret_cast<std::uint64_t>(to), count, sizeof(Number)};
    if (Status const status = check(output); status != success) return status;
    std::shared_ptr<Number> const numbers(static_cast<Number*>(std::malloc(output.bytes())), &std::free);
    if (numbers == nullptr) return allocation_failed;
    int const status = forward(name, generator, numbers.get(), count, more...);
    if (status != success) return status;
    return write(output, {numbers, reinterpret_cast<std::byte const*>(numbers.get())});
}

}  // namespace

WARPSIM_API int curandCreateGenerator(Generator* out, int type) {
    Arguments const said(out, type);
    if (real_path().empty()) return initialization_failed;
    if (Status const status = begin_device(); status != success) return status;
    int const status = forward("curandCreateGeneratorHost", out, type);
    if (status != success) return status;
    add(*out, {type < first_quasi_type, nullptr});
    cuda::tell_of_stand_in("curand: " + real_path() +
                           " makes random numbers on the host, which are copied to the device");
    return success;
}

WARPSIM_API int curandDestroyGenerator(Generator generator) {
    Arguments const said(generator);
    remove(generator);
    return forward("curandDestroyGenerator", generator);
}

WARPSIM_API int curandSetStream(Generator generator, void* stream) {
    Arguments const said(generator, stream);
    return set_stream(generator, stream) ? success : forward("curandSetStream", generator, stream);
}

WARPSIM_API int curandSetGeneratorOrdering(Generator generator, int ordering) {
    int const status = forward("curandSetGeneratorOrdering", generator, ordering);
    auto const device = find(generator);
    bool const is_for_pseudo = ordering >= pseudo_best && ordering <= pseudo_dynamic;
    if (status == out_of_range && device && device->is_pseudo && is_for_pseudo)
        refuse("curandSetGeneratorOrdering: NVIDIA's generators on the host, which make the numbers here, do not "
               "have ordering " +
               std::to_string(ordering) + " of this type");
    return status;
}

/// The rest of cuRAND would start the CUDA runtime that is inside of it.
WARPSIM_API int curandCreatePoissonDistribution(double lambda, Distribution* out) {
    Arguments const said(lambda, out);
    if (out == nullptr) return not_initialized;
    refuse("curandCreatePoissonDistribution: not supported, since NVIDIA's library makes the distribution on a "
           "GPU only; "
           "curandGeneratePoisson and the kernels' curand_poisson() do without");
    return initialization_failed;
}
WARPSIM_API int curandDestroyDistribution(Distribution) { return not_initialized; }  // none was ever created

WARPSIM_API int curandGeneratePoissonMethod(Generator generator, unsigned* to, std::size_t count, double lambda,
                                            int method) {
    Arguments const said(generator, to, count, lambda, method);
    if (method == third) {
        refuse("curandGeneratePoissonMethod: not supported by method CURAND_3RD, which NVIDIA's library has on a "
               "GPU only");
        return launch_failure;
    }
    return generate("curandGeneratePoissonMethod", generator, to, count, lambda, method);
}

// clang-format off
#define WARPSIM_GENERATE(name, parameters, ...) \
    WARPSIM_API int name parameters { \
        Arguments const said(__VA_ARGS__); \
        return generate(#name, __VA_ARGS__); \
    }
WARPSIM_GENERATE(curandGenerate, (Generator generator, unsigned* to, std::size_t count), generator, to, count)
WARPSIM_GENERATE(curandGenerateLongLong, (Generator generator, unsigned long long* to, std::size_t count), generator, to, count)
WARPSIM_GENERATE(curandGenerateUniform, (Generator generator, float* to, std::size_t count), generator, to, count)
WARPSIM_GENERATE(curandGenerateUniformDouble, (Generator generator, double* to, std::size_t count), generator, to, count)
WARPSIM_GENERATE(curandGenerateNormal, (Generator generator, float* to, std::size_t count, float mean, float deviation),
                 generator, to, count, mean, deviation)
WARPSIM_GENERATE(curandGenerateNormalDouble, (Generator generator, double* to, std::size_t count, double mean, double deviation),
                 generator, to, count, mean, deviation)
WARPSIM_GENERATE(curandGenerateLogNormal, (Generator generator, float* to, std::size_t count, float mean, float deviation),
                 generator, to, count, mean, deviation)
WARPSIM_GENERATE(curandGenerateLogNormalDouble, (Generator generator, double* to, std::size_t count, double mean, double deviation),
                 generator, to, count, mean, deviation)
WARPSIM_GENERATE(curandGeneratePoisson, (Generator generator, unsigned* to, std::size_t count, double lambda),
                 generator, to, count, lambda)

#define WARPSIM_FORWARD(name, parameters, ...) \
    WARPSIM_API int name parameters { return forward(#name, __VA_ARGS__); }
WARPSIM_FORWARD(curandCreateGeneratorHost, (Generator* out, int type), out, type)
WARPSIM_FORWARD(curandGetVersion, (int* version), version)
WARPSIM_FORWARD(curandGetProperty, (int which, int* value), which, value)
WARPSIM_FORWARD(curandSetPseudoRandomGeneratorSeed, (Generator generator, unsigned long long seed), generator, seed)
WARPSIM_FORWARD(curandSetGeneratorOffset, (Generator generator, unsigned long long offset), generator, offset)
WARPSIM_FORWARD(curandSetQuasiRandomGeneratorDimensions, (Generator generator, unsigned dimensions), generator, dimensions)
WARPSIM_FORWARD(curandGenerateSeeds, (Generator generator), generator)
WARPSIM_FORWARD(curandGetDirectionVectors32, (void** vectors, int set), vectors, set)
WARPSIM_FORWARD(curandGetDirectionVectors64, (void** vectors, int set), vectors, set)
WARPSIM_FORWARD(curandGetScrambleConstants32, (unsigned** constants), constants)
WARPSIM_FORWARD(curandGetScrambleConstants64, (unsigned long long** constants), constants)
// clang-format on
