/* Looks like a program with device code and NVIDIA's runtime linked in: no shared one is asked for, and the driver is asked for
 * tables. */
#include <dlfcn.h>
#include <stdio.h>
static const int wrapper[6] __attribute__((section(".nvFatBinSegment"), used)) = {0x466243B1, 1};
int main(void) {
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*const table)(const void**, const char*) =
        driver != NULL ? (int (*)(const void**, const char*))dlsym(driver, "cuGetExportTable") : NULL;
    const void* out = NULL;
    const char id[16] = {0};
    for (int i = 0; i < 2; ++i) printf("%d\n", table != NULL ? table(&out, id) : -1);
    return 0;
}
