// Texture objects over arrays of one to three dimensions: every format, filter, address mode and read mode, compared with
// the formulas of the programming guide.
// exec:
// exec: --mode timing
#include "check.hpp"
#include "texture_reference.hpp"

#include <cstring>
#include <cuda_fp16.h>
#include <limits>
#include <type_traits>

using reference::Address;
using reference::Image;
using reference::Random;
using reference::Sampler;
using reference::Texel;

template <class T> __global__ void fetch_1d(cudaTextureObject_t t, float4 const* at, T* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1D<T>(t, at[i].x);
}
template <class T> __global__ void fetch_2d(cudaTextureObject_t t, float4 const* at, T* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2D<T>(t, at[i].x, at[i].y);
}
template <class T> __global__ void fetch_3d(cudaTextureObject_t t, float4 const* at, T* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex3D<T>(t, at[i].x, at[i].y, at[i].z);
}
__global__ void gather(cudaTextureObject_t t, float4 const* at, float4* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[4 * i] = tex2Dgather<float4>(t, at[i].x, at[i].y, 0);
    out[4 * i + 1] = tex2Dgather<float4>(t, at[i].x, at[i].y, 1);
    out[4 * i + 2] = tex2Dgather<float4>(t, at[i].x, at[i].y, 2);
    out[4 * i + 3] = tex2Dgather<float4>(t, at[i].x, at[i].y, 3);
}

// The vector types of an element type.
template <class E, int n> struct VectorOf;
#define VECTORS(element, name)                                      \
    template <> struct VectorOf<element, 1> { using type = name##1; }; \
    template <> struct VectorOf<element, 2> { using type = name##2; }; \
    template <> struct VectorOf<element, 4> { using type = name##4; };
VECTORS(signed char, char)
VECTORS(unsigned char, uchar)
VECTORS(short, short)
VECTORS(unsigned short, ushort)
VECTORS(int, int)
VECTORS(unsigned, uint)
VECTORS(float, float)
template <class E, int n> using Vector = typename VectorOf<E, n>::type;

template <class E> E element(unsigned random) {
    if constexpr (std::is_floating_point_v<E>) return static_cast<E>(static_cast<int>(random % 4001) - 2000) / 16;
    else return static_cast<E>(random * 2654435761u >> (32 - 8 * sizeof(E)));
}

/// An array of elements with random values, and what they are.
template <class E> struct Filled {
    cudaArray_t array = nullptr;
    Image image;
    int const channels;

    Filled(int count, int dimensions, int w, int h, int d, unsigned flags = 0)
        : image(w, dimensions > 1 ? h : 1, dimensions > 2 ? d : 1), channels(count) {
        int const bits = 8 * sizeof(E);
        auto const kind = std::is_floating_point_v<E> ? cudaChannelFormatKindFloat
                          : std::is_signed_v<E>       ? cudaChannelFormatKindSigned
                                                      : cudaChannelFormatKindUnsigned;
        auto const format = cudaCreateChannelDesc(bits, count > 1 ? bits : 0, count > 2 ? bits : 0, count > 2 ? bits : 0, kind);
        OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, dimensions > 1 ? h : 0, dimensions > 2 ? d : 0), flags));
        std::vector<E> values(image.texels.size() * count);
        Random random;
        for (std::size_t i = 0; i < values.size(); ++i) {
            values[i] = element<E>(random.next());
            image.texels[i / count][i % count] = static_cast<double>(values[i]);
        }
        cudaMemcpy3DParms p{};
        p.srcPtr = make_cudaPitchedPtr(values.data(), image.width * count * sizeof(E), image.width, image.height);
        p.dstArray = array;
        p.extent = make_cudaExtent(image.width, image.height, image.depth);
        p.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&p));
    }
    ~Filled() { OK(cudaFreeArray(array)); }

    cudaTextureObject_t texture(cudaTextureDesc const& how) const {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureObject_t t = 0;
        OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
        return t;
    }
};

cudaTextureDesc described(Sampler const& s, bool promotes = false) {
    cudaTextureDesc d{};
    for (int i = 0; i < 3; ++i) d.addressMode[i] = static_cast<cudaTextureAddressMode>(s.address[i]);
    d.filterMode = s.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
    d.normalizedCoords = s.is_normalized;
    d.readMode = promotes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
    for (int c = 0; c < 4; ++c) d.borderColor[c] = static_cast<float>(s.border[c]);
    return d;
}

