// Arrays, and the objects through which kernels look at them. A kernel that does so is refused when it is launched.
#include "runtime/cuda/arrays.hpp"
#include "runtime/cuda/runtime_api/call.hpp"

#include <cstring>

using namespace warpsim::cuda;

extern "C" {

struct cudaChannelFormatDesc {
    int x, y, z, w;
    int f;
};

struct cudaResourceDesc {
    int resType;                 // array, mipmapped array, linear, pitch 2D
    union {
        void* array;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            std::size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            std::size_t width, height, pitchInBytes;
        } pitch2D;
        int reserved[32];
    } res;
    unsigned flags;
};

struct cudaTextureDesc {
    int addressMode[3];
    int filterMode;
    int readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    int mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization;
    int seamlessCubemap;
};

struct cudaResourceViewDesc {
    int format;
    std::size_t width, height, depth;
    unsigned firstMipmapLevel, lastMipmapLevel, firstLayer, lastLayer;
    unsigned reserved[16];
};

}  // extern "C"

static_assert(sizeof(cudaChannelFormatDesc) == 20);
static_assert(sizeof(cudaResourceDesc) == 144);
static_assert(sizeof(cudaTextureDesc) == 72);
static_assert(sizeof(cudaResourceViewDesc) == 112);

namespace {

using ArrayHandle = void*;
using ObjectHandle = unsigned long long;
enum ResourceType : int { array_resource, mipmapped_resource, linear_resource, pitch_resource };

ChannelFormat format_of(cudaChannelFormatDesc const& d) { return {{d.x, d.y, d.z, d.w}, static_cast<ChannelKind>(d.f)}; }
cudaChannelFormatDesc description_of(ChannelFormat const& f) {
    return {f.bits[0], f.bits[1], f.bits[2], f.bits[3], static_cast<int>(f.kind)};
}

cudaError_t make_array(ArrayHandle* out, cudaChannelFormatDesc const* description, cudaExtent extent, unsigned flags) {
    return call([&] {
        if (out == nullptr || description == nullptr) throw Failure(Result::invalid_value);
        Process& process = Process::get();
        process.current().check();
        ArrayShape const shape{format_of(*description), extent.width, extent.height, extent.depth, flags};
        *out = Arrays::get().arrays.add(std::make_shared<Array>(process, Thread::current().device, shape));
    });
}

/// One side of a copy: an array from a place in it on, `x` in bytes.
Box side(ArrayHandle array, std::size_t x, std::size_t y, Extent const& extent) {
    return Arrays::get().arrays.get(array)->box(x, y, 0, extent);
}

Direction to_array(int kind) {
    if (kind != static_cast<int>(Direction::host_to_device) && kind != static_cast<int>(Direction::device_to_device) &&
        kind != static_cast<int>(Direction::by_address)) {
        throw Failure(Result::invalid_copy_direction);
    }
    return static_cast<Direction>(kind);
}
Direction from_array(int kind) {
    if (kind != static_cast<int>(Direction::device_to_host) && kind != static_cast<int>(Direction::device_to_device) &&
        kind != static_cast<int>(Direction::by_address)) {
        throw Failure(Result::invalid_copy_direction);
    }
    return static_cast<Direction>(kind);
}

cudaError_t copy_to(ArrayHandle to, std::size_t x, std::size_t y, void const* from, std::size_t pitch, std::size_t width, std::size_t height,
                    int kind, cudaStream_t s, bool own, bool async) {
    return call([&] {
        auto const stream = Process::get().stream(s, own);
        Extent const extent{width, height, 1};
        if (height > 1 && pitch < width) throw Failure(Result::invalid_pitch);
        copy(side(to, x, y, extent), {address(from), pitch, pitch * height}, extent, to_array(kind), *stream, async);
    });
}
cudaError_t copy_from(void* to, std::size_t pitch, ArrayHandle from, std::size_t x, std::size_t y, std::size_t width, std::size_t height,
                      int kind, cudaStream_t s, bool own, bool async) {
    return call([&] {
        auto const stream = Process::get().stream(s, own);
        Extent const extent{width, height, 1};
        if (height > 1 && pitch < width) throw Failure(Result::invalid_pitch);
        copy({address(to), pitch, pitch * height}, side(from, x, y, extent), extent, from_array(kind), *stream, async);
    });
}
cudaError_t copy_between(ArrayHandle to, std::size_t to_x, std::size_t to_y, ArrayHandle from, std::size_t from_x, std::size_t from_y,
                         std::size_t width, std::size_t height, bool own) {
    return call([&] {
        auto const stream = Process::get().stream(nullptr, own);
        Extent const extent{width, height, 1};
        copy(side(to, to_x, to_y, extent), side(from, from_x, from_y, extent), extent, Direction::device_to_device, *stream, false);
    });
}

template <class T>
std::vector<std::byte> bytes_of(T const* structure) {
    if (structure == nullptr) return {};
    auto const* const first = reinterpret_cast<std::byte const*>(structure);
    return {first, first + sizeof(T)};
}

/// What keeps the object's memory, and its format; throws Failure for what is no resource.
std::pair<std::shared_ptr<void>, ChannelFormat> resource_of(cudaResourceDesc const& r) {
    if (r.flags != 0) throw Failure(Result::invalid_value);
    switch (r.resType) {
    case array_resource: {
        auto const array = Arrays::get().arrays.get(r.res.array);
        return {array, array->shape.format};
    }
    case mipmapped_resource: {
        auto const array = Arrays::get().mipmapped.get(r.res.array);
        return {array, array->levels.front()->shape.format};
    }
    case linear_resource:
    case pitch_resource: {
        bool const is_linear = r.resType == linear_resource;
        ChannelFormat const format = format_of(is_linear ? r.res.linear.desc : r.res.pitch2D.desc);
        if (!format.is_valid()) throw Failure(Result::invalid_channel_descriptor);
        auto const& p = r.res.pitch2D;
        std::uint64_t const at = address(is_linear ? r.res.linear.devPtr : p.devPtr);
        std::uint64_t const bytes = is_linear ? r.res.linear.sizeInBytes : p.height == 0 ? 0 : (p.height - 1) * p.pitchInBytes + p.width * format.bytes();
        bool const is_sound = bytes != 0 && at % 512 == 0 && (is_linear || (p.pitchInBytes % 32 == 0 && p.pitchInBytes >= p.width * format.bytes()));
        if (!is_sound || !Process::get().memory.find(at)) throw Failure(Result::invalid_value);
        Process::get().memory.check(at, bytes);
        return {nullptr, format};
    }
    default: throw Failure(Result::invalid_value);
    }
}

/// Whether the combination is one that the manual allows.
void check_texture(cudaTextureDesc const& t, int resource, ChannelFormat const& format) {
    bool const is_linear_filter = t.filterMode == 1, reads_float = t.readMode == 1;
    bool const is_integer = format.kind != ChannelKind::floating;
    for (int const mode : t.addressMode) {
        if (mode < 0 || mode > 3) throw Failure(Result::invalid_value);
    }
    if (t.filterMode < 0 || t.filterMode > 1 || t.readMode < 0 || t.readMode > 1 || t.mipmapFilterMode < 0 || t.mipmapFilterMode > 1) {
        throw Failure(Result::invalid_value);
    }
    if (is_integer && reads_float && format.bits[0] == 32) throw Failure(Result::invalid_value);
    if (is_linear_filter && is_integer && !reads_float) throw Failure(Result::invalid_value);
    if (resource == linear_resource && (is_linear_filter || t.normalizedCoords != 0)) throw Failure(Result::invalid_value);
    // Only normalised coordinates wrap or are mirrored.
    if (t.normalizedCoords == 0 && (t.addressMode[0] == 0 || t.addressMode[0] == 2) && resource == mipmapped_resource) {
        throw Failure(Result::invalid_value);
    }
}

View const& view(Handles<View> const& handles, ObjectHandle object, std::shared_ptr<View>& keep) {
    keep = handles.get(reinterpret_cast<void*>(object), Result::invalid_value);
    return *keep;
}

template <class T>
cudaError_t give_part(T* out, Handles<View> const& handles, ObjectHandle object, std::vector<std::byte> View::*part) {
    return call([&] {
        std::shared_ptr<View> keep;
        std::vector<std::byte> const& bytes = view(handles, object, keep).*part;
        if (out == nullptr || bytes.empty()) throw Failure(Result::invalid_value);
        std::memcpy(out, bytes.data(), bytes.size());
    });
}

}  // namespace

