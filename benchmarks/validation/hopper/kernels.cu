// Launches every kernel of this folder once, on data of its own: `kernels [N]` divides the sizes of most by N.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "basic.cuh"
#include "dense.cuh"
#include "irregular.cuh"
#define CK(x)                                              \
    do {                                                   \
        cudaError_t e = (x);                               \
        if (e != cudaSuccess) {                            \
            printf("%s: %s\n", #x, cudaGetErrorString(e)); \
            exit(1);                                       \
        }                                                  \
    } while (0)
__global__ void k_fill(F* a, int n, unsigned s, F lo, F hi) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (i + 1) * 2654435761u ^ s;
        x ^= x >> 15;
        x *= 2246822519u;
        x ^= x >> 13;
        x *= 3266489917u;
        x ^= x >> 16;
        a[i] = lo + (hi - lo) * (x * 2.3283064e-10f);
    }
}
__global__ void k_filli(int* a, int n, unsigned s, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        unsigned x = (i + 1) * 2654435761u ^ s;
        x ^= x >> 15;
        x *= 2246822519u;
        x ^= x >> 13;
        x *= 3266489917u;
        x ^= x >> 16;
        a[i] = x % m;
    }
}
F* f(int n, unsigned s, F lo = 0, F hi = 1) {
    F* p;
    CK(cudaMalloc(&p, n * sizeof(F)));
    k_fill<<<(n + 255) / 256, 256>>>(p, n, s, lo, hi);
    return p;
}
int* ii(int n, unsigned s, int m) {
    int* p;
    CK(cudaMalloc(&p, n * sizeof(int)));
    k_filli<<<(n + 255) / 256, 256>>>(p, n, s, m);
    return p;
}

