// Filters of images as imaging programs do them: a box by a running sum, a bilateral one, and a convolution in two passes,
// each over textures, with surfaces between passes; and an image turned by some degrees.
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

constexpr int w = 96, h = 64, radius = 4;
__constant__ float weights[2 * radius + 1];

// Each thread sums along a row with a window that moves; bytes are read as fractions.
__global__ void box_rows(cudaTextureObject_t t, float4* out) {
    int const y = blockIdx.x * blockDim.x + threadIdx.x;
    if (y >= h) return;
    float4 sum = make_float4(0, 0, 0, 0);
    auto const add = [&](int x, float sign) {
        float4 const c = tex2D<float4>(t, static_cast<float>(x), static_cast<float>(y));
        sum.x += sign * c.x, sum.y += sign * c.y, sum.z += sign * c.z, sum.w += sign * c.w;
    };
    for (int x = -radius; x <= radius; ++x) add(x, 1);
    float const scale = 1.0f / (2 * radius + 1);
    for (int x = 0; x < w; ++x) {
        out[y * w + x] = make_float4(sum.x * scale, sum.y * scale, sum.z * scale, sum.w * scale);
        add(x + radius + 1, 1);
        add(x - radius, -1);
    }
}

__global__ void bilateral(cudaTextureObject_t t, float* out, float sigma) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float const centre = tex2D<float>(t, static_cast<float>(x), static_cast<float>(y));
    float sum = 0, all = 0;
    for (int j = -radius; j <= radius; ++j) {
        for (int i = -radius; i <= radius; ++i) {
            float const c = tex2D<float>(t, static_cast<float>(x + i), static_cast<float>(y + j));
            float const weight = weights[i + radius] * weights[j + radius] * expf(-(c - centre) * (c - centre) / (2 * sigma * sigma));
            sum += weight * c;
            all += weight;
        }
    }
    out[y * w + x] = sum / all;
}

__global__ void convolve_rows(cudaTextureObject_t t, cudaSurfaceObject_t out) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += weights[k + radius] * tex2D<float>(t, static_cast<float>(x + k) + 0.5f, static_cast<float>(y) + 0.5f);
    surf2Dwrite(sum, out, x * 4, y);
}
__global__ void convolve_columns(cudaTextureObject_t t, float* out) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= w || y >= h) return;
    float sum = 0;
    for (int k = -radius; k <= radius; ++k) sum += weights[k + radius] * tex2D<float>(t, static_cast<float>(x) + 0.5f, static_cast<float>(y + k) + 0.5f);
    out[y * w + x] = sum;
}

__global__ void turn(cudaTextureObject_t t, float* out, float theta) {
    int const x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    float const u = static_cast<float>(x) - w / 2, v = static_cast<float>(y) - h / 2;
    float const s = u * cosf(theta) - v * sinf(theta), r = v * cosf(theta) + u * sinf(theta);
    out[y * w + x] = tex2D<float>(t, s / w + 0.5f, r / h + 0.5f);
}

struct Picture {
    cudaArray_t array = nullptr;
    Image image{w, h};

    template <class T> Picture(std::vector<T> const& values, unsigned flags = 0) {
        auto const format = cudaCreateChannelDesc<T>();
        OK(cudaMallocArray(&array, &format, w, h, flags));
        if (!values.empty()) OK(cudaMemcpy2DToArray(array, 0, 0, values.data(), w * sizeof(T), w * sizeof(T), h, cudaMemcpyHostToDevice));
    }
    ~Picture() { OK(cudaFreeArray(array)); }

    cudaTextureObject_t texture(cudaTextureAddressMode mode, bool is_linear, bool is_normalized, bool promotes) const {
        cudaResourceDesc resource{};
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        cudaTextureDesc d{};
        d.addressMode[0] = d.addressMode[1] = mode;
        d.filterMode = is_linear ? cudaFilterModeLinear : cudaFilterModePoint;
        d.readMode = promotes ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
        d.normalizedCoords = is_normalized;
        cudaTextureObject_t t = 0;
        OK(cudaCreateTextureObject(&t, &resource, &d, nullptr));
        return t;
    }
};

double clamped(Image const& image, int x, int y, int channel = 0) {
    return image.at(reference::resolved(x, w, Address::clamp), reference::resolved(y, h, Address::clamp))[channel];
}

dim3 const grid(w / 16, h / 8), block(16, 8);

