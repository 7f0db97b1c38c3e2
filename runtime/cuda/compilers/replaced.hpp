// NVIDIA's own libraries, which the libraries that stand in for them hand work on to.
#pragma once

#include <string>

namespace warpsim::cuda {

/// NVIDIA's library of a name, as the program would have got it.
struct ReplacedLibrary {
    void* handle = nullptr;  // for dlsym(); null: there is none, or none that can be opened
    std::string path;        // empty: nowhere to be found
};

/// `own` is a function of the library that stands in for it.
ReplacedLibrary open_replaced(char const* name, void const* own);

}  // namespace warpsim::cuda
