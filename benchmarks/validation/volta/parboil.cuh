// Programs of Parboil, as their descriptions say: kernels, and how they are launched.
#pragma once

#include "inputs.cuh"

#include <algorithm>
#include <cmath>

/// A stencil of 7 points: blocks of 32 x 4 threads walk along z, two cells for each thread, with the plane where they are in
/// shared memory. Neighbours in other blocks come from global memory.
__global__ void stencil(float c0, float c1, float const* from, float* to, int nx, int ny, int nz) {
    int const i = blockIdx.x * blockDim.x * 2 + threadIdx.x, i2 = i + blockDim.x;
    int const j = blockIdx.y * blockDim.y + threadIdx.y;
    int const at = threadIdx.x + threadIdx.y * blockDim.x * 2, at2 = at + blockDim.x;
    extern __shared__ float plane[];
    plane[at] = 0.0f;
    plane[at2] = 0.0f;
    __syncthreads();
    auto const cell = [&](int x, int y, int z) { return x + nx * (y + ny * z); };
    bool const inside = i > 0 && j > 0 && i < nx - 1 && j < ny - 1;
    bool const inside2 = j > 0 && i2 < nx - 1 && j < ny - 1;
    bool const first = threadIdx.x == 0, last = threadIdx.x + blockDim.x == blockDim.x * 2 - 1;
    bool const lowest = threadIdx.y == 0, highest = threadIdx.y == blockDim.y - 1;
    float below = 0.0f, below2 = 0.0f, above = 0.0f, above2 = 0.0f;
    if (i < nx && j < ny) {
        below = from[cell(i, j, 0)];
        plane[at] = from[cell(i, j, 1)];
    }
    if (i2 < nx && j < ny) {
        below2 = from[cell(i2, j, 0)];
        plane[at2] = from[cell(i2, j, 1)];
    }
    __syncthreads();
    for (int k = 1; k < nz - 1; ++k) {
        if (i < nx && j < ny) above = from[cell(i, j, k + 1)];
        if (inside) {
            float const north = highest ? from[cell(i, j + 1, k)] : plane[at + 2 * blockDim.x];
            float const south = lowest ? from[cell(i, j - 1, k)] : plane[at - 2 * blockDim.x];
            float const west = first ? from[cell(i - 1, j, k)] : plane[at - 1];
            to[cell(i, j, k)] = (above + below + north + south + plane[at + 1] + west) * c1 - plane[at] * c0;
        }
        if (i2 < nx && j < ny) above2 = from[cell(i2, j, k + 1)];
        if (inside2) {
            float const north = highest ? from[cell(i2, j + 1, k)] : plane[at2 + 2 * blockDim.x];
            float const south = lowest ? from[cell(i2, j - 1, k)] : plane[at2 - 2 * blockDim.x];
            float const east = last ? from[cell(i2 + 1, j, k)] : plane[at2 + 1];
            to[cell(i2, j, k)] = (above2 + below2 + north + south + east + plane[at2 - 1]) * c1 - plane[at2] * c0;
        }
        __syncthreads();
        below = plane[at];
        plane[at] = above;
        below2 = plane[at2];
        plane[at2] = above2;
        __syncthreads();
    }
}

inline void run_stencil() {
    int const nx = 128, ny = 128, nz = 32, rows = 4;
    float *from = floats(nx * ny * nz), *to = floats(nx * ny * nz);
    for (int i = 0; i < 100; ++i) {
        stencil<<<dim3(nx / 64, ny / rows), dim3(32, rows), 64 * rows * sizeof(float)>>>(1.0f / 6, 1.0f / 36, from,
                                                                                         to, nx, ny, nz);
        std::swap(from, to);
    }
}

/// mri-q: sums over samples of a trajectory, 1024 of which are in constant memory at a time.
struct Sample {
    float x, y, z, magnitude;
};
int const samples_at_once = 1024;
__constant__ Sample samples[samples_at_once];

