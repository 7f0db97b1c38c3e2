// The other part: a function, and a variable that the host may set (part_one.cu).
__device__ float base = 2;
__device__ float factor_of(int i) { return base + i % 3; }
