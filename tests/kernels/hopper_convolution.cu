// A convolution as a product of matrices that are never stored: tensor copies bring, for one place of the filter at a time,
// the pixels under it (im2col), zeros where it reaches over the edge.
#include "hopper.cuh"

#include <cuda_fp16.h>

namespace {

using hopper::Turn;

constexpr int depth = 64;    // channels of a stage: 128 bytes
constexpr int pixels = 128;  // of a tile: 64 for each of two warpgroups
constexpr int filters = 64;
constexpr int stages = 3;

struct Shared {
    half image[stages][pixels][depth];
    half filter[stages][filters][depth];
    std::uint64_t full[stages], empty[stages];
};

}  // namespace

/// Images of height by width pixels of `channels` (NHWC) with filters of size by size by `channels`; as many pixels come out,
/// each with as many numbers as there are filters, 64 for each blockIdx.y. The map of the images counts from the first
/// pixel that a filter's corner is at. Channels and filters are multiples of 64, pixels of 128.
extern "C" __global__ void __launch_bounds__(288)
    hopper_convolution(int height, int width, int channels, int size, __grid_constant__ TensorMap const images,
                       __grid_constant__ TensorMap const weights, float* out) {
    extern __shared__ __align__(1024) unsigned char dynamic[];
    Shared& shared = *reinterpret_cast<Shared*>(dynamic);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            hopper::init(shared.full[s], 1);
            hopper::init(shared.empty[s], 8);
        }
        hopper::fence_init();
    }
    __syncthreads();
    int const first_pixel = blockIdx.x * pixels, first_filter = blockIdx.y * filters, edge = size / 2;
    Turn turn;
    if (threadIdx.x == 256) {
        int const w = first_pixel % width - edge, h = first_pixel / width % height - edge;
        for (int r = 0; r < size; ++r) {
            for (int s = 0; s < size; ++s) {
                for (int c = 0; c < channels; c += depth, turn.next<stages>()) {
                    std::uint64_t& full = shared.full[turn.stage];
                    hopper::wait(shared.empty[turn.stage], turn.parity ^ 1);
                    hopper::expect(full, sizeof shared.image[0] + sizeof shared.filter[0]);
                    hopper::load_pixels(shared.image[turn.stage], images, c, w, h, first_pixel / (width * height), s, r, full);
                    hopper::load_box(shared.filter[turn.stage], weights, (r * size + s) * channels + c, first_filter, full);
                }
            }
        }
    }
    if (threadIdx.x >= 256) return;
    int const group = threadIdx.x / 128, warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    float sums[filters / 2];
    int const steps = size * size * channels / depth;
    for (int i = 0; i < steps; ++i, turn.next<stages>()) {
        hopper::wait(shared.full[turn.stage], turn.parity);
        hopper::fence();
#pragma unroll
        for (int step = 0; step < depth; step += 16)
            hopper::multiply_f16(sums, hopper::described(&shared.image[turn.stage][64 * group][step]),
                                 hopper::described(&shared.filter[turn.stage][0][step]), i != 0 || step != 0);
        hopper::commit();
        hopper::await<0>();
        if (lane == 0) hopper::arrive(shared.empty[turn.stage]);
    }
    for (int j = 0; j < filters / 2; j += 2) {
        int const pixel = first_pixel + 64 * group + 16 * warp + lane / 4 + j / 2 % 2 * 8;
        float* const to = out + pixel * static_cast<int>(gridDim.y) * filters + first_filter + j / 4 * 8 + 2 * (lane % 4);
        *reinterpret_cast<float2*>(to) = {sums[j], sums[j + 1]};
    }
}
