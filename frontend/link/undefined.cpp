#include "frontend/link/undefined.hpp"

#include <algorithm>
#include <iterator>

namespace warpsim::frontend {

namespace {

// Of <math.h>, for double; float has them with an f.
constexpr std::string_view mathematical[] = {
    "acos",   "acosh",     "asin",      "asinh", "atan",      "atan2",  "atanh",  "cbrt",  "ceil",    "copysign",
    "cos",    "cosh",      "erf",       "erfc",  "exp",       "exp10",  "exp2",   "expm1", "fabs",    "fdim",
    "floor",  "fma",       "fmax",      "fmin",  "fmod",      "frexp",  "hypot",  "ilogb", "ldexp",   "lgamma",
    "llrint", "llround",   "log",       "log10", "log1p",     "log2",   "logb",   "lrint", "lround",  "modf",
    "nan",    "nearbyint", "nextafter", "pow",   "remainder", "remquo", "rint",   "round", "scalbln", "scalbn",
    "sin",    "sincos",    "sinh",      "sqrt",  "tan",       "tanh",   "tgamma", "trunc",
};

constexpr std::string_view of_c_library[] = {
    "abort", "abs",   "calloc", "exit",    "memchr", "memcmp", "memcpy", "memmove", "memset", "printf",  "putchar",
    "puts",  "qsort", "rand",   "realloc", "strcat", "strchr", "strcmp", "strcpy",  "strlen", "strncmp", "strncpy",
};

template <std::size_t n> bool is_one(std::string_view const (&names)[n], std::string_view name) {
    return std::find(std::begin(names), std::end(names), name) != std::end(names);
}

bool is_mathematical(std::string_view name) {
    if (is_one(mathematical, name)) return true;
    if (!name.ends_with('f')) return false;
    name.remove_suffix(1);
    return is_one(mathematical, name);
}

}  // namespace

std::string advice_on_undefined(std::string_view name) {
    if (name.starts_with("__nv_"))
        return "it belongs to libdevice, which comes with CUDA as libdevice.10.bc: link that before PTX is made "
               "(clang "
               "does with --cuda-path, unless -nocudalib; otherwise llvm-link)";
    if (is_mathematical(name))
        return "a function of the C library, which GPUs have as __nv_" + std::string(name) +
               " in libdevice: with CUDA's headers (clang -x cuda, not -nocudainc) it is called instead";
    if (is_one(of_c_library, name))
        return "a function of the C library, which no GPU has: define it in the module, or keep the compiler from "
               "calling it (clang -fno-builtin)";
    if (name.starts_with("_Zn") || name.starts_with("_Zd"))
        return "an operator new or delete of C++: CUDA's headers define it (clang -x cuda, not -nocudainc) by "
               "malloc "
               "and free, which are supplied here";
    return {};
}

}  // namespace warpsim::frontend
