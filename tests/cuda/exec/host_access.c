/* What the host does to memory that kernels use, with and without having waited for them, for the race checker.
 *   host-access WHAT */
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "host_access_device.h"

static uint32_t* p; /* 64 KiB of managed memory */
static uint32_t* pinned;
static void *s1, *s2, *event;
static unsigned volatile sum;
static char bytes[256];

static void fill(void* stream, uint32_t* at, unsigned blocks) { launch("fill", at, blocks, stream); }
static void fill_slowly(void* stream, uint32_t* at) { launch("fill_slowly", at, 1, stream); }
static void read_only(void* stream, uint32_t* at) { launch("copy", at, 1, stream); }

static void on_segv(int number, siginfo_t* info, void* context) {
    (void)number, (void)info, (void)context;
    printf("caught\n");
    fflush(stdout);
    exit(3);
}
static sem_type told;
static void tell(void* data) { (void)data, post(&told); }

/* Another thread of the program, until it is told to stop. */
static atomic_int rounds, stop;
static void store(uint32_t* at) { *(uint32_t volatile*)at = 1; } /* MISTAKE thread-writes */
static void load(uint32_t* at) { sum += *(uint32_t volatile*)at; } /* MISTAKE thread-reads */
static void* stores(void* at) { do store(at), ++rounds, usleep(500); while (!stop); return NULL; }
static void* loads(void* at) { do load(at), ++rounds, usleep(500); while (!stop); return NULL; }
static void* call(void* at) { /* gives memory to the system */
    int const zeros = open("/dev/zero", O_RDONLY);
    do {
        if (read(zeros, at, 64) != 64) abort(); /* MISTAKE thread-calls */
        ++rounds;
        usleep(500);
    } while (!stop);
    return NULL;
}
static void* waits(void* at) { wait_for(&told); *(uint32_t volatile*)at = 1; return NULL; }
/* Beside it a kernel runs that fills the first 128 bytes; whoever is not waited for has a whole turn before that one is. */
static int beside(void* (*work)(void*), void* at, int is_joined) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, at);
    while (!rounds) {}
    if (is_joined) stop = 1, pthread_join(thread, NULL);
    fill_slowly(0, p);
    for (int const now = rounds; !is_joined && rounds < now + 2;) {}
    cudaDeviceSynchronize();
    if (is_joined) return 0;
    stop = 1;
    return pthread_join(thread, NULL);
}

/* Waits for the kernel's first store, in a way that nobody notices. */
static void* stores_after(void* at) {
    int const memory = open("/proc/self/mem", O_RDONLY);
    uint32_t last = 0;
    while (last != 31) if (pread(memory, &last, 4, (off_t)(uintptr_t)(p + 31)) != 4) abort();
    *(uint32_t volatile*)at = 1; /* MISTAKE thread-behind-the-kernel */
    return NULL;
}
static void* stores_once(void* at) { *(uint32_t volatile*)at = 1; return NULL; } /* MISTAKE thread-begins-later */
/* Memory of s1 that s2 reads. */
static uint32_t* shared_with_s2(void) {
    void* q = NULL;
    cudaMallocAsync(&q, 16384, s1);
    fill(s1, q, 1);
    cudaEventRecord(event, s1);
    cudaStreamWaitEvent(s2, event, 0);
    read_only(s2, q);
    return q;
}
static void* graph_that_fills(void) {
    void *graph = NULL, *executable = NULL;
    cudaStreamBeginCapture(s1, 0);
    fill(s1, p, 1);
    cudaStreamEndCapture(s1, &graph);
    cudaGraphInstantiate(&executable, graph, 0);
    return executable;
}

