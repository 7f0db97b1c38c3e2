// Prices of European calls, an option a thread.
__device__ float normal(float d) {
    float const k = 1.0f / (1.0f + 0.2316419f * fabsf(d));
    float const polynomial =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float const tail = 0.39894228f * expf(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

extern "C" __global__ void black_scholes(int n, float rate, float volatility, float const* numbers, float* prices) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float const price = 20.0f + 10.0f * numbers[i], strike = 50.0f + 49.0f * numbers[n + i];
    float const years = 5.0f + 4.75f * numbers[2 * n + i];
    float const spread = volatility * sqrtf(years);
    float const d1 = (logf(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    prices[i] = price * normal(d1) - strike * expf(-rate * years) * normal(d1 - spread);
}
