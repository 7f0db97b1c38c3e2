// Steps of a three-point stencil on a ring of one block's threads, in shared memory, with two barriers a step.
extern "C" __global__ void stencil_shared(unsigned const* in, unsigned* out, int steps) {
    __shared__ unsigned cells[1024];
    unsigned const i = blockIdx.x * blockDim.x + threadIdx.x, t = threadIdx.x, n = blockDim.x;
    unsigned const left = t == 0 ? n - 1 : t - 1, right = t + 1 == n ? 0 : t + 1;
    unsigned mine = in[i];
    for (int s = 0; s < steps; ++s) {
        cells[t] = mine;
        __syncthreads();
        mine = cells[left] + 2 * mine + cells[right];
        __syncthreads();
    }
    out[i] = mine;
}
