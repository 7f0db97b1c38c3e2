# A kernel by @cuda.jit, and a reduction in shared memory.
import numpy as np
from numba import cuda, float32


@cuda.jit
def double(x):
    i = cuda.grid(1)
    if i < x.size:
        x[i] *= 2


@cuda.jit
def total(x, out):
    part = cuda.shared.array(128, float32)
    t = cuda.threadIdx.x
    part[t] = x[t]
    cuda.syncthreads()
    if t == 0:
        s = float32(0)
        for i in range(128):
            s += part[i]
        out[0] = s


x = cuda.to_device(np.arange(128, dtype=np.float32))
out = cuda.to_device(np.zeros(1, dtype=np.float32))
double[4, 32](x)
total[1, 128](x, out)
assert out.copy_to_host()[0] == 2 * sum(range(128))
