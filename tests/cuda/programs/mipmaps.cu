// Mipmapped arrays: levels that a kernel makes through surfaces, fetches from a level, between levels and by gradients,
// with bias, clamps and views of some levels.
// exec:
// exec: --mode timing
#include "check.hpp"
#include "texture_reference.hpp"

#include <algorithm>

using reference::Address;
using reference::Image;
using reference::Random;
using reference::Sampler;
using reference::Texel;

constexpr int size = 64, levels = 7;

__global__ void half_size(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int w) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= w) return;
    float sum = 0;
    for (int i = 0; i < 4; ++i) sum += surf2Dread<float>(from, (2 * x + (i & 1)) * 4, 2 * y + (i >> 1));
    surf2Dwrite(sum / 4, to, x * 4, y);
}
__global__ void fetch_level(cudaTextureObject_t t, float4 const* at, float* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLod<float>(t, at[i].x, at[i].y, at[i].z);
}
__global__ void fetch_gradient(cudaTextureObject_t t, float4 const* at, float* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    // The length of the longer of both, in texels of the first level, is 2 to the power of z.
    float const length = exp2f(at[i].z) / 64;
    if (i < n) out[i] = tex2DGrad<float>(t, at[i].x, at[i].y, make_float2(length, 0), make_float2(0, length / 2));
}
__global__ void fetch_plain(cudaTextureObject_t t, float4 const* at, float* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<float>(t, at[i].x, at[i].y);
}

cudaSurfaceObject_t surface_of(cudaMipmappedArray_t array, unsigned level) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    OK(cudaGetMipmappedArrayLevel(&resource.res.array.array, array, level));
    cudaSurfaceObject_t s = 0;
    OK(cudaCreateSurfaceObject(&s, &resource));
    return s;
}

/// An array whose levels are means of the one before, made by the device, and the same images made by the host.
struct Mipmapped {
    cudaMipmappedArray_t array = nullptr;
    std::vector<Image> images;

    Mipmapped() {
        auto const format = cudaCreateChannelDesc<float>();
        OK(cudaMallocMipmappedArray(&array, &format, make_cudaExtent(size, size, 0), levels, cudaArraySurfaceLoadStore));
        std::vector<float> values(size * size);
        images.emplace_back(size, size);
        Random random;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = static_cast<float>(random.next() % 4096);
            images[0].texels[i][0] = static_cast<double>(values[i]);
        }
        cudaArray_t first;
        OK(cudaGetMipmappedArrayLevel(&first, array, 0));
        OK(cudaMemcpy2DToArray(first, 0, 0, values.data(), size * 4, size * 4, size, cudaMemcpyHostToDevice));
        for (int level = 1; level < levels; ++level) {
            int const w = size >> level;
            cudaSurfaceObject_t const from = surface_of(array, static_cast<unsigned>(level) - 1), to = surface_of(array, static_cast<unsigned>(level));
            half_size<<<dim3((w + 7) / 8, (w + 7) / 8), dim3(8, 8)>>>(from, to, w);
            OK(cudaGetLastError());
            OK(cudaDeviceSynchronize());
            OK(cudaDestroySurfaceObject(from));
            OK(cudaDestroySurfaceObject(to));
            images.emplace_back(w, w);
            Image const& before = images[static_cast<std::size_t>(level) - 1];
            for (int y = 0; y < w; ++y) {
                for (int x = 0; x < w; ++x) {
                    images.back().at(x, y)[0] = (before.at(2 * x, 2 * y)[0] + before.at(2 * x + 1, 2 * y)[0] +
                                                 before.at(2 * x, 2 * y + 1)[0] + before.at(2 * x + 1, 2 * y + 1)[0]) / 4;
                }
            }
        }
    }
    ~Mipmapped() { OK(cudaFreeMipmappedArray(array)); }

    cudaTextureObject_t texture(cudaTextureDesc const& how, cudaResourceViewDesc const* view = nullptr) const {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeMipmappedArray;
        resource.res.mipmap.mipmap = array;
        cudaTextureObject_t t = 0;
        OK(cudaCreateTextureObject(&t, &resource, &how, view));
        return t;
    }
};

cudaTextureDesc described(bool is_linear, bool blends_levels) {
    cudaTextureDesc d{};
    d.addressMode[0] = cudaAddressModeWrap;
    d.addressMode[1] = cudaAddressModeMirror;
    d.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.mipmapFilterMode = blends_levels ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = 1;
    d.maxMipmapLevelClamp = 100;
    return d;
}

