// Built with -G: unoptimised code with its debugging sections, recursion, local arrays, printf and assert.
// compile: -G
// output: sum 5050, hanoi 255
#include "check.hpp"
#include <cassert>

struct Matrix {
    float v[4][4];
    __device__ Matrix operator*(Matrix const& o) const {
        Matrix r;
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 4; ++j) {
                r.v[i][j] = 0;
                for (int k = 0; k < 4; ++k) r.v[i][j] += v[i][k] * o.v[k][j];
            }
        }
        return r;
    }
};
__device__ int sum_to(int n) { return n == 0 ? 0 : n + sum_to(n - 1); }
__device__ int hanoi(int discs, int* pegs, int from, int to) {
    if (discs == 0) return 0;
    int const via = 3 - from - to;
    int const before = hanoi(discs - 1, pegs, from, via);
    --pegs[from];
    ++pegs[to];
    return before + 1 + hanoi(discs - 1, pegs, via, to);
}
__global__ void work(int* pegs, Matrix* m) {
    Matrix a;
    for (int i = 0; i < 4; ++i) {
        for (int j = 0; j < 4; ++j) a.v[i][j] = static_cast<float>(i == j) + static_cast<float>(j == i + 1);
    }
    Matrix p = a;
    for (int k = 1; k < 5; ++k) p = p * a;
    *m = p;
    int const moves = hanoi(8, pegs, 0, 2);
    assert(moves == 255);
    if (threadIdx.x == 0) printf("sum %d, hanoi %d\n", sum_to(100), moves);
}

int main() {
    int* pegs;
    Matrix* m;
    OK(cudaMallocManaged(&pegs, 3 * 4));
    OK(cudaMallocManaged(&m, sizeof *m));
    pegs[0] = 8;
    work<<<1, 1>>>(pegs, m);
    OK(cudaDeviceSynchronize());
    CHECK(pegs[0] == 0 && pegs[1] == 0 && pegs[2] == 8);
    CHECK(m->v[0][0] == 1 && m->v[0][1] == 5 && m->v[0][2] == 10 && m->v[0][3] == 10 && m->v[3][0] == 0);
    return result();
}
