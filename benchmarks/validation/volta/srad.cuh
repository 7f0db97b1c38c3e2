// Rodinia's srad_v1 as its description says: anisotropic diffusion of an image, one thread for each pixel in columns of `rows`
// pixels, neighbours found through tables, blocks of 512, and double constants in the middle of the arithmetic.
#pragma once

int const srad_block = 512;

__global__ void srad_extract(int n, float* image) {
    int const at = blockIdx.x * srad_block + threadIdx.x;
    if (at < n) image[at] = exp(image[at] / 255);
}

__global__ void srad_compress(int n, float* image) {
    int const at = blockIdx.x * srad_block + threadIdx.x;
    if (at < n) image[at] = log(image[at]) * 255;
}

__global__ void srad_prepare(int n, float const* image, float* sums, float* squares) {
    int const at = blockIdx.x * srad_block + threadIdx.x;
    if (at >= n) return;
    sums[at] = image[at];
    squares[at] = image[at] * image[at];
}

/// Sums of `n` values that are `stride` apart, a partial sum for each block. The last block may be partly filled.
__global__ void srad_reduce(int n, int stride, float* sums, float* squares) {
    int const tx = threadIdx.x;
    int const at = blockIdx.x * srad_block + tx;
    int const of_last = srad_block - (gridDim.x * srad_block - n);
    __shared__ float sum[srad_block];
    __shared__ float square[srad_block];
    if (at < n) {
        sum[tx] = sums[at * stride];
        square[tx] = squares[at * stride];
    }
    __syncthreads();
    if (of_last == srad_block || blockIdx.x != gridDim.x - 1) {
        for (int i = 2; i <= srad_block; i = 2 * i) {
            if ((tx + 1) % i == 0) {
                sum[tx] = sum[tx] + sum[tx - i / 2];
                square[tx] = square[tx] + square[tx - i / 2];
            }
            __syncthreads();
        }
        if (tx == srad_block - 1) {
            sums[blockIdx.x * stride * srad_block] = sum[tx];
            squares[blockIdx.x * stride * srad_block] = square[tx];
        }
        return;
    }
    int power = 1;
    for (int i = 2; i <= srad_block; i = 2 * i)
        if (of_last >= i) power = i;
    for (int i = 2; i <= power; i = 2 * i) {
        if ((tx + 1) % i == 0 && tx < power) {
            sum[tx] = sum[tx] + sum[tx - i / 2];
            square[tx] = square[tx] + square[tx - i / 2];
        }
        __syncthreads();
    }
    if (tx == power - 1) {
        for (int i = blockIdx.x * srad_block + power; i < blockIdx.x * srad_block + of_last; ++i) {
            sum[tx] = sum[tx] + sums[i];
            square[tx] = square[tx] + squares[i];
        }
        sums[blockIdx.x * stride * srad_block] = sum[tx];
        squares[blockIdx.x * stride * srad_block] = square[tx];
    }
}

struct Pixel {
    int row, column;
};
__device__ Pixel pixel_of(int at, int rows) {
    int row = (at + 1) % rows - 1, column = (at + 1) / rows;
    if ((at + 1) % rows == 0) {
        row = rows - 1;
        column = column - 1;
    }
    return {row, column};
}

__global__ void srad_gradients(float lambda, int rows, int columns, int n, int const* above, int const* below,
                               int const* right, int const* left, float* north, float* south, float* east,
                               float* west, float speckle, float* c, float const* image) {
    int const at = blockIdx.x * srad_block + threadIdx.x;
    Pixel const p = pixel_of(at, rows);
    if (at >= n) return;
    float const here = image[at];
    float const dn = image[above[p.row] + rows * p.column] - here;
    float const ds = image[below[p.row] + rows * p.column] - here;
    float const dw = image[p.row + rows * left[p.column]] - here;
    float const de = image[p.row + rows * right[p.column]] - here;
    float const gradient = (dn * dn + ds * ds + dw * dw + de * de) / (here * here);
    float const laplacian = (dn + ds + dw + de) / here;
    float const numerator = 0.5 * gradient - (1.0 / 16.0) * (laplacian * laplacian);
    float denominator = 1 + 0.25 * laplacian;
    float const q = numerator / (denominator * denominator);
    denominator = (q - speckle) / (speckle * (1 + speckle));
    float coefficient = 1.0 / (1.0 + denominator);
    if (coefficient < 0) coefficient = 0;
    else if (coefficient > 1) coefficient = 1;
    north[at] = dn;
    south[at] = ds;
    west[at] = dw;
    east[at] = de;
    c[at] = coefficient;
}

__global__ void srad_diffuse(float lambda, int rows, int columns, int n, int const* below, int const* right,
                             float const* north, float const* south, float const* east, float const* west,
                             float const* c, float* image) {
    int const at = blockIdx.x * srad_block + threadIdx.x;
    Pixel const p = pixel_of(at, rows);
    if (at >= n) return;
    float const cn = c[at], cs = c[below[p.row] + rows * p.column], cw = c[at],
                ce = c[p.row + rows * right[p.column]];
    float const divergence = cn * north[at] + cs * south[at] + cw * west[at] + ce * east[at];
    image[at] = image[at] + 0.25 * lambda * divergence;
}
