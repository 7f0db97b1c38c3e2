// Copies, reductions, histograms, sparse rows, access patterns, divisions and functions.
#pragma once

using F = float;

__global__ void saxpy(int n, F a, F* x, F* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
__global__ void copy4(float4* a, float4* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) b[i] = a[i];
}
__global__ void transpose_naive(F* a, F* b, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) b[x * n + y + j] = a[(y + j) * n + x];
}
__global__ void transpose_tile(F* a, F* b, int n) {
    __shared__ F t[32][33];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) t[threadIdx.y + j][threadIdx.x] = a[(y + j) * n + x];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x;
    y = blockIdx.x * 32 + threadIdx.y;
    for (int j = 0; j < 32; j += 8) b[(y + j) * n + x] = t[threadIdx.x][threadIdx.y + j];
}
__global__ void reduce(F* a, F* o, int n) {
    __shared__ F s[256];
    int t = threadIdx.x;
    F v = 0;
    for (int i = blockIdx.x * 256 + t; i < n; i += gridDim.x * 256) v += a[i];
    s[t] = v;
    __syncthreads();
    for (int d = 128; d > 0; d >>= 1) {
        if (t < d) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) atomicAdd(o, s[0]);
}
__global__ void hist_shared(int* a, int* h, int n) {
    __shared__ int s[256];
    s[threadIdx.x] = 0;
    __syncthreads();
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) atomicAdd(&s[a[i] & 255], 1);
    __syncthreads();
    atomicAdd(&h[threadIdx.x], s[threadIdx.x]);
}
__global__ void hist_global(int* a, int* h, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&h[a[i] & 1023], 1);
}
__global__ void spmv(int* row, int* col, F* v, F* x, F* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        F s = 0;
        for (int k = row[i]; k < row[i + 1]; k++) s += v[k] * x[col[k]];
        y[i] = s;
    }
}
__global__ void spmv_warp(int* row, int* col, F* v, F* x, F* y, int n) {
    int w = (blockIdx.x * blockDim.x + threadIdx.x) / 32, l = threadIdx.x & 31;
    if (w < n) {
        F s = 0;
        for (int k = row[w] + l; k < row[w + 1]; k += 32) s += v[k] * x[col[k]];
        for (int d = 16; d; d >>= 1) s += __shfl_down_sync(~0u, s, d);
        if (!l) y[w] = s;
    }
}
__global__ void stencil7(F* a, F* b, int n) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        for (int z = 1; z < n - 1; z++) {
            int i = (z * n + y) * n + x;
            b[i] = 0.4f * a[i] + 0.1f * (a[i - 1] + a[i + 1] + a[i - n] + a[i + n] + a[i - n * n] + a[i + n * n]);
        }
}
__global__ void nbody(float4* p, float4* v, int n) {
    __shared__ float4 s[256];
    int i = blockIdx.x * 256 + threadIdx.x;
    float4 me = p[i];
    F ax = 0, ay = 0, az = 0;
    for (int t = 0; t < n; t += 256) {
        s[threadIdx.x] = p[t + threadIdx.x];
        __syncthreads();
#pragma unroll 8
        for (int j = 0; j < 256; j++) {
            F dx = s[j].x - me.x, dy = s[j].y - me.y, dz = s[j].z - me.z;
            F d = dx * dx + dy * dy + dz * dz + 1e-3f;
            F r = rsqrtf(d);
            F q = s[j].w * r * r * r;
            ax += dx * q;
            ay += dy * q;
            az += dz * q;
        }
        __syncthreads();
    }
    v[i] = make_float4(ax, ay, az, 0);
}
__global__ void gemm_tile(F* a, F* b, F* c, int n) {
    __shared__ F sa[16][64], sb[16][64];
    int tx = threadIdx.x & 15, ty = threadIdx.x >> 4;
    F acc[4][4] = {};
    for (int k = 0; k < n; k += 16) {
        for (int r = 0; r < 4; r++) {
            int q = threadIdx.x + r * 256;
            sa[q & 15][q >> 4] = a[(blockIdx.y * 64 + (q >> 4)) * n + k + (q & 15)];
            sb[q >> 6][q & 63] = b[(k + (q >> 6)) * n + blockIdx.x * 64 + (q & 63)];
        }
        __syncthreads();
#pragma unroll
        for (int kk = 0; kk < 16; kk++) {
            F x[4], y[4];
            for (int i = 0; i < 4; i++) x[i] = sa[kk][ty * 4 + i];
            for (int j = 0; j < 4; j++) y[j] = sb[kk][tx * 4 + j];
            for (int i = 0; i < 4; i++)
                for (int j = 0; j < 4; j++) acc[i][j] += x[i] * y[j];
        }
        __syncthreads();
    }
    for (int i = 0; i < 4; i++)
        for (int j = 0; j < 4; j++)
            c[(blockIdx.y * 64 + ty * 4 + i) * n + blockIdx.x * 64 + tx * 4 + j] = acc[i][j];
}
__global__ void mandel(int* o, int w, int h, int it) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    F cx = -2 + 3.0f * x / w, cy = -1 + 2.0f * y / h, a = 0, b = 0;
    int k = 0;
    for (; k < it && a * a + b * b < 4; k++) {
        F t = a * a - b * b + cx;
        b = 2 * a * b + cy;
        a = t;
    }
    o[y * w + x] = k;
}
__global__ void gather(F* a, int* ix, F* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[i] = a[ix[i]];
}
__global__ void scatter(F* a, int* ix, F* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) o[ix[i]] = a[i];
}
__global__ void dmath(double* a, double* b, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        double x = a[i];
        for (int k = 0; k < 16; k++) x = x * x * 0.5 + 1.0 / (x + 1.5);
        b[i] = sqrt(x);
    }
}
__global__ void bs(F* s, F* x, F* t, F* c, F* p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        F S = s[i], X = x[i], T = t[i];
        F q = sqrtf(T);
        F d1 = (__logf(S / X) + (0.02f + 0.5f * 0.3f * 0.3f) * T) / (0.3f * q), d2 = d1 - 0.3f * q;
        F n1 = 0.5f * erfcf(-d1 * 0.70710678f), n2 = 0.5f * erfcf(-d2 * 0.70710678f);
        F e = __expf(-0.02f * T);
        c[i] = S * n1 - X * e * n2;
        p[i] = X * e * (1 - n2) - S * (1 - n1);
    }
}
__global__ void intdiv(int* a, int* b, int* o, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        int x = a[i] + 1, y = b[i] + 3;
        int s = 0;
        for (int k = 0; k < 8; k++) {
            s += x / y;
            s ^= x % y;
            x += y;
            y += k;
        }
        o[i] = s;
    }
}
__global__ void dp_stride(F* a, F* o, int st, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    F s = 0;
    for (int k = 0; k < 8; k++) s += a[(i * st + k * 8191) % n];
    o[i] = s;
}
__global__ void bank(F* o, int st) {
    __shared__ F s[4096];
    int t = threadIdx.x;
    for (int i = t; i < 4096; i += blockDim.x) s[i] = i;
    __syncthreads();
    F v = 0;
    for (int k = 0; k < 256; k++) v += s[(t * st + k) & 4095];
    o[blockIdx.x * blockDim.x + t] = v;
}
__global__ void empty() {}