template <class Kernel> std::vector<float> fetched(Kernel kernel, cudaTextureObject_t t, std::vector<float4> const& places) {
    int const n = static_cast<int>(places.size());
    float4* at;
    float* out;
    std::vector<float> values(places.size());
    OK(cudaMalloc(&at, n * sizeof(float4)));
    OK(cudaMalloc(&out, n * sizeof(float)));
    OK(cudaMemcpy(at, places.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    kernel<<<(n + 63) / 64, 64>>>(t, at, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(values.data(), out, n * sizeof(float), cudaMemcpyDeviceToHost));
    OK(cudaFree(at));
    OK(cudaFree(out));
    return values;
}

/// The fetch at a level, which may lie between two of `images`; weights have eight bits.
double at_level(Image const* images, int count, cudaTextureDesc const& how, float4 const& place, double level) {
    Sampler s;
    s.address[0] = static_cast<Address>(how.addressMode[0]);
    s.address[1] = static_cast<Address>(how.addressMode[1]);
    s.is_linear = how.filterMode == cudaFilterModeLinear;
    s.is_normalized = true;
    auto const fetch = [&](int i, long weight) {
        return reference::fetch(images[std::min(i, count - 1)], s, 2, place.x, place.y, 0, weight)[0];
    };
    level = std::clamp(level, 0.0, static_cast<double>(count - 1));
    long const fixed = std::lround(std::floor(level * 256)), second = fixed & 255;
    if (how.mipmapFilterMode == cudaFilterModePoint) return fetch(static_cast<int>((fixed + 128) >> 8), 256);
    return fetch(static_cast<int>(fixed >> 8), 256 - second) + fetch(static_cast<int>(fixed >> 8) + 1, second);
}

/// Places whose weights are exact in all levels; levels that are multiples of 1/256, and not just between two.
std::vector<float4> places_of(int count, double lowest, double highest) {
    Random random{11};
    std::vector<float4> places;
    while (static_cast<int>(places.size()) < count) {
        double const x = random.coordinate(-2, 2, 256) + 1.0 / 512, y = random.coordinate(-2, 2, 256) + 1.0 / 512;
        double const level = random.coordinate(lowest, highest, 256);
        if (level - std::floor(level) == 0.5) continue;
        places.push_back(make_float4(static_cast<float>(x), static_cast<float>(y), static_cast<float>(level), 0));
    }
    return places;
}

void by_level(Mipmapped const& m) {
    for (bool const is_linear : {false, true}) {
        for (bool const blends : {false, true}) {
            auto const how = described(is_linear, blends);
            auto const places = places_of(400, -2, 9);
            cudaTextureObject_t const t = m.texture(how);
            auto const got = fetched(fetch_level, t, places);
            for (std::size_t i = 0; i < got.size(); ++i)
                CHECK(reference::is_near(got[i], at_level(m.images.data(), levels, how, places[i], places[i].z), 1e-5));
            OK(cudaDestroyTextureObject(t));
        }
    }
}

void clamps_and_bias(Mipmapped const& m) {
    auto how = described(true, true);
    how.minMipmapLevelClamp = 1.25f;
    how.maxMipmapLevelClamp = 3.5f;
    how.mipmapLevelBias = 0.75f;
    auto const places = places_of(400, -1, 6);
    cudaTextureObject_t const t = m.texture(how);
    auto const got = fetched(fetch_level, t, places);
    for (std::size_t i = 0; i < got.size(); ++i) {
        double const level = std::clamp(places[i].z + 0.75, 1.25, 3.5);
        CHECK(reference::is_near(got[i], at_level(m.images.data(), levels, how, places[i], level), 1e-5));
    }
    OK(cudaDestroyTextureObject(t));
}

// The level is the logarithm of the longer gradient; here without blending, and away from where it changes.
void by_gradient(Mipmapped const& m) {
    auto const how = described(false, false);
    auto places = places_of(300, 0, 6);
    auto const is_unsure = [](float4 const& p) { return std::abs(p.z - std::floor(p.z) - 0.5) < 0.1; };
    places.erase(std::remove_if(places.begin(), places.end(), is_unsure), places.end());
    cudaTextureObject_t const t = m.texture(how);
    auto const got = fetched(fetch_gradient, t, places);
    for (std::size_t i = 0; i < got.size(); ++i) CHECK(got[i] == at_level(m.images.data(), levels, how, places[i], places[i].z));
    OK(cudaDestroyTextureObject(t));
}

// Levels 2 to 4 as a texture of its own; a plain fetch is from its first.
void some_levels(Mipmapped const& m) {
    cudaResourceViewDesc view{};
    view.format = cudaResViewFormatFloat1;
    view.width = view.height = size >> 2;
    view.firstMipmapLevel = 2;
    view.lastMipmapLevel = 4;
    auto const how = described(true, true);
    auto const places = places_of(300, -1, 6);
    cudaTextureObject_t const t = m.texture(how, &view);
    auto got = fetched(fetch_level, t, places);
    for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(reference::is_near(got[i], at_level(m.images.data() + 2, 3, how, places[i], places[i].z), 1e-5));
    got = fetched(fetch_plain, t, places);
    for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(reference::is_near(got[i], at_level(m.images.data() + 2, 3, how, places[i], 0), 1e-5));
    OK(cudaDestroyTextureObject(t));
}

// A level is an array like any other.
void as_array(Mipmapped const& m) {
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    OK(cudaGetMipmappedArrayLevel(&resource.res.array.array, m.array, 3));
    auto const how = described(true, false);
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    auto const places = places_of(100, 0, 0);
    auto const got = fetched(fetch_plain, t, places);
    for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(reference::is_near(got[i], at_level(m.images.data() + 3, 1, how, places[i], 0), 1e-5));
    OK(cudaDestroyTextureObject(t));
    std::vector<float> back(8 * 8);
    OK(cudaMemcpy2DFromArray(back.data(), 32, resource.res.array.array, 0, 0, 32, 8, cudaMemcpyDeviceToHost));
    for (int i = 0; i < 64; ++i) CHECK(back[static_cast<std::size_t>(i)] == m.images[3].at(i % 8, i / 8)[0]);
}

int main() {
    Mipmapped const m;
    by_level(m);
    clamps_and_bias(m);
    by_gradient(m);
    some_levels(m);
    as_array(m);
    return result();
}