__global__ void mri_magnitude(float const* real, float const* imaginary, float* magnitude, int count) {
    int const i = blockIdx.x * 512 + threadIdx.x;
    if (i >= count) return;
    float const re = real[i], im = imaginary[i];
    magnitude[i] = re * re + im * im;
}

/// The program is compiled with fast sines.
__global__ void mri_q(int count, int first, float const* xs, float const* ys, float const* zs, float* real,
                      float* imaginary) {
    float const two_pi = 6.2831853071795864769252867665590058f;
    int const at = blockIdx.x * 256 + threadIdx.x;
    float const x = xs[at], y = ys[at], z = zs[at];
    float re = real[at], im = imaginary[at];
    auto const add = [&](int i) {
        float const angle = two_pi * (samples[i].x * x + samples[i].y * y + samples[i].z * z);
        re += samples[i].magnitude * __cosf(angle);
        im += samples[i].magnitude * __sinf(angle);
    };
    int i = 0;
    if (count % 2) {
        add(0);
        ++i;
        ++first;
    }
    for (; i < samples_at_once && first < count; i += 2, first += 2) {
        add(i);
        add(i + 1);
    }
    real[at] = re;
    imaginary[at] = im;
}

inline void run_mri_q() {
    int const pixels = 32768, count = 3072;
    float *re = floats(count), *im = floats(count), *magnitude = floats(count);
    mri_magnitude<<<count / 512, 512>>>(re, im, magnitude, count);
    std::vector<Sample> all(count);
    for (Sample& sample : all)
        for (float* value : {&sample.x, &sample.y, &sample.z, &sample.magnitude})
            *value = random_number() / 16777216.0f;
    float *x = floats(pixels), *y = floats(pixels), *z = floats(pixels);
    float *qr = floats(pixels, 0, 0), *qi = floats(pixels, 0, 0);
    for (int i = 0; i < count; i += samples_at_once) {
        check(cudaMemcpyToSymbol(samples, &all[i], samples_at_once * sizeof(Sample)));
        mri_q<<<pixels / 256, 256>>>(count, i, x, y, z, qr, qi);
    }
}

/// sad: sums of absolute differences of each 4 x 4 pixels of a frame and those of a reference that are up to 16 away, 18 places
/// for each thread, three of them at a time; then the sums of larger blocks.
int const sad_side = 33, sad_places = sad_side * sad_side, sad_padded = 1096, sad_per_thread = 18;

__global__ void sad_4x4(unsigned short* sads, unsigned short const* frame, int columns, int rows,
                        cudaTextureObject_t reference) {
    int const threads = (sad_places + sad_per_thread - 1) / sad_per_thread;
    __shared__ unsigned short pixels[16];
    extern __shared__ __align__(8) unsigned short found[];
    int const bx = blockIdx.x, by = blockIdx.y;
    int const column = bx >> 2, row = by >> 2;
    if ((threadIdx.x >> 4) < 1) {
        int const i = threadIdx.x & 15, width = columns * 16, from = (by << 2) * width + (bx << 2);
        if (column < columns && row < rows) pixels[i] = frame[from + (i >> 2) * width + (i & 3)];
    }
    __syncthreads();
    if (column < columns && row < rows) {
        int const left = (bx << 2) - 16;
        int place = (threadIdx.x % threads) * sad_per_thread;
        int const end = min(place + sad_per_thread, sad_places);
        int const down = place / sad_side;
        int x = place - down * sad_side, y = (by << 2) - 16 + down;
        for (; place < end; place += 3) {
            unsigned short sum1 = 0, sum2 = 0, sum3 = 0;
            int const at = left + x;
            for (int i = 0; i < 4; ++i) {
                auto const fetch = [&](int away) -> int {
                    return tex2D<unsigned short>(reference, at + away, y + i);
                };
                auto const pixel = [&](int away) -> int { return pixels[(i << 2) + away]; };
                int t = fetch(0);
                sum1 += abs(t - pixel(0));
                t = fetch(1);
                sum1 += abs(t - pixel(1));
                sum2 += abs(t - pixel(0));
                t = fetch(2);
                sum1 += abs(t - pixel(2));
                sum2 += abs(t - pixel(1));
                sum3 += abs(t - pixel(0));
                t = fetch(3);
                sum1 += abs(t - pixel(3));
                sum2 += abs(t - pixel(2));
                sum3 += abs(t - pixel(1));
                t = fetch(4);
                sum2 += abs(t - pixel(3));
                sum3 += abs(t - pixel(2));
                t = fetch(5);
                sum3 += abs(t - pixel(3));
            }
            found[place] = sum1;
            found[place + 1] = sum2;
            found[place + 2] = sum3;
            x += 3;
            if (x >= sad_side) {
                x -= sad_side;
                ++y;
            }
        }
    }
    __syncthreads();
    if ((threadIdx.x >> 5) < 1 && column < columns && row < rows) {
        sads += (columns * rows * 25 + (row * columns + column) * 16 + 4 * (by & 3) + (bx & 3)) * sad_padded;
        for (int i = threadIdx.x & 31; i < sad_padded / 4; i += 32)
            reinterpret_cast<int2*>(sads)[i] = reinterpret_cast<int2 const*>(found)[i];
    }
}

