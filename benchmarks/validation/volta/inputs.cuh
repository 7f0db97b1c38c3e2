// What programs have in common: inputs that are always the same.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <vector>

inline void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::printf("%s\n", cudaGetErrorString(error));
    std::exit(1);
}

inline unsigned random_state = 1;

/// A number of 24 bits, the same in each run.
inline unsigned random_number() {
    random_state = random_state * 1664525u + 1013904223u;
    return random_state >> 8;
}

template <class T> T* on_device(std::vector<T> const& values) {
    T* there;
    check(cudaMalloc(&there, values.size() * sizeof(T)));
    check(cudaMemcpy(there, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return there;
}

/// Numbers between `low` and `high`.
template <class T> T* filled(int n, T low, T high) {
    std::vector<T> values(n);
    for (T& value : values) value = static_cast<T>(low + (high - low) * (random_number() / 16777216.0));
    return on_device(values);
}
inline float* floats(int n, float low = 0, float high = 1) { return filled<float>(n, low, high); }
