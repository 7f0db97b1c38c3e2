// C++ and its runtime in kernels: printf, assert, the heap, virtual calls, recursion, structures by value, 128 bits.
#include <cassert>
#include <cstdint>
#include <cstdio>

struct Shape {
    __device__ virtual float area() const = 0;
    __device__ virtual ~Shape() {}
};
struct Circle : Shape {
    float radius;
    __device__ explicit Circle(float r) : radius(r) {}
    __device__ float area() const override { return 3.14159f * radius * radius; }
};
struct Square : Shape {
    float side;
    __device__ explicit Square(float s) : side(s) {}
    __device__ float area() const override { return side * side; }
};
struct Settings {
    int counts[5];
    double factor;
    char name[7];
};
enum class Kind : unsigned char { first, second, third };

__constant__ float weights[16] = {1, 2, 3, 4};
__constant__ Settings fixed = {{1, 2, 3, 4, 5}, 2.5, "abc"};
__managed__ int shared_with_host = 7;
__device__ float table[4][8];
__device__ char const* greeting = "hello \"world\"\n";
__device__ int (*chosen)(int) = nullptr;

__device__ __noinline__ int twice(int x) { return 2 * x; }
__device__ __noinline__ int thrice(int x) { return 3 * x; }
__device__ int fibonacci(int n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2); }
__device__ __noinline__ Settings changed(Settings s, int by) {
    s.counts[by % 5] += by;
    s.factor /= by;
    return s;
}
__device__ int (*const functions[])(int) = {twice, thrice, fibonacci};

extern "C" __global__ void shapes(float* out, int kind) {
    Shape* const shape = kind == 0 ? static_cast<Shape*>(new Circle(2.0f)) : new Square(3.0f);
    out[threadIdx.x] = shape->area();
    delete shape;
}
extern "C" __global__ void talk(int n, double x) {
    assert(n >= 0);
    printf("%d %s %f %lld %c\n", n, greeting, x, static_cast<long long>(n) << 40, 'x');
}
extern "C" __global__ void calls(int* out, int which, Settings settings) {
    Settings const mine = changed(settings, which + 1);
    out[threadIdx.x] = functions[which](threadIdx.x) + mine.counts[which] + static_cast<int>(mine.factor);
    if (chosen != nullptr) out[threadIdx.x] += chosen(which);
}
extern "C" __global__ void arithmetic(__int128 const* wide, unsigned __int128* out, std::uint64_t* narrow, Kind kind) {
    int const i = threadIdx.x;
    out[i] = static_cast<unsigned __int128>(wide[i] * wide[i + 1]) >> (i & 127);
    narrow[i] = static_cast<std::uint64_t>(wide[i] / 1000000007) + __umul64hi(narrow[i], 12345) +
                static_cast<unsigned>(__clzll(static_cast<long long>(narrow[i]))) + __brevll(narrow[i]) +
                static_cast<unsigned>(__popcll(narrow[i])) + narrow[i] % 10 + static_cast<unsigned>(__ffs(i));
    switch (kind) {
        case Kind::first: narrow[i] += 1; break;
        case Kind::second: narrow[i] *= 3; break;
        case Kind::third: narrow[i] = ~narrow[i]; break;
    }
}
extern "C" __global__ void __launch_bounds__(256, 2) arrays(float* out, int n) {
    float local[32];
    for (int i = 0; i < 32; ++i) local[i] = weights[(i + n) % 16] + static_cast<float>(fixed.counts[i % 5]);
    float sum = 0;
    for (int i = 0; i < n; ++i) sum += local[i % 32] * table[i % 4][i % 8];
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum + static_cast<float>(shared_with_host);
    auto* const list = static_cast<int*>(malloc(16));
    if (list != nullptr) {
        list[0] = n;
        memset(list + 1, n, 12);
        out[0] += static_cast<float>(list[2]);
        free(list);
    }
    long long const start = clock64();
    __nanosleep(20);
    out[1] = static_cast<float>(clock64() - start);
}
extern "C" __global__ void jumps(int* out, int n) {
    int value = 0;
    for (int i = 0; i < n; ++i) {
        switch ((i * 7 + n) % 9) {
            case 0: value += 3; continue;
            case 1: value ^= i; break;
            case 2: value -= n; [[fallthrough]];
            case 3: value *= 5; break;
            case 4: goto done;
            case 5: value = __shfl_sync(~0u, value, i); break;
            case 6: value += __popc(__ballot_sync(__activemask(), value > i)); break;
            case 7: value = static_cast<int>(__match_any_sync(~0u, value)); break;
            default: value >>= 1;
        }
        if (__any_sync(~0u, value < 0)) __syncwarp();
    }
done:
    out[threadIdx.x] = __syncthreads_count(value > 0);
}
