#include "runtime/cuda/devices/thread.hpp"

#include "runtime/cuda/devices/gpu.hpp"
#include "runtime/cuda/devices/last_thread.hpp"

#include <pthread.h>

#include <atomic>

namespace warpsim::cuda {

Thread& Thread::current() {
    // No thread_local object, because the main thread's would be destroyed before the program's static
    // destructors, which may still call us. A key's destructor is not run for the main thread.
    static pthread_key_t const key = [] {
        pthread_key_t made;
        pthread_key_create(&made, [](void* thread) {
            static_cast<Thread*>(thread)->end();
            delete static_cast<Thread*>(thread);
            end_with_last_thread();
        });
        return made;
    }();
    auto* thread = static_cast<Thread*>(pthread_getspecific(key));
    if (thread == nullptr) {
        thread = new Thread;
        pthread_setspecific(key, thread);
    }
    return *thread;
}

std::uint64_t Thread::new_id() {
    static std::atomic<std::uint64_t> next{0};
    return next++;
}

/// The thread ends, but its work goes on: unfinished work keeps the stream alive.
void Thread::end() {
    for (auto const& [number, stream] : own_streams) {
        StreamOrder& order = stream->order;
        stream->gpu.queue.submit(order, [kept = stream] {});
    }
}

}  // namespace warpsim::cuda
