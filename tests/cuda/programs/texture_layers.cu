// Layered textures of one and two dimensions, cubemaps and layered cubemaps: each layer and face by itself, and the
// directions that choose a face.
// exec:
// exec: --mode timing
#include "check.hpp"
#include "texture_reference.hpp"

using reference::Address;
using reference::Image;
using reference::Random;
using reference::Sampler;
using reference::Texel;

__global__ void fetch_1d(cudaTextureObject_t t, float4 const* at, int const* layer, float2* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex1DLayered<float2>(t, at[i].x, layer[i]);
}
__global__ void fetch_2d(cudaTextureObject_t t, float4 const* at, int const* layer, float2* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = tex2DLayered<float2>(t, at[i].x, at[i].y, layer[i]);
}
__global__ void fetch_cube(cudaTextureObject_t t, float4 const* at, int const*, float2* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = texCubemap<float2>(t, at[i].x, at[i].y, at[i].z);
}
__global__ void fetch_cube_layer(cudaTextureObject_t t, float4 const* at, int const* layer, float2* out, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = texCubemapLayered<float2>(t, at[i].x, at[i].y, at[i].z, layer[i]);
}

/// Images of one size, one after the other.
struct Layers {
    cudaArray_t array = nullptr;
    std::vector<Image> images;

    Layers(int w, int h, int count, unsigned flags) {
        Random random{5};
        std::vector<float2> values;
        for (int i = 0; i < count; ++i) {
            images.emplace_back(w, h == 0 ? 1 : h);
            for (Texel& texel : images.back().texels) {
                texel[0] = static_cast<double>(random.next() % 4096) / 16;
                texel[1] = i;
                values.push_back(make_float2(static_cast<float>(texel[0]), static_cast<float>(texel[1])));
            }
        }
        auto const format = cudaCreateChannelDesc<float2>();
        OK(cudaMalloc3DArray(&array, &format, make_cudaExtent(w, h, count), flags));
        cudaMemcpy3DParms p{};
        p.srcPtr = make_cudaPitchedPtr(values.data(), w * sizeof(float2), w, h == 0 ? 1 : h);
        p.dstArray = array;
        p.extent = make_cudaExtent(w, h == 0 ? 1 : h, count);
        p.kind = cudaMemcpyHostToDevice;
        OK(cudaMemcpy3D(&p));
    }
    ~Layers() { OK(cudaFreeArray(array)); }

    cudaTextureObject_t texture(Sampler const& s, bool is_seamless = false) const {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc d{};
        for (int i = 0; i < 3; ++i) d.addressMode[i] = static_cast<cudaTextureAddressMode>(s.address[i]);
        d.filterMode = s.is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
        d.normalizedCoords = s.is_normalized;
        d.seamlessCubemap = is_seamless;
        cudaTextureObject_t t = 0;
        OK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
        return t;
    }
};

template <class Kernel>
std::vector<float2> fetched(Kernel kernel, cudaTextureObject_t t, std::vector<float4> const& places, std::vector<int> const& layers) {
    int const n = static_cast<int>(places.size());
    float4* at;
    int* layer;
    float2* out;
    std::vector<float2> values(n);
    OK(cudaMalloc(&at, n * sizeof(float4)));
    OK(cudaMalloc(&layer, n * sizeof(int)));
    OK(cudaMalloc(&out, n * sizeof(float2)));
    OK(cudaMemcpy(at, places.data(), n * sizeof(float4), cudaMemcpyHostToDevice));
    OK(cudaMemcpy(layer, layers.data(), n * sizeof(int), cudaMemcpyHostToDevice));
    kernel<<<(n + 63) / 64, 64>>>(t, at, layer, out, n);
    OK(cudaGetLastError());
    OK(cudaMemcpy(values.data(), out, n * sizeof(float2), cudaMemcpyDeviceToHost));
    OK(cudaFree(at));
    OK(cudaFree(layer));
    OK(cudaFree(out));
    return values;
}

void layered(int dimensions) {
    int const count = 6;
    Layers const layers(19, dimensions == 2 ? 10 : 0, count, cudaArrayLayered);
    for (bool const is_linear : {false, true}) {
        for (Address const mode : {Address::clamp, Address::border}) {
            Sampler s;
            s.is_linear = is_linear;
            s.address[0] = s.address[1] = mode;
            Random random;
            std::vector<float4> places;
            std::vector<int> chosen;
            for (int i = 0; i < 400; ++i) {
                places.push_back(make_float4(static_cast<float>(random.coordinate(-5, 25, 256)), static_cast<float>(random.coordinate(-5, 15, 256)), 0, 0));
                chosen.push_back(i % (count + 2));  // one past the last is the last
            }
            cudaTextureObject_t const t = layers.texture(s);
            auto const got = fetched(dimensions == 1 ? fetch_1d : fetch_2d, t, places, chosen);
            for (std::size_t i = 0; i < got.size(); ++i) {
                Image const& image = layers.images[static_cast<std::size_t>(std::min(chosen[i], count - 1))];
                Texel const want = reference::fetch(image, s, dimensions, places[i].x, places[i].y);
                CHECK(reference::is_near(got[i].x, want[0], 1e-5) && reference::is_near(got[i].y, want[1], 1e-5));
            }
            OK(cudaDestroyTextureObject(t));
        }
    }
}

