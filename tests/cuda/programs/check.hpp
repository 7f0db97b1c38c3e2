// What the programs of this folder check with: a line for each thing that is not as it should be, and exit status
// 1.
#pragma once

#include <cstdio>
#include <cstdlib>

inline int failures = 0;

inline bool is_told() { return ++failures <= 20; }  // a program that fails often fails very often

#define CHECK(condition)                                                                       \
    do {                                                                                       \
        if (!(condition)) {                                                                    \
            if (is_told()) std::printf("%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
        }                                                                                      \
    } while (false)

#define OK(call)                                                                                                 \
    do {                                                                                                         \
        cudaError_t const status_ = (call);                                                                      \
        if (status_ != cudaSuccess) {                                                                            \
            if (is_told()) std::printf("%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_)); \
        }                                                                                                        \
    } while (false)

#define IS(call, wanted)                                                                                     \
    do {                                                                                                     \
        cudaError_t const status_ = (call);                                                                  \
        if (status_ != (wanted)) {                                                                           \
            if (is_told())                                                                                   \
                std::printf("%s:%d: %s: %s, not %s\n", __FILE__, __LINE__, #call, cudaGetErrorName(status_), \
                            #wanted);                                                                        \
        }                                                                                                    \
    } while (false)

inline int result() { return failures == 0 ? 0 : 1; }
