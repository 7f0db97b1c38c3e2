// NVIDIA's own libraries, for those of ours that stand in front of them.
#pragma once

#include <string>

namespace warpsim::cuda {

/// One of them, as the program would have got it.
class Original {
public:
    struct Names {
        char const* library;  // "libnvrtc.so.13"
        char const* package;  // on PyPI
        char const* user;     // "the program compiles by NVRTC"
    };
    /// Looks for it and opens it; a line in the log says why there is none. `in_front`: an address in the library of ours.
    Original(Names const& names, void const* in_front);

    /// Null: it has none of that name, or could not be opened.
    void* function(char const* name) const;
    /// Empty: there is none.
    std::string const& path() const { return path_; }

private:
    std::string path_;
    void* handle_ = nullptr;
};

}  // namespace warpsim::cuda