/// The face that a direction meets, and where: "Cubemap Textures" of the programming guide.
struct Meeting {
    int face;
    double s, t;  // in [0, 1]
};
Meeting meeting(double x, double y, double z) {
    double const ax = std::abs(x), ay = std::abs(y), az = std::abs(z);
    int face;
    double m, s, t;
    if (ax > ay && ax > az) {
        face = x >= 0 ? 0 : 1, m = ax, s = x >= 0 ? -z : z, t = -y;
    } else if (ay > ax && ay > az) {
        face = y >= 0 ? 2 : 3, m = ay, s = x, t = y >= 0 ? z : -z;
    } else {
        face = z >= 0 ? 4 : 5, m = az, s = z >= 0 ? x : -x, t = -y;
    }
    return {face, (s / m + 1) / 2, (t / m + 1) / 2};
}

/// Directions whose place on the face is a multiple of 1/steps of it, in all lengths.
std::vector<float4> directions(int count, int steps, double inner) {
    Random random{3};
    std::vector<float4> places;
    while (static_cast<int>(places.size()) < count) {
        double const u = random.coordinate(-inner, inner, steps / 2), v = random.coordinate(-inner, inner, steps / 2);
        double const length = 1 << random.next() % 4;
        double const other[3][2] = {{u, v}, {v, u}, {-u, -v}};
        auto const& o = other[random.next() % 3];
        double const main = random.next() % 2 ? length : -length;
        double const a = o[0] * length, b = o[1] * length;
        double const ways[3][3] = {{main, a, b}, {a, main, b}, {a, b, main}};
        auto const& w = ways[random.next() % 3];
        places.push_back(make_float4(static_cast<float>(w[0]), static_cast<float>(w[1]), static_cast<float>(w[2]), 0));
    }
    return places;
}

void cubes(int layers) {
    int const size = 16;
    Layers const cube(size, size, 6 * layers, cudaArrayCubemap | (layers > 1 ? cudaArrayLayered : 0));
    for (bool const is_linear : {false, true}) {
        Sampler s;
        s.is_linear = is_linear;
        s.is_normalized = true;
        // The inner part of each face, where no filter looks across an edge.
        auto places = directions(600, size * 256, 1 - 1.5 / size);
        std::vector<int> chosen;
        for (std::size_t i = 0; i < places.size(); ++i) chosen.push_back(static_cast<int>(i) % layers);
        for (float4& p : places) {
            if (is_linear) continue;
            // Not on an edge between texels, where rounding decides.
            p.x *= 1.0009f;
            p.y *= 1.0004f;
        }
        for (bool const is_seamless : {false, true}) {
            cudaTextureObject_t const t = cube.texture(s, is_seamless);
            auto const got = fetched(layers > 1 ? fetch_cube_layer : fetch_cube, t, places, chosen);
            for (std::size_t i = 0; i < got.size(); ++i) {
                Meeting const at = meeting(places[i].x, places[i].y, places[i].z);
                Image const& image = cube.images[static_cast<std::size_t>(6 * chosen[i] + at.face)];
                Texel const want = reference::fetch(image, s, 2, at.s, at.t);
                CHECK(reference::is_near(got[i].y, want[1], 1e-6));
                CHECK(reference::is_near(got[i].x, want[0], is_linear ? 2e-5 : 0));
            }
            OK(cudaDestroyTextureObject(t));
        }
    }
}

// Seamless: at an edge the nearest texels of both faces count equally.
void edges() {
    Layers const cube(8, 8, 6, cudaArrayCubemap);
    Sampler s;
    s.is_linear = s.is_normalized = true;
    cudaTextureObject_t const t = cube.texture(s, true);
    // Between face 0 (+x) and face 4 (+z): x = z, at the centre of a row.
    std::vector<float4> places;
    for (int row = 0; row < 8; ++row) places.push_back(make_float4(1, 1 - (static_cast<float>(row) + 0.5f) / 4, 1, 0));
    auto const got = fetched(fetch_cube, t, places, std::vector<int>(8));
    for (int row = 0; row < 8; ++row) {
        double const want = (cube.images[0].at(0, row)[0] + cube.images[4].at(7, row)[0]) / 2;
        CHECK(reference::is_near(got[static_cast<std::size_t>(row)].x, want, 1e-5) && got[static_cast<std::size_t>(row)].y == 2);
    }
    OK(cudaDestroyTextureObject(t));
}

// A view of some layers of an array; layers are counted from its first.
__global__ void fetch_layer(cudaTextureObject_t t, int layer, float2* out) { *out = tex2DLayered<float2>(t, 0.5f, 0.5f, layer); }
void part() {
    Layers const layers(4, 4, 8, cudaArrayLayered);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = layers.array;
    cudaResourceViewDesc view{};
    view.format = cudaResViewFormatFloat2;
    view.width = view.height = 4;
    view.depth = 3;
    view.firstLayer = 2;
    view.lastLayer = 4;
    cudaTextureDesc d{};
    d.addressMode[0] = d.addressMode[1] = cudaAddressModeClamp;
    cudaTextureObject_t t = 0;
    OK(cudaCreateTextureObject(&t, &resource, &d, &view));
    float2* out;
    OK(cudaMallocManaged(&out, sizeof *out));
    for (int layer = 0; layer < 4; ++layer) {
        fetch_layer<<<1, 1>>>(t, layer, out);
        OK(cudaDeviceSynchronize());
        CHECK(out->y == static_cast<float>(std::min(layer + 2, 4)));
    }
    OK(cudaFree(out));
    OK(cudaDestroyTextureObject(t));
}

int main() {
    layered(1);
    layered(2);
    cubes(1);
    cubes(3);
    edges();
    part();
    return result();
}