/// Sums of four blocks, two places at a time: those of two blocks above each other, side by side, and of all four.
__device__ void sad_sums(unsigned short const* from, int below, unsigned short* tall, unsigned short* wide,
                         int wide_below, unsigned short* all) {
    auto const words = [](unsigned short* at) { return reinterpret_cast<unsigned*>(at); };
    auto const* const in = reinterpret_cast<unsigned const*>(from);
    for (int i = threadIdx.x; i < (sad_places + 1) / 2; i += 32) {
        unsigned const a = in[i], b = in[i + sad_padded / 2];
        unsigned const c = in[i + below * sad_padded / 2], d = in[i + (below + 1) * sad_padded / 2];
        words(tall)[i] = a + c;
        words(tall)[i + sad_padded / 2] = b + d;
        words(wide)[i] = a + b;
        words(wide)[i + wide_below * sad_padded / 2] = c + d;
        words(all)[i] = (a + b) + (c + d);
    }
}

__global__ void sad_8(unsigned short* sads, int columns, int rows) {
    int const x = threadIdx.y & 1, y = threadIdx.y >> 1;
    int const blocks = columns * rows, block = (blockIdx.y * columns + blockIdx.x) * sad_padded;
    sad_sums(sads + (blocks * 25 + y * 8 + x * 2) * sad_padded + block * 16, 4,
             sads + (blocks * 17 + y * 4 + x * 2) * sad_padded + block * 8,
             sads + (blocks * 9 + y * 4 + x) * sad_padded + block * 8, 2,
             sads + (blocks * 5 + y * 2 + x) * sad_padded + block * 4);
}

__global__ void sad_16(unsigned short* sads, int columns, int rows) {
    int const blocks = columns * rows * sad_padded, block = (blockIdx.y * columns + blockIdx.x) * sad_padded;
    sad_sums(sads + blocks * 5 + block * 4, 2, sads + blocks * 3 + block * 2, sads + blocks + block * 2, 1,
             sads + block);
}

inline void run_sad() {
    int const columns = 11, rows = 9, width = columns * 16, height = rows * 16;
    unsigned short* frame = filled<unsigned short>(width * height, 0, 255);
    unsigned short* image = filled<unsigned short>(width * height, 0, 255);
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<unsigned short>();
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    check(cudaMallocArray(&resource.res.array.array, &format, width, height));
    check(cudaMemcpy2DToArray(resource.res.array.array, 0, 0, image, width * 2, width * 2, height,
                              cudaMemcpyDeviceToDevice));
    cudaTextureDesc description{};
    description.addressMode[0] = description.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t reference;
    check(cudaCreateTextureObject(&reference, &resource, &description, nullptr));
    unsigned short* sads = filled<unsigned short>(41 * sad_padded * columns * rows, 0, 0);
    sad_4x4<<<dim3(width / 4, height / 4), 61, sad_padded * sizeof(unsigned short)>>>(sads, frame, columns, rows,
                                                                                      reference);
    sad_8<<<dim3(columns, rows), dim3(32, 4)>>>(sads, columns, rows);
    sad_16<<<dim3(columns, rows), 32>>>(sads, columns, rows);
}

