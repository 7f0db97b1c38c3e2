// Every lane takes one lock, adds to an unprotected counter and releases it. Needs a scheduler that lets the lane that
// holds the lock run while its neighbours spin: compute capability 7.0 and above.
extern "C" __global__ void warp_lock(int* lock, int* counter) {
    while (atomicCAS(lock, 0, 1) != 0) {
    }
    __threadfence();
    *(int volatile*)counter = *(int volatile*)counter + 1;
    __threadfence();
    atomicExch(lock, 0);
}
