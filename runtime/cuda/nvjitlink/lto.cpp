#include "runtime/cuda/nvjitlink/lto.hpp"

#include "runtime/cuda/stand_ins/original.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warpsim::nvjitlink {

namespace {

using Handle = void*;
constexpr int ltoir = 3, internal_error = 6;

/// NVIDIA's functions, by the names without a version.
struct Real {
    int (*create)(Handle*, std::uint32_t, char const**) = nullptr;
    int (*destroy)(Handle*) = nullptr;
    int (*add)(Handle, int, void const*, std::size_t, char const*) = nullptr;
    int (*complete)(Handle) = nullptr;
    int (*ptx_size)(Handle, std::size_t*) = nullptr;
    int (*ptx)(Handle, char*) = nullptr;
    int (*log_size)(Handle, std::size_t*) = nullptr;
    int (*log)(Handle, char*) = nullptr;
    bool is_there = false;

    Real() {
        cuda::Original const library({WARPSIM_NVJITLINK_NAME, "nvidia-nvjitlink", "the program links LTO-IR"},
                                     reinterpret_cast<void const*>(&compiles_lto));
        is_there = get(library, create, "nvJitLinkCreate") && get(library, destroy, "nvJitLinkDestroy") &&
                   get(library, add, "nvJitLinkAddData") && get(library, complete, "nvJitLinkComplete") &&
                   get(library, ptx_size, "nvJitLinkGetLinkedPtxSize") &&
                   get(library, ptx, "nvJitLinkGetLinkedPtx") &&
                   get(library, log_size, "nvJitLinkGetErrorLogSize") && get(library, log, "nvJitLinkGetErrorLog");
    }

private:
    template <class Function>
    static bool get(cuda::Original const& library, Function& function, char const* name) {
        function = reinterpret_cast<Function>(library.function(name));
        return function != nullptr;
    }
};

Real const& real() {
    static auto const* const functions = new Real;  // programs compile from their last destructors
    return *functions;
}

template <class GetSize, class GetText>
int read(Handle link, GetSize get_size, GetText get_text, std::string& text) {
    std::size_t size = 0;
    int status = get_size(link, &size);
    if (status != 0 || size == 0) return status;
    text.resize(size + 1);
    status = get_text(link, text.data());
    text.resize(std::min(text.size(), text.find('\0')));
    return status;
}

}  // namespace

bool compiles_lto() { return real().is_there; }

LtoCode compile_lto(std::vector<LtoInput> const& inputs, std::vector<std::string> const& options) {
    LtoCode made;
    if (!compiles_lto()) {
        made.status = internal_error;
        return made;
    }
    std::vector<char const*> all;
    for (std::string const& option : options)
        if (option != "-ptx") all.push_back(option.c_str());
    all.push_back("-ptx");
    Handle link = nullptr;
    made.status = real().create(&link, static_cast<std::uint32_t>(all.size()), all.data());
    for (std::size_t i = 0; i < inputs.size() && made.status == 0; ++i)
        made.status =
            real().add(link, ltoir, inputs[i].bytes.data(), inputs[i].bytes.size(), inputs[i].name.c_str());
    if (made.status == 0) made.status = real().complete(link);
    if (made.status == 0) made.status = read(link, real().ptx_size, real().ptx, made.ptx);
    if (link != nullptr) {
        if (made.status != 0) read(link, real().log_size, real().log, made.errors);
        real().destroy(&link);
    }
    return made;
}

}  // namespace warpsim::nvjitlink
