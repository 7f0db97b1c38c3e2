/* Looks like a program with device code and NVIDIA's runtime linked in: no shared one is asked for, and the driver is asked for
 * tables. */
#include <dlfcn.h>
#include <stdio.h>
static const int wrapper[6] __attribute__((section(".nvFatBinSegment"), used)) = {0x466243B1, 1};
/* With an argument, another table than the runtime's: the one that NVRTC asks for. */
static const unsigned char of_runtime[16] = {0xf8, 0xcf, 0xf9, 0x51, 0x21, 0x46, 0x8b, 0x4e,
                                             0xb9, 0xe2, 0xfb, 0x46, 0x9e, 0x7c, 0x0d, 0xd9};
static const unsigned char of_compiler[16] = {0xda, 0x91, 0x51, 0xd3, 0x3a, 0xe6, 0xcc, 0x41,
                                              0xa5, 0xc0, 0x4f, 0x26, 0xd5, 0x33, 0xe3, 0x28};
int main(int count, char** words) {
    (void)words;
    void* const driver = dlopen("libcuda.so.1", RTLD_NOW);
    int (*const table)(const void**, const unsigned char*) =
        driver != NULL ? (int (*)(const void**, const unsigned char*))dlsym(driver, "cuGetExportTable") : NULL;
    const void* out = NULL;
    for (int i = 0; i < 2; ++i)
        printf("%d\n", table != NULL ? table(&out, count > 1 ? of_compiler : of_runtime) : -1);
    return 0;
}
