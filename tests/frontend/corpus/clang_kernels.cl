// OpenCL C for clang's NVPTX back end: other idioms than nvcc's.
typedef struct { float weights[4]; int count; } Settings;


constant float filter[5] = {0.1f, 0.2f, 0.4f, 0.2f, 0.1f};

static int clamp_index(int i, int n) { return i < 0 ? 0 : i >= n ? n - 1 : i; }
static __attribute__((noinline)) float weighted(Settings s, float x, int k) { return s.weights[k & 3] * x + s.count; }

kernel void blur(global const float* in, global float* out, int n) {
    int i = __nvvm_read_ptx_sreg_tid_x() + __nvvm_read_ptx_sreg_ctaid_x() * __nvvm_read_ptx_sreg_ntid_x();
    float sum = 0;
    for (int k = -2; k <= 2; ++k) sum += filter[k + 2] * in[clamp_index(i + k, n)];
    if (i < n) out[i] = sum;
}
kernel void staged(global int* data, local int* stage, Settings s) {
    int i = __nvvm_read_ptx_sreg_tid_x();
    local int fixed[64];
    stage[i] = data[i];
    fixed[i & 63] = i;
    __syncthreads();
    data[i] = stage[i ^ 1] + fixed[(i + 1) & 63] + (int)weighted(s, (float)i, i);
}
kernel void vectors(global float4* a, global const double2* b, global uchar16* c, global long* d) {
    int i = __nvvm_read_ptx_sreg_tid_x();
    a[i] = a[i] * 2.0f + (float4)(1, 2, 3, 4);
    a[i + 1].xy = (float2)((float)b[i].x, (float)b[i].y);
    c[i] += c[i + 1];
    d[i] = d[i] / 7 + d[i] % 5 + (d[i] << (i & 63));
    switch (i) {
        case 0: d[0] = 1; break;
        case 1: d[1] = 4; break;
        case 2: d[2] = 9; break;
        case 3: d[3] = 16; break;
        case 4: d[4] = 25; break;
        default: d[5] = (d[6] > d[7]) ? 1 : -1;
    }
}
