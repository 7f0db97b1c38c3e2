#include "runtime/cuda/textures/references.hpp"

#include "sim/error.hpp"

namespace warpsim::cuda {

References::References(HandleTable& handles, Textures const& objects, Gpus const& gpus)
    : textures(handles, HandleKind::texture_reference),
      surfaces(handles, HandleKind::surface_reference),
      objects_(objects),
      gpus_(gpus) {}

void* References::of_module(std::shared_ptr<Library> const& library, Gpu& gpu, char const* name, bool is_surface) {
    try {
        std::string const type = library->program().module(gpu)->symbol(name).type;
        if (type != (is_surface ? "surfref" : "texref")) throw Failure(Result::not_found);
    } catch (Error const&) {
        throw Failure(Result::not_found);
    }
    std::lock_guard const lock(mutex_);
    void*& handle = of_modules_[{library->handle, name}];
    if (handle == nullptr) {
        auto reference = std::make_shared<Reference>();
        reference->variable = {library, gpu.ordinal, name, is_surface, 0};
        handle = (is_surface ? surfaces : textures).add(std::move(reference));
    }
    return handle;
}

bool References::is_consistent(Reference const& r) const {
    try {
        objects_.check(*r.resource, r.sampling, nullptr);
        return true;
    } catch (Failure const&) {
        return false;
    }
}

void References::bind(Reference& r) const {
    auto const library = r.variable.library.lock();
    if (!library || !r.resource) return;
    Gpu& gpu = *gpus_[static_cast<std::size_t>(r.variable.device)];
    gpu.queue.wait_all();
    sim::texture::Table& table = gpu.device.textures();
    sim::texture::Handle handle = r.variable.handle;
    auto const put = [&](auto object) {
        if (!table.replace(handle, object)) handle = table.add(std::move(object));
    };
    if (r.variable.is_surface) {
        put(objects_.accessed(gpu, *r.resource));
    } else if (is_consistent(r)) {
        put(objects_.sampled(gpu, *r.resource, r.sampling, nullptr));
    } else {
        table.remove(handle);
        handle = 0;
    }
    if (handle == r.variable.handle) return;
    r.variable.handle = handle;
    library->program().module(gpu)->write_symbol(r.variable.name, 0, &handle, sizeof handle);
}

}  // namespace warpsim::cuda