int main(int argc, char** argv) {
    int q = argc > 1 ? atoi(argv[1]) : 1;
    int n = 512 / q, N = 2048 / q;
    dim3 b2(32, 8);
    {
        F *a = f(n * n, 1), *b = f(n * n, 2), *c = f(n * n, 3);
        dim3 g(n / 32, n / 8);
        mm2<<<g, b2>>>(a, b, c, n);
        syrk<<<g, b2>>>(1.1f, .9f, a, c, n);
        syr2k<<<g, b2>>>(a, b, c, 1.1f, .9f, n);
        gemm_tile<<<dim3(n / 64, n / 64), 256>>>(a, b, c, n);
    }
    {
        F *a = f(N * N, 1), *b = f(N * N, 5), *x = f(N, 2), *y = f(N, 3), *t = f(N, 4);
        int g = (N + 255) / 256;
        bicg_s<<<g, 256>>>(a, x, y, N);
        bicg_q<<<g, 256>>>(a, x, y, N);
        mvt1<<<g, 256>>>(a, x, y, N);
        mvt2<<<g, 256>>>(a, x, y, N);
        gesummv<<<g, 256>>>(a, b, t, x, y, N, 1.5f, 1.2f);
        F *m = f(N, 6), *s = f(N, 7);
        mean_k<<<g, 256>>>(m, a, N, 3214212.01f);
        std_k<<<g, 256>>>(m, s, a, N, 3214212.01f);
        reduce_k<<<dim3(N / 32, N / 8), b2>>>(m, s, a, N, 3214212.01f);
        F *e1 = f((N + 1) * (N + 1), 8), *e2 = f((N + 1) * (N + 1), 9);
        fdtd1<<<dim3(N / 32, N / 8), b2>>>(x, e1, e2, a, 1, N);
        fdtd2<<<dim3(N / 32, N / 8), b2>>>(e1, e2, a, N);
        fdtd3<<<dim3(N / 32, N / 8), b2>>>(e1, e2, a, N);
        gs1<<<1, 256>>>(a, b, e1, 0, N);
        gs2<<<g, 256>>>(a, b, e1, 0, N);
        gs3<<<g, 256>>>(a, b, e1, 0, N);
        fan1<<<(N + 511) / 512, 512>>>(b, a, N, 0);
        fan2<<<dim3(N / 16, N / 16), dim3(16, 16)>>>(b, a, x, N, 0);
        transpose_naive<<<dim3(N / 32, N / 32), b2>>>(a, b, N);
        transpose_tile<<<dim3(N / 32, N / 32), b2>>>(a, b, N);
        CK(cudaDeviceSynchronize());
    }
    {
        int c = 256 / q;
        F *d = f(c * c, 1), *s = f(c * c, 2);
        corr_k<<<1, 256>>>(s, d, c);
    }
    {
        int c = 192 / q;
        F *a = f(c * c * c, 1), *b = f(c * c * c, 2);
        conv3d<<<dim3((c + 31) / 32, (c + 7) / 8), b2>>>(a, b, c, c / 2);
        stencil7<<<dim3(c / 32, c / 8), b2>>>(a, b, c);
    }
    {
        int v = 1 << 18;
        int *deg = ii(v, 1, 12), *st = ii(v, 2, v * 6 - 16), *ed = ii(v * 7, 3, v);
        char *m, *u, *vi, *ov;
        CK(cudaMalloc(&m, v));
        CK(cudaMalloc(&u, v));
        CK(cudaMalloc(&vi, v));
        CK(cudaMalloc(&ov, 4));
        std::vector<char> h(v);
        for (int i = 0; i < v; i++) h[i] = (i * 7919u % 8) == 0;
        cudaMemcpy(m, h.data(), v, cudaMemcpyHostToDevice);
        cudaMemcpy(vi, h.data(), v, cudaMemcpyHostToDevice);
        cudaMemset(u, 0, v);
        int* co = ii(v, 4, 3);
        bfs1<<<v / 512, 512>>>(st, deg, ed, m, u, vi, co, v);
        bfs2<<<v / 512, 512>>>(m, u, vi, ov, v);
    }
    {
        int in = 65536 / q;
        F *a = f(in + 1, 1), *w = f((in + 1) * 17, 2), *s = f(in, 3), *d = f(17, 4), *o = f((in + 1) * 17, 5);
        layerforward<<<dim3(1, in / 16), dim3(16, 16)>>>(a, w, s, 16);
        adjust<<<dim3(1, in / 16), dim3(16, 16)>>>(d, 16, a, w, o);
    }
    {
        int c = 1 << 20;
        P2* l = (P2*)f(2 * c, 1, 0, 90);
        F* d = f(c, 2);
        nn<<<c / 256, 256>>>(l, d, c, 30, 90);
    }
    {
        int c = 2048 + 1;
        int *r = ii(c * c, 1, 20), *o = ii(c * c, 2, 20);
        needle<<<c / 16, 16>>>(r, o, c, 10, c / 16, 128);
    }
    {
        int c = 1024;
        F* x[6];
        for (int i = 0; i < 6; i++) x[i] = f(c * c, i + 1, .1f, 1);
        srad1<<<dim3(c / 16, c / 16), dim3(16, 16)>>>(x[0], x[1], x[2], x[3], x[4], x[5], c, .05f);
    }
    {
        int c = 1 << 17;
        F *a = f(c * 16, 1), *k = f(5 * 16, 2);
        int* m = ii(c, 3, 5);
        kmeans<<<c / 256, 256>>>(a, k, m, c, 5, 16);
    }
    {
        int c = 1024;
        F* m = f(c * c, 1, 1, 2);
        lud_diag<<<1, 16>>>(m, c, 0);
        lud_int<<<dim3(c / 16 - 1, c / 16 - 1), dim3(16, 16)>>>(m, c, 0);
    }
    {
        int c = 512;
        F *p = f(c * c * 8, 1), *a = f(c * c * 8, 2), *b = f(c * c * 8, 3);
        hot3d<<<dim3(c / 64, c / 4), dim3(64, 4)>>>(p, a, b, .1f, .1f, .1f, .1f, .1f, .1f, .4f, .01f, c, c, 8);
    }
    {
        int bx = 512, par = 100;
        V4 *r = (V4*)f(bx * par * 4, 1), *fv = (V4*)f(bx * par * 4, 3);
        F* qq = f(bx * par, 2);
        int* ne = ii(bx * 27, 4, bx);
        lava<<<bx, 128>>>(r, qq, fv, ne, bx, par);
    }
    {
        int c = 1 << 22;
        F *x = f(c, 1), *y = f(c, 2);
        saxpy<<<c / 256, 256>>>(c, 2, x, y);
        copy4<<<c / 4 / 256, 256>>>((float4*)x, (float4*)y, c / 4);
        F* o = f(1, 3);
        reduce<<<528, 256>>>(x, o, c);
        int *h = ii(1024, 4, 1), *k = ii(c, 5, 1 << 30);
        hist_shared<<<528, 256>>>(k, h, c);
        hist_global<<<(1 << 20) / 256, 256>>>(k, h, 1 << 20);
        int* ix = ii(1 << 20, 6, c);
        gather<<<(1 << 20) / 256, 256>>>(x, ix, y, 1 << 20);
        scatter<<<(1 << 20) / 256, 256>>>(x, ix, y, 1 << 20);
        dp_stride<<<(1 << 18) / 256, 256>>>(x, y, 3, c);
        dp_stride<<<(1 << 18) / 256, 256>>>(x, y, 32, c);
        F *t = f(c, 7, .25f, 10), *cc = f(c, 8), *pp = f(c, 9);
        bs<<<(1 << 20) / 256, 256>>>(x, t, t, cc, pp, 1 << 20);
        int *aa = ii(c, 10, 1 << 20), *bb = ii(c, 11, 5000);
        intdiv<<<(1 << 18) / 256, 256>>>(aa, bb, h = ii(1 << 18, 1, 2), 1 << 18);
        dmath<<<(1 << 18) / 256, 256>>>((double*)x, (double*)y, 1 << 18);
    }
    {
        int r = 1 << 16;
        std::vector<int> row(r + 1);
        unsigned s = 1;
        int nz = 0;
        for (int i = 0; i < r; i++) {
            row[i] = nz;
            s = s * 1664525u + 1013904223u;
            nz += 8 + (s >> 24) % 24;
        }
        row[r] = nz;
        int* dr;
        CK(cudaMalloc(&dr, (r + 1) * 4));
        cudaMemcpy(dr, row.data(), (r + 1) * 4, cudaMemcpyHostToDevice);
        int* col = ii(nz, 1, r);
        F *v = f(nz, 2), *x = f(r, 3), *y = f(r, 4);
        spmv<<<r / 256, 256>>>(dr, col, v, x, y, r);
        spmv_warp<<<r * 32 / 256, 256>>>(dr, col, v, x, y, r);
    }
    {
        int c = 8192 / q;
        float4 *p = (float4*)f(c * 4, 1), *v = (float4*)f(c * 4, 2);
        nbody<<<c / 256, 256>>>(p, v, c);
    }
    {
        int* o = ii(1024 * 1024, 1, 2);
        mandel<<<dim3(64, 64), dim3(16, 16)>>>(o, 1024, 1024, 128);
    }
    {
        F* o = f(132 * 1024, 1);
        bank<<<132, 1024>>>(o, 1);
        bank<<<132, 1024>>>(o, 2);
        bank<<<132, 1024>>>(o, 32);
        empty<<<1, 32>>>();
        empty<<<132, 1024>>>();
        empty<<<13200, 256>>>();
    }
    CK(cudaDeviceSynchronize());
    puts("suite: done");
}
