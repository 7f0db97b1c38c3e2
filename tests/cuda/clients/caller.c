// Opens a library that only its own run path finds.
#define _GNU_SOURCE
#include <dlfcn.h>

void* open_neighbour(char const* name) {
    void* volatile handle = dlopen(name, RTLD_NOW);  // no jump: this function is the caller
    return handle;
}
