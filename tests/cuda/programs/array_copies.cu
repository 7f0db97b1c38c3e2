// Boxes copied at random among arrays of all kinds, pitched memory and the host, in streams, between devices and by graphs;
// the host does the same to memory of its own and compares.
// exec: --devices 2
// exec: --devices 2 --mode timing
#include "check.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

static unsigned state = 5;
static std::size_t below(std::size_t limit) {
    state = state * 1664525u + 1013904223u;
    return (state >> 8) % limit;
}

/// Elements of four bytes in three dimensions, and where they really are.
struct Place {
    std::size_t w, h, d;
    std::vector<int> want;
    cudaArray_t array = nullptr;
    cudaPitchedPtr memory{};
    int device = 0;

    std::size_t index(std::size_t x, std::size_t y, std::size_t z) const { return (z * h + y) * w + x; }
};

static Place array_of(std::size_t w, std::size_t h, std::size_t d, unsigned flags, int device = 0) {
    Place p{w, std::max<std::size_t>(h, 1), std::max<std::size_t>(d, 1)};
    OK(cudaSetDevice(device));
    auto const format = cudaCreateChannelDesc<int>();
    OK(cudaMalloc3DArray(&p.array, &format, make_cudaExtent(w, h, d), flags));
    p.want.assign(p.w * p.h * p.d, 0);
    p.device = device;
    return p;
}
static Place memory_of(std::size_t w, std::size_t h, std::size_t d, int device = 0) {
    Place p{w, h, d};
    OK(cudaSetDevice(device));
    OK(cudaMalloc3D(&p.memory, make_cudaExtent(w * 4, h, d)));
    OK(cudaMemset(p.memory.ptr, 0, p.memory.pitch * h * d));
    p.want.assign(w * h * d, 0);
    p.device = device;
    return p;
}

struct Copy {
    std::size_t w, h, d;
    cudaPos to, from;
};
static Copy any_copy(Place const& to, Place const& from) {
    Copy c{};
    c.w = 1 + below(std::min(to.w, from.w));
    c.h = 1 + below(std::min(to.h, from.h));
    c.d = 1 + below(std::min(to.d, from.d));
    c.to = make_cudaPos(below(to.w - c.w + 1), below(to.h - c.h + 1), below(to.d - c.d + 1));
    c.from = make_cudaPos(below(from.w - c.w + 1), below(from.h - c.h + 1), below(from.d - c.d + 1));
    return c;
}

static void expect(Place& to, Place const& from, Copy const& c) {
    for (std::size_t z = 0; z < c.d; ++z) {
        for (std::size_t y = 0; y < c.h; ++y)
            std::copy_n(&from.want[from.index(c.from.x, c.from.y + y, c.from.z + z)], c.w, &to.want[to.index(c.to.x, c.to.y + y, c.to.z + z)]);
    }
}

/// Positions in plain memory count bytes, and so does the width if there is no array.
static cudaMemcpy3DParms described(Place const& to, Place const& from, Copy const& c) {
    cudaMemcpy3DParms p{};
    std::size_t const scale = to.array != nullptr || from.array != nullptr ? 1 : 4;
    p.srcArray = from.array;
    p.srcPtr = from.memory;
    p.srcPos = c.from;
    if (from.array == nullptr) p.srcPos.x *= 4;
    p.dstArray = to.array;
    p.dstPtr = to.memory;
    p.dstPos = c.to;
    if (to.array == nullptr) p.dstPos.x *= 4;
    p.extent = make_cudaExtent(c.w * scale, c.h, c.d);
    p.kind = cudaMemcpyDefault;
    return p;
}

static void check(Place const& p) {
    std::vector<int> got(p.want.size());
    Place const host{p.w, p.h, p.d, {}, nullptr, make_cudaPitchedPtr(got.data(), p.w * 4, p.w, p.h)};
    OK(cudaSetDevice(p.device));
    cudaMemcpy3DParms const all = described(host, p, {p.w, p.h, p.d, {}, {}});
    OK(cudaMemcpy3D(&all));
    CHECK(got == p.want);
}

static void at_random() {
    cudaStream_t s;
    OK(cudaSetDevice(0));
    OK(cudaStreamCreate(&s));
    std::vector<Place> places;
    places.push_back(array_of(100, 0, 0, 0));
    places.push_back(array_of(70, 45, 0, cudaArraySurfaceLoadStore));
    places.push_back(array_of(33, 21, 9, 0));
    places.push_back(array_of(50, 0, 7, cudaArrayLayered));
    places.push_back(array_of(40, 30, 5, cudaArrayLayered));
    places.push_back(array_of(24, 24, 6, cudaArrayCubemap));
    places.push_back(memory_of(64, 32, 8));
    Place host{60, 40, 10};
    std::vector<int> bytes(60 * 40 * 10);
    host.memory = make_cudaPitchedPtr(bytes.data(), 60 * 4, 60, 40);
    for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<int>(i * 2654435761u);
    host.want = bytes;
    places.push_back(host);
    for (int round = 0; round < 300; ++round) {
        Place& to = places[below(places.size() - 1)];      // the host's memory is only read
        Place& from = places[below(places.size())];
        if (&to == &from) continue;
        Copy const c = any_copy(to, from);
        cudaMemcpy3DParms const p = described(to, from, c);
        if (round % 3 == 0) {
            OK(cudaMemcpy3D(&p));
        } else if (round % 3 == 1) {
            OK(cudaMemcpy3DAsync(&p, s));
            OK(cudaStreamSynchronize(s));
        } else {
            cudaGraph_t graph;
            cudaGraphNode_t node;
            cudaGraphExec_t exec;
            OK(cudaGraphCreate(&graph, 0));
            OK(cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &p));
            OK(cudaGraphInstantiate(&exec, graph, 0));
            OK(cudaGraphLaunch(exec, s));
            OK(cudaStreamSynchronize(s));
            OK(cudaGraphExecDestroy(exec));
            OK(cudaGraphDestroy(graph));
        }
        expect(to, from, c);
    }
    for (Place const& p : places) {
        check(p);
        if (p.array != nullptr) OK(cudaFreeArray(p.array));
    }
    OK(cudaFree(places[6].memory.ptr));
    OK(cudaStreamDestroy(s));
}

