// Gravitation between all pairs, tile by tile; energy and places compared with double precision.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cmath>
#include <vector>

constexpr int tile = 64;

__global__ void accelerate(float4 const* bodies, float3* out, int n, float softening) {
    __shared__ float4 part[tile];
    int const i = blockIdx.x * tile + threadIdx.x;
    float4 const own = i < n ? bodies[i] : make_float4(0, 0, 0, 0);
    float3 a = make_float3(0, 0, 0);
    for (int first = 0; first < n; first += tile) {
        int const j = first + threadIdx.x;
        part[threadIdx.x] = j < n ? bodies[j] : make_float4(0, 0, 0, 0);
        __syncthreads();
#pragma unroll 8
        for (int k = 0; k < tile; ++k) {
            float const x = part[k].x - own.x, y = part[k].y - own.y, z = part[k].z - own.z;
            float const r = rsqrtf(x * x + y * y + z * z + softening);
            float const f = part[k].w * r * r * r;
            a.x += x * f;
            a.y += y * f;
            a.z += z * f;
        }
        __syncthreads();
    }
    if (i < n) out[i] = a;
}

__global__ void move(float4* bodies, float3* speeds, float3 const* a, int n, float dt) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    speeds[i].x += a[i].x * dt;
    speeds[i].y += a[i].y * dt;
    speeds[i].z += a[i].z * dt;
    bodies[i].x += speeds[i].x * dt;
    bodies[i].y += speeds[i].y * dt;
    bodies[i].z += speeds[i].z * dt;
}

struct Body {
    double p[3], v[3], mass;
};

int main() {
    int const n = 200, steps = 3;
    double const dt = 0.01, softening = 0.05;
    std::vector<Body> host(n);
    float4* bodies;
    float3 *speeds, *a;
    OK(cudaMallocManaged(&bodies, n * sizeof(float4)));
    OK(cudaMallocManaged(&speeds, n * sizeof(float3)));
    OK(cudaMallocManaged(&a, n * sizeof(float3)));
    for (int i = 0; i < n; ++i) {
        auto const value = [&](int k) { return static_cast<float>((i * 131 + k * 71) % 97) / 97.0f - 0.5f; };
        bodies[i] = make_float4(value(1), value(2), value(3), value(4) + 0.6f);
        speeds[i] = make_float3(value(5), value(6), value(7));
        host[i] = {{bodies[i].x, bodies[i].y, bodies[i].z}, {speeds[i].x, speeds[i].y, speeds[i].z}, bodies[i].w};
    }
    for (int s = 0; s < steps; ++s) {
        accelerate<<<(n + tile - 1) / tile, tile>>>(bodies, a, n, static_cast<float>(softening));
        move<<<(n + 127) / 128, 128>>>(bodies, speeds, a, n, static_cast<float>(dt));
        std::vector<Body> next = host;
        for (int i = 0; i < n; ++i) {
            for (int j = 0; j < n; ++j) {
                double d[3], square = softening;
                for (int k = 0; k < 3; ++k) {
                    d[k] = host[j].p[k] - host[i].p[k];
                    square += d[k] * d[k];
                }
                for (int k = 0; k < 3; ++k) next[i].v[k] += host[j].mass * d[k] / (square * std::sqrt(square)) * dt;
            }
            for (int k = 0; k < 3; ++k) next[i].p[k] += next[i].v[k] * dt;
        }
        host = next;
    }
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        CHECK(std::abs(bodies[i].x - host[i].p[0]) < 2e-4);
        CHECK(std::abs(bodies[i].y - host[i].p[1]) < 2e-4);
        CHECK(std::abs(bodies[i].z - host[i].p[2]) < 2e-4);
    }
    return result();
}
