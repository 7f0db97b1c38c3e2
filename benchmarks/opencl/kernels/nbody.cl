kernel void nbody(int n, float softening, global float4 const* bodies, global float4* accelerations,
                  local float4* tile) {
    int const i = get_global_id(0), size = get_local_size(0);
    float4 const self = bodies[i];
    float ax = 0.0f, ay = 0.0f, az = 0.0f;
    for (int start = 0; start < n; start += size) {
        tile[get_local_id(0)] = bodies[start + get_local_id(0)];
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int j = 0; j < size; ++j) {
            float const dx = tile[j].x - self.x, dy = tile[j].y - self.y, dz = tile[j].z - self.z;
            float const inverse = rsqrt(dx * dx + dy * dy + dz * dz + softening);
            float const scale = tile[j].w * inverse * inverse * inverse;
            ax += dx * scale;
            ay += dy * scale;
            az += dz * scale;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    accelerations[i] = (float4)(ax, ay, az, 0.0f);
}