/* Each sort begins with a kernel that has not been waited for. */
static int run(const char* what) {
#define IS(name) if (strcmp(what, name) == 0)
    IS("read") { fill(0, p, 1); sum += p[3]; }                                  /* MISTAKE read */
    IS("read-waited") { fill(0, p, 1); cudaDeviceSynchronize(); sum += p[3]; }
    IS("write") { fill(0, p, 1); p[31] = 1; }                                   /* MISTAKE write */
    IS("write-waited") { fill(0, p, 1); cudaStreamSynchronize(0); p[31] = 1; }
    IS("read-what-is-read") { read_only(0, p); sum += p[0]; }
    IS("write-what-is-read") { read_only(0, p); p[0] = 1; }                     /* MISTAKE write-what-is-read */
    IS("elsewhere") { fill(0, p, 1); for (int i = 32; i < 1024; ++i) p[i] = (uint32_t)i; sum += p[40]; }
    IS("elsewhere-first") { fill(0, p, 1); for (int i = 1023; i >= 31; --i) sum += p[i]; } /* MISTAKE elsewhere-first */
    IS("other-stream") { fill(s1, p, 1); fill(s2, p + 1024, 1); cudaStreamSynchronize(s2); sum += p[0]; } /* MISTAKE other-stream */
    IS("own-stream") { fill(s1, p, 1); fill(s2, p + 1024, 1); cudaStreamSynchronize(s2); sum += p[1024]; }
    IS("event") { fill(s1, p, 1); cudaEventRecord(event, s1); fill(s1, p + 1024, 1); cudaEventSynchronize(event); sum += p[0]; }
    IS("event-too-early") { cudaEventRecord(event, s1); fill(s1, p, 1); cudaEventSynchronize(event); sum += p[0]; } /* MISTAKE event-too-early */
    IS("query") { fill(s1, p, 1); while (cudaStreamQuery(s1) != 0) {} sum += p[0]; }
    IS("attached") { cudaStreamAttachMemAsync(s1, p, 0, 4); fill(s1, p, 1); fill(s2, pinned, 1); cudaStreamSynchronize(s1); sum += p[0]; }
    IS("copy") { memset(pinned, 0, 128); fill(0, p, 1); cudaMemcpyAsync(pinned, p, 128, 4, 0); sum += pinned[5]; } /* MISTAKE copy */
    IS("copy-waited") { fill(0, p, 1); cudaMemcpy(pinned, p, 128, 4); sum += pinned[5]; }
    IS("copied-from") { cudaMemcpyAsync(p, pinned, 128, 4, s1); pinned[0] = 1; } /* MISTAKE copied-from */
    IS("set") { cudaMemset(p, 0, 128); sum += p[0]; cudaMemset(pinned, 0, 128); sum += pinned[0]; }
    IS("set-asynchronously") { cudaMemsetAsync(p, 0, 128, 0); sum += p[0]; } /* MISTAKE set-asynchronously */
    IS("host-function") { fill(s1, p, 1); cudaLaunchHostFunc(s1, tell, NULL); wait_for(&told); sum += p[0]; }
    IS("flag") { /* the kernel says by a strong store that its data is there */
        launch("message", p, 1, s1);
        while (((uint32_t volatile*)p)[16] == 0) {}
        sum += p[0];
    }
    IS("waits-for-host") { /* the kernel waits for the host */
        launch("wait", p, 1, s1);
        ((uint32_t volatile*)p)[16] = 1;
        cudaDeviceSynchronize();
    }
    IS("read-call") { /* the system is given memory */
        int const zeros = open("/dev/zero", O_RDONLY);
        fill(0, p, 1);
        if (read(zeros, p + 32, 64) != 64) return 8;
    }
    IS("read-call-into") {
        int const zeros = open("/dev/zero", O_RDONLY);
        fill(0, p, 1);
        if (read(zeros, p, 128) != 128) return 8;                               /* MISTAKE read-call-into */
    }
    IS("fread") {
        FILE* const zeros = fopen("/dev/zero", "rb");
        fill(0, p, 1);
        if (fread(p + 1024, 1, 32768, zeros) != 32768) return 8;
        if (fread(p + 32, 1, 8192, zeros) != 8192) return 8;
    }
    IS("memcpy") { fill(0, p, 2); memcpy(bytes, p, sizeof bytes); __asm__ volatile("" ::"r"(bytes) : "memory"); } /* MISTAKE memcpy */
    IS("segv") { /* the program's own faults stay its own */
        struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO};
        sigaction(SIGSEGV, &action, NULL);
        fill(0, p, 1);
        sum += p[0]; /* MISTAKE segv */
        *(int volatile*)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    }
    IS("segv-later") { /* ... and its handlers that it sets when ours are there, and asks for */
        struct sigaction action = {.sa_sigaction = on_segv, .sa_flags = SA_SIGINFO}, before;
        fill(0, p, 1);
        if (sigaction(SIGSEGV, &action, &before) != 0 || before.sa_handler != SIG_DFL) return 8;
        sum += p[0]; /* MISTAKE segv-later */
        if (signal(SIGSEGV, SIG_IGN) == SIG_ERR || sigaction(SIGSEGV, &action, &before) != 0) return 8;
        if (before.sa_handler != SIG_IGN) return 8;
        *(int volatile*)mmap(NULL, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) = 1;
    }
    IS("registered") { uint32_t* own = aligned_alloc(4096, 8192); cudaHostRegister(own, 8192, 0); fill(0, own, 1); sum += own[3]; } /* MISTAKE registered */
    IS("registered-waited") {
        uint32_t* const own = malloc(65536);
        if (cudaHostRegister(own, 65536, 0) != 0) return 8;
        fill(s1, own + 4096, 1);
        own[8192] = own[1] = 1;
        cudaStreamSynchronize(s1);
        sum += own[4096];
        fill(s1, own + 4096, 1);
        cudaHostUnregister(own); /* it may be used like any memory again */
        memset(own, 0, 65536);
        free(own);
    }
    IS("free") { fill(0, p, 1); cudaFree(p); void* q = NULL; cudaMallocManaged(&q, 4096, 1); memset(q, 1, 4096); }
    IS("thread-writes") return beside(stores, p + 7, 0);
    IS("thread-reads") return beside(loads, p + 7, 0);
    IS("thread-calls") return beside(call, p + 16, 0);
    IS("thread-elsewhere") return beside(stores, p + 32, 0);
    IS("thread-elsewhere-calls") return beside(call, p + 32, 0);
    IS("thread-joined") return beside(stores, p + 7, 1);
    IS("thread-only-reads") { /* what the kernel reads, too */
        pthread_t thread;
        pthread_create(&thread, NULL, loads, p);
        while (!rounds) {}
        for (int i = 0; i < 100; ++i) read_only(0, p);
        cudaDeviceSynchronize();
        stop = 1;
        return pthread_join(thread, NULL);
    }
    IS("thread-begins-later") { /* several times, as it may come too late to be noticed */
        for (int i = 0; i < 20; ++i) {
            pthread_t thread;
            fill(0, p, 1);
            pthread_create(&thread, NULL, stores_once, p + 7);
            cudaDeviceSynchronize();
            pthread_join(thread, NULL);
        }
    }
    IS("thread-behind-the-kernel") { /* it has touched the page first, and goes on */
        pthread_t thread;
        pthread_create(&thread, NULL, stores_after, p + 7);
        launch("fill_first", p, 1, 0);
        cudaDeviceSynchronize();
        return pthread_join(thread, NULL);
    }
    IS("thread-beside-the-kernel") { /* ... to a part of it that the kernel does not touch */
        pthread_t thread;
        pthread_create(&thread, NULL, stores_after, p + 64);
        launch("fill_first", p, 1, 0);
        cudaDeviceSynchronize();
        return pthread_join(thread, NULL);
    }
    IS("thread-after") { /* another thread that has learned from one that has waited */
        pthread_t thread;
        pthread_create(&thread, NULL, waits, p + 7);
        fill_slowly(0, p);
        cudaDeviceSynchronize();
        post(&told);
        return pthread_join(thread, NULL);
    }
    IS("freed-in-use") cudaFreeAsync(shared_with_s2(), s1);
    IS("freed-after-use") {
        uint32_t* const q = shared_with_s2();
        cudaEventRecord(event, s2);
        cudaStreamWaitEvent(s1, event, 0);
        cudaFreeAsync(q, s1);
    }
    IS("graph-twice") { /* it never runs beside itself */
        void* const graph = graph_that_fills();
        cudaGraphLaunch(graph, s1);
        cudaGraphLaunch(graph, s2);
    }
    IS("two-graphs") { cudaGraphLaunch(graph_that_fills(), s1); cudaGraphLaunch(graph_that_fills(), s2); }
    IS("many") { fill(0, p, 128); for (int round = 0; round < 100; ++round) for (int i = 0; i < 4096; ++i) sum += p[i]; } /* MISTAKE many */
    return 0;
}

int main(int argc, char** argv) {
    if (argc < 2) return 9;
    make_device();
    if (cudaMallocManaged((void**)&p, 65536, 1) != 0 || cudaMallocHost((void**)&pinned, 65536) != 0) return 9;
    cudaStreamCreateWithFlags(&s1, 1);
    cudaStreamCreateWithFlags(&s2, 1);
    cudaEventCreateWithFlags(&event, 2);
    int const status = run(argv[1]);
    if (status != 0) return status;
    cudaDeviceSynchronize();
    printf("ended\n");
    return 0;
}
