// Kernels in the manner of PolyBench: dense linear algebra and stencils as their descriptions say, with one thread for each
// element or row.
#pragma once

using F = float;

__global__ void mm2(F* a, F* b, F* c, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        F s = 0;
        for (int k = 0; k < n; k++) s += a[i * n + k] * b[k * n + j];
        c[i * n + j] = s;
    }
}
__global__ void bicg_s(F* a, F* r, F* s, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        s[j] = 0;
        for (int i = 0; i < n; i++) s[j] += a[i * n + j] * r[i];
    }
}
__global__ void bicg_q(F* a, F* p, F* q, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        q[i] = 0;
        for (int j = 0; j < n; j++) q[i] += a[i * n + j] * p[j];
    }
}
__global__ void mvt1(F* a, F* x, F* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++) x[i] += a[i * n + j] * y[j];
}
__global__ void mvt2(F* a, F* x, F* y, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        for (int j = 0; j < n; j++) x[i] += a[j * n + i] * y[j];
}
__global__ void gesummv(F* a, F* b, F* t, F* x, F* y, int n, F al, F be) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int j = 0; j < n; j++) {
            t[i] += a[i * n + j] * x[j];
            y[i] += b[i * n + j] * x[j];
        }
        y[i] = al * t[i] + be * y[i];
    }
}
__global__ void mean_k(F* m, F* d, int n, F fn) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        m[j] = 0;
        for (int i = 0; i < n; i++) m[j] += d[i * n + j];
        m[j] /= fn;
    }
}
__global__ void std_k(F* m, F* s, F* d, int n, F fn) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j < n) {
        s[j] = 0;
        for (int i = 0; i < n; i++) s[j] += (d[i * n + j] - m[j]) * (d[i * n + j] - m[j]);
        s[j] /= fn;
        s[j] = sqrtf(s[j]);
        if (s[j] <= 0.005f) s[j] = 1;
    }
}
__global__ void reduce_k(F* m, F* s, F* d, int n, F fn) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        d[i * n + j] -= m[j];
        d[i * n + j] /= sqrtf(fn) * s[j];
    }
}
__global__ void corr_k(F* c, F* d, int n) {
    int j1 = blockIdx.x * blockDim.x + threadIdx.x;
    if (j1 < n - 1) {
        c[j1 * n + j1] = 1;
        for (int j2 = j1 + 1; j2 < n; j2++) {
            c[j1 * n + j2] = 0;
            for (int i = 0; i < n; i++) c[j1 * n + j2] += d[i * n + j1] * d[i * n + j2];
            c[j2 * n + j1] = c[j1 * n + j2];
        }
    }
}
__global__ void fdtd1(F* fict, F* ex, F* ey, F* hz, int t, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        if (i == 0) ey[i * n + j] = fict[t];
        else ey[i * n + j] = ey[i * n + j] - 0.5f * (hz[i * n + j] - hz[(i - 1) * n + j]);
    }
}
__global__ void fdtd2(F* ex, F* ey, F* hz, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n && j > 0)
        ex[i * (n + 1) + j] = ex[i * (n + 1) + j] - 0.5f * (hz[i * n + j] - hz[i * n + j - 1]);
}
__global__ void fdtd3(F* ex, F* ey, F* hz, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n)
        hz[i * n + j] = hz[i * n + j] - 0.7f * (ex[i * (n + 1) + j + 1] - ex[i * (n + 1) + j] +
                                                ey[(i + 1) * n + j] - ey[i * n + j]);
}
__global__ void syrk(F al, F be, F* a, F* c, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        c[i * n + j] *= be;
        for (int k = 0; k < n; k++) c[i * n + j] += al * a[i * n + k] * a[j * n + k];
    }
}
__global__ void syr2k(F* a, F* b, F* c, F al, F be, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n && j < n) {
        c[i * n + j] *= be;
        for (int k = 0; k < n; k++)
            c[i * n + j] += al * a[i * n + k] * b[j * n + k] + al * b[i * n + k] * a[j * n + k];
    }
}
__global__ void conv3d(F* a, F* b, int n, int i) {
    int k = blockIdx.x * blockDim.x + threadIdx.x, j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i < n - 1 && j < n - 1 && k < n - 1 && i > 0 && j > 0 && k > 0) {
        int s = n * n;
        b[i * s + j * n + k] =
            2 * a[(i - 1) * s + (j - 1) * n + k - 1] + 4 * a[(i + 1) * s + (j - 1) * n + k - 1] +
            5 * a[(i - 1) * s + (j - 1) * n + k] + 7 * a[(i + 1) * s + (j - 1) * n + k] -
            8 * a[(i - 1) * s + (j - 1) * n + k + 1] + 10 * a[(i + 1) * s + (j - 1) * n + k + 1] -
            3 * a[i * s + (j - 1) * n + k] + 6 * a[i * s + j * n + k] - 9 * a[i * s + (j + 1) * n + k] +
            2 * a[(i - 1) * s + (j + 1) * n + k - 1] + 4 * a[(i + 1) * s + (j + 1) * n + k - 1] +
            5 * a[(i - 1) * s + (j + 1) * n + k] + 7 * a[(i + 1) * s + (j + 1) * n + k] -
            8 * a[(i - 1) * s + (j + 1) * n + k + 1] + 10 * a[(i + 1) * s + (j + 1) * n + k + 1];
    }
}
__global__ void gs1(F* a, F* r, F* q, int k, int n) {
    if (threadIdx.x == 0) {
        F s = 0;
        for (int i = 0; i < n; i++) s += a[i * n + k] * a[i * n + k];
        r[k * n + k] = sqrtf(s);
    }
}
__global__ void gs2(F* a, F* r, F* q, int k, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) q[i * n + k] = a[i * n + k] / r[k * n + k];
}
__global__ void gs3(F* a, F* r, F* q, int k, int n) {
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    if (j > k && j < n) {
        r[k * n + j] = 0;
        for (int i = 0; i < n; i++) r[k * n + j] += q[i * n + k] * a[i * n + j];
        for (int i = 0; i < n; i++) a[i * n + j] -= q[i * n + k] * r[k * n + j];
    }
}
