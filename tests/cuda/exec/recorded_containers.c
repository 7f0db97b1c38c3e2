/* Loads the containers that nvcc wrote (tests/fatbin/data) through both interfaces, and runs a kernel of each.
 *   recorded-containers LIBRARIES DATA WHAT [FILE KERNEL]
 * LIBRARIES: the folder of libcuda.so.1 and libcudart.so.13; DATA: that of the containers. */
#define _GNU_SOURCE
#include "../programs/check_c.h"

#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { n = 100, invalid_image = 200, no_binary_for_gpu = 209, ptx_version = 5 };

typedef struct {
    uint32_t magic, version;
    void const* data;
    void const* const* parts;
} Wrapper;

static void* library;
static void* function(char const* name) {
    void* const f = dlsym(library, name);
    if (f == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(9);
    }
    return f;
}
#define CALL(name, ...) (((int (*)())function(#name))(__VA_ARGS__))

static char const* data_folder;

/* A NUL is put behind the bytes. */
static char* read_file(char const* path, size_t* size) {
    FILE* const file = fopen(path, "rb");
    if (file == NULL) {
        perror(path);
        exit(9);
    }
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char* const bytes = malloc(*size + 1);
    if (fread(bytes, 1, *size, file) != *size) exit(9);
    bytes[*size] = 0;
    fclose(file);
    return bytes;
}
static char* container(char const* name) {
    char path[4096];
    size_t size = 0;
    snprintf(path, sizeof path, "%s/%s.fatbin", data_folder, name);
    return read_file(path, &size);
}

static void open_library(char const* folder, char const* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    library = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
    if (library == NULL) {
        fprintf(stderr, "%s\n", dlerror());
        exit(9);
    }
}

/* ---- the driver's interface ---- */

static void start_driver(void) {
    void* context = NULL;
    CHECK(CALL(cuInit, 0) == 0);
    CHECK(CALL(cuDevicePrimaryCtxRetain, &context, 0) == 0);
    CHECK(CALL(cuCtxSetCurrent, context) == 0);
}

/* x[i] becomes x[i] times factor(i). */
static void run_by_driver(void* kernel, float (*factor)(int)) {
    float x[n];
    int count = n;
    for (int i = 0; i < n; ++i) x[i] = (float)i;
    unsigned long long address = 0;
    CHECK(CALL(cuMemAlloc_v2, &address, sizeof x) == 0);
    CHECK(CALL(cuMemcpyHtoD_v2, address, x, sizeof x) == 0);
    void* arguments[] = {&address, &count};
    CHECK(CALL(cuLaunchKernel, kernel, 2, 1, 1, 64, 1, 1, 0, NULL, arguments, NULL) == 0);
    CHECK(CALL(cuMemcpyDtoH_v2, x, address, sizeof x) == 0);
    for (int i = 0; i < n; ++i) CHECK(x[i] == (float)i * factor(i));
    CHECK(CALL(cuMemFree_v2, address) == 0);
}

static float three(int i) { return (void)i, 3; }
static float five(int i) { return (void)i, 5; }
static float of_parts(int i) { return (float)(2 + i % 3); }

static void use_module(void* module, int architecture) {
    void* kernel = NULL;
    int version = 0;
    unsigned long long factor = 0;
    size_t bytes = 0;
    float const value = 5;
    CHECK(CALL(cuModuleGetFunction, &kernel, module, "scale") == 0);
    CHECK(CALL(cuFuncGetAttribute, &version, ptx_version, kernel) == 0);
    CHECK(version == architecture);
    run_by_driver(kernel, three);
    CHECK(CALL(cuModuleGetGlobal_v2, &factor, &bytes, module, "factor") == 0);
    CHECK(bytes == sizeof value);
    CHECK(CALL(cuMemcpyHtoD_v2, factor, &value, sizeof value) == 0);
    run_by_driver(kernel, five);
    CHECK(CALL(cuModuleGetFunction, &kernel, module, "none") == 500);
    CHECK(CALL(cuModuleUnload, module) == 0);
}

