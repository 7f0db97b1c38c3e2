/* What nvcc makes of a CUDA program, made by hand: device code registered with the shared runtime, launched through its
 * functions. So `warpsim exec` is tested without nvcc.   cuda-program WHAT */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct {
    unsigned x, y, z;
} dim3;
extern void** __cudaRegisterFatBinary(const void*);
extern void __cudaRegisterFatBinaryEnd(void**);
extern void __cudaRegisterFunction(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*);
extern void __cudaUnregisterFatBinary(void**);
extern int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
extern int cudaDeviceSynchronize(void);
extern int cudaStreamCreateWithFlags(void**, unsigned);
extern int cudaMallocManaged(void**, size_t, unsigned);
extern int cudaGetDeviceCount(int*);
extern int cudaGetLastError(void);
extern int __cudaGetKernel(void**, const void*);
extern int cudaMalloc(void**, size_t);

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry count(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p]; atom.global.add.u32 %r, [%rd], 1; ret; }\n"
    ".visible .entry _Z4waitPj(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r; .reg .pred %q; ld.param.u64 %rd, [p];\n"
    "again: ld.volatile.global.u32 %r, [%rd]; setp.eq.u32 %q, %r, 0; @%q bra again; ret; }\n"
    ".visible .entry race(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p];\n"
    "ld.global.u32 %r, [%rd]; add.u32 %r, %r, 1; st.global.u32 [%rd], %r; ret; }\n";

/* A container with one entry: 1 for PTX, 2 for machine code. */
static struct {
    uint32_t magic;
    uint16_t version, header_bytes;
    uint64_t body_bytes;
    struct {
        uint16_t kind, flags;
        uint32_t header_bytes;
        uint64_t bytes;
        uint32_t compressed, options;
        uint16_t minor, major;
        uint32_t arch, name, name_bytes;
        uint64_t more_flags, zero, plain_bytes;
    } entry;
    char text[2048];
} container = {0xBA55ED50u, 1, 16, 64 + 2048, {1, 0x0101, 64, 2048, 0, 0, 0, 7, 70, 0, 0, 0x11, 0, 0}, {0}};

static struct {
    uint32_t magic, version;
    const void* data;
    void* more;
} wrapper __attribute__((section(".nvFatBinSegment"), used)) = {0x466243B1u, 1, &container, NULL};

static char count_stub, wait_stub, race_stub;

static void launch_in(void* stream, const void* stub, void* p, unsigned blocks) {
    void* args[] = {&p};
    dim3 const grid = {blocks, 1, 1}, block = {32, 1, 1};
    int const status = cudaLaunchKernel(stub, grid, block, args, 0, stream);
    if (status != 0) printf("launch: %d\n", status);
}
static void launch(const void* stub, void* p, unsigned blocks) { launch_in(NULL, stub, p, blocks); }

static void* launch_for_ever(void* p) {
    for (;;) {
        void* args[] = {&p};
        dim3 const grid = {2, 1, 1}, block = {256, 1, 1};
        cudaLaunchKernel(&count_stub, grid, block, args, 0, NULL);
    }
}

static void* launch_after_main(void* p) {
    usleep(100000);
    launch(&count_stub, p, 2);
    cudaDeviceSynchronize();
    printf("counted %u\n", *(uint32_t*)p);
    return NULL;
}
static void* sleep_after_main(void* unused) {
    usleep(300000);
    printf("slept\n");
    return unused;
}
static void at_end(void) { printf("ended\n"); }

