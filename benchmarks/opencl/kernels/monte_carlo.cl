kernel void monte_carlo(int paths, float drift, float volatility, global float* means) {
    uint const thread = get_global_id(0);
    uint state = thread * 2654435761u + 12345u;
    float sum = 0.0f;
    for (int path = 0; path < paths; ++path) {
        float price = 1.0f, highest = 1.0f;
        for (int step = 0; step < 16; ++step) {
            float shock = -2.0f;
            for (int i = 0; i < 4; ++i) {
                state ^= state << 13;
                state ^= state >> 17;
                state ^= state << 5;
                shock += (float)(state >> 8) * 0x1p-24f;
            }
            price *= 1.0f + drift + volatility * shock;
            highest = fmax(highest, price);
        }
        sum += fmax(highest - 1.1f, 0.0f);
    }
    means[thread] = sum / (float)paths;
}
