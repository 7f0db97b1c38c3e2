#include "benchmarks/opencl/task.hpp"

#include <cstring>

namespace warpsim::benchmarks {

namespace {

constexpr char const* saxpy_source = R"(
kernel void saxpy(int n, float a, global float const* x, global float* y) {
    int const i = get_global_id(0);
    if (i < n) y[i] = a * x[i] + y[i];
})";

constexpr char const* matmul_source = R"(
kernel void matmul(int n, global float const* a, global float const* b, global float* c) {
    local float tile_a[16][16], tile_b[16][16];
    int const x = get_local_id(0), y = get_local_id(1), column = get_global_id(0), row = get_global_id(1);
    float sum = 0.0f;
    for (int start = 0; start < n; start += 16) {
        tile_a[y][x] = row < n && start + x < n ? a[row * n + start + x] : 0.0f;
        tile_b[y][x] = start + y < n && column < n ? b[(start + y) * n + column] : 0.0f;
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < 16; ++k) sum += tile_a[y][k] * tile_b[k][x];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (row < n && column < n) c[row * n + column] = sum;
})";

constexpr char const* mandelbrot_source = R"(
kernel void mandelbrot(global int* out, int width, int height, float x0, float y0, float dx, float dy, int most) {
    int const column = get_global_id(0), row = get_global_id(1);
    if (column >= width || row >= height) return;
    float const cx = x0 + column * dx, cy = y0 + row * dy;
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (x * x + y * y < 4.0f && i < most) {
        float const next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++i;
    }
    out[row * width + column] = i;
})";

constexpr char const* reduce_source = R"(
kernel void reduce(int n, global uint const* in, global uint* sum) {
    local uint partial[1024];
    uint mine = 0;
    int const own = get_local_id(0);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) mine += in[i];
    partial[own] = mine;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
        if (own < half_size) partial[own] += partial[own + half_size];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (own == 0) atomic_add(sum, partial[0]);
})";

constexpr char const* histogram_source = R"(
kernel void histogram(int n, global uchar const* in, global uint* bins) {
    local uint own[256];
    for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0)) own[bin] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n; i += get_global_size(0)) atomic_inc(&own[in[i]]);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int bin = get_local_id(0); bin < 256; bin += get_local_size(0))
        if (own[bin] != 0) atomic_add(&bins[bin], own[bin]);
})";

constexpr char const* transpose_source = R"(
kernel void transpose(int width, int height, global float const* in, global float* out) {
    local float tile[32][33];
    int const lx = get_local_id(0), ly = get_local_id(1);
    int const x = get_group_id(0) * 32 + lx, y = get_group_id(1) * 32 + ly;
    for (int j = 0; j < 32; j += 8)
        if (x < width && y + j < height) tile[ly + j][lx] = in[(y + j) * width + x];
    barrier(CLK_LOCAL_MEM_FENCE);
    int const to_x = get_group_id(1) * 32 + lx, to_y = get_group_id(0) * 32 + ly;
    for (int j = 0; j < 32; j += 8)
        if (to_x < height && to_y + j < width) out[(to_y + j) * height + to_x] = tile[lx][ly + j];
})";

constexpr char const* stencil_source = R"(
kernel void stencil(int width, int height, float centre, float side, global float const* in, global float* out) {
    int const x = get_global_id(0), y = get_global_id(1);
    if (x >= width || y >= height) return;
    float const left = in[y * width + max(x - 1, 0)], right = in[y * width + min(x + 1, width - 1)];
    float const above = in[max(y - 1, 0) * width + x], below = in[min(y + 1, height - 1) * width + x];
    out[y * width + x] = centre * in[y * width + x] + side * (left + right + above + below);
})";

constexpr char const* nbody_source = R"(
kernel void nbody(int n, float softening, global float4 const* bodies, global float4* accelerations,
                  local float4* tile) {
    int const i = get_global_id(0), size = get_local_size(0);
    float4 const self = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < n; start += size) {
        tile[get_local_id(0)] = bodies[start + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; ++j) {
            float const dx = tile[j].x - self.x, dy = tile[j].y - self.y, dz = tile[j].z - self.z;
            float const inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            float const scale = tile[j].w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[i] = (float4)(ax, ay, az, 0.0f);
})";

/// Numbers between -1 and 1, always the same.
std::vector<float> noise(std::size_t count) {
    std::vector<float> values(count);
    std::uint32_t random = 1;
    for (float& value : values) {
        random = random * 1664525 + 1013904223;
        value = static_cast<float>(random >> 8) * 0x1p-23f - 1.0f;
    }
    return values;
}

/// The same bits as integers below 256 in words, or as bytes.
std::vector<float> small_integers(std::size_t words, bool as_bytes) {
    std::vector<float> values(words);
    std::uint32_t random = 1;
    for (float& value : values) {
        random = random * 1664525 + 1013904223;
        std::uint32_t const bits = as_bytes ? random ^ random >> 13 : random >> 24;
        std::memcpy(&value, &bits, sizeof bits);
    }
    return values;
}

}  // namespace

std::vector<Task> tasks() {
    using B = BufferArgument;
    constexpr int n = 1 << 20, side = 1024;
    std::vector<float> const empty(n);
    return {
        {"saxpy", saxpy_source, {n / 256, 1, 1}, {256, 1, 1}, 0, {noise(n), empty}, {n, 0.5f, B{0}, B{1}}, 1},
        {"matmul",
         matmul_source,
         {16, 16, 1},
         {16, 16, 1},
         0,
         {noise(65536), noise(65536), empty},
         {256, B{0}, B{1}, B{2}},
         2},
        {"mandelbrot",
         mandelbrot_source,
         {32, 32, 1},
         {16, 16, 1},
         0,
         {empty},
         {B{0}, 512, 512, -2.0f, -1.0f, 3.0f / 512, 2.0f / 512, 256},
         0,
         true},
        {"reduce",
         reduce_source,
         {1024, 1, 1},
         {256, 1, 1},
         0,
         {small_integers(4 * n, false), empty},
         {4 * n, B{0}, B{1}},
         1,
         true},
        {"histogram",
         histogram_source,
         {256, 1, 1},
         {256, 1, 1},
         0,
         {small_integers(n, true), empty},
         {4 * n, B{0}, B{1}},
         1,
         true},
        {"transpose",
         transpose_source,
         {32, 32, 1},
         {32, 8, 1},
         0,
         {noise(n), empty},
         {side, side, B{0}, B{1}},
         1},
        {"stencil",
         stencil_source,
         {64, 64, 1},
         {16, 16, 1},
         0,
         {noise(n), empty},
         {side, side, 0.5f, 0.125f, B{0}, B{1}},
         1},
        {"nbody", nbody_source, {8, 1, 1}, {256, 1, 1}, 4096, {noise(8192), empty}, {2048, 0.01f, B{0}, B{1}}, 1},
    };
}

}  // namespace warpsim::benchmarks
