// Each kernel does one thing that a GPU refuses.
extern "C" __global__ void store_past_end(int* out, int count) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count) {
        out[i] = i;
    }
}

extern "C" __global__ void misaligned_load(char const* in, int* out) {
    int const i = threadIdx.x;
    out[i] = *reinterpret_cast<int const*>(in + 4 * i + (i == 5));
}

extern "C" __global__ void shared_past_end(int* out, int distance) {
    __shared__ int values[64];
    values[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = values[threadIdx.x + distance];
}

extern "C" __global__ void endless(int volatile* flag) {
    while (*flag == 0) {
    }
}

// A device function that is inlined: the fault has a chain of source places.
__device__ __forceinline__ void put(int* where, int value) {
    *where = value;
}

extern "C" __global__ void inlined_store(int* out) {
    put(out + threadIdx.x, 1);
}

extern "C" __global__ void barrier_in_branch(int* out) {
    if (threadIdx.x < 32) {
        asm volatile("bar.sync 1, 96;" ::: "memory");
    }
    out[threadIdx.x] = 1;
}

extern "C" __global__ void trap(int* out) {
    out[threadIdx.x] = 1;
    if (threadIdx.x == 7) {
        __trap();
    }
}
