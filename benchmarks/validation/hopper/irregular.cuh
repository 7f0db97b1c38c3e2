// Kernels in the manner of Rodinia: graphs, dynamic programming, particles, stencils in shared memory.
#pragma once

using F = float;

__global__ void bfs1(int* st, int* deg, int* edges, char* mask, char* up, char* vis, int* cost, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n && mask[t]) {
        mask[t] = 0;
        for (int i = st[t]; i < st[t] + deg[t]; i++) {
            int id = edges[i];
            if (!vis[id]) {
                cost[id] = cost[t] + 1;
                up[id] = 1;
            }
        }
    }
}
__global__ void bfs2(char* mask, char* up, char* vis, char* over, int n) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n && up[t]) {
        mask[t] = 1;
        vis[t] = 1;
        *over = 1;
        up[t] = 0;
    }
}
__global__ void layerforward(F* in, F* w, F* sums, int hid) {
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1);
    int iin = 16 * by + ty + 1;
    __shared__ F node[16];
    __shared__ F m[16][16];
    if (tx == 0) node[ty] = in[iin];
    __syncthreads();
    m[ty][tx] = w[index];
    __syncthreads();
    m[ty][tx] *= node[ty];
    __syncthreads();
    for (int i = 1; i <= 4; i++) {
        int p = 1 << i;
        if (ty % p == 0) m[ty][tx] += m[ty + p / 2][tx];
        __syncthreads();
    }
    w[index] = m[ty][tx];
    __syncthreads();
    if (tx == 0) sums[by * hid + ty] = m[tx][ty];
}
__global__ void adjust(F* delta, int hid, F* ly, F* w, F* oldw) {
    int by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int index = (hid + 1) * 16 * by + (hid + 1) * ty + tx + 1 + (hid + 1);
    int y = 16 * by + ty + 1, x = tx + 1;
    w[index] += 0.3f * delta[x] * ly[y] + 0.3f * oldw[index];
    oldw[index] = 0.3f * delta[x] * ly[y] + 0.3f * oldw[index];
    __syncthreads();
    if (ty == 0 && by == 0) {
        w[x] += 0.3f * delta[x] + 0.3f * oldw[x];
        oldw[x] = 0.3f * delta[x] + 0.3f * oldw[x];
    }
}
struct P2 {
    F la, lo;
};
__global__ void nn(P2* l, F* d, int n, F la, F lo) {
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t < n) d[t] = sqrtf((la - l[t].la) * (la - l[t].la) + (lo - l[t].lo) * (lo - l[t].lo));
}
__global__ void needle(int* ref, int* cost, int cols, int pen, int i, int bw) {
    int bx = blockIdx.x, tx = threadIdx.x;
    int bix = bx, biy = i - 1 - bx;
    int base = cols * 16 * biy + 16 * bix;
    int in = base + tx + cols + 1, iw = base + cols, inw = base, inn = base + tx + 1;
    __shared__ int t[17][17];
    __shared__ int r[16][16];
    if (tx == 0) t[tx][0] = cost[inw];
    for (int k = 0; k < 16; k++) r[k][tx] = ref[in + cols * k];
    __syncthreads();
    t[tx + 1][0] = cost[iw + cols * tx];
    __syncthreads();
    t[0][tx + 1] = cost[inn];
    __syncthreads();
    for (int m = 0; m < 16; m++) {
        if (tx <= m) {
            int x = tx + 1, y = m - tx + 1;
            int a = t[y - 1][x - 1] + r[y - 1][x - 1], b = t[y][x - 1] - pen, c = t[y - 1][x] - pen;
            t[y][x] = max(a, max(b, c));
        }
        __syncthreads();
    }
    for (int m = 14; m >= 0; m--) {
        if (tx <= m) {
            int x = tx + 16 - m, y = 16 - tx;
            int a = t[y - 1][x - 1] + r[y - 1][x - 1], b = t[y][x - 1] - pen, c = t[y - 1][x] - pen;
            t[y][x] = max(a, max(b, c));
        }
        __syncthreads();
    }
    for (int k = 0; k < 16; k++) cost[in + k * cols] = t[k + 1][tx + 1];
}
__global__ void srad1(F* E, F* W, F* N, F* S, F* J, F* C, int n, F q0) {
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int i = n * 16 * by + 16 * bx + n * ty + tx;
    int in = n * 16 * by + 16 * bx + tx - n, is = n * 16 * by + 16 * bx + n * 16 + tx,
        iw = n * 16 * by + 16 * bx + n * ty - 1, ie = n * 16 * by + 16 * bx + n * ty + 16;
    __shared__ F t[16][16], no[16][16], so[16][16], ea[16][16], we[16][16];
    no[ty][tx] = by == 0 ? J[16 * bx + tx] : J[in];
    so[ty][tx] = by == gridDim.y - 1 ? J[n * 16 * (gridDim.y - 1) + 16 * bx + n * 15 + tx] : J[is];
    __syncthreads();
    we[ty][tx] = bx == 0 ? J[n * 16 * by + n * ty] : J[iw];
    ea[ty][tx] = bx == gridDim.x - 1 ? J[n * 16 * by + 16 * (gridDim.x - 1) + n * ty + 15] : J[ie];
    __syncthreads();
    t[ty][tx] = J[i];
    __syncthreads();
    F jc = t[ty][tx];
    F nn_ = (ty == 0 ? no[ty][tx] : t[ty - 1][tx]) - jc, ss = (ty == 15 ? so[ty][tx] : t[ty + 1][tx]) - jc,
      ww = (tx == 0 ? we[ty][tx] : t[ty][tx - 1]) - jc, ee = (tx == 15 ? ea[ty][tx] : t[ty][tx + 1]) - jc;
    F g2 = (nn_ * nn_ + ss * ss + ww * ww + ee * ee) / (jc * jc), l = (nn_ + ss + ww + ee) / jc;
    F num = 0.5f * g2 - (1.0f / 16.0f) * (l * l), den = 1 + .25f * l;
    F q = num / (den * den);
    den = (q - q0) / (q0 * (1 + q0));
    F c = 1.0f / (1.0f + den);
    c = c < 0 ? 0 : c > 1 ? 1 : c;
    C[i] = c;
    E[i] = ee;
    W[i] = ww;
    S[i] = ss;
    N[i] = nn_;
}
__global__ void kmeans(F* feat, F* cl, int* mem, int n, int nc, int nf) {
    int p = blockIdx.x * blockDim.x + threadIdx.x;
    if (p < n) {
        int best = -1;
        F md = 3e38f;
        for (int c = 0; c < nc; c++) {
            F d = 0;
            for (int j = 0; j < nf; j++) {
                F x = feat[j * n + p] - cl[c * nf + j];
                d += x * x;
            }
            if (d < md) {
                md = d;
                best = c;
            }
        }
        mem[p] = best;
    }
}
__global__ void lud_diag(F* m, int n, int o) {
    __shared__ F s[16][16];
    int ao = o * n + o;
    for (int i = 0; i < 16; i++) {
        s[i][threadIdx.x] = m[ao + threadIdx.x];
        ao += n;
    }
    __syncthreads();
    for (int i = 0; i < 15; i++) {
        if (threadIdx.x > i) {
            for (int j = 0; j < i; j++) s[threadIdx.x][i] -= s[threadIdx.x][j] * s[j][i];
            s[threadIdx.x][i] /= s[i][i];
        }
        __syncthreads();
        if (threadIdx.x > i)
            for (int j = 0; j < i + 1; j++) s[i + 1][threadIdx.x] -= s[i + 1][j] * s[j][threadIdx.x];
        __syncthreads();
    }
    ao = (o + 1) * n + o;
    for (int i = 1; i < 16; i++) {
        m[ao + threadIdx.x] = s[i][threadIdx.x];
        ao += n;
    }
}
__global__ void lud_int(F* m, int n, int o) {
    __shared__ F r[16][16], c[16][16];
    int gr = o + (blockIdx.y + 1) * 16, gc = o + (blockIdx.x + 1) * 16;
    r[threadIdx.y][threadIdx.x] = m[(o + threadIdx.y) * n + gc + threadIdx.x];
    c[threadIdx.y][threadIdx.x] = m[(gr + threadIdx.y) * n + o + threadIdx.x];
    __syncthreads();
    F s = 0;
    for (int i = 0; i < 16; i++) s += c[threadIdx.y][i] * r[i][threadIdx.x];
    m[(gr + threadIdx.y) * n + gc + threadIdx.x] -= s;
}
__global__ void hot3d(F* p, F* ti, F* to, F ce, F cw, F cn, F cs, F ct, F cb, F cc, F sd, int nx, int ny, int nz) {
    int i = blockDim.x * blockIdx.x + threadIdx.x, j = blockDim.y * blockIdx.y + threadIdx.y;
    int c = i + j * nx, xy = nx * ny;
    int W = i == 0 ? c : c - 1, E = i == nx - 1 ? c : c + 1, N = j == 0 ? c : c - nx, S = j == ny - 1 ? c : c + nx;
    F t1, t2, t3;
    t1 = t2 = ti[c];
    t3 = ti[c + xy];
    to[c] = cc * t2 + cw * ti[W] + ce * ti[E] + cs * ti[S] + cn * ti[N] + cb * t1 + ct * t3 + sd * p[c] + ct * 80;
    c += xy;
    W += xy;
    E += xy;
    N += xy;
    S += xy;
    for (int k = 1; k < nz - 1; k++) {
        t1 = t2;
        t2 = t3;
        t3 = ti[c + xy];
        to[c] =
            cc * t2 + cw * ti[W] + ce * ti[E] + cs * ti[S] + cn * ti[N] + cb * t1 + ct * t3 + sd * p[c] + ct * 80;
        c += xy;
        W += xy;
        E += xy;
        N += xy;
        S += xy;
    }
    t1 = t2;
    t2 = t3;
    to[c] = cc * t2 + cw * ti[W] + ce * ti[E] + cs * ti[S] + cn * ti[N] + cb * t1 + ct * t3 + sd * p[c] + ct * 80;
}
__global__ void fan1(F* m, F* a, int n, int t) {
    int i = threadIdx.x + blockIdx.x * blockDim.x;
    if (i >= n - 1 - t) return;
    m[n * (i + t + 1) + t] = a[n * (i + t + 1) + t] / a[n * t + t];
}
__global__ void fan2(F* m, F* a, F* b, int n, int t) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n - 1 - t || y >= n - t) return;
    a[n * (x + 1 + t) + y + t] -= m[n * (x + 1 + t) + t] * a[n * t + y + t];
    if (y == 0) b[x + 1 + t] -= m[n * (x + 1 + t) + y + t] * b[t];
}
struct V4 {
    F x, y, z, w;
};
__global__ void lava(V4* rv, F* qv, V4* fv, int* nei, int boxes, int par) {
    __shared__ V4 ra[100], rb[100];
    __shared__ F qb[100];
    int bx = blockIdx.x, tx = threadIdx.x;
    for (int i = tx; i < par; i += 128) ra[i] = rv[bx * par + i];
    __syncthreads();
    for (int k = 0; k < 27; k++) {
        int o = nei[bx * 27 + k] * par;
        for (int i = tx; i < par; i += 128) {
            rb[i] = rv[o + i];
            qb[i] = qv[o + i];
        }
        __syncthreads();
        for (int i = tx; i < par; i += 128) {
            V4 acc = fv[bx * par + i];
            for (int j = 0; j < par; j++) {
                F r2 = ra[i].w + rb[j].w - (ra[i].x * rb[j].x + ra[i].y * rb[j].y + ra[i].z * rb[j].z);
                F u2 = 0.5f * r2;
                F vij = expf(-u2);
                F fs = 2 * vij;
                F dx = ra[i].x - rb[j].x, dy = ra[i].y - rb[j].y, dz = ra[i].z - rb[j].z;
                acc.w += qb[j] * vij;
                acc.x += qb[j] * fs * dx;
                acc.y += qb[j] * fs * dy;
                acc.z += qb[j] * fs * dz;
            }
            fv[bx * par + i] = acc;
        }
        __syncthreads();
    }
}
