// What a GPU's special function unit gives for every f32:
//
//     approximations FOLDER
//
// FOLDER/digests.txt has a line `function block digest` for each of the 512 blocks of numbers with the same sign and
// exponent. FOLDER/<function>.<block>.i8 holds, of the blocks that tell most, the result for every mantissa less the
// correctly rounded one, in units of the last place, one byte each.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr std::uint32_t mantissas = 1u << 23;

enum Function {
    rcp,
    rcp_ftz,
    sqrt_f,
    sqrt_ftz,
    rsqrt_f,
    rsqrt_ftz,
    sin_f,
    sin_ftz,
    cos_f,
    cos_ftz,
    lg2_f,
    lg2_ftz,
    ex2_f,
    ex2_ftz,
    tanh_f,
    function_count
};
char const* const names[] = {"rcp", "rcp.ftz", "sqrt", "sqrt.ftz", "rsqrt", "rsqrt.ftz", "sin", "sin.ftz",
                             "cos", "cos.ftz", "lg2",  "lg2.ftz",  "ex2",   "ex2.ftz",   "tanh"};

#define WARPSIM_ASK(instruction) asm volatile(instruction " %0, %1;" : "=f"(y) : "f"(x))
__device__ float approximate(int function, float x) {
    float y = 0;
    switch (function) {
        case rcp: WARPSIM_ASK("rcp.approx.f32"); break;
        case rcp_ftz: WARPSIM_ASK("rcp.approx.ftz.f32"); break;
        case sqrt_f: WARPSIM_ASK("sqrt.approx.f32"); break;
        case sqrt_ftz: WARPSIM_ASK("sqrt.approx.ftz.f32"); break;
        case rsqrt_f: WARPSIM_ASK("rsqrt.approx.f32"); break;
        case rsqrt_ftz: WARPSIM_ASK("rsqrt.approx.ftz.f32"); break;
        case sin_f: WARPSIM_ASK("sin.approx.f32"); break;
        case sin_ftz: WARPSIM_ASK("sin.approx.ftz.f32"); break;
        case cos_f: WARPSIM_ASK("cos.approx.f32"); break;
        case cos_ftz: WARPSIM_ASK("cos.approx.ftz.f32"); break;
        case lg2_f: WARPSIM_ASK("lg2.approx.f32"); break;
        case lg2_ftz: WARPSIM_ASK("lg2.approx.ftz.f32"); break;
        case ex2_f: WARPSIM_ASK("ex2.approx.f32"); break;
        case ex2_ftz: WARPSIM_ASK("ex2.approx.ftz.f32"); break;
        default: WARPSIM_ASK("tanh.approx.f32"); break;
    }
    return y;
}

__device__ float correct(int function, float x) {
    double const d = x;
    switch (function) {
        case rcp:
        case rcp_ftz: return static_cast<float>(1 / d);
        case sqrt_f:
        case sqrt_ftz: return static_cast<float>(sqrt(d));
        case rsqrt_f:
        case rsqrt_ftz: return static_cast<float>(1 / sqrt(d));
        case sin_f:
        case sin_ftz: return static_cast<float>(sin(d));
        case cos_f:
        case cos_ftz: return static_cast<float>(cos(d));
        case lg2_f:
        case lg2_ftz: return static_cast<float>(log2(d));
        case ex2_f:
        case ex2_ftz: return static_cast<float>(exp2(d));
        default: return static_cast<float>(tanh(d));
    }
}

__device__ unsigned long long mixed(unsigned long long value, unsigned long long i) {
    unsigned long long x = value + 0x9e3779b97f4a7c15ull * (i + 1);
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

/// A thread block per block of numbers.
__global__ void digest_blocks(int function, std::uint32_t first, unsigned long long* digests) {
    unsigned long long sum = 0;
    std::uint32_t const block = first + blockIdx.y;
    std::uint32_t const slice = mantissas / gridDim.x;
    for (std::uint32_t m = blockIdx.x * slice + threadIdx.x; m < (blockIdx.x + 1) * slice; m += blockDim.x)
        sum += mixed(__float_as_uint(approximate(function, __uint_as_float(block << 23 | m))), m);
    atomicAdd(&digests[block], sum);
}

__global__ void differences(int function, std::uint32_t block, std::uint32_t step, signed char* out) {
    std::uint32_t const i = blockIdx.x * blockDim.x + threadIdx.x;
    float const x = __uint_as_float(block << 23 | i * step);
    int const difference =
        static_cast<int>(__float_as_uint(approximate(function, x)) - __float_as_uint(correct(function, x)));
    out[i] = static_cast<signed char>(difference < -127 ? -128 : difference > 127 ? 127 : difference);
}

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "approximations: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

struct Interesting {
    Function function;
    std::uint32_t first, last, step;
};
constexpr Interesting interesting[] = {{rcp, 127, 127, 1},   {sqrt_f, 127, 128, 1}, {rsqrt_f, 127, 128, 1},
                                       {lg2_f, 125, 128, 1}, {ex2_f, 125, 127, 1},  {sin_f, 120, 130, 8},
                                       {cos_f, 120, 130, 8}, {tanh_f, 118, 131, 8}};

}  // namespace

int main(int count, char** arguments) {
    if (count < 2) return std::fprintf(stderr, "usage: approximations FOLDER [BLOCKS]\n"), 1;
    std::string const folder = arguments[1];
    // Fewer blocks for a simulator.
    std::uint32_t const step = count > 2 ? std::stoul(arguments[2]) : 1;
    unsigned long long* digests;
    signed char* out;
    check(cudaMallocManaged(&digests, 512 * sizeof *digests));
    check(cudaMallocManaged(&out, mantissas));
    std::FILE* const file = std::fopen((folder + "/digests.txt").c_str(), "w");
    for (int f = 0; f < function_count; ++f) {
        for (int i = 0; i < 512; ++i) digests[i] = 0;
        for (std::uint32_t block = 0; block < 512; block += step)
            digest_blocks<<<dim3(64, 1), 256>>>(f, block, digests);
        check(cudaDeviceSynchronize());
        for (std::uint32_t block = 0; block < 512; block += step)
            std::fprintf(file, "%s %u %016llx\n", names[f], block, digests[block]);
    }
    std::fclose(file);
    if (step != 1) return 0;
    for (Interesting const& some : interesting) {
        for (std::uint32_t block = some.first; block <= some.last; ++block) {
            std::uint32_t const numbers = mantissas / some.step;
            differences<<<numbers / 256, 256>>>(some.function, block, some.step, out);
            check(cudaDeviceSynchronize());
            std::FILE* const to = std::fopen(
                (folder + "/" + names[some.function] + "." + std::to_string(block) + ".i8").c_str(), "wb");
            std::fwrite(out, 1, numbers, to);
            std::fclose(to);
        }
    }
    return 0;
}
