// What a GPU's texture units give:
//
//     textures FOLDER
//
// writes FOLDER/textures.txt, a line `digest name` for each combination of geometry, format, addressing and filter, and
// FOLDER/textures.bin, the four channels of 2,048 fetches of each as bits of f32, in the order of the lines.
#include <cuda_fp16.h>

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int fetches = 2048, width = 37, height = 21, depth = 6;

void check(cudaError_t error, char const* what) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "textures: %s: %s\n", what, cudaGetErrorString(error));
    std::exit(1);
}

std::uint64_t mixed(std::uint64_t i, std::uint64_t stream) {
    std::uint64_t x = (i + 1) * 0x9e3779b97f4a7c15u + stream * 0xd1342543de82ef95u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

enum class Shape { line, plane, volume, layers, cube, levels, gather };
char const* const shapes[] = {"1d", "2d", "3d", "layered", "cube", "mipmapped", "gather"};

struct Format {
    char const* name;
    int bits, channels;
    cudaChannelFormatKind kind;
    bool is_normalized;
};
Format const formats[] = {
    {"u8x4", 8, 4, cudaChannelFormatKindUnsigned, true},   {"f32", 32, 1, cudaChannelFormatKindFloat, false},
    {"f16x4", 16, 4, cudaChannelFormatKindFloat, false},   {"s8x4", 8, 4, cudaChannelFormatKindSigned, true},
    {"u16x2", 16, 2, cudaChannelFormatKindUnsigned, true}, {"s16x4", 16, 4, cudaChannelFormatKindSigned, true},
    {"u8", 8, 1, cudaChannelFormatKindUnsigned, true},     {"f32x4", 32, 4, cudaChannelFormatKindFloat, false}};

/// Texels: numbers of all sizes, for floats between -4 and 4 with some that are very large or small.
std::vector<unsigned char> texels(Format const& format, std::size_t count) {
    std::vector<unsigned char> bytes(count * format.channels * format.bits / 8);
    for (std::size_t i = 0; i < count * format.channels; ++i) {
        std::uint64_t const random = mixed(i, 1);
        float value = static_cast<float>(static_cast<std::int32_t>(random)) / (1u << 29);
        if ((random >> 40 & 31) == 0) value *= 4096;
        if ((random >> 40 & 31) == 1) value *= 1.0f / 16384;
        if (format.kind != cudaChannelFormatKindFloat)
            std::memcpy(&bytes[i * format.bits / 8], &random, format.bits / 8);
        else if (format.bits == 32) std::memcpy(&bytes[i * 4], &value, 4);
        else {
            __half const small = __float2half_rn(value);
            std::memcpy(&bytes[i * 2], &small, 2);
        }
    }
    return bytes;
}

struct Place {
    float x, y, z, level;
};

/// Coordinates inside and outside, at and between texels, and such as are none.
float coordinate(std::uint64_t i, std::uint64_t stream, int size, bool is_normalized) {
    std::uint64_t const random = mixed(i, stream), sort = mixed(i, stream + 50) & 15;
    double at = static_cast<double>(random >> 11) / (1ull << 53);
    if (sort < 6) at = at * size;
    else if (sort < 9) at = (at * 4 - 1.5) * size;
    else if (sort < 11) at = std::floor(at * (size + 2) - 1) + 0.5 * (random & 1);
    else if (sort < 13) at = (std::floor(at * size * 256) + 0.5 * (random & 1)) / 256;
    else if (sort < 14) at = (at - 0.5) * 1e5;
    else if (sort < 15) at = std::floor(at * 3) * size + ((random & 2) != 0 ? 1e-6 : -1e-6);
    else {
        constexpr float odd[] = {INFINITY, -INFINITY, NAN, 3e38f, -3e38f, 1e-40f, -0.0f, 8388609.f};
        return odd[random & 7];
    }
    return static_cast<float>(is_normalized ? at / size : at);
}

template <Shape shape>
__global__ void fetch(cudaTextureObject_t texture, Place const* places, float4* results, int channels) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    Place const p = places[i];
    float4 r;
    if constexpr (shape == Shape::line) r = tex1D<float4>(texture, p.x);
    if constexpr (shape == Shape::plane) r = tex2D<float4>(texture, p.x, p.y);
    if constexpr (shape == Shape::volume) r = tex3D<float4>(texture, p.x, p.y, p.z);
    if constexpr (shape == Shape::layers) r = tex2DLayered<float4>(texture, p.x, p.y, static_cast<int>(i % 8));
    if constexpr (shape == Shape::cube) r = texCubemap<float4>(texture, p.x - 0.5f, p.y - 0.5f, p.z - 0.5f);
    if constexpr (shape == Shape::levels) r = tex2DLod<float4>(texture, p.x, p.y, p.level);
    if constexpr (shape == Shape::gather) {
        switch (i % 4) {
            case 0: r = tex2Dgather<float4>(texture, p.x, p.y, 0); break;
            case 1: r = tex2Dgather<float4>(texture, p.x, p.y, 1); break;
            case 2: r = tex2Dgather<float4>(texture, p.x, p.y, 2); break;
            default: r = tex2Dgather<float4>(texture, p.x, p.y, 3); break;
        }
    }
    results[i] = r;
}

