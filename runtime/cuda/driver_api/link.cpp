// Linking: PTX texts are concatenated, and the result is an image that modules can be loaded from.
#include "runtime/cuda/code/jit.hpp"
#include "runtime/cuda/driver_api/call.hpp"
#include "runtime/log.hpp"
#include "sim/error.hpp"

#include <string_view>

using namespace warpsim::cuda;
using namespace warpsim::cuda::driver;

namespace {

/// The numbers of CUjitInputType.
enum class Input : int { cubin = 0, ptx = 1, fatbin = 2, object = 3, library = 4, nvvm = 5 };

struct Linker {
    JitOptions options;
    std::vector<warpsim::runtime::PtxText> texts;
    std::string errors;
    std::string image;

    std::string* report() { return options.has_error_log() ? &errors : nullptr; }
};

Handles<Linker> linkers(Process& process) { return {process.handles, HandleKind::linker}; }

void add(Gpu& gpu, Linker& linker, int type, std::string bytes, std::string name) {
    if (bytes.empty() || type < 0 || type > static_cast<int>(Input::nvvm)) throw Failure(Result::invalid_value);
    if (static_cast<Input>(type) == Input::nvvm) throw Failure(Result::not_supported);
    // The device runtime is part of the simulator.
    if (std::string_view(bytes).starts_with("!<arch>")) {
        if (name.find("cudadevrt") != std::string::npos) return;
        throw Failure(Result::not_supported);
    }
    try {
        std::vector<warpsim::runtime::PtxText> parts = Program(bytes.c_str()).texts(gpu, linker.report());
        bool const is_one = parts.size() == 1 && !name.empty();
        for (auto& part : parts) linker.texts.push_back({is_one ? name : part.name, std::move(part.text)});
    } catch (Failure const&) {
        linker.options.report({}, linker.errors);
        throw;
    }
}

CUresult create(unsigned count, int* numbers, void** values, CUlinkState* out) {
    return in_context([&](Process& process, Gpu&) {
        if (out == nullptr) throw Failure(Result::invalid_value);
        auto linker = std::make_shared<Linker>();
        linker->options = JitOptions(count, numbers, values);
        *out = linkers(process).add(std::move(linker));
    });
}

CUresult add_data(CUlinkState state, int type, void const* data, std::size_t size, char const* name) {
    return in_context([&](Process& process, Gpu& gpu) {
        auto const linker = linkers(process).get(state);
        if (data == nullptr) throw Failure(Result::invalid_value);
        add(gpu, *linker, type, {static_cast<char const*>(data), size}, name != nullptr ? name : "");
    });
}

CUresult add_file(CUlinkState state, int type, char const* path) {
    return in_context([&](Process& process, Gpu& gpu) {
        auto const linker = linkers(process).get(state);
        add(gpu, *linker, type, read_image(path), path);
    });
}

}  // namespace

WARPSIM_API CUresult cuLinkCreate(unsigned count, int* numbers, void** values, CUlinkState* out) {
    Arguments const said(count, numbers, values, out);
    return create(count, numbers, values, out);
}
WARPSIM_API CUresult cuLinkCreate_v2(unsigned count, int* numbers, void** values, CUlinkState* out) {
    Arguments const said(count, numbers, values, out);
    return create(count, numbers, values, out);
}
WARPSIM_API CUresult cuLinkAddData(CUlinkState state, int type, void* data, std::size_t size, char const* name,
                                   unsigned, int*, void**) {
    Arguments const said(state, type, data, size, name);
    return add_data(state, type, data, size, name);
}
WARPSIM_API CUresult cuLinkAddData_v2(CUlinkState state, int type, void* data, std::size_t size, char const* name,
                                      unsigned, int*, void**) {
    Arguments const said(state, type, data, size, name);
    return add_data(state, type, data, size, name);
}
WARPSIM_API CUresult cuLinkAddFile(CUlinkState state, int type, char const* path, unsigned, int*, void**) {
    Arguments const said(state, type, path);
    return add_file(state, type, path);
}
WARPSIM_API CUresult cuLinkAddFile_v2(CUlinkState state, int type, char const* path, unsigned, int*, void**) {
    Arguments const said(state, type, path);
    return add_file(state, type, path);
}

/// The image lives as long as the linker.
WARPSIM_API CUresult cuLinkComplete(CUlinkState state, void** image, std::size_t* size) {
    Arguments const said(state, image, size);
    return in_context([&](Process& process, Gpu& gpu) {
        auto const linker = linkers(process).get(state);
        if (image == nullptr || linker->texts.empty()) throw Failure(Result::invalid_value);
        linker->image = linker->texts.size() == 1 ? linker->texts[0].text : linked_text(linker->texts);
        try {
            Program(linker->image.c_str(), linker->options.load()).module(gpu, linker->report());
        } catch (Failure const&) {
            linker->options.report({}, linker->errors);
            throw;
        }
        linker->options.report("linked " + std::to_string(linker->texts.size()) + " modules\n", {});
        *image = linker->image.data();
        if (size != nullptr) *size = linker->image.size() + 1;
    });
}

WARPSIM_API CUresult cuLinkDestroy(CUlinkState state) {
    Arguments const said(state);
    return call([&](Process& process) { linkers(process).remove(state); });
}
