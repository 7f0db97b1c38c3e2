float normal(float d) {
    float const k = 1.0f / (1.0f + 0.2316419f * fabs(d));
    float const polynomial =
        k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f))));
    float const tail = 0.39894228f * exp(-0.5f * d * d) * polynomial;
    return d > 0.0f ? 1.0f - tail : tail;
}

kernel void black_scholes(int n, float rate, float volatility, global float const* numbers, global float* prices) {
    int const i = get_global_id(0);
    if (i >= n) return;
    float const price = 20.0f + 10.0f * numbers[i], strike = 50.0f + 49.0f * numbers[n + i];
    float const years = 5.0f + 4.75f * numbers[2 * n + i];
    float const spread = volatility * sqrt(years);
    float const d1 = (log(price / strike) + (rate + 0.5f * volatility * volatility) * years) / spread;
    prices[i] = price * normal(d1) - strike * exp(-rate * years) * normal(d1 - spread);
}
