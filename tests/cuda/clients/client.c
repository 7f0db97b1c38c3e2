// Does what clients of CUDA do that compile at run time. The first argument says what, the second is the folder of the
// libraries that stand for NVIDIA's.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void need(int holds, char const* what) {
    if (holds) return;
    printf("not so: %s\n", what);
    exit(1);
}

static void* library(char const* folder, char const* name) {
    char path[4096];
    snprintf(path, sizeof path, "%s%s%s", folder, *folder ? "/" : "", name);
    void* const handle = dlopen(path, RTLD_NOW);
    if (!handle) printf("%s\n", dlerror()), exit(2);
    return handle;
}

#define GET(handle, result, name, ...)                                          \
    result (*name)(__VA_ARGS__) = (result(*)(__VA_ARGS__))dlsym(handle, #name); \
    need(name != NULL, #name " is there")

/// Loads an image and runs its kernel, which stores 3.
static void run(void const* image) {
    void* const driver = library("", "libcuda.so.1");
    GET(driver, int, cuInit, unsigned);
    GET(driver, int, cuDevicePrimaryCtxRetain, void**, int);
    GET(driver, int, cuCtxSetCurrent, void*);
    GET(driver, int, cuModuleLoadData, void**, void const*);
    GET(driver, int, cuModuleGetFunction, void**, void*, char const*);
    GET(driver, int, cuFuncGetAttribute, int*, int, void*);
    GET(driver, int, cuMemAlloc_v2, unsigned long*, size_t);
    GET(driver, int, cuMemcpyDtoH_v2, void*, unsigned long, size_t);
    GET(driver, int, cuLaunchKernel, void*, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned,
        void*, void**, void**);
    void *context, *module, *kernel;
    unsigned long memory;
    int value = 0;
    need(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context), "a context");
    need(!cuModuleLoadData(&module, image), "the image is loaded");
    need(!cuModuleGetFunction(&kernel, module, "three"), "it has the kernel");
    need(!cuMemAlloc_v2(&memory, 4), "memory");
    void* arguments[] = {&memory};
    need(!cuLaunchKernel(kernel, 1, 1, 1, 1, 1, 1, 0, NULL, arguments, NULL), "a launch");
    need(!cuMemcpyDtoH_v2(&value, memory, 4) && value == 3, "the kernel stored 3");
}

static void nvrtc(char const* folder) {
    void* const handle = library(folder, "libnvrtc.so.13");
    GET(handle, int, nvrtcVersion, int*, int*);
    GET(handle, int, nvrtcCreateProgram, void**, char const*, char const*, int, void*, void*);
    GET(handle, int, nvrtcCompileProgram, void*, int, char const* const*);
    GET(handle, int, nvrtcGetCUBINSize, void*, size_t*);
    GET(handle, int, nvrtcGetCUBIN, void*, char*);
    GET(handle, int, nvrtcDestroyProgram, void**);
    int major = 0, minor = 0;
    need(!nvrtcVersion(&major, &minor) && major == 13 && minor == 7, "the version is the real library's");
    void* program;
    size_t size = 1;
    need(!nvrtcCreateProgram(&program, "", "", 0, NULL, NULL), "a program");
    char const* const virtual_one[] = {"-arch=compute_90"};
    need(!nvrtcCompileProgram(program, 1, virtual_one) && !nvrtcGetCUBINSize(program, &size) && size == 0,
         "there is no machine code for a virtual architecture");
    char const* const real_one[] = {"-arch=sm_90", "--maxrregcount=24"};
    need(!nvrtcCompileProgram(program, 2, real_one) && !nvrtcGetCUBINSize(program, &size) && size > 100,
         "there is code");
    char* const image = malloc(size);
    need(!nvrtcGetCUBIN(program, image) && memcmp(image, "\x50\xed\x55\xba", 4) == 0, "it is a fat binary");
    need(memmem(image, size, "-maxrregcount=24", 16) != NULL, "it holds the limit of registers");
    need(!nvrtcDestroyProgram(&program), "the program is destroyed");
    run(image);
}

static char const caller_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.extern .func (.param .b32 r) give ();\n"
    ".visible .entry three(.param .u64 p) { .reg .b64 %a; .reg .b32 %v; ld.param.u64 %a, [p];\n"
    "{ .param .b32 r; call (r), give, (); ld.param.b32 %v, [r]; }\n st.global.u32 [%a], %v; ret; }\n";
static char const callee_ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n.visible .func (.param .b32 r) give ()\n"
    "{ st.param.b32 [r], 3; ret; }\n";

static char const lto_mark[] = "\xed\x43\x4e\x7f";

static void nvjitlink(char const* folder) {
    void* const handle = library(folder, "libnvJitLink.so.13");
    typedef struct Link* Link;
    GET(handle, int, nvJitLinkVersion, unsigned*, unsigned*);
    GET(handle, int, __nvJitLinkCreate_13_0, Link*, unsigned, char const**);
    GET(handle, int, __nvJitLinkAddData_13_0, Link, int, void const*, size_t, char const*);
    GET(handle, int, __nvJitLinkComplete_13_0, Link);
    GET(handle, int, __nvJitLinkGetLinkedCubinSize_13_0, Link, size_t*);
    GET(handle, int, __nvJitLinkGetLinkedCubin_13_0, Link, void*);
    GET(handle, int, __nvJitLinkGetErrorLogSize_13_0, Link, size_t*);
    GET(handle, int, __nvJitLinkGetErrorLog_13_0, Link, char*);
    GET(handle, int, __nvJitLinkDestroy_13_0, Link*);
    unsigned major = 0, minor = 0;
    need(!nvJitLinkVersion(&major, &minor) && major == 12, "the version is ours");
    Link link;
    char const* bad[] = {"-arch=sm_90", "-louder"};
    need(__nvJitLinkCreate_13_0(&link, 2, bad) == 1, "an unknown option is refused");
    need(__nvJitLinkCreate_13_0(&link, 0, NULL) == 2, "the architecture is needed");
    need(!__nvJitLinkCreate_13_0(&link, 1, bad), "a link");
    size_t size = 0;
    need(!__nvJitLinkAddData_13_0(link, 2, caller_ptx, sizeof caller_ptx, "caller"), "PTX");
    need(__nvJitLinkComplete_13_0(link) != 0, "a function is missing");
    need(!__nvJitLinkGetErrorLogSize_13_0(link, &size), "a log");
    char* const log = malloc(size);
    need(!__nvJitLinkGetErrorLog_13_0(link, log) && strstr(log, "give"), "the log names it");
    need(__nvJitLinkAddData_13_0(link, 3, "\xed\x43\x4e\x7f more", 9, "lto") == 18, "LTO-IR is refused");
    need(!__nvJitLinkAddData_13_0(link, 2, callee_ptx, sizeof callee_ptx, "callee"), "more PTX");
    need(!__nvJitLinkComplete_13_0(link), "both are linked");
    need(!__nvJitLinkGetLinkedCubinSize_13_0(link, &size), "its size");
    char* const image = malloc(size);
    need(!__nvJitLinkGetLinkedCubin_13_0(link, image), "the code");
    need(!__nvJitLinkDestroy_13_0(&link) && link == NULL, "the end");
    run(image);
    char const* const odd[] = {"-arch=sm_odd"};
    need(__nvJitLinkCreate_13_0(&link, 1, (char const**)odd) == 1, "the architecture has a number");
    need(!__nvJitLinkCreate_13_0(&link, 1, bad) && !__nvJitLinkComplete_13_0(link) &&
             !__nvJitLinkGetLinkedCubinSize_13_0(link, &size) && size > 0 && !__nvJitLinkDestroy_13_0(&link),
         "nothing is linked to an empty module");
}

static void lto(char const* folder) {
    void* const handle = library(folder, "libnvJitLink.so.13");
    typedef struct Link* Link;
    GET(handle, int, __nvJitLinkCreate_13_5, Link*, unsigned, char const**);
    GET(handle, int, __nvJitLinkAddData_13_5, Link, int, void const*, size_t, char const*);
    GET(handle, int, __nvJitLinkComplete_13_5, Link);
    GET(handle, int, __nvJitLinkGetLinkedCubinSize_13_5, Link, size_t*);
    GET(handle, int, __nvJitLinkGetLinkedCubin_13_5, Link, void*);
    GET(handle, int, __nvJitLinkGetLinkedPtxSize_13_5, Link, size_t*);
    GET(handle, int, __nvJitLinkGetLinkedPtx_13_5, Link, char*);
    GET(handle, int, __nvJitLinkGetErrorLogSize_13_5, Link, size_t*);
    GET(handle, int, __nvJitLinkGetErrorLog_13_5, Link, char*);
    GET(handle, int, __nvJitLinkDestroy_13_5, Link*);
    char caller[sizeof lto_mark + sizeof caller_ptx], log[256];
    snprintf(caller, sizeof caller, "%s%s", lto_mark, caller_ptx);
    char const* const options[] = {"-arch=sm_90", "-lto", "-ptx"};
    Link link;
    size_t size = 0;
    need(__nvJitLinkCreate_13_5(&link, 1, (char const**)options + 2) == 2, "the architecture is needed");
    char const* const ptx_alone[] = {"-arch=sm_90", "-ptx"};
    need(__nvJitLinkCreate_13_5(&link, 2, (char const**)ptx_alone) == 11, "-ptx is for -lto");
    // LTO-IR calls a function of PTX.
    need(!__nvJitLinkCreate_13_5(&link, 2, (char const**)options), "a link");
    need(!__nvJitLinkAddData_13_5(link, 3, caller, strlen(caller), "caller"), "LTO-IR");
    need(__nvJitLinkComplete_13_5(link) == 9, "a function is missing");
    need(!__nvJitLinkAddData_13_5(link, 2, callee_ptx, sizeof callee_ptx, "callee"), "PTX");
    need(!__nvJitLinkComplete_13_5(link), "both are linked");
    need(!__nvJitLinkGetLinkedCubinSize_13_5(link, &size), "its size");
    char* const image = malloc(size);
    need(!__nvJitLinkGetLinkedCubin_13_5(link, image) && !__nvJitLinkDestroy_13_5(&link), "the code");
    run(image);
    // LTO-IR alone: its PTX is handed out.
    char callee[sizeof lto_mark + sizeof callee_ptx];
    snprintf(callee, sizeof callee, "%s%s", lto_mark, callee_ptx);
    need(!__nvJitLinkCreate_13_5(&link, 3, (char const**)options), "a link that gives PTX");
    need(!__nvJitLinkAddData_13_5(link, 10, callee, strlen(callee), "callee"), "LTO-IR, known by its mark");
    need(!__nvJitLinkComplete_13_5(link) && !__nvJitLinkGetLinkedPtxSize_13_5(link, &size), "PTX");
    char* const text = malloc(size);
    need(!__nvJitLinkGetLinkedPtx_13_5(link, text) && !strcmp(text, callee_ptx), "the library's PTX");
    need(!__nvJitLinkDestroy_13_5(&link), "the end");
    // What NVIDIA's library refuses.
    need(!__nvJitLinkCreate_13_5(&link, 2, (char const**)options), "another link");
    need(!__nvJitLinkAddData_13_5(link, 3, "\xed\x43\x4e\x7funsound", 11, "unsound"), "unsound LTO-IR");
    need(__nvJitLinkComplete_13_5(link) == 5, "its error is handed on");
    need(!__nvJitLinkGetErrorLogSize_13_5(link, &size) && size < sizeof log &&
             !__nvJitLinkGetErrorLog_13_5(link, log) && strstr(log, "it is unsound"),
         "and its log");
    need(!__nvJitLinkDestroy_13_5(&link), "the end of it");
}

static void nvml(char const* folder) {
    (void)folder;
    void* const handle = library("", "libnvidia-ml.so.1");
    GET(handle, int, nvmlInit_v2, void);
    GET(handle, int, nvmlShutdown, void);
    GET(handle, int, nvmlDeviceGetCount_v2, unsigned*);
    GET(handle, int, nvmlDeviceGetHandleByIndex_v2, unsigned, void**);
    GET(handle, int, nvmlDeviceGetName, void*, char*, unsigned);
    GET(handle, int, nvmlDeviceGetUUID, void*, char*, unsigned);
    GET(handle, int, nvmlDeviceGetHandleByUUID, char const*, void**);
    GET(handle, int, nvmlDeviceGetMemoryInfo, void*, unsigned long long*);
    GET(handle, int, nvmlDeviceGetCudaComputeCapability, void*, int*, int*);
    GET(handle, int, nvmlDeviceGetTemperature, void*, int, unsigned*);
    GET(handle, char const*, nvmlErrorString, int);
    unsigned count = 0, degrees = 0;
    void *device = NULL, *same = NULL;
    char name[96], uuid[96];
    unsigned long long memory[3];
    int major = 0, minor = 0;
    need(nvmlDeviceGetCount_v2(&count) == 1, "nothing before it begins");
    need(!nvmlInit_v2() && !nvmlDeviceGetCount_v2(&count) && count == 2, "two devices");
    need(nvmlDeviceGetHandleByIndex_v2(2, &device) == 2, "no third one");
    need(!nvmlDeviceGetHandleByIndex_v2(1, &device) && !nvmlDeviceGetName(device, name, sizeof name), "a name");
    need(nvmlDeviceGetName(device, name, 2) == 7, "which needs room");
    need(!nvmlDeviceGetUUID(device, uuid, sizeof uuid) && !nvmlDeviceGetHandleByUUID(uuid, &same) &&
             same == device,
         "a UUID");
    same = NULL;
    need(!nvmlDeviceGetHandleByUUID(uuid + strlen("GPU-"), &same) && same == device, "without its beginning");
    need(nvmlDeviceGetHandleByUUID(uuid + strlen("GPU-7"), &same) == 6, "all of the rest");
    need(!nvmlDeviceGetMemoryInfo(device, memory) && memory[0] >= memory[1] && memory[1] > 0, "memory");
    need(!nvmlDeviceGetCudaComputeCapability(device, &major, &minor), "a capability");
    need(nvmlDeviceGetTemperature(device, 0, &degrees) == 3, "no temperature");
    need(!nvmlShutdown() && nvmlShutdown() == 1, "the end");
    printf("%s, %d.%d, %s\n", name, major, minor, uuid);
}

/// Hands over machine code, after it has opened a library of `folder` under a name by which exec puts nothing in front.
static void machine_code(char const* folder) {
    library(folder, "libcaller.so");
    void* const driver = library("", "libcuda.so.1");
    GET(driver, int, cuInit, unsigned);
    GET(driver, int, cuDevicePrimaryCtxRetain, void**, int);
    GET(driver, int, cuCtxSetCurrent, void*);
    GET(driver, int, cuModuleLoadData, void**, void const*);
    void *context, *module;
    need(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context), "a context");
    need(cuModuleLoadData(&module, "\177ELF\2\1\1") == 209, "it is refused");
    library(folder, "libnvrtc.so.13");
    need(cuModuleLoadData(&module, "\177ELF\2\1\1") == 209, "it is refused again");
}

