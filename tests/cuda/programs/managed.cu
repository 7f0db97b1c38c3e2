// Memory that host and kernels share by one address.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
__managed__ int total = 100;
__managed__ int list[8] = {1, 1, 2, 3, 5, 8, 13, 21};
struct Node {
    int value;
    Node* next;
};
__global__ void sum(Node* node) {
    for (; node != nullptr; node = node->next) total += node->value;
    for (int i = 0; i < 8; ++i) total += list[i];
}
int main() {
    CHECK(total == 100);
    CHECK(list[7] == 21);
    Node* nodes;
    OK(cudaMallocManaged(&nodes, 10 * sizeof(Node)));
    for (int i = 0; i < 10; ++i) nodes[i] = {i, i < 9 ? &nodes[i + 1] : nullptr};
    sum<<<1, 1>>>(nodes);
    OK(cudaDeviceSynchronize());
    CHECK(total == 100 + 45 + 54);
    cudaPointerAttributes a;
    OK(cudaPointerGetAttributes(&a, nodes + 3));
    CHECK(a.type == cudaMemoryTypeManaged);
    CHECK(a.hostPointer == nodes + 3);
    // A managed variable by its name, too.
    void* address;
    OK(cudaGetSymbolAddress(&address, total));
    CHECK(address == &total);
    std::size_t size = 0;
    OK(cudaGetSymbolSize(&size, list));
    CHECK(size == sizeof list);
    int const seven = 7;
    OK(cudaMemcpyToSymbol(list, &seven, 4, 8));
    CHECK(list[2] == 7);
    OK(cudaFree(nodes));
    return result();
}
