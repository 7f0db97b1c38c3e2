// What the programs of the driver's interface check with.
#pragma once

#include "check_c.h"

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static inline const char* name_of(CUresult status) {
    const char* name = "an unknown number";
    cuGetErrorName(status, &name);
    return name;
}

#define IS(call, wanted)                                                                             \
    do {                                                                                             \
        CUresult const status_ = (call);                                                             \
        if (status_ != (wanted)) {                                                                   \
            printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, name_of(status_), #wanted); \
            ++failures;                                                                              \
        }                                                                                            \
    } while (0)

#define OK(call) IS(call, CUDA_SUCCESS)

/* Starts the interface; the first device's primary context is the calling thread's. */
static inline CUcontext use_primary(void) {
    CUcontext context = NULL;
    OK(cuInit(0));
    OK(cuDevicePrimaryCtxRetain(&context, 0));
    OK(cuCtxSetCurrent(context));
    return context;
}
