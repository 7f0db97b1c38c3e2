// Accelerations of n bodies (x, y, z, mass) by all pairs, tiles of blockDim.x bodies in shared memory; rsqrtf is
// approximate. n is a multiple of blockDim.x.
extern "C" __global__ void nbody(int n, float softening, float4 const* bodies, float4* accelerations) {
    extern __shared__ float4 tile[];
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    float4 const self = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < n; start += blockDim.x) {
        tile[threadIdx.x] = bodies[start + threadIdx.x];
        __syncthreads();
        for (int j = 0; j < blockDim.x; ++j) {
            float const dx = tile[j].x - self.x;
            float const dy = tile[j].y - self.y;
            float const dz = tile[j].z - self.z;
            float const inverse = rsqrtf(dx * dx + dy * dy + dz * dz + softening);
            float const scale = tile[j].w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        __syncthreads();
    }
    accelerations[i] = make_float4(ax, ay, az, 0.0f);
}
