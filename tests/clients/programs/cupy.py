# Element-wise and raw kernels, reductions, sorting and scans by Thrust and CUB, indices, and streams.
import cupy as cp
import numpy as np

generator = np.random.default_rng(1)
host = generator.random((40, 50))
there = cp.asarray(host)
np.testing.assert_allclose((cp.sin(there) * 2 + there).get(), np.sin(host) * 2 + host)
np.testing.assert_allclose(there.sum(axis=1).get(), host.sum(axis=1))
assert int(there.argmax()) == host.argmax()
np.testing.assert_array_equal(there[there > 0.5].get(), host[host > 0.5])
np.testing.assert_array_equal(cp.sort(there, axis=None).get(), np.sort(host, axis=None))
np.testing.assert_allclose(cp.cumsum(there).get(), np.cumsum(host))
np.testing.assert_array_equal(cp.unique(cp.asarray([3, 1, 2, 3])).get(), [1, 2, 3])

scale = cp.RawKernel(
    'extern "C" __global__ void scale(float* x, int n) { int i = blockDim.x * blockIdx.x + threadIdx.x; if (i < n) x[i] *= 3; }',
    "scale",
)
squares = cp.ElementwiseKernel("float32 a", "float32 b", "b = a * a", "squares")
with cp.cuda.Stream(non_blocking=True) as stream:
    x = cp.arange(1000, dtype=cp.float32)
    scale((4,), (256,), (x, np.int32(1000)))
    stream.synchronize()
np.testing.assert_array_equal(squares(x).get(), (3 * np.arange(1000, dtype=np.float32)) ** 2)
assert abs(float(cp.random.default_rng(1).random(10000).mean()) - 0.5) < 0.02
