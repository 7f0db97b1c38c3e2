// One of two parts of a program compiled with -rdc: its kernel calls a function of the other (part_two.cu).
extern __device__ float factor_of(int i);
extern "C" __global__ void scale_by_parts(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] *= factor_of(i);
}
