/* A program without CUDA that loads libgpuocelot.so and runs PTX on its own memory.
 *   ptx-run-program LIBRARY WHAT */
#define _GNU_SOURCE
#include "../programs/check_c.h"

#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

typedef int run_type(const char*, int, void**, int, int, int, int, int, int, int);
static run_type* ptx_run;
#define HEAD ".version 7.8\n.target sm_80\n.address_size 64\n"

static void* number(uint64_t value) { return (void*)(uintptr_t)value; }
static void* single(float value) {
    uint32_t bits;
    memcpy(&bits, &value, 4);
    return number(bits | 0xdead00000000ull); /* only the low bytes count */
}

static const char saxpy[] = HEAD
    ".visible .entry saxpy(.param .u64 x, .param .u64 y, .param .f32 a, .param .u32 n) {\n"
    "  .reg .pred %p; .reg .f32 %f<5>; .reg .b32 %r<6>; .reg .b64 %rd<6>;\n"
    "  ld.param.u64 %rd1, [x]; ld.param.u64 %rd2, [y]; ld.param.f32 %f1, [a]; ld.param.u32 %r1, [n];\n"
    "  mov.u32 %r2, %ctaid.x; mov.u32 %r3, %ntid.x; mov.u32 %r4, %tid.x; mad.lo.s32 %r5, %r2, %r3, %r4;\n"
    "  setp.ge.u32 %p, %r5, %r1; @%p bra done;\n"
    "  mul.wide.u32 %rd3, %r5, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;\n"
    "  ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd5]; fma.rn.f32 %f4, %f1, %f2, %f3;\n"
    "  st.global.f32 [%rd5], %f4;\n"
    "done: ret;\n}\n";

/* Memory from malloc and from the stack, sizes that are no multiple of a warp. */
static int run_saxpy(int n, float a) {
    float* x = malloc((size_t)n * 4);
    float* y = malloc((size_t)n * 4);
    for (int i = 0; i < n; ++i) x[i] = (float)(i % 1000) * 0.5f, y[i] = (float)(n - i);
    void* args[] = {x, y, single(a), number((uint64_t)n)};
    int wrong = ptx_run(saxpy, 4, args, 128, 1, 1, (n + 127) / 128, 1, 1, 0);
    for (int i = 0; i < n; ++i) wrong += y[i] != fmaf(a, (float)(i % 1000) * 0.5f, (float)(n - i));
    free(x);
    free(y);
    return wrong;
}

static void test_saxpy(void) {
    CHECK(run_saxpy(100000, 3.25f) == 0);
    CHECK(run_saxpy(7, -1.0f) == 0);
    float x[32], y[32];
    for (int i = 0; i < 32; ++i) x[i] = (float)i, y[i] = 1.0f;
    void* args[] = {x, y, single(2.0f), number(32)};
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 0);
    for (int i = 0; i < 32; ++i) CHECK(y[i] == 1.0f + 2.0f * (float)i);
}

/* Half arithmetic, shared memory, atomics, a vector load, a module variable and printf. */
static void test_half(void) {
    static const char ptx[] = HEAD
        ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
        ".global .align 1 .b8 text[7] = {104, 97, 108, 118, 101, 10, 0};\n"
        ".global .align 4 .u32 calls = 5;\n"
        ".extern .shared .align 16 .b8 buffer[];\n"
        ".visible .entry halves(.param .u64 p, .param .u64 q, .param .u64 sum) {\n"
        "  .reg .pred %p; .reg .b16 %h<8>; .reg .b32 %r<10>; .reg .b64 %rd<12>;\n"
        "  ld.param.u64 %rd1, [p]; ld.param.u64 %rd2, [q]; ld.param.u64 %rd3, [sum];\n"
        "  mov.u32 %r1, %tid.x; mul.wide.u32 %rd4, %r1, 8; add.s64 %rd5, %rd1, %rd4;\n"
        "  ld.global.v4.b16 {%h0, %h1, %h2, %h3}, [%rd5];\n"
        "  fma.rn.f16 %h4, %h0, %h1, %h2; add.rn.f16 %h5, %h4, %h3;\n"
        "  mul.wide.u32 %rd6, %r1, 2; mov.u32 %r2, buffer; cvt.u32.u64 %r3, %rd6; add.s32 %r4, %r2, %r3;\n"
        "  st.shared.b16 [%r4], %h5; bar.sync 0; ld.shared.b16 %h6, [%r4];\n"
        "  add.s64 %rd7, %rd2, %rd6; st.b16 [%rd7], %h6;\n"
        "  atom.global.add.u32 %r5, [%rd3], 1;\n"
        "  atom.global.add.u32 %r6, [calls], 1; setp.ne.u32 %p, %r6, 5; @%p bra done;\n"
        "  mov.u64 %rd8, text; cvta.global.u64 %rd8, %rd8;\n"
        "  { .param .b64 f; st.param.b64 [f], %rd8; .param .b64 a; st.param.b64 [a], 0; .param .b32 r;\n"
        "    call.uni (r), vprintf, (f, a); }\n"
        "done: ret;\n}\n";
    uint16_t p[64][4], q[64];
    uint32_t sum = 0;
    for (int i = 0; i < 64; ++i) {
        /* 2.0 * 1.5 + i / 1024 + 0.5, in binary16: only what is exact */
        p[i][0] = 0x4000, p[i][1] = 0x3e00, p[i][2] = 0x3c00, p[i][3] = 0x3800;
    }
    void* args[] = {p, q, &sum};
    CHECK(ptx_run(ptx, 3, args, 64, 1, 1, 1, 1, 1, 128) == 0);
    for (int i = 0; i < 64; ++i) CHECK(q[i] == 0x4480); /* 4.5 */
    CHECK(sum == 64);
}

