// A linked list and a tree in managed memory, built by the host, changed by kernels, followed by both.
// exec:
// exec: --check=memory,race,init,sync
#include "check.hpp"
#include <cstring>
#include <new>

struct Managed {
    void* operator new(std::size_t bytes) {
        void* p = nullptr;
        if (cudaMallocManaged(&p, bytes) != cudaSuccess) throw std::bad_alloc();
        return p;
    }
    void operator delete(void* p) { cudaFree(p); }
};
struct Node : Managed {
    int value = 0;
    Node* next = nullptr;
};
struct Tree : Managed {
    int key = 0;
    Tree *left = nullptr, *right = nullptr;
};

__global__ void add_to_all(Node* head, int n) {
    for (Node* p = head; p != nullptr; p = p->next) p->value += n;
}
__global__ void reverse(Node** head) {
    Node* before = nullptr;
    for (Node* p = *head; p != nullptr;) {
        Node* const next = p->next;
        p->next = before;
        before = p;
        p = next;
    }
    *head = before;
}
__global__ void look_up(Tree const* root, int const* wanted, int* depth, int n) {
    int const i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int d = 1;
    Tree const* t = root;
    while (t != nullptr && t->key != wanted[i]) {
        t = wanted[i] < t->key ? t->left : t->right;
        ++d;
    }
    depth[i] = t != nullptr ? d : 0;
}

Tree* insert(Tree* root, int key) {
    if (root == nullptr) {
        root = new Tree;
        root->key = key;
    } else if (key < root->key) {
        root->left = insert(root->left, key);
    } else if (key > root->key) {
        root->right = insert(root->right, key);
    }
    return root;
}

int main() {
    Node** head;
    OK(cudaMallocManaged(&head, sizeof *head));
    *head = nullptr;
    for (int i = 99; i >= 0; --i) {
        Node* const node = new Node;
        node->value = i;
        node->next = *head;
        *head = node;
    }
    add_to_all<<<1, 1>>>(*head, 1000);
    reverse<<<1, 1>>>(head);
    OK(cudaDeviceSynchronize());
    int expected = 1099;
    for (Node* p = *head; p != nullptr; p = p->next) CHECK(p->value == expected--);
    CHECK(expected == 999);

    Tree* root = nullptr;
    for (int i = 0; i < 300; ++i) root = insert(root, i * 7919 % 1009);
    int *wanted, *depth;
    OK(cudaMallocManaged(&wanted, 1009 * 4));
    OK(cudaMallocManaged(&depth, 1009 * 4));
    for (int i = 0; i < 1009; ++i) wanted[i] = i;
    look_up<<<8, 128>>>(root, wanted, depth, 1009);
    OK(cudaDeviceSynchronize());
    for (int i = 0; i < 1009; ++i) {
        int d = 1;
        Tree const* t = root;
        for (; t != nullptr && t->key != i; ++d) t = i < t->key ? t->left : t->right;
        CHECK(depth[i] == (t != nullptr ? d : 0));
    }
    return result();
}