/// cutcp: the potential of atoms that are nearer than 12 A at the points of a lattice, half an A apart. Atoms lie in bins of
/// 4 x 4 x 4 A, at most eight in each. A block of 8 x 2 x 8 threads has 8 x 8 x 8 points, four for each thread, and takes 32 of
/// the bins around it at a time to shared memory.
int const bin_atoms = 8, bin_floats = 4 * bin_atoms, bins_at_once = 32, most_bins = 11 * 11 * 11;
float const bin_length = 4, cutoff = 12, spacing = 0.5f;
__constant__ int bins_around;
__constant__ int3 bin_around[most_bins];

__global__ void cutcp(int bins_x, int bins_y, float4 const* bins, float h, float cutoff2, float inverse,
                      float* regions, int plane) {
    __shared__ float cache[bins_at_once * bin_floats];
    __shared__ float* region;
    __shared__ int3 middle;
    int const thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    int const of_16 = thread & 15;
    region = regions + ((plane * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x) * 512;
    float const x = (8 * blockIdx.x + threadIdx.x) * h, y = (8 * blockIdx.y + threadIdx.y) * h,
                z = (8 * plane + threadIdx.z) * h;
    middle.x = static_cast<int>(floorf((8 * blockIdx.x + 4) * h * (1.0f / bin_length)));
    middle.y = static_cast<int>(floorf((8 * blockIdx.y + 4) * h * (1.0f / bin_length)));
    middle.z = static_cast<int>(floorf((8 * plane + 4) * h * (1.0f / bin_length)));
    int next = thread >> 4, count = bins_at_once;
    float energy0 = 0, energy1 = 0, energy2 = 0, energy3 = 0;
    for (int done = 0; done < bins_around; done += count) {
        int const to = bin_floats * (thread >> 4);
        for (int i = 0; i < 4 && next < bins_around; ++i, next += 8) {
            int const bx = middle.x + bin_around[next].x, by = middle.y + bin_around[next].y,
                      bz = middle.z + bin_around[next].z;
            float const* bin =
                reinterpret_cast<float const*>(bins) + ((__mul24(bz, bins_y) + by) * bins_x + bx) * bin_floats;
            int const at = to + i * 8 * bin_floats;
            cache[at + of_16] = bin[of_16];
            cache[at + of_16 + 16] = bin[of_16 + 16];
        }
        __syncthreads();
        if (done + bins_at_once > bins_around) count = bins_around - done;
        int const end = count * bin_floats;
        for (int bin = 0; bin < end; bin += bin_floats) {
            for (int i = 0; i < bin_atoms; ++i) {
                int const at = bin + i * 4;
                float const charge = cache[at + 3];
                if (charge == 0.0f) break;
                float const dx = cache[at] - x, dz = cache[at + 2] - z, dxz = dx * dx + dz * dz;
                float dy = cache[at + 1] - y;
                auto const add = [&](float& energy) {
                    float const r2 = dy * dy + dxz;
                    if (r2 >= cutoff2) return;
                    float const s = 1.0f - r2 * inverse;
                    energy += charge * rsqrtf(r2) * s * s;
                };
                add(energy0);
                dy -= 2.0f * h;
                add(energy1);
                dy -= 2.0f * h;
                add(energy2);
                dy -= 2.0f * h;
                add(energy3);
            }
        }
        __syncthreads();
    }
    int const at = (thread >> 4) * 64 + of_16;
    region[at] = energy0;
    region[at + 16] = energy1;
    region[at + 32] = energy2;
    region[at + 48] = energy3;
}

/// A cube of water of 40 A, as many molecules as in the published one; atoms that find a bin full are left to the host there.
inline std::vector<float4> water(int molecules, float side) {
    auto const any = [](float low, float high) { return low + (high - low) * (random_number() / 16777216.0f); };
    int const row = 13, places = row * row * row;
    std::vector<float4> atoms;
    for (int i = 0, left = molecules; i < places; ++i) {
        if (any(0, 1) * (places - i) >= left) continue;
        --left;
        float const pitch = side / row;
        float const ox = (i % row + any(0.3f, 0.7f)) * pitch, oy = (i / row % row + any(0.3f, 0.7f)) * pitch,
                    oz = (i / (row * row) + any(0.3f, 0.7f)) * pitch;
        atoms.push_back({ox, oy, oz, -0.834f});
        float const tilt = any(-1, 1), turn = any(0, 6.2832f), flat = std::sqrt(1 - tilt * tilt);
        for (float angle : {-0.912f, 0.912f}) {
            float const c = 0.9572f * std::cos(turn + angle), s = 0.9572f * std::sin(turn + angle);
            atoms.push_back({ox + c, oy + s * flat, oz + s * tilt, 0.417f});
        }
    }
    return atoms;
}

inline void run_cutcp() {
    std::vector<float4> atoms = water(1981, 40);
    float low[3] = {1e9f, 1e9f, 1e9f}, high[3] = {-1e9f, -1e9f, -1e9f};
    for (float4 const& atom : atoms) {
        float const place[] = {atom.x, atom.y, atom.z};
        for (int i = 0; i < 3; ++i) {
            low[i] = std::min(low[i], place[i] - 0.5f);
            high[i] = std::max(high[i], place[i] + 0.5f);
        }
    }
    int const margin = static_cast<int>(std::ceil(cutoff / bin_length));
    int regions[3], bins[3];
    for (int i = 0; i < 3; ++i) {
        regions[i] = (static_cast<int>(std::floor((high[i] - low[i]) / spacing)) + 1 + 7) / 8;
        bins[i] = static_cast<int>(std::ceil(8 * regions[i] * spacing / bin_length)) + 2 * margin;
    }
    std::vector<float4> binned(bins[0] * bins[1] * bins[2] * bin_atoms, float4{});
    std::vector<int> in_bin(bins[0] * bins[1] * bins[2]);
    for (float4 const& atom : atoms) {
        float4 const there{atom.x - low[0], atom.y - low[1], atom.z - low[2], atom.w};
        auto const index = [&](float place) { return static_cast<int>(std::floor(place / bin_length)) + margin; };
        int const bin = (index(there.z) * bins[1] + index(there.y)) * bins[0] + index(there.x);
        if (in_bin[bin] < bin_atoms) binned[bin * bin_atoms + in_bin[bin]++] = there;
    }
    float const reach = cutoff + std::sqrt(3.0f) * bin_length;
    std::vector<int3> around;
    for (int k = -margin; k <= margin; ++k)
        for (int j = -margin; j <= margin; ++j)
            for (int i = -margin; i <= margin; ++i)
                if ((i * i + j * j + k * k) * bin_length * bin_length < reach * reach) around.push_back({i, j, k});
    int const count = around.size();
    check(cudaMemcpyToSymbol(bins_around, &count, sizeof count));
    check(cudaMemcpyToSymbol(bin_around, around.data(), count * sizeof(int3)));
    float4* first = on_device(binned) + ((margin * bins[1] + margin) * bins[0] + margin) * bin_atoms;
    float* lattice = floats(512 * regions[0] * regions[1] * regions[2], 0, 0);
    for (int plane = 0; plane < regions[2]; ++plane)
        cutcp<<<dim3(regions[0], regions[1]), dim3(8, 2, 8)>>>(bins[0], bins[1], first, spacing, cutoff * cutoff,
                                                               1 / (cutoff * cutoff), lattice, plane);
}
