// A library that is linked with cuRAND, as extension modules of Python are.
#include <stddef.h>

int curandCreateGenerator(void** out, int type);
int curandSetPseudoRandomGeneratorSeed(void* generator, unsigned long long seed);
int curandSetStream(void* generator, void* stream);
int curandGenerate(void* generator, unsigned* to, size_t count);
int curandDestroyGenerator(void* generator);

/// The first status that is not 0.
int numbers_of_device(unsigned* to, size_t count, unsigned long long seed) {
    void* generator;
    int status = curandCreateGenerator(&generator, 101);
    if (!status) status = curandSetPseudoRandomGeneratorSeed(generator, seed);
    if (!status) status = curandSetStream(generator, (void*)2);  // the thread's own
    if (!status) status = curandGenerate(generator, to, count);
    if (!status) status = curandDestroyGenerator(generator);
    return status;
}
