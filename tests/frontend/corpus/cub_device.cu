// Whole-device algorithms of CUB: sort, scan, reduce, select, histogram.
#include <cub/cub.cuh>

struct Square {
    __device__ float operator()(float x) const { return x * x; }
};
struct IsOdd {
    __device__ bool operator()(int x) const { return (x & 1) != 0; }
};

void sort(void* temporary, std::size_t& bytes, unsigned const* keys, unsigned* sorted, float const* values,
          float* moved, int count) {
    cub::DeviceRadixSort::SortPairs(temporary, bytes, keys, sorted, values, moved, count);
}
void scan(void* temporary, std::size_t& bytes, int const* in, int* out, int count) {
    cub::DeviceScan::ExclusiveSum(temporary, bytes, in, out, count);
}
void reduce(void* temporary, std::size_t& bytes, float const* in, float* out, int count) {
    cub::DeviceReduce::Sum(temporary, bytes, in, out, count);
}
void select(void* temporary, std::size_t& bytes, int const* in, int* out, int* selected, int count) {
    cub::DeviceSelect::If(temporary, bytes, in, out, selected, count, IsOdd{});
}
void histogram(void* temporary, std::size_t& bytes, float const* in, int* bins, int count) {
    cub::DeviceHistogram::HistogramEven(temporary, bytes, in, bins, 65, 0.0f, 1.0f, count);
}
