// The textures, surfaces and samplers of a plan on its device.
#pragma once

#include "runtime/device.hpp"
#include "runtime/plan/plan.hpp"
#include "sim/texture/table.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <vector>

namespace warpsim::plan {

/// Texels of arrays lie in a buffer between launches: what a launch looks at through an array is copied into it before,
/// and what it may have stored there is copied back after.
class Pictures {
public:
    Pictures(runtime::Device& device, Resolve resolve);

    using Used = std::set<std::size_t>;  // numbers of arrays
    /// What a kernel finds the object by; its array becomes one of those that are used.
    sim::texture::Handle handle(TextureObject const& object, Used& used);
    void before_launch(Used const& used) const;
    void after_launch(Used const& used) const;

private:
    struct Array {
        std::uint64_t buffer = 0;  // its address
        sim::texture::ArrayLayout layout;
        std::uint64_t address = 0;
        bool is_stored_to = false;
    };
    sim::texture::Image image(Picture const& picture, bool is_surface, Used& used);
    std::size_t array(Picture const& picture);

    runtime::Device& device_;
    Resolve resolve_;  // of addresses
    std::vector<Array> arrays_;
};

}  // namespace warpsim::plan