/* Pages that may not be touched: the launch fails with a report, and the process goes on. */
static void test_wild(void) {
    size_t const page = 4096;
    char* memory = mmap(NULL, 3 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    mprotect(memory + page, page, PROT_NONE);
    mprotect(memory + 2 * page, page, PROT_READ);
    float good[32] = {0};
    void* args[] = {memory, good, single(1.0f), number(32)};
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 0);
    args[0] = memory + page - 64; /* lanes 16 and up read what is forbidden */
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 4);
    args[0] = memory + 2 * page;
    args[1] = memory + 2 * page; /* reads may, writes may not */
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 4);
    args[1] = NULL;
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 4);
    args[1] = number(0xdeadbeefdeadbee0ull); /* no address that a process can have */
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 4);
    args[1] = (char*)good + 2;
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 4); /* misaligned */
    args[0] = memory;
    args[1] = good;
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 0);
    CHECK(run_saxpy(1000, 2.0f) == 0);
}

/* Shared memory and parameters are checked as ever. */
static void test_windows(void) {
    static const char shared[] = HEAD
        ".visible .entry k(.param .u32 at) { .reg .b32 %r<3>; ld.param.u32 %r1, [at]; ld.shared.u32 %r2, [%r1];\n"
        "  st.shared.u32 [%r1], %r2; ret; }\n";
    void* args[] = {number(0)};
    CHECK(ptx_run(shared, 1, args, 1, 1, 1, 1, 1, 1, 64) == 0);
    args[0] = number(64);
    CHECK(ptx_run(shared, 1, args, 1, 1, 1, 1, 1, 1, 64) == 4);
}

