"""PyTorch's own operators on the host.

PyTorch's wheel has machine code alone of them, which does not run on the simulator. Within `with OnHost():` each operator
that has to do with CUDA tensors copies their memory to the host, runs there, and copies back what it has written. Kernels of
others, as Triton's, are none of PyTorch's operators: they run on the simulator. Tensors are printed with x.cpu(), since
printing leaves the mode.

As a plug-in of pytest (-p pytorch_on_host) it holds for all tests.
"""

import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils._pytree import tree_flatten, tree_map

aten = torch.ops.aten

# These make tensors, or change what tensors refer to, and start nothing on the GPU.
PLAIN = {
    aten.empty.memory_format,
    aten.empty_strided.default,
    aten.detach.default,
    aten.alias.default,
    aten.set_.source_Storage,
    aten.set_.source_Storage_storage_offset,
    aten.set_.source_Tensor,
    aten.is_pinned.default,
    aten.record_stream.default,
    aten.resize_.default,
}

# The layout of their results is another on a GPU, and what follows relies on it.
LAID_OUT = {aten.convolution.default, aten.convolution_backward.default}


def is_cuda(value):
    return isinstance(value, torch.Tensor) and value.is_cuda


def placed(tensor, storage, device):
    """A tensor in `storage` that lies there as `tensor` does in its own."""
    new = torch.empty(0, dtype=tensor.dtype, device=device)
    return new.set_(storage, tensor.storage_offset(), tensor.size(), tensor.stride())


def laid_out_as_on_gpu(result, operator, arguments, named):
    """PyTorch tells how a GPU's result lies by what it knows of the operator, without memory and without a kernel."""
    with FakeTensorMode() as mode:
        known = tree_map(lambda x: mode.from_tensor(x) if isinstance(x, torch.Tensor) else x, (arguments, named))
        there = operator(*known[0], **known[1])

    def laid_out(here, there):
        if not isinstance(here, torch.Tensor) or here.stride() == there.stride():
            return here
        return torch.empty_strided(here.size(), there.stride(), dtype=here.dtype).copy_(here)

    if isinstance(result, torch.Tensor):
        return laid_out(result, there)
    return tuple(laid_out(*pair) for pair in zip(result, there))


class Copies:
    """Of the storages that one operator sees: tensors that share one share its copy."""

    def __init__(self, device):
        self.device = device
        self.known = []  # (a storage on the GPU, its copy)

    def to_host(self, value):
        if isinstance(value, torch.Generator) and value.device.type == "cuda":
            return None
        if not is_cuda(value):
            return value
        there = value.untyped_storage()
        copy = next((c for s, c in self.known if s.data_ptr() == there.data_ptr() and s.nbytes()), None)
        if copy is None:
            copy = there.cpu()
            self.known.append((there, copy))
        return placed(value, copy, "cpu")

    def to_device(self, value):
        if not isinstance(value, torch.Tensor) or self.device is None or self.device.type != "cuda":
            return value
        here = value.untyped_storage()
        there = next((s for s, c in self.known if c.data_ptr() == here.data_ptr() and c.nbytes()), None)
        if there is None:
            there = torch.UntypedStorage(here.nbytes(), device=self.device)
            there.copy_(here)
        return placed(value, there, self.device)


def write_back(there, here):
    """What an operator has made of a tensor that it writes, which it may also have given another size."""
    storage, copy = there.untyped_storage(), here.untyped_storage()
    if copy.nbytes() > storage.nbytes():
        storage.resize_(copy.nbytes())
    storage.copy_(copy)
    if there.shape != here.shape:
        there.set_(storage, here.storage_offset(), here.size(), here.stride())


class OnHost(TorchDispatchMode):
    def __torch_dispatch__(self, operator, types, arguments=(), named=None):
        named = named or {}
        on_gpu = [x for x in tree_flatten((arguments, named))[0] if is_cuda(x)]
        # Of the result: what is asked for, else where the operands are.
        device = named.get("device")
        device = torch.device(device) if device is not None else on_gpu[0].device if on_gpu else None
        if operator in PLAIN or operator.is_view or not (on_gpu or device is not None and device.type == "cuda"):
            return operator(*arguments, **named)

        copies = Copies(device)
        here, here_named = tree_map(copies.to_host, (arguments, dict(named)))
        if "device" in named:
            here_named["device"] = torch.device("cpu")
        result = operator(*here, **here_named)
        if operator in LAID_OUT:
            result = laid_out_as_on_gpu(result, operator, arguments, named)

        written = {}  # operands, by their copies
        for i, parameter in enumerate(operator._schema.arguments):
            if parameter.alias_info is None or not parameter.alias_info.is_write:
                continue
            name = parameter.name
            pair = (named[name], here_named[name]) if name in named else (arguments[i : i + 1], here[i : i + 1])
            for original, copy in zip(*(tree_flatten(x)[0] for x in pair)):
                if is_cuda(original):
                    write_back(original, copy)
                if isinstance(original, torch.Tensor):
                    written[id(copy)] = original
        return tree_map(lambda x: written[id(x)] if id(x) in written else copies.to_device(x), result)


mode = OnHost()


def pytest_configure():
    mode.__enter__()


def pytest_unconfigure():
    mode.__exit__(None, None, None)