static void between_devices() {
    Place here = array_of(65, 33, 4, 0, 0), there = array_of(40, 50, 6, 0, 1), memory = memory_of(48, 24, 5, 1);
    Place host{48, 24, 5};
    std::vector<int> values(48 * 24 * 5);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i + 1);
    host.want = values;
    host.memory = make_cudaPitchedPtr(values.data(), 48 * 4, 48, 24);
    Copy const all{48, 24, 5, {}, {}};
    cudaMemcpy3DParms const fill = described(memory, host, all);
    OK(cudaMemcpy3D(&fill));
    expect(memory, host, all);
    Place* const places[] = {&here, &there, &memory};
    for (int round = 0; round < 60; ++round) {
        Place &to = *places[below(3)], &from = *places[below(3)];
        if (&to == &from) continue;
        Copy const c = any_copy(to, from);
        cudaMemcpy3DParms const p = described(to, from, c);
        cudaMemcpy3DPeerParms const q{p.srcArray, p.srcPos, p.srcPtr, from.device, p.dstArray, p.dstPos, p.dstPtr, to.device, p.extent};
        if (round % 2 == 0) {
            OK(cudaMemcpy3DPeer(&q));
        } else {
            OK(cudaMemcpy3DPeerAsync(&q, nullptr));
            OK(cudaDeviceSynchronize());
        }
        expect(to, from, c);
    }
    for (Place const* p : places) check(*p);
    OK(cudaFreeArray(here.array));
    OK(cudaFreeArray(there.array));
    OK(cudaFree(memory.memory.ptr));
}

// Row after row, between rows of different lengths.
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
static void as_lines() {
    Place a = array_of(30, 20, 0, 0), b = array_of(47, 13, 0, 0);
    std::vector<int> values(600);
    for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int>(i + 1);
    OK(cudaMemcpyToArray(a.array, 0, 0, values.data(), values.size() * 4, cudaMemcpyHostToDevice));
    a.want = values;
    for (int round = 0; round < 40; ++round) {
        Place &to = round % 2 == 0 ? b : a, &from = round % 2 == 0 ? a : b;
        std::size_t const n = 1 + below(400), to_at = below(to.want.size() - n + 1), from_at = below(from.want.size() - n + 1);
        OK(cudaMemcpyArrayToArray(to.array, to_at % to.w * 4, to_at / to.w, from.array, from_at % from.w * 4, from_at / from.w, n * 4, cudaMemcpyDeviceToDevice));
        std::copy_n(from.want.begin() + static_cast<long>(from_at), n, to.want.begin() + static_cast<long>(to_at));
    }
    check(a);
    check(b);
    OK(cudaFreeArray(a.array));
    OK(cudaFreeArray(b.array));
}

// Levels of a pyramid are arrays of their own in one piece of memory.
static void levels() {
    cudaMipmappedArray_t pyramid;
    auto const format = cudaCreateChannelDesc<int>();
    OK(cudaMallocMipmappedArray(&pyramid, &format, make_cudaExtent(37, 22, 0), 6));
    std::vector<Place> places;
    for (unsigned level = 0; level < 6; ++level) {
        Place p{std::max(37u >> level, 1u), std::max(22u >> level, 1u), 1};
        OK(cudaGetMipmappedArrayLevel(&p.array, pyramid, level));
        for (std::size_t i = 0; i < p.w * p.h; ++i) p.want.push_back(static_cast<int>(1000 * level + i));
        OK(cudaMemcpy2DToArray(p.array, 0, 0, p.want.data(), p.w * 4, p.w * 4, p.h, cudaMemcpyHostToDevice));
        places.push_back(p);
    }
    OK(cudaMemcpy2DArrayToArray(places[1].array, 4, 2, places[0].array, 8, 5, 40, 6));
    expect(places[1], places[0], {10, 6, 1, make_cudaPos(1, 2, 0), make_cudaPos(2, 5, 0)});
    for (Place const& p : places) check(p);
    OK(cudaFreeMipmappedArray(pyramid));
}

int main() {
    at_random();
    between_devices();
    as_lines();
    levels();
    return result();
}