static void test_bad_calls(void) {
    float x[32], y[32];
    void* args[] = {x, y, single(2.0f), number(32)};
    CHECK(ptx_run(NULL, 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 2);
    CHECK(ptx_run(saxpy, 3, args, 32, 1, 1, 1, 1, 1, 0) == 2);
    CHECK(ptx_run(saxpy, 4, NULL, 32, 1, 1, 1, 1, 1, 0) == 2);
    CHECK(ptx_run(saxpy, 4, args, 0, 1, 1, 1, 1, 1, 0) == 2);
    CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, -1) == 2);
    CHECK(ptx_run(saxpy, 4, args, 2048, 1, 1, 1, 1, 1, 0) == 4);
    CHECK(ptx_run("this is no PTX", 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 3);
    CHECK(ptx_run("", 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 3);
    CHECK(ptx_run(HEAD, 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 2);
    CHECK(ptx_run(HEAD ".visible .entry k() { addd.s32 %r1, 1, 2; }", 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 3);
    CHECK(ptx_run(HEAD ".visible .entry k(.param .b8 s[24]) { ret; }", 1, args, 1, 1, 1, 1, 1, 1, 0) == 2);
    CHECK(ptx_run(HEAD ".visible .entry k() { trap; }", 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 4);
    CHECK(ptx_run(HEAD ".visible .entry k() { ret; }", 0, NULL, 1, 1, 1, 1, 1, 1, 0) == 0);
    CHECK(run_saxpy(1000, 2.0f) == 0);
}

/* With WARPSIM_MAX_INSTRUCTIONS in the environment; threads that wait for ever are seen without it. */
static void test_endless(void) {
    uint32_t n = 0;
    void* args[] = {&n};
    CHECK(ptx_run(HEAD ".visible .entry k(.param .u64 p) { .reg .b64 %rd; .reg .b32 %r; ld.param.u64 %rd, [p];\n"
                       "l: ld.global.u32 %r, [%rd]; add.u32 %r, %r, 1; st.global.u32 [%rd], %r; bra l; }", 1, args, 1, 1, 1, 1, 1, 1, 0) == 4);
    CHECK(n > 1000);
    CHECK(ptx_run(HEAD ".visible .entry k() { bar.sync 0, 96; ret; }", 0, NULL, 64, 1, 1, 1, 1, 1, 0) == 4);
    CHECK(run_saxpy(1000, 2.0f) == 0);
}

static void* many(void* seed) {
    intptr_t wrong = 0;
    int const start = (int)(intptr_t)seed;
    char ptx[sizeof saxpy + 64];
    for (int i = 0; i < 20; ++i) {
        wrong += run_saxpy(100 * start + i, (float)i);
        snprintf(ptx, sizeof ptx, "%s// text %d of thread %d\n", saxpy, i % 3, start); /* a module of its own */
        float x[32], y[32];
        for (int k = 0; k < 32; ++k) x[k] = 1.0f, y[k] = 0.0f;
        void* args[] = {x, y, single((float)start), number(32)};
        wrong += ptx_run(ptx, 4, args, 32, 1, 1, 1, 1, 1, 0);
        for (int k = 0; k < 32; ++k) wrong += y[k] != (float)start;
        args[0] = NULL;
        wrong += ptx_run(ptx, 4, args, 32, 1, 1, 1, 1, 1, 0) != 4;
    }
    return (void*)wrong;
}

static void test_threads(void) {
    pthread_t threads[8];
    for (intptr_t i = 0; i < 8; ++i) pthread_create(&threads[i], NULL, many, (void*)(i + 1));
    for (int i = 0; i < 8; ++i) {
        void* wrong = NULL;
        pthread_join(threads[i], &wrong);
        CHECK(wrong == NULL);
    }
}

static volatile sig_atomic_t seen;
static char* own_page;
static void own_handler(int signal, siginfo_t* info, void* context) {
    (void)signal, (void)context;
    if (info->si_addr != own_page) _exit(9);
    ++seen;
    mprotect(own_page, 4096, PROT_READ | PROT_WRITE);
}

/* The program's own faults go to its own handler, whenever it was set. */
static void test_handlers(void) {
    own_page = mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = own_handler;
    action.sa_flags = SA_SIGINFO;
    for (int round = 0; round < 2; ++round) {
        mprotect(own_page, 4096, PROT_NONE);
        if (round == 1) sigaction(SIGSEGV, &action, NULL); /* takes the place of the library's */
        if (round == 0) sigaction(SIGSEGV, &action, NULL);
        CHECK(run_saxpy(100, 2.0f) == 0);
        float y[32];
        void* args[] = {NULL, y, single(1.0f), number(32)};
        CHECK(ptx_run(saxpy, 4, args, 32, 1, 1, 1, 1, 1, 0) == 4);
        CHECK(seen == round);
        *(volatile char*)own_page = 1;
        CHECK(seen == round + 1);
    }
}

/* Without a handler of its own it dies of its own faults, as it would without the library. */
static void test_own_death(void) {
    CHECK(run_saxpy(100, 2.0f) == 0);
    pid_t const child = fork();
    if (child == 0) {
        *(volatile char*)16 = 1;
        _exit(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    CHECK(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
}

int main(int argc, char** argv) {
    static struct {
        const char* name;
        void (*run)(void);
    } const tests[] = {{"saxpy", test_saxpy},       {"half", test_half},         {"wild", test_wild},
                       {"windows", test_windows},   {"calls", test_bad_calls},   {"endless", test_endless},
                       {"threads", test_threads},   {"handlers", test_handlers}, {"death", test_own_death}};
    if (argc != 3) return 2;
    void* const library = dlopen(argv[1], RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        printf("%s\n", dlerror());
        return 2;
    }
    *(void**)&ptx_run = dlsym(library, "ptx_run");
    for (size_t i = 0; i < sizeof tests / sizeof *tests; ++i) {
        if (strcmp(argv[2], tests[i].name) != 0) continue;
        tests[i].run();
        return result();
    }
    return 2;
}