static volatile sig_atomic_t seen;
static void on_signal(int number) { seen = number; }

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "";
    if (strcmp(what, "cubin") == 0) {
        container.entry.kind = 2;
        memcpy(container.text, "\177ELF", 4);
    } else {
        memcpy(container.text, ptx, sizeof ptx);
    }
    void** image = __cudaRegisterFatBinary(&wrapper);
    __cudaRegisterFunction(image, &count_stub, "count", "count", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(image, &wait_stub, "_Z4waitPj", "_Z4waitPj", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFunction(image, &race_stub, "race", "race", -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(image);
    uint32_t* p = NULL;
    if (cudaMallocManaged((void**)&p, 4096, 1) != 0) return 9;

    if (strcmp(what, "count") == 0) { /* two kernels, launched 4 times in all */
        for (unsigned i = 1; i <= 3; ++i) launch(&count_stub, p, i);
        launch(&wait_stub, p, 1);
        if (cudaDeviceSynchronize() != 0 || *p != 32 * 6) return 1;
        printf("counted %u\n", *p);
    } else if (strcmp(what, "streams") == 0) { /* three kernels that run together */
        void* streams[3];
        for (unsigned i = 0; i < 3; ++i)
            if (cudaStreamCreateWithFlags(&streams[i], 1) != 0) return 9;
        launch_in(streams[0], &wait_stub, p + 1, 1);
        launch_in(streams[1], &count_stub, p, 2);
        launch_in(streams[2], &race_stub, p + 1, 3);
        if (cudaDeviceSynchronize() != 0) return 1;
        printf("counted %u\n", *p);
    } else if (strcmp(what, "killed") == 0) { /* dies after two launches that have ended */
        launch(&count_stub, p, 1);
        launch(&count_stub, p, 2);
        cudaDeviceSynchronize();
        raise(SIGKILL);
    } else if (strcmp(what, "abandon") == 0) { /* ends while a kernel waits for ever */
        launch(&wait_stub, p, 1);
        printf("ended\n");
    } else if (strcmp(what, "stuck") == 0) { /* waits for a kernel that waits for ever */
        launch(&count_stub, p + 1, 1);
        launch(&wait_stub, p, 1);
        cudaDeviceSynchronize();
    } else if (strcmp(what, "busy") == 0) { /* ends while a thread launches and launches */
        pthread_t thread;
        pthread_create(&thread, NULL, launch_for_ever, p);
        usleep(20000);
        return 6;
    } else if (strcmp(what, "threads") == 0) { /* whose main thread ends first */
        pthread_t thread;
        atexit(at_end);
        launch(&count_stub, p, 1000); /* on several host threads */
        cudaDeviceSynchronize();
        *p = 0;
        pthread_create(&thread, NULL, launch_after_main, p);
        pthread_create(&thread, NULL, sleep_after_main, NULL);
        pthread_exit(NULL);
    } else if (strcmp(what, "fault") == 0) { /* and takes no notice */
        launch(&count_stub, p + (1 << 20), 1);
        cudaDeviceSynchronize();
    } else if (strcmp(what, "race") == 0) { /* counts without an atomic */
        launch(&race_stub, p, 2);
        cudaDeviceSynchronize();
    } else if (strcmp(what, "signal") == 0) {
        signal(SIGTERM, on_signal);
        printf("ready\n");
        fflush(stdout);
        launch(&wait_stub, p, 1);
        for (int i = 0; i < 2000 && !seen; ++i) usleep(10000);
        *(volatile uint32_t*)p = 1;
        cudaDeviceSynchronize();
        printf("signal %d\n", (int)seen);
        return 7;
    } else if (strcmp(what, "devices") == 0) {
        int n = 0;
        cudaGetDeviceCount(&n);
        printf("%d devices\n", n);
    } else if (strcmp(what, "cubin") == 0) {
        launch(&count_stub, p, 1);
    } else if (strcmp(what, "reload") == 0) { /* a library goes, and another comes to its place */
        void *first = NULL, *second = NULL;
        __cudaGetKernel(&first, &count_stub);
        launch(first, p, 1);
        cudaDeviceSynchronize();
        __cudaUnregisterFatBinary(image);
        strstr(container.text, ", 1; ret")[2] = '5';
        image = __cudaRegisterFatBinary(&wrapper);
        __cudaRegisterFunction(image, &count_stub, "count", "count", -1, 0, 0, 0, 0, 0);
        __cudaRegisterFatBinaryEnd(image);
        __cudaGetKernel(&second, &count_stub);
        launch(second, p, 1);
        launch(first, p, 1); /* which is gone */
        cudaDeviceSynchronize();
        printf("counted %u\n", *p);
    } else if (strcmp(what, "fork") == 0) { /* too late */
        launch(&count_stub, p, 1);
        fflush(stdout);
        pid_t const child = fork();
        if (child == 0) {
            void* q = NULL;
            int const allocated = cudaMalloc(&q, 4), waited = cudaDeviceSynchronize();
            printf("child: %d %d\n", allocated, waited);
            return 0;
        }
        int status = -1;
        waitpid(child, &status, 0);
        cudaDeviceSynchronize();
        printf("ended %d, counted %u\n", status, *p);
    }
    __cudaUnregisterFatBinary(image);
    return 0;
}
