// Two arrays share the launch's dynamic shared memory: reverses each CTA's floats and rotates its bytes.
extern "C" __global__ void dynamic_shared(float const* in, float* out, unsigned char* bytes) {
    extern __shared__ float values[];
    unsigned char* const marks = reinterpret_cast<unsigned char*>(values + blockDim.x);
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    values[threadIdx.x] = in[i];
    marks[threadIdx.x] = bytes[i];
    __syncthreads();
    out[i] = values[blockDim.x - 1 - threadIdx.x];
    bytes[i] = marks[(threadIdx.x + 1) % blockDim.x];
}
