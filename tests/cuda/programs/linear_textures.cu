// Textures of plain memory: lines read by index, and planes with a pitch, of several formats.
// exec:
// exec: --mode timing
#include "check.hpp"
#include "texture_reference.hpp"

#include <cstring>

using reference::Address;
using reference::Image;
using reference::Random;
using reference::Sampler;
using reference::Texel;

template <class T> __global__ void fetch_line(cudaTextureObject_t t, int first, T* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1Dfetch<T>(t, first + i);
}
template <class T> __global__ void fetch_plane(cudaTextureObject_t t, float2 const* at, T* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, at[i].x, at[i].y);
}

template <class T> void line() {
    int const n = 1000;
    std::vector<T> values(n), got(n + 20);
    auto* const bytes = reinterpret_cast<unsigned char*>(values.data());
    // Small exponents, so that no float is a NaN.
    for (std::size_t i = 0; i < n * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>((i * 37 + i / 251) & 0x3f);
    T *memory, *out;
    OK(cudaMalloc(&memory, n * sizeof(T)));
    OK(cudaMalloc(&out, got.size() * sizeof(T)));
    OK(cudaMemcpy(memory, values.data(), n * sizeof(T), cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<T>();
    resource.res.linear.sizeInBytes = n * sizeof(T);
    cudaTextureDesc how{};
    how.addressMode[0] = cudaAddressModeWrap;      // which does not count
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    fetch_line<T><<<8, 128>>>(t, -10, out, static_cast<int>(got.size()));
    OK(cudaMemcpy(got.data(), out, got.size() * sizeof(T), cudaMemcpyDeviceToHost));
    T const zero{};
    for (int i = -10; i < n + 10; ++i) {      // outside there are zeros
        T const& want = i >= 0 && i < n ? values[static_cast<std::size_t>(i)] : zero;
        CHECK(std::memcmp(&got[static_cast<std::size_t>(i + 10)], &want, sizeof(T)) == 0);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(memory));
    OK(cudaFree(out));
}

// Bytes as fractions.
void fractions() {
    int const n = 256;
    std::vector<uchar4> values(n);
    for (int i = 0; i < n; ++i) values[static_cast<std::size_t>(i)] = make_uchar4(static_cast<unsigned char>(i), static_cast<unsigned char>(255 - i), 0, 255);
    uchar4* memory;
    float4* out;
    OK(cudaMalloc(&memory, n * sizeof(uchar4)));
    OK(cudaMallocManaged(&out, n * sizeof(float4)));
    OK(cudaMemcpy(memory, values.data(), n * sizeof(uchar4), cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.linear.sizeInBytes = n * sizeof(uchar4);
    cudaTextureDesc how{};
    how.readMode = cudaReadModeNormalizedFloat;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    fetch_line<float4><<<2, 128>>>(t, 0, out, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        CHECK(reference::is_near(out[i].x, i / 255.0, 1e-6) && reference::is_near(out[i].y, 1 - i / 255.0, 1e-6));
        CHECK(out[i].z == 0 && out[i].w == 1);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(memory));
    OK(cudaFree(out));
}

void plane(bool is_linear, bool is_normalized, Address mode) {
    int const w = 50, h = 30, n = 600;
    float2* memory;
    std::size_t pitch = 0;
    OK(cudaMallocPitch(&memory, &pitch, w * sizeof(float2), h));
    Image image(w, h);
    std::vector<float2> values;
    Random random;
    for (Texel& texel : image.texels) {
        texel[0] = static_cast<double>(random.next() % 1000);
        texel[1] = -static_cast<double>(random.next() % 1000);
        values.push_back(make_float2(static_cast<float>(texel[0]), static_cast<float>(texel[1])));
    }
    OK(cudaMemcpy2D(memory, pitch, values.data(), w * sizeof(float2), w * sizeof(float2), h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = memory;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<float2>();
    resource.res.pitch2D.width = w;
    resource.res.pitch2D.height = h;
    resource.res.pitch2D.pitchInBytes = pitch;
    cudaTextureDesc how{};
    how.addressMode[0] = how.addressMode[1] = static_cast<cudaTextureAddressMode>(mode);
    how.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    how.normalizedCoords = is_normalized;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    Sampler s;
    s.address[0] = s.address[1] = mode;
    s.is_linear = is_linear;
    s.is_normalized = is_normalized;
    float2 *at, *out;
    OK(cudaMallocManaged(&at, n * sizeof *at));
    OK(cudaMallocManaged(&out, n * sizeof *out));
    for (int i = 0; i < n; ++i) {
        // Not on edges between texels.
        double const x = random.coordinate(-60, 120, 64) + 1.0 / 256, y = random.coordinate(-40, 70, 64) + 1.0 / 256;
        at[i] = make_float2(static_cast<float>(is_normalized ? x / w : x), static_cast<float>(is_normalized ? y / h : y));
    }
    fetch_plane<float2><<<(n + 127) / 128, 128>>>(t, at, out, n);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < n; ++i) {
        Texel const want = reference::fetch(image, s, 2, at[i].x, at[i].y);
        CHECK(std::abs(out[i].x - want[0]) <= 1e-3 && std::abs(out[i].y - want[1]) <= 1e-3);
    }
    OK(cudaDestroyTextureObject(t));
    OK(cudaFree(at));
    OK(cudaFree(out));
    OK(cudaFree(memory));
}

int main() {
    line<unsigned char>();
    line<char2>();
    line<short4>();
    line<unsigned>();
    line<int2>();
    line<float>();
    line<float4>();
    fractions();
    for (bool const is_linear : {false, true}) {
        plane(is_linear, false, Address::clamp);
        plane(is_linear, false, Address::border);
        plane(is_linear, true, Address::clamp);
        plane(is_linear, true, Address::wrap);
        plane(is_linear, true, Address::mirror);
    }
    return result();
}
