// Variables with initialisers: a constant table, a global array, and a list of structures that point to it and to one another.
__constant__ int weights[8] = {1, -2, 3, -4, 5, -6, 7, -8};
__constant__ float scale = 0.5f;
__device__ int numbers[16] = {0, 1, 4, 9, 16, 25, 36, 49, 64, 81, 100, 121, 144, 169, 196, 225};

struct Node {
    int const* data;
    Node* next;
    int count;
};
__device__ Node third = {numbers + 4, nullptr, 12};
__device__ Node second = {numbers + 1, &third, 9};
__device__ Node first = {numbers, &second, 16};
__device__ int* last_number = &numbers[15];

extern "C" __global__ void constants(float* out) {
    int const i = threadIdx.x;
    Node const* const node = first.next->next;
    int const sum = weights[i % 8] * numbers[i % 16] + node->data[i % node->count] + *last_number;
    out[i] = scale * sum;
}
