# Expressions that XLA compiles: elementwise, reductions, a scan, a sort, a gradient, a product of matrices.
import jax._src.hardware_utils as hardware

hardware.has_visible_nvidia_gpu = lambda: True  # it looks for /dev/nvidia0

import jax
import jax.numpy as jnp
import numpy as np

assert jax.devices()[0].platform == "gpu"
n = np.arange(1000, dtype=np.float32)
x = jnp.asarray(n)
assert np.array_equal(x * 2 + 1, n * 2 + 1)
assert np.allclose(jax.jit(lambda a: jnp.sin(a).sum() + (a * a).mean())(x), np.sin(n).sum() + (n * n).mean(), rtol=1e-5)
assert np.array_equal(jnp.sort(-x), np.sort(-n))
assert np.allclose(jnp.cumsum(x), np.cumsum(n))
assert np.allclose(jax.grad(lambda a: (a**3).sum())(x), 3 * n * n)
m = np.random.default_rng(0).random((64, 48), dtype=np.float32)
assert np.allclose(jax.nn.softmax(m, axis=1).sum(1), 1, atol=1e-5)
assert np.allclose(jnp.asarray(m) @ m.T, m @ m.T, rtol=1e-3)
