// Loads of constants at an index, and constants at known places: nvcc -arch=sm_75 -ptx constant_loads.cu
#define KERNEL extern "C" __global__ void

struct Two { float x, y; };
struct Three { float x, y, z; };
struct Four { float x, y, z, w; };
__constant__ float c[1024];
__constant__ float4 vectors[256];
__constant__ double doubles_[512];
__constant__ unsigned char bytes_[1024];
__constant__ Two twos[256];
__constant__ Three threes[256];
__constant__ Four fours[256];

KERNEL pair(float* out) { int t = threadIdx.x; out[t] = c[2 * t] * c[2 * t + 1]; }
KERNEL odd_pair(float* out) { int t = threadIdx.x; out[t] = c[2 * t + 1] * c[2 * t + 2]; }
KERNEL unknown_pair(float* out) { int t = threadIdx.x; out[t] = c[t] * c[t + 1]; }
KERNEL quad(float* out) { int t = threadIdx.x; out[t] = c[4 * t] * c[4 * t + 1] + c[4 * t + 2] * c[4 * t + 3]; }
KERNEL first_three(float* out) { int t = threadIdx.x; out[t] = c[4 * t] + c[4 * t + 1] * c[4 * t + 2]; }
KERNEL last_three(float* out) { int t = threadIdx.x; out[t] = c[4 * t + 1] + c[4 * t + 2] * c[4 * t + 3]; }
KERNEL in_the_middle(float* out) { int t = threadIdx.x; out[t] = c[4 * t + 1] * c[4 * t + 2]; }
KERNEL first_and_third(float* out) { int t = threadIdx.x; out[t] = c[4 * t] * c[4 * t + 2]; }
KERNEL first_and_last(float* out) { int t = threadIdx.x; out[t] = c[4 * t] * c[4 * t + 3]; }
KERNEL backwards(float* out) { int t = threadIdx.x; out[t] = (c[2 * t + 1] - out[9]) / c[2 * t]; }
KERNEL eight(float* out) {
    int t = threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 8; ++i) sum = sum * sum + c[8 * t + i];
    out[t] = sum;
}
KERNEL of_twos(float* out) { int t = threadIdx.x; out[t] = twos[t].x * twos[t].y; }
KERNEL of_threes(float* out) { int t = threadIdx.x; out[t] = threes[t].x * threes[t].y + threes[t].z; }
KERNEL of_fours(float* out) { int t = threadIdx.x; out[t] = fours[t].x * fours[t].y + fours[t].z * fours[t].w; }
KERNEL of_vectors(float* out) { int t = threadIdx.x; float4 v = vectors[t]; out[t] = v.x * v.y + v.z * v.w; }
KERNEL of_doubles(double* out) { int t = threadIdx.x; out[t] = doubles_[2 * t] * doubles_[2 * t + 1]; }
KERNEL of_bytes(int* out) {
    int t = threadIdx.x;
    out[t] = bytes_[4 * t] * bytes_[4 * t + 1] + bytes_[4 * t + 2] * bytes_[4 * t + 3];
}
KERNEL uniform_pair(float* out, int n) { int t = threadIdx.x; out[t] = c[2 * n] * c[2 * n + 1] + t; }
KERNEL uniform_unknown(float* out, int n) { int t = threadIdx.x; out[t] = c[n] * c[n + 1] + t; }
KERNEL across_store(float* out) { int t = threadIdx.x; out[t] = c[2 * t]; out[t + 64] = c[2 * t + 1]; }
KERNEL across_barrier(float* out) {
    int t = threadIdx.x;
    out[t] = c[2 * t];
    __syncthreads();
    out[t + 64] = c[2 * t + 1];
}
KERNEL in_branch(float* out) {
    int t = threadIdx.x;
    float x = 0;
    if (t < 9) {
        x = c[2 * t];
        x *= c[2 * t + 1];
        for (int i = 0; i < t; ++i) x = x * x + out[i];
    }
    out[t] = x;
}
KERNEL guarded(float* out, int n) {
    int t = threadIdx.x;
    float x = 1;
    if (t < n) x = c[2 * t] + c[2 * t + 1];
    out[t] = x;
}
KERNEL known_word(float* out) { int t = threadIdx.x; out[t] = t * c[5]; }
KERNEL known_double(double* out) { int t = threadIdx.x; out[t] = t * doubles_[3]; }
KERNEL known_vector(float* out) { int t = threadIdx.x; float4 v = vectors[3]; out[t] = t * v.x + v.y * v.z + v.w; }
KERNEL stored(float* out) { int t = threadIdx.x; out[t] = c[5]; }
KERNEL two_in_one(float* out) { int t = threadIdx.x; out[t] = t * c[5] + c[6]; }
KERNEL filter(float* out, float const* in) {
    int t = threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 17; ++i) sum += c[i] * in[t + i];
    out[t] = sum;
}