static void driver(char const* many_architecture) {
    static char const* const names[] = {"raw", "lz4", "zstd", "default", "many"};
    start_driver();
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i) {
        int const architecture = i == 4 ? atoi(many_architecture) : i == 3 ? 90 : 75;
        char* const bytes = container(names[i]);
        void *module = NULL, *lib = NULL, *kernel = NULL;
        printf("%s\n", names[i]);
        CHECK(CALL(cuModuleLoadFatBinary, &module, bytes) == 0);
        use_module(module, architecture);
        CHECK(CALL(cuModuleLoadData, &module, bytes) == 0);
        use_module(module, architecture);
        Wrapper const wrapper = {0x466243b1u, 1, bytes, NULL};
        CHECK(CALL(cuModuleLoadFatBinary, &module, &wrapper) == 0);
        memset(bytes, 0, 100); /* the image may go away once it is loaded */
        use_module(module, architecture);
        free(bytes);
        char* const again = container(names[i]);
        CHECK(CALL(cuLibraryLoadData, &lib, again, NULL, NULL, 0, NULL, NULL, 0) == 0);
        CHECK(CALL(cuLibraryGetKernel, &kernel, lib, "scale") == 0);
        run_by_driver(kernel, three);
        CHECK(CALL(cuLibraryUnload, lib) == 0);
        free(again);
    }
}

/* A program whose parts were linked by nvcc -rdc: a wrapper of version 2 with all their containers. */
static void linked(void) {
    start_driver();
    char *const one = container("part_one"), *const two = container("part_two");
    void const* const parts[] = {one, two, NULL};
    Wrapper const wrapper = {0x466243b1u, 2, one, parts};
    void *module = NULL, *kernel = NULL;
    CHECK(CALL(cuModuleLoadFatBinary, &module, &wrapper) == 0);
    CHECK(CALL(cuModuleGetFunction, &kernel, module, "scale_by_parts") == 0);
    run_by_driver(kernel, of_parts);
    CHECK(CALL(cuModuleUnload, module) == 0);
    /* Half of it is no program. */
    Wrapper const half = {0x466243b1u, 1, one, NULL};
    CHECK(CALL(cuModuleLoadFatBinary, &module, &half) == 218);
}

static void refused(void) {
    start_driver();
    void* module = NULL;
    char* const cubins = container("cubin");
    CHECK(CALL(cuModuleLoadFatBinary, &module, cubins) == no_binary_for_gpu);
    char* const damaged = container("zstd");
    memset(damaged + 16 + 64 + 30, 0x77, 200);
    CHECK(CALL(cuModuleLoadFatBinary, &module, damaged) == 218);
    damaged[16 + 8 + 3] = 0x7f; /* an entry longer than its container */
    CHECK(CALL(cuModuleLoadFatBinary, &module, damaged) != 0);
    damaged[0] = 1;
    CHECK(CALL(cuModuleLoadFatBinary, &module, damaged) == invalid_image);
}

/* ---- the runtime's, as nvcc's start-up code registers ---- */

typedef struct {
    unsigned x, y, z;
} dim3;

static void run_by_runtime(void const* stub, float (*factor)(int)) {
    float x[n];
    int count = n;
    for (int i = 0; i < n; ++i) x[i] = (float)i;
    void* p = NULL;
    CHECK(CALL(cudaMalloc, &p, sizeof x) == 0);
    CHECK(CALL(cudaMemcpy, p, x, sizeof x, 1) == 0);
    void* arguments[] = {&p, &count};
    dim3 const grid = {2, 1, 1}, block = {64, 1, 1};
    CHECK(((int (*)(void const*, dim3, dim3, void**, size_t, void*))function("cudaLaunchKernel"))(stub, grid, block, arguments, 0, NULL) == 0);
    CHECK(CALL(cudaMemcpy, x, p, sizeof x, 2) == 0);
    for (int i = 0; i < n; ++i) CHECK(x[i] == (float)i * factor(i));
    CHECK(CALL(cudaFree, p) == 0);
}

