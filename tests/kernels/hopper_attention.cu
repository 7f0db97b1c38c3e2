// Attention without a matrix of all scores (flash attention), as on Hopper: one warpgroup loads queries, keys and values
// by tensor copies. Each of two others has 64 queries; its weights stay in registers, as they are the second product's a.
// While one computes weights, the matrices of the other can be multiplied.
#include "hopper.cuh"

#include <cuda_fp16.h>

namespace {

using hopper::Turn;

constexpr int width = 64;    // of a head
constexpr int queries = 64;  // of a warpgroup
constexpr int groups = 2;
constexpr int keys = 64;  // of a tile
constexpr int stages = 2;

struct Shared {
    half q[groups][queries][width];
    half k[stages][keys][width];
    half v[stages][keys][width];
    std::uint64_t ready, full_k[stages], full_v[stages], empty_k[stages], empty_v[stages];
};

/// What a warpgroup keeps from tile to tile; a lane has two rows, of which elements with bit 1 set belong to the second.
struct Rows {
    float most[2] = {-INFINITY, -INFINITY}, sum[2] = {};
    float out[width / 2] = {};
};

/// Over the four lanes that hold a row.
template <class F> __device__ float over_row(float x, F f) {
    x = f(x, __shfl_xor_sync(0xffffffffu, x, 1));
    return f(x, __shfl_xor_sync(0xffffffffu, x, 2));
}

/// Tiles that the warpgroup's queries see.
__device__ int tiles_of(int group, int length, int causal) {
    return causal ? static_cast<int>(blockIdx.x) * groups + group + 1 : length / keys;
}

__device__ void load(Shared& shared, TensorMap const& q, TensorMap const& k, TensorMap const& v, int length, int causal) {
    int const head = blockIdx.y * length;
    hopper::expect(shared.ready, sizeof shared.q);
    for (int g = 0; g < groups; ++g)
        hopper::load_box(shared.q[g], q, 0, head + (static_cast<int>(blockIdx.x) * groups + g) * queries, shared.ready);
    Turn turn;
    int const tiles = tiles_of(groups - 1, length, causal);
    for (int t = 0; t < tiles; ++t) {
        int const s = turn.stage;
        hopper::wait(shared.empty_k[s], turn.parity ^ 1);
        hopper::expect(shared.full_k[s], sizeof shared.k[s]);
        hopper::load_box(shared.k[s], k, 0, head + t * keys, shared.full_k[s]);
        hopper::wait(shared.empty_v[s], turn.parity ^ 1);
        hopper::expect(shared.full_v[s], sizeof shared.v[s]);
        hopper::load_box(shared.v[s], v, 0, head + t * keys, shared.full_v[s]);
        turn.next<stages>();
    }
}

__device__ void begin_scores(Shared& shared, float (&s)[keys / 2], int group, Turn const& turn) {
    hopper::wait(shared.full_k[turn.stage], turn.parity);
    hopper::fence();
#pragma unroll
    for (int step = 0; step < width; step += 16)
        hopper::multiply_f16(s, hopper::described(&shared.q[group][0][step]),
                             hopper::described(&shared.k[turn.stage][0][step]), step != 0);
    hopper::commit();
}

/// Keys after the query: in the last tile that the warpgroup's queries see.
__device__ void hide_later(float (&s)[keys / 2]) {
    int const warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32;
    for (int i = 0; i < keys / 2; ++i) {
        int const key = i / 4 * 8 + 2 * (lane % 4) + i % 2, query = 16 * warp + lane / 4 + i / 2 % 2 * 8;
        if (key > query) s[i] = -INFINITY;
    }
}

/// Turns scores into weights by the greatest score so far. What the outputs before must be corrected by.
__device__ void weigh(float (&s)[keys / 2], Rows& rows, float scale, float (&correction)[2]) {
    for (int r = 0; r < 2; ++r) {
        float most = rows.most[r];
        for (int i = 2 * r; i < keys / 2; i += 4) most = fmaxf(most, fmaxf(s[i], s[i + 1]));
        most = over_row(most, [](float a, float b) { return fmaxf(a, b); });
        float const base = most * scale;
        correction[r] = exp2f(rows.most[r] * scale - base);
        rows.most[r] = most;
        float sum = 0;
        for (int i = 2 * r; i < keys / 2; i += 4) {
            s[i] = exp2f(s[i] * scale - base);
            s[i + 1] = exp2f(s[i + 1] * scale - base);
            sum += s[i] + s[i + 1];
        }
        rows.sum[r] = rows.sum[r] * correction[r] + sum;
    }
}

__device__ void pack(float const (&s)[keys / 2], std::uint32_t (&weights)[keys / 16][4]) {
    for (int i = 0; i < keys / 4; ++i) {
        half2 const two = __floats2half2_rn(s[2 * i], s[2 * i + 1]);
        weights[i / 4][i % 4] = *reinterpret_cast<std::uint32_t const*>(&two);
    }
}

__device__ void attend(Shared& shared, half* o, int length, int causal, float scale, int group) {
    int const warp = threadIdx.x / 32 % 4, lane = threadIdx.x % 32, tiles = tiles_of(group, length, causal);
    int const all = tiles_of(groups - 1, length, causal);
    Rows rows;
    float s[keys / 2], correction[2];
    std::uint32_t weights[keys / 16][4];
    Turn turn, next;
    auto const release = [&](std::uint64_t& empty) {
        if (lane == 0) hopper::arrive(empty);
    };
    hopper::wait(shared.ready, 0);
    begin_scores(shared, s, group, next);
    for (int t = 0; t < tiles; ++t, turn = next) {
        hopper::await<0>();  // the scores of this tile, and the outputs of the one before
        release(shared.empty_k[next.stage]);
        if (t > 0) release(shared.empty_v[1 - turn.stage]);
        if (causal && t == tiles - 1) hide_later(s);
        weigh(s, rows, scale, correction);
        for (int i = 0; i < width / 2; ++i) rows.out[i] *= correction[i / 2 % 2];
        pack(s, weights);
        next.next<stages>();
        hopper::wait(shared.full_v[turn.stage], turn.parity);
        hopper::fence();
#pragma unroll
        for (int step = 0; step < keys / 16; ++step)
            hopper::add_product_across(rows.out, weights[step], hopper::described(&shared.v[turn.stage][16 * step][0]));
        hopper::commit();
        if (t + 1 < tiles) begin_scores(shared, s, group, next);
    }
    hopper::await<0>();
    release(shared.empty_v[1 - turn.stage]);
    // The other warpgroup may see more keys, which come to both.
    for (int t = tiles; t < all; ++t, turn.next<stages>()) {
        hopper::wait(shared.full_k[turn.stage], turn.parity);
        release(shared.empty_k[turn.stage]);
        hopper::wait(shared.full_v[turn.stage], turn.parity);
        release(shared.empty_v[turn.stage]);
    }
    for (int r = 0; r < 2; ++r) {
        float const sum = over_row(rows.sum[r], [](float a, float b) { return a + b; });
        int const query = (blockIdx.x * groups + group) * queries + 16 * warp + lane / 4 + 8 * r;
        half* const to = o + (blockIdx.y * length + query) * width + 2 * (lane % 4);
        for (int j = 0; j < width / 8; ++j)
            *reinterpret_cast<half2*>(to + 8 * j) =
                __floats2half2_rn(rows.out[4 * j + 2 * r] / sum, rows.out[4 * j + 2 * r + 1] / sum);
    }
}

}  // namespace