class Textures {
public:
    explicit Textures(std::string const& folder)
        : text_(std::fopen((folder + "/textures.txt").c_str(), "w")),
          data_(std::fopen((folder + "/textures.bin").c_str(), "wb")) {
        if (text_ == nullptr || data_ == nullptr) std::exit((std::perror("textures"), 1));
        check(cudaMalloc(&places_, fetches * sizeof *places_), "cudaMalloc");
        check(cudaMalloc(&results_, fetches * sizeof *results_), "cudaMalloc");
    }
    ~Textures() {
        std::fclose(text_);
        std::fclose(data_);
    }

    void all() {
        int number = 0;
        for (Format const& format : formats) {
            for (int shape = 0; shape < 7; ++shape) {
                if (number >= 3 && static_cast<Shape>(shape) != Shape::plane) continue;
                one_array(static_cast<Shape>(shape), format);
            }
            ++number;
        }
    }

private:
    void one_array(Shape shape, Format const& format) {
        int const c = format.channels;
        cudaChannelFormatDesc const channels = cudaCreateChannelDesc(
            format.bits, c > 1 ? format.bits : 0, c > 2 ? format.bits : 0, c > 3 ? format.bits : 0, format.kind);
        cudaResourceDesc resource{};
        bool const is_cube = shape == Shape::cube;
        if (shape == Shape::levels) {
            cudaMipmappedArray_t levels;
            check(cudaMallocMipmappedArray(&levels, &channels, make_cudaExtent(32, 16, 0), 5, 0),
                  "cudaMallocMipmappedArray");
            for (int level = 0; level < 5; ++level) {
                cudaArray_t array;
                check(cudaGetMipmappedArrayLevel(&array, levels, level), "cudaGetMipmappedArrayLevel");
                fill(array, format, 32 >> level, 16 >> level, 0);
            }
            resource.resType = cudaResourceTypeMipmappedArray;
            resource.res.mipmap.mipmap = levels;
            every_sampler(shape, format, resource, 32, 16, 1);
            check(cudaFreeMipmappedArray(levels), "cudaFreeMipmappedArray");
            return;
        }
        int const w = is_cube ? 16 : width, h = shape == Shape::line ? 0 : is_cube ? 16 : height;
        int const d = shape == Shape::volume || shape == Shape::layers || is_cube ? depth : 0;
        unsigned const flags = shape == Shape::layers   ? cudaArrayLayered
                               : is_cube                ? cudaArrayCubemap
                               : shape == Shape::gather ? cudaArrayTextureGather
                                                        : 0;
        cudaArray_t array;
        check(cudaMalloc3DArray(&array, &channels, make_cudaExtent(w, h, d), flags), "cudaMalloc3DArray");
        fill(array, format, w, h, d);
        resource.resType = cudaResourceTypeArray;
        resource.res.array.array = array;
        every_sampler(shape, format, resource, w, h > 0 ? h : 1, d > 0 ? d : 1);
        check(cudaFreeArray(array), "cudaFreeArray");
    }

    static void fill(cudaArray_t array, Format const& format, int w, int h, int d) {
        std::size_t const rows = h > 0 ? h : 1, planes = d > 0 ? d : 1,
                          row_bytes = static_cast<std::size_t>(w) * format.channels * format.bits / 8;
        std::vector<unsigned char> const bytes = texels(format, w * rows * planes);
        cudaMemcpy3DParms copy{};
        copy.srcPtr = make_cudaPitchedPtr(const_cast<unsigned char*>(bytes.data()), row_bytes, w, rows);
        copy.dstArray = array;
        copy.extent = make_cudaExtent(w, rows, planes);
        copy.kind = cudaMemcpyHostToDevice;
        check(cudaMemcpy3D(&copy), "cudaMemcpy3D");
    }