template <class T> std::vector<T> fetched(cudaTextureObject_t t, int dimensions, std::vector<float4> const& places) {
    int const n = static_cast<int>(places.size());
    float4* at;
    T* out;
    std::vector<T> values(n);
    OK(cudaMalloc(&at, n * sizeof(float4)));
    OK(cudaMalloc(&out, n * sizeof(T)));
    OK(cudaMemcpy(at, places.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    int const blocks = (n + 127) / 128;
    if (dimensions == 1) fetch_1d<T><<<blocks, 128>>>(t, at, out, n);
    if (dimensions == 2) fetch_2d<T><<<blocks, 128>>>(t, at, out, n);
    if (dimensions == 3) fetch_3d<T><<<blocks, 128>>>(t, at, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(values.data(), out, n * sizeof(T), cudaMemcpyDeviceToHost));
    OK(cudaFree(at));
    OK(cudaFree(out));
    return values;
}

/// `channels` of each value, of type E, against the reference's.
template <class E, class T>
void compare(std::vector<T> const& got, int channels, Image const& image, Sampler const& s, int dimensions,
             std::vector<float4> const& places, double tolerance, char const* what,
             double least = -std::numeric_limits<double>::infinity()) {
    for (std::size_t i = 0; i < got.size(); ++i) {
        Texel const want = reference::fetch(image, s, dimensions, places[i].x, places[i].y, places[i].z);
        E values[4];
        std::memcpy(values, &got[i], sizeof(T));
        for (int c = 0; c < channels; ++c) {
            double const wanted = std::max(want[c], least);
            if (reference::is_near(static_cast<double>(values[c]), wanted, tolerance)) continue;
            if (is_told())
                std::printf("%s, channel %d at (%g, %g, %g): %g, not %g\n", what, c, places[i].x, places[i].y, places[i].z,
                            static_cast<double>(values[c]), wanted);
        }
    }
}

std::vector<float4> all_texels(Image const& image) {
    std::vector<float4> places;
    for (int z = 0; z < image.depth; ++z) {
        for (int y = 0; y < image.height; ++y) {
            for (int x = 0; x < image.width; ++x)
                places.push_back(make_float4(static_cast<float>(x) + 0.5f, static_cast<float>(y) + 0.5f, static_cast<float>(z) + 0.5f, 0));
        }
    }
    return places;
}

/// Places inside and outside of an image; the weights of the linear filter are exact there.
std::vector<float4> places_around(Image const& image, bool is_normalized, int count, int avoided = 0) {
    Random random{7};
    std::vector<float4> places;
    int const sizes[] = {image.width, image.height, image.depth};
    while (static_cast<int>(places.size()) < count) {
        float at[3];
        for (int i = 0; i < 3; ++i) {
            double c = random.coordinate(-2.5 * sizes[i], 3.5 * sizes[i], 256);
            // Where a repeated coordinate falls on an edge between texels, rounding decides.
            if (avoided != 0 && c == std::floor(c)) c += 1.0 / avoided;
            at[i] = static_cast<float>(is_normalized ? c / sizes[i] : c);
        }
        places.push_back(make_float4(at[0], at[1], at[2], 0));
    }
    return places;
}

// Each format as it is, and integers as fractions.
template <class E, int channels> void format(char const* name) {
    using T = Vector<E, channels>;
    using F = Vector<float, channels>;
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
        Filled<E> const filled(channels, dimensions, 13, 7, 5);
        Sampler s;
        auto const places = all_texels(filled.image);
        cudaTextureObject_t t = filled.texture(described(s));
        compare<E>(fetched<T>(t, dimensions, places), channels, filled.image, s, dimensions, places, 0, name);
        OK(cudaDestroyTextureObject(t));
        if constexpr (!std::is_floating_point_v<E> && sizeof(E) < 4) {
            Image fractions = filled.image;
            for (Texel& texel : fractions.texels) {
                for (double& v : texel) v /= std::numeric_limits<E>::max();
            }
            for (bool const is_linear : {false, true}) {
                s.is_linear = is_linear;
                t = filled.texture(described(s, true));
                auto const around = places_around(filled.image, false, 200);
                // Filters give numbers of 16 bits. What is below -1 is so only after that.
                double const tolerance = is_linear ? 4e-5 : 1e-6;
                compare<float>(fetched<F>(t, dimensions, around), channels, fractions, s, dimensions, around, tolerance, name, -1);
                OK(cudaDestroyTextureObject(t));
            }
        }
    }
}
template <class E> void formats_of(char const* name) {
    format<E, 1>(name);
    format<E, 2>(name);
    format<E, 4>(name);
}

void half_format() {
    int const w = 9, h = 6;
    std::vector<__half> values(w * h * 2);
    Image image(w, h);
    Random random;
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = __float2half(static_cast<float>(random.next() % 2048) / 16);
        image.texels[i / 2][i % 2] = static_cast<double>(__half2float(values[i]));
    }
    cudaArray_t array;
    auto const format = cudaCreateChannelDescHalf2();
    OK(cudaMallocArray(&array, &format, w, h));
    OK(cudaMemcpy2DToArray(array, 0, 0, values.data(), w * 4, w * 4, h, cudaMemcpyHostToDevice));
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = array;
    Sampler s;
    s.is_linear = true;
    auto const how = described(s);
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &how, nullptr));
    auto const places = places_around(image, false, 300);
    compare<float>(fetched<float2>(t, 2, places), 2, image, s, 2, places, 5e-4, "half");
    OK(cudaDestroyTextureObject(t));
    OK(cudaFreeArray(array));
}

