// A sum of neighbours reads one element past the end.
// check memory
// finds illegal address
// launch block 128
extern "C" __global__ void k(unsigned* out, unsigned*) {
    unsigned const i = 16384 - 128 + threadIdx.x;
#ifdef MISTAKE
    unsigned const right = out[i + 1];
#else
    unsigned const right = i + 1 < 16384 ? out[i + 1] : 0;
#endif
    __syncthreads();
    out[i] = right + 1;
}
