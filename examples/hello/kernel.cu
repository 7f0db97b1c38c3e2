// y = a x + y: thread i handles element i.
extern "C" __global__ void saxpy(int n, float a, float const* x, float* y) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = a * x[i] + y[i];
    }
}
