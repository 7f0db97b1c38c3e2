// Each thread stores one number; nobody asks how many there is room for.
extern "C" __global__ void store(unsigned* out) { out[threadIdx.x] = threadIdx.x; }
