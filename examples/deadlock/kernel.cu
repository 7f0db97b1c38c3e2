// Every lane of a warp takes the same lock. The lane that gets it leaves the loop; the others keep spinning. Whether
// it ever reaches the release depends on the hardware: with a reconvergence stack (before compute capability 7.0) the
// lanes that left the loop wait at its end for those still inside.
extern "C" __global__ void lane_lock(int* lock, int volatile* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *counter = *counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}

// The same lock, taken so that it works everywhere: the critical section and the release lie inside the loop, on the
// path of the lane that got the lock.
extern "C" __global__ void lane_lock_inside(int* lock, int volatile* counter) {
    bool done = false;
    while (!done) {
        if (atomicCAS(lock, 0, 1) == 0) {
            __threadfence();
            *counter = *counter + 1;
            __threadfence();
            atomicExch(lock, 0);
            done = true;
        }
    }
}

// A barrier for all threads in a branch that only the first warp takes: it waits for the second warp there, and the
// second warp waits for it at the next barrier.
extern "C" __global__ void barrier_in_branch(int* out) {
    if (threadIdx.x < 32) {
        asm volatile("barrier.sync 1, 64;" ::: "memory");
    }
    __syncthreads();
    out[threadIdx.x] = threadIdx.x;
}
