// The algorithms of three Rodinia programs, written from their descriptions, with their sizes of blocks and halos.

/// Gaussian elimination, one step: the multipliers of column t.
extern "C" __global__ void gaussian_multipliers(float* m, float const* a, int size, int t) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= size - 1 - t) return;
    m[size * (i + t + 1) + t] = a[size * (i + t + 1) + t] / a[size * t + t];
}

/// Gaussian elimination, one step: all rows below t.
extern "C" __global__ void gaussian_rows(float const* m, float* a, float* b, int size, int t) {
    int const row = blockIdx.x * blockDim.x + threadIdx.x;
    int const column = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= size - 1 - t || column >= size - t) return;
    a[size * (row + 1 + t) + (column + t)] -= m[size * (row + 1 + t) + t] * a[size * t + (column + t)];
    if (column == 0) b[row + 1 + t] -= m[size * (row + 1 + t) + t] * b[t];
}

__device__ int smaller(int a, int b) { return a <= b ? a : b; }

/// Cheapest path through a grid of costs: `steps` rows per launch; a block computes 256 columns, of which `steps` on
/// each side are a halo that becomes invalid row by row.
extern "C" __global__ void pathfinder(int steps, int const* cost, int const* from, int* to, int columns, int start) {
    int const size = 256;
    __shared__ int previous[size];
    __shared__ int result[size];
    int const thread = static_cast<int>(threadIdx.x);
    int const useful = size - steps * 2;
    int const block_first = useful * static_cast<int>(blockIdx.x) - steps;
    int const column = block_first + thread;
    int const block_last = block_first + size - 1;
    int const first_valid = block_first < 0 ? -block_first : 0;
    int const last_valid = block_last > columns - 1 ? size - 1 - (block_last - columns + 1) : size - 1;
    int west = thread - 1, east = thread + 1;
    west = west < first_valid ? first_valid : west;
    east = east > last_valid ? last_valid : east;
    bool const valid = thread >= first_valid && thread <= last_valid;
    if (column >= 0 && column < columns) previous[thread] = from[column];
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < steps; ++i) {
        computed = false;
        if (thread >= i + 1 && thread <= size - i - 2 && valid) {
            computed = true;
            int const shortest = smaller(smaller(previous[west], previous[thread]), previous[east]);
            result[thread] = shortest + cost[columns * (start + i) + column];
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (computed) previous[thread] = result[thread];
        __syncthreads();
    }
    if (computed) to[column] = result[thread];
}

/// Heat of a chip: `steps` time steps per launch on 16 x 16 blocks whose halo is `steps` wide on each side.
extern "C" __global__ void hotspot(int steps, float const* power, float const* from, float* to, int columns, int rows,
                                   int halo_columns, int halo_rows, float capacity, float rx, float ry, float rz,
                                   float step) {
    int const size = 16;
    __shared__ float now[size][size];
    __shared__ float watt[size][size];
    __shared__ float next[size][size];
    float const ambient = 80.0f;
    int const bx = static_cast<int>(blockIdx.x), by = static_cast<int>(blockIdx.y);
    int const tx = static_cast<int>(threadIdx.x), ty = static_cast<int>(threadIdx.y);
    float const per_capacity = step / capacity, per_rx = 1 / rx, per_ry = 1 / ry, per_rz = 1 / rz;
    int const useful = size - steps * 2;
    int const block_y = useful * by - halo_rows, block_x = useful * bx - halo_columns;
    int const last_y = block_y + size - 1, last_x = block_x + size - 1;
    int const y = block_y + ty, x = block_x + tx;
    int const index = columns * y + x;
    if (y >= 0 && y < rows && x >= 0 && x < columns) {
        now[ty][tx] = from[index];
        watt[ty][tx] = power[index];
    }
    __syncthreads();
    int const first_valid_y = block_y < 0 ? -block_y : 0;
    int const last_valid_y = last_y > rows - 1 ? size - 1 - (last_y - rows + 1) : size - 1;
    int const first_valid_x = block_x < 0 ? -block_x : 0;
    int const last_valid_x = last_x > columns - 1 ? size - 1 - (last_x - columns + 1) : size - 1;
    int north = ty - 1, south = ty + 1, west = tx - 1, east = tx + 1;
    north = north < first_valid_y ? first_valid_y : north;
    south = south > last_valid_y ? last_valid_y : south;
    west = west < first_valid_x ? first_valid_x : west;
    east = east > last_valid_x ? last_valid_x : east;
    bool computed = false;
    for (int i = 0; i < steps; ++i) {
        computed = false;
        if (tx >= i + 1 && tx <= size - i - 2 && ty >= i + 1 && ty <= size - i - 2 && tx >= first_valid_x &&
            tx <= last_valid_x && ty >= first_valid_y && ty <= last_valid_y) {
            computed = true;
            next[ty][tx] = now[ty][tx] +
                           per_capacity * (watt[ty][tx] + (now[south][tx] + now[north][tx] - 2.0f * now[ty][tx]) * per_ry +
                                           (now[ty][east] + now[ty][west] - 2.0f * now[ty][tx]) * per_rx +
                                           (ambient - now[ty][tx]) * per_rz);
        }
        __syncthreads();
        if (i == steps - 1) break;
        if (computed) now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed) to[index] = next[ty][tx];
}