static void** register_image(Wrapper const* wrapper) {
    return ((void** (*)(void const*))function("__cudaRegisterFatBinary"))(wrapper);
}
static void register_function(void** image, void const* stub, char const* name) {
    ((void (*)(void**, void const*, char const*, char const*, int, void*, void*, void*, void*, int*))function("__cudaRegisterFunction"))(
        image, stub, name, name, -1, NULL, NULL, NULL, NULL, NULL);
}
static void register_variable(void** image, void const* shadow, char const* name, size_t size) {
    ((void (*)(void**, void const*, char const*, char const*, int, size_t, int, int))function("__cudaRegisterVar"))(image, shadow, name, name, 0, size, 0, 0);
}

static void registered(void) {
    static char const* const names[] = {"raw", "lz4", "zstd", "default", "many"};
    static char stubs[6];
    static float factors[5];
    static Wrapper wrappers[6];
    void** images[6];
    for (size_t i = 0; i < 5; ++i) {
        Wrapper const wrapper = {0x466243b1u, 1, container(names[i]), NULL};
        wrappers[i] = wrapper;
        images[i] = register_image(&wrappers[i]);
        register_function(images[i], &stubs[i], "scale");
        register_variable(images[i], &factors[i], "factor", sizeof(float));
        ((void (*)(void**))function("__cudaRegisterFatBinaryEnd"))(images[i]);
    }
    static void const* parts[3];
    parts[0] = container("part_one");
    parts[1] = container("part_two");
    Wrapper const wrapper = {0x466243b1u, 2, parts[0], parts};
    wrappers[5] = wrapper;
    images[5] = register_image(&wrappers[5]);
    register_function(images[5], &stubs[5], "scale_by_parts");
    ((void (*)(void**))function("__cudaRegisterFatBinaryEnd"))(images[5]);

    float const five_times = 5;
    for (size_t i = 0; i < 5; ++i) run_by_runtime(&stubs[i], three);
    CHECK(CALL(cudaMemcpyToSymbol, &factors[2], &five_times, sizeof(float), (size_t)0, 1) == 0);
    run_by_runtime(&stubs[1], three);
    run_by_runtime(&stubs[2], five);
    run_by_runtime(&stubs[5], of_parts);
    for (size_t i = 0; i < 6; ++i) ((void (*)(void**))function("__cudaUnregisterFatBinary"))(images[i]);
}

/* ---- any module: prints what loading it and launching a kernel without parameters answer ---- */

static void module_file(char const* file, char const* kernel_name) {
    start_driver();
    void *module = NULL, *kernel = NULL;
    int mode = 0;
    CHECK(CALL(cuModuleGetLoadingMode, &mode) == 0);
    printf("%s\n", mode == 1 ? "eager" : "lazy");
    int const load = CALL(cuModuleLoad, &module, file);
    printf("load %d\n", load);
    if (load != 0) return;
    int const get = CALL(cuModuleGetFunction, &kernel, module, kernel_name);
    printf("function %d\n", get);
    if (get != 0) return;
    int const launch = CALL(cuLaunchKernel, kernel, 1, 1, 1, 32, 1, 1, 0, NULL, NULL, NULL);
    printf("launch %d\n", launch);
    printf("synchronize %d\n", CALL(cuCtxSynchronize));
}

int main(int argc, char** argv) {
    if (argc < 4) return 9;
    data_folder = argv[2];
    char const* const what = argv[3];
    if (strcmp(what, "registered") == 0) {
        open_library(argv[1], "libcudart.so.13");
        registered();
    } else {
        open_library(argv[1], "libcuda.so.1");
        if (strcmp(what, "driver") == 0) driver(argc > 4 ? argv[4] : "90");
        else if (strcmp(what, "linked") == 0) linked();
        else if (strcmp(what, "refused") == 0) refused();
        else if (strcmp(what, "module") == 0 && argc > 5) module_file(argv[4], argv[5]);
        else return 9;
    }
    printf(failures == 0 ? "well\n" : "%d failures\n", failures);
    return result();
}
