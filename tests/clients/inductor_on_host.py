"""A plug-in of pytest (-p inductor_on_host): PyTorch's own operators on the host, as pytorch_on_host has them, while torch.compile
compiles and its kernels run on the simulator."""

import torch
import torch._inductor.config as inductor
from pytorch_on_host import OnHost
from torch._subclasses.fake_tensor import FakeTensor
from torch.utils._pytree import tree_flatten


class OnHostBesideCompiler(OnHost):
    @classmethod
    def is_infra_mode(cls):
        """Else Dynamo would compile nothing."""
        return True

    def __torch_dispatch__(self, operator, types, arguments=(), named=None):
        # The compiler follows operators by tensors that have no memory.
        if any(isinstance(x, FakeTensor) for x in tree_flatten((arguments, named or {}))[0]):
            return operator(*arguments, **(named or {}))
        return super().__torch_dispatch__(operator, types, arguments, named)


# While it compiles, Inductor runs operators outside all modes, unless it need not fold constants, nor time products.
inductor.joint_graph_constant_folding = False
inductor.shape_padding = False
inductor.force_shape_pad = True  # where a test asks for padding
torch.backends.cudnn.enabled = False  # its operators are not the host's
select_conv_backend = torch._C._select_conv_backend


def select_conv_backend_of_gpu(*arguments, **named):
    """Which says how results of convolutions lie: on a GPU they are cuDNN's."""
    with torch.backends.cudnn.flags(enabled=True):
        return select_conv_backend(*arguments, **named)


torch._C._select_conv_backend = select_conv_backend_of_gpu

mode = OnHostBesideCompiler()


def pytest_configure():
    mode.__enter__()


def pytest_unconfigure():
    mode.__exit__(None, None, None)
