// A product of 8-bit floats with scales for blocks of 128: the products of a block are summed by the matrix units, whose sums
// have few bits, and then scaled and added in f32.
#include "hopper.cuh"

#include <cstdint>

namespace {

using hopper::Turn;

constexpr int depth = 128;  // of a stage and of a block with a scale: 128 bytes
constexpr int rows = 128;   // of a tile: 64 for each of the two warpgroups that multiply
constexpr int columns = 128;
constexpr int stages = 4;

struct Shared {
    unsigned char a[stages][rows][depth];
    unsigned char b[stages][columns][depth];
    std::uint64_t full[stages], empty[stages];
};

__device__ void load(Shared& shared, TensorMap const& a, TensorMap const& b, int k) {
    Turn turn;
    for (int first = 0; first < k; first += depth) {
        int const s = turn.stage;
        hopper::wait(shared.empty[s], turn.parity ^ 1);
        hopper::expect(shared.full[s], sizeof shared.a[s] + sizeof shared.b[s]);
        hopper::load_box(shared.a[s], a, first, static_cast<int>(blockIdx.y) * rows, shared.full[s]);
        hopper::load_box(shared.b[s], b, first, static_cast<int>(blockIdx.x) * columns, shared.full[s]);
        turn.next<stages>();
    }
}

__device__ void multiply(Shared& shared, float const* scales_of_a, float const* scales_of_b, float* c, int n, int k, int group) {
    int const warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, blocks = k / depth;
    int const row = blockIdx.y * rows + 64 * group + 16 * warp + lane / 4;
    scales_of_a += row * blocks;
    scales_of_b += blockIdx.x * blocks;
    float sums[columns / 2] = {}, block[columns / 2];
    Turn turn;
    for (int i = 0; i < blocks; ++i, turn.next<stages>()) {
        hopper::wait(shared.full[turn.stage], turn.parity);
        hopper::fence();
#pragma unroll
        for (int step = 0; step < depth; step += 32)
            hopper::multiply_e4m3(block, hopper::described(&shared.a[turn.stage][64 * group][step]),
                                  hopper::described(&shared.b[turn.stage][0][step]), step != 0);
        hopper::commit();
        float const scales[2] = {scales_of_a[i] * scales_of_b[i], scales_of_a[8 * blocks + i] * scales_of_b[i]};
        hopper::await<0>();
        if (lane == 0) hopper::arrive(shared.empty[turn.stage]);
        for (int j = 0; j < columns / 2; ++j) sums[j] += block[j] * scales[j / 2 % 2];
    }
    for (int j = 0; j < columns / 2; j += 2) {
        float* const to = c + (row + j / 2 % 2 * 8) * n + blockIdx.x * columns + j / 4 * 8 + 2 * (lane % 4);
        *reinterpret_cast<float2*>(to) = {sums[j], sums[j + 1]};
    }
}

}  // namespace

/// c = a * b of e4m3; rows of a and columns of b follow k. A scale belongs to 128 elements of a row of a, and to 128 by 128
/// of b; both kinds are by rows, k in blocks. All sizes are multiples of 128.
extern "C" __global__ void __launch_bounds__(384, 1)
    hopper_fp8_gemm(int n, int k, __grid_constant__ TensorMap const a, __grid_constant__ TensorMap const b,
                    float const* scales_of_a, float const* scales_of_b, float* c) {
    extern __shared__ __align__(1024) unsigned char dynamic[];
    Shared& shared = *reinterpret_cast<Shared*>(dynamic);
    if (threadIdx.x == 0) {
        for (int s = 0; s < stages; ++s) {
            hopper::init(shared.full[s], 1);
            hopper::init(shared.empty[s], 8);  // a thread of each warp that multiplies
        }
        hopper::fence_init();
    }
    __syncthreads();
    int const group = threadIdx.x / 128;
    if (group == 2) {
        hopper::leave_registers<40>();
        if (threadIdx.x % 128 == 0) load(shared, a, b, k);
    } else {
        hopper::take_registers<232>();
        multiply(shared, scales_of_a, scales_of_b, c, n, k, group);
    }
}
