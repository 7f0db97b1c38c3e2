// Pitched memory, and copies and sets in two and three dimensions.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <vector>
__global__ void shift(char* p, std::size_t pitch, int w, int h) {
    int x = threadIdx.x, y = blockIdx.x;
    if (x < w && y < h) p[y * pitch + x] += 1;
}
int main() {
    int const w = 100, h = 20, d = 3;
    char* p;
    std::size_t pitch;
    OK(cudaMallocPitch(&p, &pitch, w, h));
    CHECK(pitch >= w && pitch % 256 == 0);
    std::vector<char> in(w * h), out(w * h);
    for (int i = 0; i < w * h; ++i) in[i] = static_cast<char>(i % 100);
    OK(cudaMemcpy2D(p, pitch, in.data(), w, w, h, cudaMemcpyHostToDevice));
    shift<<<h, 128>>>(p, pitch, w, h);
    OK(cudaMemcpy2D(out.data(), w, p, pitch, w, h, cudaMemcpyDeviceToHost));
    for (int i = 0; i < w * h; ++i) CHECK(out[i] == in[i] + 1);
    OK(cudaMemset2D(p, pitch, 7, 10, h));
    OK(cudaMemcpy2D(out.data(), w, p, pitch, w, h, cudaMemcpyDeviceToHost));
    CHECK(out[9] == 7 && out[10] == in[10] + 1);
    IS(cudaMemcpy2D(p, 10, in.data(), w, w, h, cudaMemcpyHostToDevice), cudaErrorInvalidPitchValue);
    (void)cudaGetLastError();
    cudaPitchedPtr box;
    OK(cudaMalloc3D(&box, make_cudaExtent(w, h, d)));
    OK(cudaMemset3D(box, 3, make_cudaExtent(w, h, d)));
    std::vector<char> cube(w * h * d);
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = box;
    copy.dstPtr = make_cudaPitchedPtr(cube.data(), w, w, h);
    copy.extent = make_cudaExtent(w, h, d);
    copy.kind = cudaMemcpyDeviceToHost;
    OK(cudaMemcpy3D(&copy));
    for (char c : cube) CHECK(c == 3);
    return result();
}
