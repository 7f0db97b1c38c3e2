#include "runtime/cuda/textures/references.hpp"

#include "sim/error.hpp"

namespace warpsim::cuda {

References::References(HandleTable& handles, Textures const& objects, Gpus const& gpus)
    : textures(handles, HandleKind::texture_reference),
      surfaces(handles, HandleKind::surface_reference),
      objects_(objects),
      gpus_(gpus) {}

namespace {

int address_mode(sim::texture::Address address) {
    using sim::texture::Address;
    switch (address) {
        case Address::wrap: return 0;
        case Address::clamp: return 1;
        case Address::mirror: return 2;
        case Address::border: return 3;
        default: throw Failure(Result::not_supported);  // clamp_ogl, for which CUDA has no number
    }
}

/// What the variable's declaration sets: `.texref t = { filter_mode = linear }`.
void apply_settings(runtime::Module const& module, char const* name, Sampling& sampling) {
    using sim::texture::Address;
    using sim::texture::Filter;
    sim::texture::Sampler sampler;
    sampler.address.fill(Address::wrap);
    module.apply_settings(name, sampler);
    for (std::size_t i = 0; i < 3; ++i) sampling.address_modes[i] = address_mode(sampler.address[i]);
    sampling.filter = sampler.filter == Filter::linear ? 1 : 0;
    sampling.has_normalized_coordinates = sampler.is_normalized;
}

}  // namespace

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
        apply_settings(*library->program().module(gpu), name, reference->sampling);
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