WARPSIM_API cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, int f) { return {x, y, z, w, f}; }

WARPSIM_API cudaError_t cudaMallocArray(ArrayHandle* out, cudaChannelFormatDesc const* d, std::size_t width, std::size_t height, unsigned flags) {
    return make_array(out, d, {width, height, 0}, flags);
}
WARPSIM_API cudaError_t cudaMalloc3DArray(ArrayHandle* out, cudaChannelFormatDesc const* d, cudaExtent extent, unsigned flags) {
    return make_array(out, d, extent, flags);
}
WARPSIM_API cudaError_t cudaFreeArray(ArrayHandle array) {
    return call([&] {
        if (array == nullptr) return;
        auto const kept = Arrays::get().arrays.remove(array);
        Process::get().gpu(kept->device).queue.wait_all();      // copies that are under way
    });
}
WARPSIM_API cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* d, cudaExtent* extent, unsigned* flags, ArrayHandle array) {
    return call([&] {
        ArrayShape const& s = Arrays::get().arrays.get(array)->shape;
        if (d != nullptr) *d = description_of(s.format);
        if (extent != nullptr) *extent = {s.width, s.height, s.depth};
        if (flags != nullptr) *flags = s.flags;
    });
}
WARPSIM_API cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* d, ArrayHandle array) {
    return call([&] { give(d, description_of(Arrays::get().arrays.get(array)->shape.format)); });
}

