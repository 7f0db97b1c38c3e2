// Stands for NVIDIA's cuRAND in tests: its generators on the host count from their seeds. What would need a GPU ends the program.
#include <stdio.h>
#include <stdlib.h>

struct generator {
    unsigned next;
};

static int needs_a_gpu(char const* name) {
    printf("not so: %s is called of NVIDIA's library\n", name);
    fflush(stdout);
    _Exit(1);
}

int curandGetVersion(int* version) { return *version = 10799, 0; }
int curandCreateGenerator(struct generator** out, int type) { return (void)out, (void)type, needs_a_gpu(__func__); }
int curandCreatePoissonDistribution(double l, void** out) { return (void)l, (void)out, needs_a_gpu(__func__); }
int curandDestroyDistribution(void* distribution) { return (void)distribution, needs_a_gpu(__func__); }
int curandSetStream(struct generator* g, void* stream) { return (void)g, (void)stream, needs_a_gpu(__func__); }
int curandCreateGeneratorHost(struct generator** out, int type) {
    if (type != 101) return 103;
    *out = calloc(1, sizeof **out);
    return 0;
}
int curandSetPseudoRandomGeneratorSeed(struct generator* g, unsigned long long seed) {
    g->next = (unsigned)seed;
    return 0;
}
int curandGenerate(struct generator* g, unsigned* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = g->next++;
    return 0;
}
int curandDestroyGenerator(struct generator* g) {
    free(g);
    return 0;
}