static void run_path(char const* folder) {
    void* const handle = library(folder, "libcaller.so");
    GET(handle, void*, open_neighbour, char const*);
    void* const neighbour = open_neighbour("libnvneighbour.so");
    need(neighbour != NULL, "its run path is searched, although dlopen() is redirected");
    GET(neighbour, int, neighbour_value, void);
    need(neighbour_value() == 42, "it is the one");
    need(open_neighbour("libnvrtc.so.99") == NULL, "what is not there is not found");
}

/// Memory of the device, for 3 numbers.
static unsigned long three_numbers(void) {
    void* const driver = library("", "libcuda.so.1");
    GET(driver, int, cuInit, unsigned);
    GET(driver, int, cuDevicePrimaryCtxRetain, void**, int);
    GET(driver, int, cuCtxSetCurrent, void*);
    GET(driver, int, cuMemAlloc_v2, unsigned long*, size_t);
    void* context;
    unsigned long memory;
    need(!cuInit(0) && !cuDevicePrimaryCtxRetain(&context, 0) && !cuCtxSetCurrent(context), "a context");
    need(!cuMemAlloc_v2(&memory, 3 * sizeof(unsigned)), "memory");
    return memory;
}

static void need_numbers_from(unsigned long memory, unsigned first) {
    void* const driver = library("", "libcuda.so.1");
    GET(driver, int, cuMemcpyDtoH_v2, void*, unsigned long, size_t);
    GET(driver, int, cuCtxSynchronize, void);
    unsigned numbers[3] = {0};
    need(!cuCtxSynchronize() && !cuMemcpyDtoH_v2(numbers, memory, sizeof numbers), "the numbers can be read");
    need(numbers[0] == first && numbers[1] == first + 1 && numbers[2] == first + 2, "they are those");
}