    void every_sampler(Shape shape, Format const& format, cudaResourceDesc const& resource, int w, int h, int d) {
        static cudaTextureAddressMode const modes[] = {cudaAddressModeWrap, cudaAddressModeClamp,
                                                       cudaAddressModeMirror, cudaAddressModeBorder};
        static char const* const mode_names[] = {"wrap", "clamp", "mirror", "border"};
        for (int normalized = 0; normalized < 2; ++normalized) {
            if (normalized == 0 && (shape == Shape::cube || shape == Shape::levels)) continue;
            for (int mode = 0; mode < 4; ++mode) {
                if (normalized == 0 && (mode == 0 || mode == 2)) continue;
                if (shape == Shape::cube && mode != 1) continue;
                for (int filter = 0; filter < (shape == Shape::levels ? 4 : 2); ++filter) {
                    cudaTextureDesc sampler{};
                    for (auto& way : sampler.addressMode) way = modes[mode];
                    sampler.filterMode = (filter & 1) != 0 ? cudaFilterModeLinear : cudaFilterModePoint;
                    sampler.mipmapFilterMode = (filter & 2) != 0 ? cudaFilterModeLinear : cudaFilterModePoint;
                    sampler.maxMipmapLevelClamp = 10;
                    sampler.readMode =
                        format.is_normalized ? cudaReadModeNormalizedFloat : cudaReadModeElementType;
                    sampler.normalizedCoords = normalized;
                    sampler.borderColor[0] = 0.25f, sampler.borderColor[1] = 0.5f, sampler.borderColor[2] = -0.75f,
                    sampler.borderColor[3] = 1;
                    sampler.seamlessCubemap = shape == Shape::cube;
                    std::string const name = std::string(shapes[static_cast<int>(shape)]) + " " + format.name +
                                             " " + mode_names[mode] + ((filter & 1) != 0 ? " linear" : " point") +
                                             ((filter & 2) != 0 ? " between levels" : "") +
                                             (normalized != 0 ? " normalized" : "");
                    one_texture(shape, name, resource, sampler, format.channels, w, h, d);
                }
            }
        }
    }

    void one_texture(Shape shape, std::string const& name, cudaResourceDesc const& resource,
                     cudaTextureDesc const& sampler, int channels, int w, int h, int d) {
        cudaTextureObject_t texture;
        check(cudaCreateTextureObject(&texture, &resource, &sampler, nullptr), name.c_str());
        std::vector<Place> places(fetches);
        bool const is_normalized = sampler.normalizedCoords != 0;
        for (int i = 0; i < fetches; ++i) {
            places[i] = {coordinate(i, 2, w, is_normalized), coordinate(i, 3, h, is_normalized),
                         coordinate(i, 4, d, is_normalized),
                         static_cast<float>(static_cast<double>(mixed(i, 5) >> 11) / (1ull << 53) * 7 - 1)};
        }
        check(cudaMemcpy(places_, places.data(), fetches * sizeof *places_, cudaMemcpyHostToDevice), "cudaMemcpy");
        static void (*const kernels[])(cudaTextureObject_t, Place const*, float4*, int) = {
            fetch<Shape::line>, fetch<Shape::plane>,  fetch<Shape::volume>, fetch<Shape::layers>,
            fetch<Shape::cube>, fetch<Shape::levels>, fetch<Shape::gather>};
        kernels[static_cast<int>(shape)]<<<fetches / 128, 128>>>(texture, places_, results_, channels);
        std::vector<float4> results(fetches);
        check(cudaMemcpy(results.data(), results_, fetches * sizeof *results_, cudaMemcpyDeviceToHost),
              name.c_str());
        check(cudaDestroyTextureObject(texture), "cudaDestroyTextureObject");
        std::uint64_t digest = 0;
        for (int i = 0; i < fetches; ++i) {
            std::uint64_t halves[2];
            std::memcpy(halves, &results[i], sizeof halves);
            digest += mixed(halves[0], 2 * i) ^ mixed(halves[1], 2 * i + 1);
        }
        std::fprintf(text_, "%016llx %s\n", static_cast<unsigned long long>(digest), name.c_str());
        std::fwrite(results.data(), sizeof results[0], fetches, data_);
    }

    std::FILE *text_, *data_;
    Place* places_ = nullptr;
    float4* results_ = nullptr;
};

}  // namespace

int main(int count, char** arguments) {
    if (count != 2) return std::fprintf(stderr, "usage: textures FOLDER\n"), 1;
    Textures(arguments[1]).all();
    return 0;
}