WARPSIM_API cudaError_t cudaMallocMipmappedArray(void** out, cudaChannelFormatDesc const* d, cudaExtent e, unsigned levels, unsigned flags) {
    return call([&] {
        if (out == nullptr || d == nullptr) throw Failure(Result::invalid_value);
        Process& process = Process::get();
        process.current().check();
        ArrayShape const shape{format_of(*d), e.width, e.height, e.depth, flags};
        *out = Arrays::get().mipmapped.add(std::make_shared<MipmappedArray>(process, Thread::current().device, shape, levels));
    });
}
WARPSIM_API cudaError_t cudaGetMipmappedArrayLevel(ArrayHandle* out, void* mipmapped, unsigned level) {
    return call([&] {
        auto const array = Arrays::get().mipmapped.get(mipmapped);
        if (out == nullptr || level >= array->levels.size()) throw Failure(Result::invalid_value);
        void*& handle = array->handles[level];
        if (handle == nullptr) handle = Arrays::get().arrays.add(array->levels[level]);
        *out = handle;
    });
}
WARPSIM_API cudaError_t cudaFreeMipmappedArray(void* mipmapped) {
    return call([&] {
        if (mipmapped == nullptr) return;
        auto const array = Arrays::get().mipmapped.remove(mipmapped);
        for (void* const handle : array->handles) {
            if (handle != nullptr) Arrays::get().arrays.remove(handle);
        }
        Process::get().gpu(array->levels.front()->device).queue.wait_all();
    });
}

#define WARPSIM_ARRAY_COPIES(suffix, own)                                                                                          \
    WARPSIM_API cudaError_t cudaMemcpy2DToArray##suffix(ArrayHandle to, std::size_t x, std::size_t y, void const* from,             \
                                                        std::size_t pitch, std::size_t w, std::size_t h, int kind) {                \
        return copy_to(to, x, y, from, pitch, w, h, kind, nullptr, own, false);                                                     \
    }                                                                                                                               \
    WARPSIM_API cudaError_t cudaMemcpy2DFromArray##suffix(void* to, std::size_t pitch, ArrayHandle from, std::size_t x,             \
                                                          std::size_t y, std::size_t w, std::size_t h, int kind) {                  \
        return copy_from(to, pitch, from, x, y, w, h, kind, nullptr, own, false);                                                   \
    }                                                                                                                               \
    WARPSIM_API cudaError_t cudaMemcpy2DArrayToArray##suffix(ArrayHandle to, std::size_t tx, std::size_t ty, ArrayHandle from,      \
                                                             std::size_t fx, std::size_t fy, std::size_t w, std::size_t h, int) {   \
        return copy_between(to, tx, ty, from, fx, fy, w, h, own);                                                                   \
    }