static void curand(char const* folder) {
    void* const handle = library(folder, "libcurand.so.10");
    GET(handle, int, curandGetVersion, int*);
    GET(handle, int, curandCreateGenerator, void**, int);
    GET(handle, int, curandCreateGeneratorHost, void**, int);
    GET(handle, int, curandSetPseudoRandomGeneratorSeed, void*, unsigned long long);
    GET(handle, int, curandSetStream, void*, void*);
    GET(handle, int, curandGenerate, void*, unsigned*, size_t);
    GET(handle, int, curandDestroyGenerator, void*);
    GET(handle, int, curandCreatePoissonDistribution, double, void**);
    GET(handle, int, curandDestroyDistribution, void*);
    unsigned long const memory = three_numbers();
    unsigned numbers[3] = {0};
    int version = 0;
    void *generator = NULL, *of_host = NULL, *distribution = NULL;
    need(!curandGetVersion(&version) && version == 10799, "the version is the real library's");
    need(curandCreateGenerator(&generator, 7) == 103, "its errors are told");
    need(!curandCreateGenerator(&generator, 101) && !curandCreateGeneratorHost(&of_host, 101), "generators");
    need(!curandSetPseudoRandomGeneratorSeed(generator, 40) && !curandSetPseudoRandomGeneratorSeed(of_host, 90), "seeds");
    need(!curandSetStream(generator, (void*)1), "a stream");
    need(!curandGenerate(generator, (unsigned*)memory, 1) && !curandGenerate(generator, (unsigned*)memory + 1, 2),
         "numbers for the device");
    need_numbers_from(memory, 40);
    need(!curandGenerate(of_host, numbers, 3) && numbers[2] == 92, "numbers for the host");
    need(curandGenerate(generator, numbers, 3) == 201 && numbers[2] == 92, "the device cannot write to the host's");
    need(curandCreatePoissonDistribution(5, &distribution) == 203 && !distribution, "no distribution");
    need(curandDestroyDistribution(NULL) == 101, "there is none");
    need(!curandDestroyGenerator(generator) && !curandDestroyGenerator(of_host), "the end");
}

