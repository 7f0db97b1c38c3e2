/* The device's side of host_access.c: kernels, as the runtime is given them, and the functions that are called. */
#include <semaphore.h>

typedef struct {
    unsigned x, y, z;
} dim3;
extern void** __cudaRegisterFatBinary(const void*);
extern void __cudaRegisterFatBinaryEnd(void**);
extern void __cudaRegisterFunction(void**, const void*, char*, const char*, int, void*, void*, void*, void*, int*);
extern int cudaLaunchKernel(const void*, dim3, dim3, void**, size_t, void*);
extern int cudaDeviceSynchronize(void);
extern int cudaStreamSynchronize(void*);
extern int cudaStreamQuery(void*);
extern int cudaStreamAttachMemAsync(void*, void*, size_t, unsigned);
extern int cudaStreamCreateWithFlags(void**, unsigned);
extern int cudaEventCreateWithFlags(void**, unsigned);
extern int cudaEventRecord(void*, void*);
extern int cudaEventSynchronize(void*);
extern int cudaMallocManaged(void**, size_t, unsigned);
extern int cudaMallocHost(void**, size_t);
extern int cudaHostRegister(void*, size_t, unsigned);
extern int cudaHostUnregister(void*);
extern int cudaFree(void*);
extern int cudaMemset(void*, int, size_t);
extern int cudaMemsetAsync(void*, int, size_t, void*);
extern int cudaMemcpy(void*, const void*, size_t, int);
extern int cudaMemcpyAsync(void*, const void*, size_t, int, void*);
extern int cudaStreamWaitEvent(void*, void*, unsigned);
extern int cudaMallocAsync(void**, size_t, void*);
extern int cudaFreeAsync(void*, void*);
extern int cudaStreamBeginCapture(void*, int);
extern int cudaStreamEndCapture(void*, void**);
extern int cudaGraphInstantiate(void**, void*, unsigned long long);
extern int cudaGraphLaunch(void*, void*);
extern int cudaLaunchHostFunc(void*, void (*)(void*), void*);

#define HEAD                                                                                                     \
    ".reg .b64 %rd, %rt; .reg .b32 %r, %t; .reg .pred %q; ld.param.u64 %rd, [p]; mov.u32 %r, %ctaid.x; mov.u32 " \
    "%t, %tid.x;\n"                                                                                              \
    "mad.lo.u32 %r, %r, 32, %t; mul.wide.u32 %rt, %r, 4; add.u64 %rt, %rt, %rd;\n"
/* Counts for a while. */
#define COUNT(to) "mov.u32 %t, 0; count: add.u32 %t, %t, 1; setp.lt.u32 %q, %t, " to "; @%q bra count; "
#define SLOWLY COUNT("100000")
/* So that another thread has a turn in time even where the host has much else to do. */
#define VERY_SLOWLY COUNT("3000000")
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".visible .entry fill(.param .u64 p) { " HEAD "st.global.u32 [%rt], %r; ret; }\n"
    ".visible .entry copy(.param .u64 p) { " HEAD "ld.global.u32 %r, [%rt]; st.global.u32 [%rt+8192], %r; ret; }\n"
    ".visible .entry fill_slowly(.param .u64 p) { " HEAD SLOWLY "st.global.u32 [%rt], %r; ret; }\n"
    ".visible .entry fill_first(.param .u64 p) { " HEAD "st.global.u32 [%rt], %r; " VERY_SLOWLY "ret; }\n"
    ".visible .entry message(.param .u64 p) { " HEAD "setp.ne.u32 %q, %t, 0; @%q ret; st.global.u32 [%rd], 5; "
    "fence.sc.sys; st.volatile.global.u32 [%rd+64], 1; ret; }\n"
    ".visible .entry wait(.param .u64 p) { " HEAD
    "again: ld.volatile.global.u32 %r, [%rd+64]; setp.eq.u32 %q, %r, 0; @%q bra again; ret; }\n";

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
    char text[4096];
} container = {0xBA55ED50u, 1, 16, 64 + 4096, {1, 0x0101, 64, 4096, 0, 0, 0, 7, 70, 0, 0, 0x11, 0, 0}, {0}};

static struct {
    uint32_t magic, version;
    const void* data;
    void* more;
} wrapper __attribute__((section(".nvFatBinSegment"), used)) = {0x466243B1u, 1, &container, NULL};

static char* kernels[] = {"fill", "copy", "fill_slowly", "fill_first", "message", "wait"};
enum { kernel_count = sizeof kernels / sizeof kernels[0] };
static char stubs[kernel_count];

static void make_device(void) {
    memcpy(container.text, ptx, sizeof ptx);
    void** const image = __cudaRegisterFatBinary(&wrapper);
    for (int i = 0; i < kernel_count; ++i)
        __cudaRegisterFunction(image, &stubs[i], kernels[i], kernels[i], -1, 0, 0, 0, 0, 0);
    __cudaRegisterFatBinaryEnd(image);
}

static void launch(const char* kernel, void* p, unsigned blocks, void* stream) {
    void* args[] = {&p};
    dim3 const grid = {blocks, 1, 1}, block = {32, 1, 1};
    for (int i = 0; i < kernel_count; ++i)
        if (strcmp(kernels[i], kernel) == 0) cudaLaunchKernel(&stubs[i], grid, block, args, 0, stream);
}

typedef sem_t sem_type;
static void post(sem_type* s) { sem_post(s); }
static void wait_for(sem_type* s) { sem_wait(s); }
