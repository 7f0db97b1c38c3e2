#include "runtime/cuda/curand/generators.hpp"

#include <map>
#include <mutex>

namespace warpsim::curand {

namespace {

// Programs may use different generators in several threads, until after their last destructors.
std::mutex mutex;
std::map<Generator, DeviceGenerator>& all() {
    static auto* const generators = new std::map<Generator, DeviceGenerator>;
    return *generators;
}

}  // namespace

void add(Generator generator, DeviceGenerator const& what) {
    std::lock_guard const lock(mutex);
    all()[generator] = what;
}

void remove(Generator generator) {
    std::lock_guard const lock(mutex);
    all().erase(generator);
}

std::optional<DeviceGenerator> find(Generator generator) {
    std::lock_guard const lock(mutex);
    auto const at = all().find(generator);
    return at != all().end() ? std::optional(at->second) : std::nullopt;
}

bool set_stream(Generator generator, void* stream) {
    std::lock_guard const lock(mutex);
    auto const at = all().find(generator);
    if (at == all().end()) return false;
    at->second.stream = stream;
    return true;
}

}  // namespace warpsim::curand
