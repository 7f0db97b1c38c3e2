// ptx: driver_kernels_part.cu
// The program's own page tables: reserving addresses, creating memory, mapping it, once and twice.
#include "check_driver.h"

#include <stdint.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* Memory as a file, which another process maps too: what the one writes the other reads. */
static void shared_with_another(void) {
    enum { unit = 2 << 20 };
    CUmemAllocationProp p;
    CUmemAccessDesc access;
    CUmemGenericAllocationHandle memory, again, none;
    CUdeviceptr at, alias;
    int file = -1, value = 0, pipe_ends[2];
    memset(&p, 0, sizeof p);
    memset(&access, 0, sizeof access);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location.type = access.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    OK(cuDeviceGetAttribute(&value, CU_DEVICE_ATTRIBUTE_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR_SUPPORTED, 0));
    CHECK(value == 1);
    OK(cuMemCreate(&none, unit, &p, 0));
    IS(cuMemExportToShareableHandle(&file, none, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemRelease(none));
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_FABRIC;
    IS(cuMemCreate(&memory, unit, &p, 0), CUDA_ERROR_NOT_SUPPORTED);
    p.requestedHandleTypes = CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR;
    OK(cuMemCreate(&memory, unit, &p, 0));
    OK(cuMemExportToShareableHandle(&file, memory, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR, 0));
    CHECK(file >= 0);
    OK(cuMemImportFromShareableHandle(&again, (void*)(uintptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR));
    OK(cuMemGetAllocationPropertiesFromHandle(&p, again));
    CHECK(p.requestedHandleTypes == CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR);
    OK(cuMemAddressReserve(&at, unit, 0, 0, 0));
    OK(cuMemAddressReserve(&alias, unit, 0, 0, 0));
    OK(cuMemMap(at, unit, 0, memory, 0));
    OK(cuMemMap(alias, unit, 0, again, 0));
    OK(cuMemSetAccess(at, unit, &access, 1));
    OK(cuMemSetAccess(alias, unit, &access, 1));
    OK(cuMemsetD32(at, 1234, 16));
    OK(cuMemcpyDtoH(&value, alias + 60, 4));
    CHECK(value == 1234);
    // The other process has no context: it maps the file by itself.
    pid_t const child = fork();
    if (child == 0) {
        int* const seen = mmap(NULL, unit, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        if (seen == MAP_FAILED || seen[15] != 1234) _exit(1);
        seen[3] = 77;
        _exit(0);
    }
    int status = -1;
    waitpid(child, &status, 0);
    CHECK(status == 0);
    OK(cuMemcpyDtoH(&value, at + 12, 4));
    CHECK(value == 77);
    close(file);
    IS(cuMemImportFromShareableHandle(&none, (void*)(uintptr_t)file, CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), CUDA_ERROR_INVALID_VALUE);
    CHECK(pipe(pipe_ends) == 0);
    IS(cuMemImportFromShareableHandle(&none, (void*)(uintptr_t)pipe_ends[0], CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemImportFromShareableHandle(&none, NULL, CU_MEM_HANDLE_TYPE_FABRIC), CUDA_ERROR_NOT_SUPPORTED);
    OK(cuMemUnmap(at, unit));
    OK(cuMemUnmap(alias, unit));
    OK(cuMemRelease(memory));
    OK(cuMemRelease(again));
    OK(cuMemAddressFree(at, unit));
    OK(cuMemAddressFree(alias, unit));
}

int main(int argc, char** argv) {
    CUmodule module;
    CUfunction reverse;
    CUmemAllocationProp p;
    CUmemGenericAllocationHandle first, second, again;
    CUmemAccessDesc access = {{CU_MEM_LOCATION_TYPE_DEVICE, 0}, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    CUdeviceptr at = 0, alias = 0;
    size_t unit = 0, before = 0, after = 0, total = 0;
    unsigned long long flags = 99;
    int values[8], n = 8;
    if (argc < 2) return 2;
    use_primary();
    OK(cuModuleLoad(&module, argv[1]));
    OK(cuModuleGetFunction(&reverse, module, "reverse"));
    memset(&p, 0, sizeof p);
    p.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    p.location = access.location;
    OK(cuMemGetAllocationGranularity(&unit, &p, CU_MEM_ALLOC_GRANULARITY_MINIMUM));
    CHECK(unit > 0 && (unit & (unit - 1)) == 0);
    IS(cuMemAddressReserve(&at, 100, 0, 0, 0), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemAddressReserve(&at, 4 * unit, 0, 0, 0));
    OK(cuMemAddressReserve(&alias, unit, 4 * unit, 0, 0));
    CHECK(at % unit == 0 && alias % (4 * unit) == 0);
    IS(cuMemsetD8(at, 1, 16), CUDA_ERROR_INVALID_VALUE);       // addresses alone are no memory
    OK(cuMemGetInfo(&before, &total));
    OK(cuMemCreate(&first, unit, &p, 0));
    OK(cuMemCreate(&second, unit, &p, 0));
    OK(cuMemGetInfo(&after, &total));
    // What is free follows the host's memory, which other processes take and give back meanwhile.
    CHECK(before <= total && after <= total);
    IS(cuMemCreate(&again, 100, &p, 0), CUDA_ERROR_INVALID_VALUE);
    p.type = CU_MEM_ALLOCATION_TYPE_INVALID;
    IS(cuMemCreate(&again, unit, &p, 0), CUDA_ERROR_INVALID_VALUE);

    OK(cuMemMap(at, unit, 0, first, 0));
    OK(cuMemMap(at + unit, unit, 0, second, 0));
    IS(cuMemMap(at + unit, unit, 0, first, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemMap(at + 4 * unit, unit, 0, first, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemMap(at + 2 * unit, 2 * unit, 0, first, 0), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemsetD8(at, 1, 16), CUDA_ERROR_INVALID_VALUE);       // nor mapped memory that nobody may use
    OK(cuMemGetAccess(&flags, &access.location, at));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_NONE);
    OK(cuMemSetAccess(at, 2 * unit, &access, 1));
    IS(cuMemSetAccess(at, 3 * unit, &access, 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemGetAccess(&flags, &access.location, at));
    CHECK(flags == CU_MEM_ACCESS_FLAGS_PROT_READWRITE);

    // A copy and a kernel across the seam of the two.
    CUdeviceptr seam = at + unit - 16;
    for (int i = 0; i < 8; ++i) values[i] = i;
    OK(cuMemcpyHtoD(seam, values, sizeof values));
    void* arguments[] = {&seam, &n};
    OK(cuLaunchKernel(reverse, 1, 1, 1, 8, 1, 1, 32, NULL, arguments, NULL));
    OK(cuMemcpyDtoH(values, seam, sizeof values));
    for (int i = 0; i < 8; ++i) CHECK(values[i] == 7 - i);
    IS(cuMemsetD8(at, 1, 2 * unit + 1), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD8(at, 1, 2 * unit));

    // The same memory at another address.
    OK(cuMemMap(alias, unit, 0, second, 0));
    OK(cuMemSetAccess(alias, unit, &access, 1));
    values[0] = 4711;
    OK(cuMemcpyHtoD(alias + 64, values, 4));
    values[0] = 0;
    OK(cuMemcpyDtoH(values, at + unit + 64, 4));
    CHECK(values[0] == 4711);
    OK(cuMemRetainAllocationHandle(&again, (void*)(at + unit + 5)));
    CHECK(again == second);
    OK(cuMemGetAllocationPropertiesFromHandle(&p, again));
    CHECK(p.type == CU_MEM_ALLOCATION_TYPE_PINNED && p.location.id == 0);
    OK(cuMemRelease(again));

    // Released memory lives as long as it is mapped.
    OK(cuMemRelease(first));
    OK(cuMemRelease(second));
    IS(cuMemRelease(second), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemsetD8(alias, 3, 16));
    IS(cuMemAddressFree(at, 4 * unit), CUDA_ERROR_INVALID_VALUE);
    IS(cuMemUnmap(at, unit / 2), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(at, 2 * unit));
    IS(cuMemsetD8(at, 1, 16), CUDA_ERROR_INVALID_VALUE);
    OK(cuMemUnmap(alias, unit));
    OK(cuMemAddressFree(at, 4 * unit));
    OK(cuMemAddressFree(alias, unit));
    IS(cuMemAddressFree(alias, unit), CUDA_ERROR_INVALID_VALUE);
    shared_with_another();
    return result();
}