void modes() {
    for (int dimensions = 1; dimensions <= 3; ++dimensions) {
        Filled<float> const filled(4, dimensions, 16, 8, 4);
        for (int mode = 0; mode < 4; ++mode) {
            for (bool const is_linear : {false, true}) {
                for (bool const is_normalized : {false, true}) {
                    Sampler s;
                    for (int i = 0; i < 3; ++i) s.address[i] = static_cast<Address>((mode + i) % 4);
                    s.is_linear = is_linear;
                    s.is_normalized = is_normalized;
                    s.border = {100, -50, 0.25, 7};
                    // Without normalised coordinates they cannot repeat, and clamp.
                    cudaTextureObject_t const t = filled.texture(described(s));
                    auto const places = places_around(filled.image, is_normalized, 500, is_linear ? 0 : 4);
                    char what[64];
                    std::snprintf(what, sizeof what, "%d dimensions, mode %d, linear %d, normalised %d", dimensions, mode,
                                  is_linear, is_normalized);
                    compare<float>(fetched<float4>(t, dimensions, places), 4, filled.image, s, dimensions, places, 1e-5, what);
                    OK(cudaDestroyTextureObject(t));
                }
            }
        }
    }
}

// Sizes that are no powers of two, and coordinates of many digits.
void odd_sizes() {
    Filled<float> const filled(1, 2, 37, 21, 0);
    Sampler s;
    s.address[0] = Address::mirror;
    s.address[1] = Address::wrap;
    s.is_linear = s.is_normalized = true;
    Random random{99};
    std::vector<float4> places;
    for (int i = 0; i < 500; ++i)
        places.push_back(make_float4(static_cast<float>(random.coordinate(-2, 3, 100003)), static_cast<float>(random.coordinate(-2, 3, 99991)), 0, 0));
    cudaTextureObject_t const t = filled.texture(described(s));
    auto const got = fetched<float>(t, 2, places);
    for (std::size_t i = 0; i < got.size(); ++i)
        CHECK(reference::is_near(got[i], reference::fetch(filled.image, s, 2, places[i].x, places[i].y)[0], 1e-5));
    OK(cudaDestroyTextureObject(t));
}

double to_linear(double v) { return v <= 0.04045 ? v / 12.92 : std::pow((v + 0.055) / 1.055, 2.4); }

void srgb() {
    Filled<unsigned char> const filled(4, 2, 16, 16, 0);
    Image linear = filled.image;
    for (Texel& texel : linear.texels) {
        for (int c = 0; c < 3; ++c) texel[c] = to_linear(texel[c] / 255);
        texel[3] /= 255;  // alpha is linear
    }
    Sampler s;
    s.is_linear = true;
    cudaTextureDesc how = described(s, true);
    how.sRGB = 1;
    cudaTextureObject_t const t = filled.texture(how);
    auto const places = places_around(linear, false, 300);
    compare<float>(fetched<float4>(t, 2, places), 4, linear, s, 2, places, 1e-4, "sRGB");
    OK(cudaDestroyTextureObject(t));
}

