// What the driver-interface programs of this folder check with: as check.hpp, for C.
#pragma once

#include <cuda.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures;

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                    \
        }                                                                  \
    } while (0)

static inline const char* name_of(CUresult status) {
    const char* name = "an unknown number";
    cuGetErrorName(status, &name);
    return name;
}

#define IS(call, wanted)                                                                               \
    do {                                                                                               \
        CUresult const status_ = (call);                                                               \
        if (status_ != (wanted)) {                                                                     \
            printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, name_of(status_), #wanted); \
            ++failures;                                                                                \
        }                                                                                              \
    } while (0)

#define OK(call) IS(call, CUDA_SUCCESS)

static inline int result(void) { return failures == 0 ? 0 : 1; }