/// o = softmax(q * k^T * scale) * v for each head (blockIdx.y), in rows of 64 numbers; with `causal`, a query sees no later
/// keys. `length` is a multiple of 128; `scale` has the factor log2(e).
extern "C" __global__ void __launch_bounds__(128 * (groups + 1), 1)
    hopper_attention(int length, int causal, float scale, __grid_constant__ TensorMap const q,
                     __grid_constant__ TensorMap const k, __grid_constant__ TensorMap const v, half* o) {
    extern __shared__ __align__(1024) unsigned char dynamic[];
    Shared& shared = *reinterpret_cast<Shared*>(dynamic);
    if (threadIdx.x == 0) {
        hopper::init(shared.ready, 1);
        for (int s = 0; s < stages; ++s) {
            hopper::init(shared.full_k[s], 1);
            hopper::init(shared.full_v[s], 1);
            hopper::init(shared.empty_k[s], 4 * groups);
            hopper::init(shared.empty_v[s], 4 * groups);
        }
        hopper::fence_init();
    }
    __syncthreads();
    int const group = threadIdx.x / 128;
    if (group == groups) {
        hopper::leave_registers<24>();
        if (threadIdx.x % 128 == 0) load(shared, q, k, v, length, causal);
    } else {
        hopper::take_registers<240>();
        attend(shared, o, length, causal, scale, group);
    }
}
