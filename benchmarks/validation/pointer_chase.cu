// One warp that follows a ring of pointers: the time of a load that waits for the one before.

extern "C" __global__ void pointer_chase(void** ring, unsigned steps, long long* out) {
    void** place = ring;
    long long const begin = clock64();
    for (unsigned i = 0; i < steps; ++i) place = static_cast<void**>(*place);
    out[0] = (clock64() - begin) / steps;
    out[1] = reinterpret_cast<long long>(place);
}
