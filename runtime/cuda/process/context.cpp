#include "runtime/cuda/process/context.hpp"

#include "runtime/cuda/process/process.hpp"

namespace warpsim::cuda {

Contexts::Contexts(Process& process, int devices)
    : process_(process), contexts_(process.handles, HandleKind::context) {
    for (int device = 0; device < devices; ++device) {
        auto context = std::make_shared<Context>();
        context->device = device;
        context->is_primary = true;
        context->id = next_id_++;
        context->version = 3020;
        primary_.push_back({contexts_.add(std::move(context)), 0, false});
    }
}

bool Contexts::is_active(int device) const {
    std::lock_guard const lock(mutex_);
    Primary const& p = primary_[static_cast<std::size_t>(device)];
    return p.retained > 0 || p.is_used;
}

void Contexts::retain(int device) {
    std::lock_guard const lock(mutex_);
    ++primary_[static_cast<std::size_t>(device)].retained;
}

void Contexts::release(int device) {
    {
        std::lock_guard const lock(mutex_);
        Primary& p = primary_[static_cast<std::size_t>(device)];
        if (p.retained == 0) throw Failure(Result::invalid_context);
        if (--p.retained > 0 || p.is_used) return;
    }
    clear(primary(device), device, true);
}

void Contexts::reset(int device) {
    {
        std::lock_guard const lock(mutex_);
        primary_[static_cast<std::size_t>(device)].is_used = false;
    }
    clear(primary(device), device, true);
}

void Contexts::enter(void* handle) {
    std::shared_ptr<Context> const context = get(handle);
    Thread::current().device = context->device;
    if (!context->is_primary) return;
    std::lock_guard const lock(mutex_);
    Primary& p = primary_[static_cast<std::size_t>(context->device)];
    if (p.retained == 0) p.is_used = true;
}

void Contexts::use_primary(int device) {
    set_current(primary(device));
    std::lock_guard const lock(mutex_);
    primary_[static_cast<std::size_t>(device)].is_used = true;
}

void* Contexts::create(int device, unsigned flags, unsigned version) {
    auto context = std::make_shared<Context>();
    context->device = device;
    context->flags = flags;
    context->id = next_id_++;
    context->version = version;
    void* const handle = contexts_.add(std::move(context));
    push(handle);
    return handle;
}

void Contexts::destroy(void* handle) {
    std::shared_ptr<Context> const context = get(handle);
    if (context->is_primary) throw Failure(Result::invalid_context);
    contexts_.remove(handle);
    clear(handle, context->device, false);
    Thread& thread = Thread::current();
    if (thread.context() == handle) thread.contexts.pop_back();
}

void Contexts::set_current(void* handle) {
    Thread& thread = Thread::current();
    if (handle != nullptr) enter(handle);
    if (!thread.contexts.empty()) thread.contexts.pop_back();
    if (handle != nullptr) thread.contexts.push_back(handle);
}

void Contexts::push(void* handle) {
    enter(handle);
    Thread::current().contexts.push_back(handle);
}

void* Contexts::pop() {
    Thread& thread = Thread::current();
    if (thread.contexts.empty()) throw Failure(Result::invalid_context);
    void* const handle = thread.contexts.back();
    thread.contexts.pop_back();
    if (!thread.contexts.empty() && contexts_.find(thread.contexts.back())) enter(thread.contexts.back());
    return handle;
}

/// Destroys what was created in a context, once the device is idle. Pools are the device's: their memory outlives a context of
/// several.
void Contexts::clear(void* handle, int device, bool is_primary) {
    Gpu& gpu = process_.gpu(device);
    gpu.queue.wait_all();
    auto const is_of_it = [handle](auto const& object) { return object.context == handle; };
    process_.streams.remove_if(is_of_it);
    process_.events.remove_if(is_of_it);
    process_.libraries.remove_if(is_of_it);
    process_.textures.destroy_all(handle);
    process_.memory.free_all(handle, is_primary);
    gpu.reset();
}

}  // namespace warpsim::cuda
