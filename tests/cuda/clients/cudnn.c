/* Opens cuDNN by its path, as Python packages do, and uses it as far as XLA does before it compiles.
 *   cudnn LIBRARY */
#include <dlfcn.h>
#include <stdio.h>

static int failures;
#define CHECK(what) \
    if (!(what)) failures += printf("not so: %s\n", #what) > 0

int main(int count, char** arguments) {
    if (count != 2) return 2;
    void* const library = dlopen(arguments[1], RTLD_NOW);
    if (library == NULL) return puts(dlerror()), 1;
    size_t (*const version)(void) = (size_t(*)(void))dlsym(library, "cudnnGetVersion");
    int (*const property)(int, int*) = (int (*)(int, int*))dlsym(library, "cudnnGetProperty");
    int (*const create)(void**) = (int (*)(void**))dlsym(library, "cudnnCreate");
    int (*const set_stream)(void*, void*) = (int (*)(void*, void*))dlsym(library, "cudnnSetStream");
    int (*const get_stream)(void*, void**) = (int (*)(void*, void**))dlsym(library, "cudnnGetStream");
    int (*const add)(void*) = (int (*)(void*))dlsym(library, "cudnnAddTensor");
    int (*const destroy)(void*) = (int (*)(void*))dlsym(library, "cudnnDestroy");
    if (!version || !property || !create || !set_stream || !get_stream || !add || !destroy)
        return puts("missing"), 1;

    int parts[3];
    void *handle = NULL, *stream = NULL;
    CHECK(version() == 90807); /* of the library that is replaced */
    for (int i = 0; i < 3; ++i) CHECK(property(i, &parts[i]) == 0);
    CHECK(parts[0] == 9 && parts[1] == 8 && parts[2] == 7);
    CHECK(property(3, parts) == 2000);
    CHECK(create(&handle) == 0 && handle != NULL);
    CHECK(set_stream(handle, &parts) == 0 && get_stream(handle, &stream) == 0 && stream == &parts);
    CHECK(add(handle) == 3000 && add(handle) == 3000);
    CHECK(destroy(handle) == 0);
    return failures != 0;
}
