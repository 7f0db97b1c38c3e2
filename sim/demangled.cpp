#include "sim/demangled.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

namespace warpsim::sim {

std::string demangled(std::string const& name) {
    if (!name.starts_with("_Z")) return name;  // "f" would be a mangled type
    int status = 0;
    std::unique_ptr<char, void (*)(void*)> const text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                      std::free);
    return status == 0 && text ? text.get() : name;
}

}  // namespace warpsim::sim
