// Surface objects: loads and stores of each width, in arrays of one to three dimensions, layered ones and cubemaps; what
// happens outside; and what a texture and a copy see of it afterwards.
// exec:
// exec: --check=memory,race,init,sync --suppressions surfaces.suppressions
// exec: --mode timing
#include "check.hpp"

#include <cstring>
#include <vector>

struct Size {
    int w, h, d;
};

enum class Shape { line, plane, volume, lines, planes, cube, cubes };

template <class T> __device__ T made(int x, int y, int z) {
    T value;
    auto* const bytes = reinterpret_cast<unsigned char*>(&value);
    for (int i = 0; i < static_cast<int>(sizeof(T)); ++i) bytes[i] = static_cast<unsigned char>(x * 7 + y * 31 + z * 101 + i * 13);
    return value;
}
unsigned char made_byte(int x, int y, int z, int i) { return static_cast<unsigned char>(x * 7 + y * 31 + z * 101 + i * 13); }

template <class T> __global__ void store(cudaSurfaceObject_t s, Shape shape, Size size) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, at = x * static_cast<int>(sizeof(T));
    if (x >= size.w) return;
    T const value = made<T>(x, y, z);
    switch (shape) {
        case Shape::line: surf1Dwrite(value, s, at); break;
        case Shape::plane: surf2Dwrite(value, s, at, y); break;
        case Shape::volume: surf3Dwrite(value, s, at, y, z); break;
        case Shape::lines: surf1DLayeredwrite(value, s, at, z); break;
        case Shape::planes: surf2DLayeredwrite(value, s, at, y, z); break;
        case Shape::cube: surfCubemapwrite(value, s, at, y, z); break;
        case Shape::cubes: surfCubemapLayeredwrite(value, s, at, y, z); break;
    }
}
template <class T> __global__ void load(cudaSurfaceObject_t s, Shape shape, Size size, T* out) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y, z = blockIdx.z, at = x * static_cast<int>(sizeof(T));
    if (x >= size.w) return;
    T value{};
    switch (shape) {
        case Shape::line: surf1Dread(&value, s, at); break;
        case Shape::plane: surf2Dread(&value, s, at, y); break;
        case Shape::volume: surf3Dread(&value, s, at, y, z); break;
        case Shape::lines: surf1DLayeredread(&value, s, at, z); break;
        case Shape::planes: surf2DLayeredread(&value, s, at, y, z); break;
        case Shape::cube: surfCubemapread(&value, s, at, y, z); break;
        case Shape::cubes: surfCubemapLayeredread(&value, s, at, y, z); break;
    }
    out[(z * size.h + y) * size.w + x] = value;
}

cudaSurfaceObject_t surface_of(cudaArray_t array) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaSurfaceObject_t s = 0;
    OK(cudaCreateSurfaceObject(&s, &resource));
    return s;
}

template <class T> void in_shape(Shape shape, Size size, cudaExtent extent, unsigned flags) {
    cudaArray_t array;
    auto const format = cudaCreateChannelDesc<T>();
    OK(cudaMalloc3DArray(&array, &format, extent, flags | cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t const s = surface_of(array);
    std::size_t const count = static_cast<std::size_t>(size.w) * size.h * size.d;
    dim3 const grid((size.w + 31) / 32, size.h, size.d);
    store<T><<<grid, 32>>>(s, shape, size);
    OK(cudaGetLastError());
    std::vector<T> stored(count), loaded(count);
    cudaMemcpy3DParms p{};
    p.srcArray = array;
    p.dstPtr = make_cudaPitchedPtr(stored.data(), size.w * sizeof(T), size.w, size.h);
    p.extent = make_cudaExtent(size.w, size.h, size.d);
    p.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&p));
    T* out;
    OK(cudaMalloc(&out, count * sizeof(T)));
    load<T><<<grid, 32>>>(s, shape, size, out);
    OK(cudaGetLastError());
    OK(cudaMemcpy(loaded.data(), out, count * sizeof(T), cudaMemcpyDeviceToHost));
    CHECK(std::memcmp(stored.data(), loaded.data(), count * sizeof(T)) == 0);
    auto const* bytes = reinterpret_cast<unsigned char const*>(stored.data());
    for (int z = 0; z < size.d; ++z) {
        for (int y = 0; y < size.h; ++y) {
            for (int x = 0; x < size.w; ++x) {
                for (int i = 0; i < static_cast<int>(sizeof(T)); ++i) CHECK(*bytes++ == made_byte(x, y, z, i));
            }
        }
    }
    OK(cudaFree(out));
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(array));
}

template <class T> void in_all_shapes() {
    in_shape<T>(Shape::line, {70, 1, 1}, make_cudaExtent(70, 0, 0), 0);
    in_shape<T>(Shape::plane, {37, 11, 1}, make_cudaExtent(37, 11, 0), 0);
    in_shape<T>(Shape::volume, {13, 9, 5}, make_cudaExtent(13, 9, 5), 0);
    in_shape<T>(Shape::lines, {21, 1, 4}, make_cudaExtent(21, 0, 4), cudaArrayLayered);
    in_shape<T>(Shape::planes, {18, 12, 3}, make_cudaExtent(18, 12, 3), cudaArrayLayered);
    in_shape<T>(Shape::cube, {8, 8, 6}, make_cudaExtent(8, 8, 6), cudaArrayCubemap);
    in_shape<T>(Shape::cubes, {8, 8, 12}, make_cudaExtent(8, 8, 12), cudaArrayCubemap | cudaArrayLayered);
}

