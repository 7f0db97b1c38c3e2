# A SourceModule, which nvcc compiles.
import numpy as np
import pycuda.autoinit
from pycuda import driver
from pycuda.compiler import SourceModule

module = SourceModule(
    "__global__ void product(float* d, float* a, float* b) { int i = threadIdx.x; d[i] = a[i] * b[i]; }"
)
a = np.random.randn(400).astype(np.float32)
d = np.zeros_like(a)
module.get_function("product")(driver.Out(d), driver.In(a), driver.In(a), block=(400, 1, 1), grid=(1, 1))
assert (d == a * a).all() and pycuda.autoinit.device.name()
