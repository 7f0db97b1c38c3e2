// What will soon be needed comes into the host's caches.
#pragma once

namespace warpsim::sim {

[[gnu::always_inline]] inline void prefetch(void const* at) {
    __builtin_prefetch(at);
    // Without this, GCC takes a function that does nothing else for one without effect, and leaves out all calls of it.
    asm volatile("");
}

}  // namespace warpsim::sim