// Outside: loads give zeros or the edge, stores are left out.
__global__ void load_outside(cudaSurfaceObject_t s, int* zero, int* clamp) {
    int const x = static_cast<int>(threadIdx.x) - 4, y = static_cast<int>(threadIdx.y) - 4, at = threadIdx.y * blockDim.x + threadIdx.x;
    zero[at] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeZero);
    clamp[at] = surf2Dread<int>(s, x * 4, y, cudaBoundaryModeClamp);
}
__global__ void store_outside(cudaSurfaceObject_t s, cudaSurfaceObject_t clamped) {
    int const x = static_cast<int>(threadIdx.x) - 4, y = static_cast<int>(threadIdx.y) - 4;
    surf2Dwrite(1000 + 16 * y + x, s, x * 4, y, cudaBoundaryModeZero);
    // All of them outside of a corner store there; inside each has a place of its own.
    if (x >= 0 && y >= 0 && x < 8 && y < 8) surf2Dwrite(2000 + 16 * y + x, clamped, x * 4, y, cudaBoundaryModeClamp);
    if (x == -3 && y == -2) surf2Dwrite(7, clamped, x * 4, y, cudaBoundaryModeClamp);
}
void outside() {
    int const w = 8, h = 8;
    cudaArray_t array, other;
    auto const format = cudaCreateChannelDesc<int>();
    OK(cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore));
    OK(cudaMallocArray(&other, &format, w, h, cudaArraySurfaceLoadStore));
    int values[h][w], after[h][w];
    for (int i = 0; i < w * h; ++i) values[i / w][i % w] = 10 + i;
    OK(cudaMemcpy2DToArray(array, 0, 0, values, w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaSurfaceObject_t const s = surface_of(array), t = surface_of(other);
    int *zero, *clamp;
    OK(cudaMallocManaged(&zero, 16 * 16 * 4));
    OK(cudaMallocManaged(&clamp, 16 * 16 * 4));
    load_outside<<<1, dim3(16, 16)>>>(s, zero, clamp);
    OK(cudaDeviceSynchronize());
    for (int y = -4; y < 12; ++y) {
        for (int x = -4; x < 12; ++x) {
            bool const inside = x >= 0 && x < w && y >= 0 && y < h;
            int const at = (y + 4) * 16 + x + 4, cx = x < 0 ? 0 : x >= w ? w - 1 : x, cy = y < 0 ? 0 : y >= h ? h - 1 : y;
            CHECK(zero[at] == (inside ? values[y][x] : 0));
            CHECK(clamp[at] == values[cy][cx]);
        }
    }
    store_outside<<<1, dim3(16, 16)>>>(s, t);
    OK(cudaMemcpy2DFromArray(after, w * 4, array, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w * h; ++i) CHECK(after[i / w][i % w] == 1000 + 16 * (i / w) + i % w);
    OK(cudaMemcpy2DFromArray(after, w * 4, other, 0, 0, w * 4, h, cudaMemcpyDeviceToHost));
    for (int i = 1; i < w * h; ++i) CHECK(after[i / w][i % w] == 2000 + 16 * (i / w) + i % w);
    CHECK(after[0][0] == 7 || after[0][0] == 2000);
    OK(cudaFree(zero));
    OK(cudaFree(clamp));
    OK(cudaDestroySurfaceObject(s));
    OK(cudaDestroySurfaceObject(t));
    OK(cudaFreeArray(array));
    OK(cudaFreeArray(other));
}

// One kernel writes a surface, the next reads the same array as a texture.
__global__ void paint(cudaSurfaceObject_t s, int w, int h) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) surf2Dwrite(make_float2(static_cast<float>(x), static_cast<float>(10 * y)), s, x * static_cast<int>(sizeof(float2)), y);
}
__global__ void between(cudaTextureObject_t t, float2* out, int w, int h) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) out[y * w + x] = tex2D<float2>(t, static_cast<float>(x) + 1, static_cast<float>(y) + 1);
}
void as_texture() {
    int const w = 40, h = 24;
    cudaArray_t array;
    auto const format = cudaCreateChannelDesc<float2>();
    OK(cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore));
    cudaSurfaceObject_t const s = surface_of(array);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModeLinear;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    float2* out;
    OK(cudaMallocManaged(&out, w * h * sizeof *out));
    dim3 const grid(3, 3), block(16, 8);
    paint<<<grid, block>>>(s, w, h);
    between<<<grid, block>>>(t, out, w, h);
    OK(cudaDeviceSynchronize());
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            float const want_x = x + 1 < w ? static_cast<float>(x) + 0.5f : static_cast<float>(x);
            float const want_y = 10 * (y + 1 < h ? static_cast<float>(y) + 0.5f : static_cast<float>(y));
            CHECK(out[y * w + x].x == want_x && out[y * w + x].y == want_y);
        }
    }
    OK(cudaFree(out));
    OK(cudaDestroyTextureObject(t));
    OK(cudaDestroySurfaceObject(s));
    OK(cudaFreeArray(array));
}

int main() {
    in_all_shapes<unsigned char>();
    in_all_shapes<char2>();
    in_all_shapes<uchar4>();
    in_all_shapes<short>();
    in_all_shapes<ushort4>();
    in_all_shapes<int>();
    in_all_shapes<float2>();
    in_all_shapes<uint4>();
    outside();
    as_texture();
    return result();
}