// The four texels that a linear filter would use, of one channel.
void gathered() {
    Filled<float> const filled(4, 2, 11, 9, 0, cudaArrayTextureGather);
    Sampler s;
    cudaTextureObject_t const t = filled.texture(described(s));
    Random random;
    std::vector<float4> places(64);
    for (float4& p : places)
        p = make_float4(static_cast<float>(random.coordinate(-1, 12, 16)) + 0.03f, static_cast<float>(random.coordinate(-1, 10, 16)) + 0.03f, 0, 0);
    float4 *at, *out;
    std::vector<float4> got(4 * places.size());
    OK(cudaMalloc(&at, places.size() * sizeof(float4)));
    OK(cudaMalloc(&out, got.size() * sizeof(float4)));
    OK(cudaMemcpy(at, places.data(), places.size() * sizeof(float4), cudaMemcpyHostToDevice));
    gather<<<2, 32>>>(t, at, out, static_cast<int>(places.size()));
    OK(cudaMemcpy(got.data(), out, got.size() * sizeof(float4), cudaMemcpyDeviceToHost));
    auto const texel = [&](double x, double y) {
        return filled.image.at(reference::resolved(static_cast<long>(x), 11, Address::clamp), reference::resolved(static_cast<long>(y), 9, Address::clamp));
    };
    for (std::size_t i = 0; i < places.size(); ++i) {
        double const x = std::floor(places[i].x - 0.5), y = std::floor(places[i].y - 0.5);
        for (int c = 0; c < 4; ++c) {
            float4 const g = got[4 * i + c];
            CHECK(g.w == texel(x, y)[c] && g.z == texel(x + 1, y)[c] && g.x == texel(x, y + 1)[c] && g.y == texel(x + 1, y + 1)[c]);
        }
    }
    OK(cudaFree(at));
    OK(cudaFree(out));
    OK(cudaDestroyTextureObject(t));
}

// Another format of elements of the same size: as unsigned integers, floats are their bits.
void views() {
    Filled<float> const filled(1, 2, 8, 8, 0);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = filled.array;
    cudaResourceViewDesc view{};
    view.format = cudaResViewFormatUnsignedInt1;
    view.width = 8;
    view.height = 8;
    auto const how = described(Sampler{});
    cudaTextureObject_t t;
    OK(cudaCreateTextureObject(&t, &resource, &how, &view));
    auto const places = all_texels(filled.image);
    auto const got = fetched<unsigned>(t, 2, places);
    for (std::size_t i = 0; i < got.size(); ++i) {
        float const want = static_cast<float>(filled.image.texels[i][0]);
        CHECK(std::memcmp(&got[i], &want, 4) == 0);
    }
    OK(cudaDestroyTextureObject(t));
}

// What is copied while an object exists is what it reads: arrays have no copies.
void changed() {
    Filled<int> filled(1, 2, 16, 4, 0);
    auto const how = described(Sampler{});
    cudaTextureObject_t const t = filled.texture(how);
    int const row[3] = {1001, 1002, 1003};
    OK(cudaMemcpy2DToArray(filled.array, 5 * 4, 2, row, 12, 12, 1, cudaMemcpyHostToDevice));
    for (int i = 0; i < 3; ++i) filled.image.at(5 + i, 2)[0] = row[i];
    auto const places = all_texels(filled.image);
    compare<int>(fetched<int>(t, 2, places), 1, filled.image, Sampler{}, 2, places, 0, "changed");
    OK(cudaDestroyTextureObject(t));
}

int main() {
    formats_of<signed char>("signed char");
    formats_of<unsigned char>("unsigned char");
    formats_of<short>("short");
    formats_of<unsigned short>("unsigned short");
    formats_of<int>("int");
    formats_of<unsigned>("unsigned");
    formats_of<float>("float");
    half_format();
    modes();
    odd_sizes();
    srgb();
    gathered();
    views();
    changed();
    return result();
}
