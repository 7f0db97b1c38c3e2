// Neighbouring accesses to shared memory: nvcc -arch=sm_80 -ptx merged_accesses.cu
#define KERNEL extern "C" __global__ void
#define FILL \
    __shared__ float s[256]; \
    int t = threadIdx.x; \
    s[t] = a * t; \
    __syncthreads();

KERNEL four(float* out, float a) { FILL out[t] = s[0] * s[1] + s[2] * s[3]; }
KERNEL rows(float* out, float a) {
    __shared__ float s[64][16];
    int t = threadIdx.x;
    s[t][0] = a * t; s[t][1] = a + t; s[t][2] = a - t; s[t][3] = a / 2;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum = sum * a + s[t ^ 1][i];
    out[t] = sum;
}
KERNEL padded_rows(float* out, float a) {
    __shared__ float s[64][17];
    int t = threadIdx.x;
    for (int i = 0; i < 16; ++i) s[t][i] = a * i;
    __syncthreads();
    float sum = 0;
    for (int i = 0; i < 16; ++i) sum = sum * a + s[t ^ 1][i];
    out[t] = sum;
}
KERNEL doubles(double* out, double a) {
    __shared__ double s[256];
    int t = threadIdx.x;
    s[t] = a * t;
    __syncthreads();
    out[t] = s[0] + s[1] * s[2] - s[3];
}
KERNEL halves(float* out, int a) {
    __shared__ short s[256];
    int t = threadIdx.x;
    s[t] = a * t;
    __syncthreads();
    out[t] = s[2 * t & 127] * s[2 * t & 127 | 1];
}
KERNEL bytes(float* out, int a) {
    __shared__ unsigned char s[256];
    int t = threadIdx.x;
    s[t] = a * t;
    __syncthreads();
    out[t] = s[0] + s[1] * s[2] - s[3];
}
KERNEL behind_global_store(float* out, float a) { FILL out[t] = s[0]; out[t + 64] = s[1]; }
KERNEL behind_shared_store(float* out, float a) { FILL float x = s[0]; s[t + 8] = x; out[t] = s[1]; }
KERNEL three_of_four(float* out, float a) { FILL out[t] = s[1] * s[2] + s[3] * a; }
KERNEL first_and_last(float* out, float a) { FILL out[t] = s[0] + s[3]; }
KERNEL first_and_third(float* out, float a) { FILL out[t] = s[0] * s[2]; }
KERNEL in_the_middle(float* out, float a) { FILL out[t] = s[1] * s[2]; }
KERNEL across_four(float* out, float a) { FILL out[t] = s[3] * s[4]; }
KERNEL six(float* out, float a) { FILL out[t] = s[0] * s[1] + s[2] * s[3] + s[4] * s[5]; }
KERNEL far_apart(float* out, float a) {
    FILL float x = s[4 * t];
    for (int i = 0; i < 40; ++i) x = x * a + i;
    out[t] = x + s[4 * t + 1];
}
KERNEL stores_with_gap(float* out, float a) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[4 * t] = a; s[4 * t + 1] = a + 1; s[4 * t + 3] = a + 3;
    __syncthreads();
    out[t] = s[t];
}
KERNEL stores_in_the_middle(float* out, float a) {
    __shared__ float s[256];
    int t = threadIdx.x;
    s[4 * t + 1] = a; s[4 * t + 2] = a + 1;
    __syncthreads();
    out[t] = s[t];
}
KERNEL in_branch(float* out, float a) {
    FILL float x = 0;
    if (t < 9) { x = s[0]; x *= s[1]; }
    out[t] = x;
}
KERNEL tiles(float* out, float a) {
    __shared__ float s[16][16];
    int t = threadIdx.x, u = threadIdx.y;
    s[u][t] = a;
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < 16; ++k) sum += s[u][k] * s[k][t];
    out[t + 16 * u] = sum;
}
KERNEL unknown_index(float* out, float a, int n) { FILL out[t] = s[n] * s[n + 1]; }
KERNEL even_index(float* out, float a, int n) { FILL out[t] = s[2 * n] * s[2 * n + 1]; }
