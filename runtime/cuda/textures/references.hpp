// Texture and surface references, the predecessors of the objects: created explicitly, or variables of a module. These hold
// the handle of what they are bound to, as kernels find it.
#pragma once

#include "runtime/cuda/code/library.hpp"
#include "runtime/cuda/textures/textures.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace warpsim::cuda {

struct Reference {
    Reference() { sampling.promotes_integers = true; }

    std::optional<Resource> resource;
    ChannelFormat format{{32, 0, 0, 0}, ChannelKind::floating};
    Sampling sampling;

    /// The variable of a module; none for a reference that was created.
    struct Variable {
        std::weak_ptr<Library> library;
        int device = 0;
        std::string name;
        bool is_surface = false;
        sim::texture::Handle handle = 0;  // 0: not bound
    } variable;
};

/// All references of a process.
class References {
public:
    References(HandleTable& handles, Textures const& objects, Gpus const& gpus);

    Handles<Reference> textures, surfaces;

    /// The handle of the reference that belongs to a module's variable, the same one for each call. Throws
    /// Failure(not_found) for a variable of another type.
    void* of_module(std::shared_ptr<Library> const& library, Gpu& gpu, char const* name, bool is_surface);
    /// After a change: lets the module's variable refer to what the reference now describes, once the device's work
    /// has ended, which may use what it described before. Settings that contradict each other, as they may on the way
    /// from one description to another, unbind it.
    void bind(Reference& reference) const;

private:
    bool is_consistent(Reference const& reference) const;

    Textures const& objects_;
    Gpus const& gpus_;
    std::mutex mutex_;
    std::map<std::pair<void*, std::string>, void*> of_modules_;  // by the module's handle and the variable's name
};

}  // namespace warpsim::cuda
