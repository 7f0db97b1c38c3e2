// What C programs check with: a line for each thing that is not as it should be, and exit status 1.
#pragma once

#include <stdio.h>

static int failures;

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
            ++failures;                                                    \
        }                                                                  \
    } while (0)

static inline int result(void) { return failures == 0 ? 0 : 1; }
