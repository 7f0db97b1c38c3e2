// Many copies in one call: of plain bytes and of boxes, with arrays; what is refused.
#include "check.hpp"
#include <cstring>
#include <vector>

int main() {
    constexpr int pieces = 20, bytes = 100, w = 9, h = 7;
    std::vector<unsigned char> in(pieces * bytes), out(pieces * bytes);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<unsigned char>(i * 13);
    unsigned char* memory;
    cudaStream_t s;
    OK(cudaMalloc(&memory, in.size()));
    OK(cudaStreamCreate(&s));
    // Every piece to where the mirrored one was, and back again.
    std::vector<void*> to(pieces);
    std::vector<void const*> from(pieces);
    std::vector<std::size_t> sizes(pieces, bytes);
    for (int i = 0; i < pieces; ++i) {
        to[i] = memory + (pieces - 1 - i) * bytes;
        from[i] = in.data() + i * bytes;
    }
    cudaMemcpyAttributes attributes{};
    attributes.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
    std::size_t first = 0;
    OK(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), pieces, &attributes, &first, 1, s));
    OK(cudaMemcpyAsync(out.data(), memory, out.size(), cudaMemcpyDeviceToHost, s));
    OK(cudaStreamSynchronize(s));
    for (int i = 0; i < pieces; ++i) CHECK(std::memcmp(&out[(pieces - 1 - i) * bytes], &in[i * bytes], bytes) == 0);
    IS(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), pieces, &attributes, &first, 1, nullptr), cudaErrorInvalidValue);
    OK(cudaMemset(memory, 0, out.size()));
    OK(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), pieces, &attributes, &first, 1, cudaStreamPerThread));
    OK(cudaStreamSynchronize(cudaStreamPerThread));
    OK(cudaMemcpy(out.data(), memory, out.size(), cudaMemcpyDeviceToHost));
    CHECK(out[0] == in[(pieces - 1) * bytes]);
    first = 1;      // the attributes must hold from the first copy on
    IS(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), pieces, &attributes, &first, 1, s), cudaErrorInvalidValue);
    first = 0;
    to[3] = nullptr;
    IS(cudaMemcpyBatchAsync(to.data(), from.data(), sizes.data(), pieces, &attributes, &first, 1, s), cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(s));

    // A plane of float2 into an array, a part of that into another, and all of the second out.
    cudaChannelFormatDesc const format = cudaCreateChannelDesc<float2>();
    cudaArray_t a, b;
    OK(cudaMallocArray(&a, &format, w, h));
    OK(cudaMallocArray(&b, &format, w, h));
    std::vector<float2> plane(w * h), seen(w * h), zero(w * h, make_float2(0, 0));
    for (int i = 0; i < w * h; ++i) plane[i] = make_float2(static_cast<float>(i), -1);
    auto const memory_side = [](void* p) {
        cudaMemcpy3DOperand side{};
        side.type = cudaMemcpyOperandTypePointer;
        side.op.ptr.ptr = p;
        return side;
    };
    auto const array_side = [](cudaArray_t array, std::size_t x, std::size_t y) {
        cudaMemcpy3DOperand side{};
        side.type = cudaMemcpyOperandTypeArray;
        side.op.array.array = array;
        side.op.array.offset.x = x;
        side.op.array.offset.y = y;
        return side;
    };
    cudaMemcpy3DBatchOp list[4]{};
    list[0] = {memory_side(plane.data()), array_side(a, 0, 0), make_cudaExtent(w, h, 1), cudaMemcpySrcAccessOrderStream, 0};
    list[1] = {memory_side(zero.data()), array_side(b, 0, 0), make_cudaExtent(w, h, 1), cudaMemcpySrcAccessOrderDuringApiCall, 0};
    list[2] = {array_side(a, 2, 3), array_side(b, 5, 1), make_cudaExtent(4, 3, 1), cudaMemcpySrcAccessOrderStream, 0};
    list[3] = {array_side(b, 0, 0), memory_side(seen.data()), make_cudaExtent(w, h, 1), cudaMemcpySrcAccessOrderStream, 0};
    OK(cudaMemcpy3DBatchAsync(4, list, 0, s));
    OK(cudaStreamSynchronize(s));
    for (int y = 0; y < h; ++y) {
        for (int x = 0; x < w; ++x) {
            bool const is_moved = x >= 5 && y >= 1 && y < 4;
            CHECK(seen[y * w + x].x == (is_moved ? static_cast<float>((y + 2) * w + x - 3) : 0.f));
        }
    }
    list[2].extent.width = 5;
    IS(cudaMemcpy3DBatchAsync(4, list, 0, s), cudaErrorInvalidValue);
    list[2].extent.width = 4;
    IS(cudaMemcpy3DBatchAsync(4, list, 1, s), cudaErrorInvalidValue);
    IS(cudaMemcpy3DBatchAsync(4, list, 0, cudaStreamLegacy), cudaErrorInvalidValue);
    OK(cudaStreamSynchronize(s));
    OK(cudaFreeArray(a));
    OK(cudaFreeArray(b));
    OK(cudaFree(memory));
    OK(cudaStreamDestroy(s));
    return result();
}
