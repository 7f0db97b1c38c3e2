// The mean of a path-dependent payoff over random walks, `paths` of 16 steps a thread.
extern "C" __global__ void monte_carlo(int paths, float drift, float volatility, float* means) {
    unsigned const thread = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned state = thread * 2654435761u + 12345u;
    float sum = 0.0f;
    for (int path = 0; path < paths; ++path) {
        float price = 1.0f, highest = 1.0f;
        for (int step = 0; step < 16; ++step) {
            // A sum of uniform numbers is near enough to normal.
            float shock = -2.0f;
            for (int i = 0; i < 4; ++i) {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                shock += (float)(state >> 8) * 0x1p-24f;
            }
            price *= 1.0f + drift + volatility * shock;
            highest = fmaxf(highest, price);
        }
        sum += fmaxf(highest - 1.1f, 0.0f);
    }
    means[thread] = sum / (float)paths;
}