/// Opens a library that is linked with cuRAND, which only that one's run path finds.
static void curand_user(char const* folder) {
    void* const handle = library(folder, "libuser.so");
    GET(handle, int, numbers_of_device, unsigned*, size_t, unsigned long long);
    unsigned long const memory = three_numbers();
    need(!numbers_of_device((unsigned*)memory, 3, 7), "numbers");
    need_numbers_from(memory, 7);
}

/// `folder` has a file of that name that is no library.
static void curand_broken(char const* folder) {
    void* const handle = library(folder, "libcurand.so.10");
    GET(handle, int, curandCreateGenerator, void**, int);
    GET(handle, int, curandGetVersion, int*);
    void* generator = NULL;
    int version = 0;
    need(curandCreateGenerator(&generator, 101) == 203 && !generator, "no generator");
    need(curandGetVersion(&version) == 203 && version == 0, "no version");
}

int main(int argc, char** argv) {
    need(argc == 3, "two arguments");
    if (!strcmp(argv[1], "nvrtc")) nvrtc(argv[2]);
    else if (!strcmp(argv[1], "nvjitlink")) nvjitlink(argv[2]);
    else if (!strcmp(argv[1], "lto")) lto(argv[2]);
    else if (!strcmp(argv[1], "nvml")) nvml(argv[2]);
    else if (!strcmp(argv[1], "curand")) curand(argv[2]);
    else if (!strcmp(argv[1], "curand-user")) curand_user(argv[2]);
    else if (!strcmp(argv[1], "curand-broken")) curand_broken(argv[2]);
    else if (!strcmp(argv[1], "machine-code")) machine_code(argv[2]);
    else if (!strcmp(argv[1], "run-path")) run_path(argv[2]);
    else return 3;
    printf("%s: all is so\n", argv[1]);
    return 0;
}
