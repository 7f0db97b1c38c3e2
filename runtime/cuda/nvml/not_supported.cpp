// A source of its own, since it declares all functions in a way of its own: those defined elsewhere take precedence.
#define NAME(function)                                                      \
    extern "C" __attribute__((visibility("default"), weak)) int function(); \
    extern "C" int function() { return 3; /* NVML_ERROR_NOT_SUPPORTED, whatever is asked */ }
#include "runtime/cuda/nvml/function_list.hpp"
