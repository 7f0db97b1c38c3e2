// Stands for NVIDIA's nvJitLink in tests.
int nvJitLinkVersion(unsigned* major, unsigned* minor) { return *major = 99, *minor = 0, 0; }
