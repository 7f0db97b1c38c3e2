// Two buffers in turn: one is filled while the other is read, with a barrier between the rounds.
// check race
// finds write after read
// launch block 64
// compile -arch=compute_80
extern "C" __global__ void k(unsigned* out, unsigned*) {
    __shared__ unsigned buffer[2][64];
    unsigned sum = 0;
    buffer[0][threadIdx.x] = threadIdx.x;
    __syncthreads();
    for (unsigned round = 0; round < 4; ++round) {
        buffer[(round + 1) % 2][threadIdx.x] = threadIdx.x * round;
        sum += buffer[round % 2][63 - threadIdx.x];
#ifdef MISTAKE
        if (round % 2 == 0) __syncthreads();
#else
        __syncthreads();
#endif
    }
    out[threadIdx.x] = sum;
}
