// Types of C++ for the debugger: a method, a list, an enumeration, members without a name, and dynamic shared memory.
enum class Color { red, green = 5, blue };

struct Node {
    int value;
    Node* next;
    Color color;
    float m[2][3];
    struct {
        short a;
        char b;
    } tag;
};

struct Pair {
    float x, y;
    __device__ float sum(float more) const {
        float s = x + y;
        return s + more;
    }
};

extern "C" __global__ void shapes(Node* nodes, float* out) {
    extern __shared__ float row[];
    int i = threadIdx.x;
    row[i] = i * 2.0f;
    nodes[i].value = i;
    nodes[i].next = &nodes[i + 1];
    nodes[i].color = i % 2 ? Color::green : Color::blue;
    nodes[i].tag.a = i;
    Pair pair{row[i], 1.0f};
    __syncthreads();
    out[i] = pair.sum(row[0]);
}
