// new, delete, malloc and free in kernels: memory that lives on from one kernel to the next.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
struct Item {
    int value;
    Item* next;
};
__device__ Item* lists[64];
__global__ void build(int n) {
    Item* head = nullptr;
    for (int i = 0; i < n; ++i) head = new Item{static_cast<int>(threadIdx.x) * 100 + i, head};
    lists[threadIdx.x] = head;
}
__global__ void sum_and_free(int* out) {
    int sum = 0;
    for (Item* item = lists[threadIdx.x]; item != nullptr;) {
        Item* const next = item->next;
        sum += item->value;
        delete item;
        item = next;
    }
    out[threadIdx.x] = sum;
}
int main() {
    int* out;
    OK(cudaMallocManaged(&out, 64 * sizeof(int)));
    build<<<1, 64>>>(10);
    sum_and_free<<<1, 64>>>(out);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 64; ++i) CHECK(out[i] == 1000 * i + 45);
    return result();
}