WARPSIM_ARRAY_COPIES(, false)
WARPSIM_ARRAY_COPIES(_ptds, true)
#undef WARPSIM_ARRAY_COPIES

#define WARPSIM_ARRAY_COPIES(suffix, own)                                                                                           \
    WARPSIM_API cudaError_t cudaMemcpy2DToArrayAsync##suffix(ArrayHandle to, std::size_t x, std::size_t y, void const* from,         \
                                                             std::size_t pitch, std::size_t w, std::size_t h, int kind,              \
                                                             cudaStream_t s) {                                                       \
        return copy_to(to, x, y, from, pitch, w, h, kind, s, own, true);                                                             \
    }                                                                                                                                \
    WARPSIM_API cudaError_t cudaMemcpy2DFromArrayAsync##suffix(void* to, std::size_t pitch, ArrayHandle from, std::size_t x,         \
                                                               std::size_t y, std::size_t w, std::size_t h, int kind,                \
                                                               cudaStream_t s) {                                                     \
        return copy_from(to, pitch, from, x, y, w, h, kind, s, own, true);                                                           \
    }
WARPSIM_ARRAY_COPIES(, false)
WARPSIM_ARRAY_COPIES(_ptsz, true)
#undef WARPSIM_ARRAY_COPIES

WARPSIM_API cudaError_t cudaCreateTextureObject(ObjectHandle* out, cudaResourceDesc const* r, cudaTextureDesc const* t,
                                                cudaResourceViewDesc const* v) {
    return call([&] {
        if (out == nullptr || r == nullptr || t == nullptr) throw Failure(Result::invalid_value);
        auto const [keeps, format] = resource_of(*r);
        check_texture(*t, r->resType, format);
        if (v != nullptr && r->resType > mipmapped_resource) throw Failure(Result::invalid_value);
        View view{bytes_of(r), bytes_of(t), bytes_of(v), keeps};
        *out = reinterpret_cast<ObjectHandle>(Arrays::get().textures.add(std::make_shared<View>(std::move(view))));
    });
}
WARPSIM_API cudaError_t cudaDestroyTextureObject(ObjectHandle object) {
    return call([&] {
        if (object != 0) Arrays::get().textures.remove(reinterpret_cast<void*>(object));
    });
}
WARPSIM_API cudaError_t cudaGetTextureObjectResourceDesc(cudaResourceDesc* out, ObjectHandle object) {
    return give_part(out, Arrays::get().textures, object, &View::resource);
}
WARPSIM_API cudaError_t cudaGetTextureObjectTextureDesc(cudaTextureDesc* out, ObjectHandle object) {
    return give_part(out, Arrays::get().textures, object, &View::texture);
}
WARPSIM_API cudaError_t cudaGetTextureObjectResourceViewDesc(cudaResourceViewDesc* out, ObjectHandle object) {
    return give_part(out, Arrays::get().textures, object, &View::resource_view);
}

WARPSIM_API cudaError_t cudaCreateSurfaceObject(ObjectHandle* out, cudaResourceDesc const* r) {
    return call([&] {
        if (out == nullptr || r == nullptr || r->resType != array_resource) throw Failure(Result::invalid_value);
        auto const array = Arrays::get().arrays.get(r->res.array);
        if ((array->shape.flags & 2) == 0) throw Failure(Result::invalid_value);      // cudaArraySurfaceLoadStore
        View view{bytes_of(r), {}, {}, array};
        *out = reinterpret_cast<ObjectHandle>(Arrays::get().surfaces.add(std::make_shared<View>(std::move(view))));
    });
}
WARPSIM_API cudaError_t cudaDestroySurfaceObject(ObjectHandle object) {
    return call([&] {
        if (object != 0) Arrays::get().surfaces.remove(reinterpret_cast<void*>(object));
    });
}
WARPSIM_API cudaError_t cudaGetSurfaceObjectResourceDesc(cudaResourceDesc* out, ObjectHandle object) {
    return give_part(out, Arrays::get().surfaces, object, &View::resource);
}