void box() {
    std::vector<uchar4> values(w * h);
    Random random;
    for (uchar4& v : values) v = make_uchar4(random.next() & 255, random.next() & 255, random.next() & 255, random.next() & 255);
    Picture picture(values);
    for (std::size_t i = 0; i < values.size(); ++i) {
        uchar4 const v = values[i];
        picture.image.texels[i] = {v.x / 255.0, v.y / 255.0, v.z / 255.0, v.w / 255.0};
    }
    cudaTextureObject_t const t = picture.texture(cudaAddressModeClamp, false, false, true);
    float4* out;
    OK(cudaMallocManaged(&out, w * h * sizeof *out));
    box_rows<<<2, 32>>>(t, out);
    OK(cudaDeviceSynchronize());
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            double sum[4] = {};
            for (int i = -radius; i <= radius; ++i) {
                for (int c = 0; c < 4; ++c) sum[c] += clamped(picture.image, x + i, y, c) / (2 * radius + 1);
            }
            float4 const got = out[y * w + x];
            CHECK(reference::is_near(got.x, sum[0], 1e-5) && reference::is_near(got.y, sum[1], 1e-5) &&
                  reference::is_near(got.z, sum[2], 1e-5) && reference::is_near(got.w, sum[3], 1e-5));
        }
    }
    OK(cudaFree(out));
    OK(cudaDestroyTextureObject(t));
}

void others() {
    std::vector<float> values(w * h), filter(2 * radius + 1);
    Random random;
    for (float& v : values) v = static_cast<float>(random.next() % 1024) / 1024;
    for (int k = -radius; k <= radius; ++k) filter[static_cast<std::size_t>(k + radius)] = std::exp(-0.1f * static_cast<float>(k * k));
    OK(cudaMemcpyToSymbol(weights, filter.data(), filter.size() * 4));
    Picture picture(values);
    Picture const middle(std::vector<float>{}, cudaArraySurfaceLoadStore);
    for (std::size_t i = 0; i < values.size(); ++i) picture.image.texels[i][0] = static_cast<double>(values[i]);
    cudaTextureObject_t const t = picture.texture(cudaAddressModeClamp, false, false, false);
    cudaTextureObject_t const rows = middle.texture(cudaAddressModeClamp, false, false, false);
    cudaTextureObject_t const turned = picture.texture(cudaAddressModeWrap, true, true, false);
    cudaResourceDesc resource{};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = middle.array;
    cudaSurfaceObject_t s = 0;
    OK(cudaCreateSurfaceObject(&s, &resource));
    float *smooth, *convolved, *rotated;
    OK(cudaMallocManaged(&smooth, w * h * 4));
    OK(cudaMallocManaged(&convolved, w * h * 4));
    OK(cudaMallocManaged(&rotated, w * h * 4));
    float const sigma = 0.2f, theta = 0.5f;
    bilateral<<<grid, block>>>(t, smooth, sigma);
    convolve_rows<<<grid, block>>>(t, s);
    convolve_columns<<<grid, block>>>(rows, convolved);
    turn<<<grid, block>>>(turned, rotated, theta);
    OK(cudaDeviceSynchronize());
    Sampler how;
    how.address[0] = how.address[1] = Address::wrap;
    how.is_linear = how.is_normalized = true;
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            double sum = 0, all = 0, product = 0;
            double const centre = clamped(picture.image, x, y);
            for (int j = -radius; j <= radius; ++j) {
                for (int i = -radius; i <= radius; ++i) {
                    double const c = clamped(picture.image, x + i, y + j);
                    double const weight = static_cast<double>(filter[static_cast<std::size_t>(i + radius)]) * filter[static_cast<std::size_t>(j + radius)];
                    double const of_value = weight * std::exp(-(c - centre) * (c - centre) / (2.0 * sigma * sigma));
                    product += weight * c;
                    sum += of_value * c;
                    all += of_value;
                }
            }
            CHECK(reference::is_near(smooth[y * w + x], sum / all, 1e-5));
            CHECK(reference::is_near(convolved[y * w + x], product, 1e-5));
            double const u = x - w / 2, v = y - h / 2, sine = std::sin(static_cast<double>(theta)), cosine = std::cos(static_cast<double>(theta));
            Texel const want = reference::fetch(picture.image, how, 2, (u * cosine - v * sine) / w + 0.5, (v * cosine + u * sine) / h + 0.5);
            // Rounded coordinates may lead to the next weights of 1/256.
            CHECK(std::abs(rotated[y * w + x] - want[0]) <= 2.1 / 256);
        }
    }
    OK(cudaFree(smooth));
    OK(cudaFree(convolved));
    OK(cudaFree(rotated));
    OK(cudaDestroySurfaceObject(s));
    for (cudaTextureObject_t const one : {t, rows, turned}) OK(cudaDestroyTextureObject(one));
}

int main() {
    box();
    others();
    return result();
}
