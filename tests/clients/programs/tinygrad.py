# A product of matrices and its gradient.
import tinygrad_driver  # noqa: F401, first: it finds libcuda
import numpy as np
from tinygrad import Tensor

a = Tensor(np.random.rand(48, 32).astype(np.float32))
b = Tensor(np.random.rand(32, 40).astype(np.float32))
product = (a @ b).sum()
(gradient,) = product.gradient(a)
assert np.allclose(product.numpy(), (a.numpy() @ b.numpy()).sum(), rtol=1e-4)
assert np.allclose(gradient.numpy(), np.tile(b.numpy().sum(1), (48, 1)), rtol=1e-4)
