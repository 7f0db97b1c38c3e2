// Stands for NVIDIA's NVRTC in tests: knows one program, compiled to PTX and to something that is no PTX.
#include <string.h>

static char const ptx[] =
    ".version 8.0\n.target sm_90\n.address_size 64\n"
    ".visible .entry three(.param .u64 p) { .reg .b64 %a; ld.param.u64 %a, [p]; st.global.u32 [%a], 3; ret; }\n";

int nvrtcVersion(int* major, int* minor) {
    *major = 13, *minor = 7;
    return 0;
}
int nvrtcCreateProgram(void** program, char const* source, char const* name, int n, void* a, void* b) {
    (void)source, (void)name, (void)n, (void)a, (void)b;
    static int only;
    *program = &only;
    return 0;
}
int nvrtcCompileProgram(void* program, int count, char const* const* options) {
    *(int*)program = count > 0 && strncmp(options[0], "-arch=sm_", 9) == 0;
    return 0;
}
int nvrtcGetPTXSize(void* program, size_t* size) { return (void)program, *size = sizeof ptx, 0; }
int nvrtcGetPTX(void* program, char* to) { return (void)program, memcpy(to, ptx, sizeof ptx), 0; }
int nvrtcGetCUBINSize(void* program, size_t* size) { return *size = *(int*)program ? 4 : 0, 0; }
int nvrtcGetCUBIN(void* program, char* to) { return (void)program, memcpy(to, "\177ELF", 4), 0; }
int nvrtcDestroyProgram(void** program) { return *program = NULL, 0; }
