"""Kernels, and how they are called."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ._errors import UsageError
from ._run import Run

if TYPE_CHECKING:
    from . import _core
    from ._device import Device
    from ._stream import Stream

Extent = int | Sequence[int]


class Parameter(NamedTuple):
    """A parameter of a kernel, as PTX declares it."""

    name: str
    type: str
    """ "u64", "f32"; "b8" is an array of bytes: a struct."""
    offset: int
    """Bytes."""
    size: int
    """Bytes."""
    address_bytes: int
    """Of any address in its module."""


def extent(value: Extent, what: str, least: int = 1) -> tuple[int, int, int]:
    sizes = [value] if isinstance(value, (int, np.integer)) else list(value)
    if not 1 <= len(sizes) <= 3:
        raise UsageError(f"{what}: one to three numbers are wanted, not {len(sizes)}")
    numbers = [int(n) for n in sizes] + [least] * (3 - len(sizes))
    if any(n < least or n >= 1 << 32 for n in numbers):
        raise UsageError(f"{what} {tuple(sizes)}: numbers from {least} on are wanted")
    return numbers[0], numbers[1], numbers[2]


class Module:
    """PTX on a device: its kernels are attributes, `module.saxpy`."""

    def __init__(self, device: Device, core: _core.Module) -> None:
        self._device = device
        self._core = core

    @property
    def kernels(self) -> list[str]:
        """The names of its kernels, as PTX has them."""
        return self._core.kernels()

    def kernel(self, name: str) -> Kernel:
        """The kernel that is called so in PTX or, if it is the only one, in its source: "scale" of "ns::scale<float>(float*)"."""
        return Kernel(self._device, self._core, self._core.kernel(name))

    def __getattr__(self, name: str) -> Kernel:
        if name.startswith("__"):
            raise AttributeError(name)
        try:
            return self.kernel(name)
        except UsageError as error:
            raise AttributeError(str(error)) from None

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._core.kernels()]

    def read(self, name: str, dtype: npt.DTypeLike = np.uint8) -> npt.NDArray[Any]:
        """A copy of a variable, .global or .const, as an array of such elements."""
        _, size, _, _ = self._core.symbol(name)
        kind = np.dtype(dtype)
        if size % kind.itemsize:
            raise UsageError(f"'{name}' has {size} bytes, which are no whole number of {kind}")
        host = np.empty(size, np.uint8)
        self._core.read_symbol(name, 0, host)
        return host.view(kind)

    def write(self, name: str, values: npt.ArrayLike, offset: int = 0) -> None:
        """Copies values, whose type is theirs, into a variable, from a number of bytes on."""
        host = np.ascontiguousarray(values)
        self._core.write_symbol(name, offset, host.reshape(-1).view(np.uint8))

    def __repr__(self) -> str:
        return f"<Module with {', '.join(self._core.demangled(k) for k in self.kernels) or 'no kernels'}>"


class Kernel:
    """A kernel. `kernel[grid, block](arguments)` runs it to its end; more is said by `configure`.

    An array of the device or any object with `__cuda_array_interface__` is passed as an address; numbers become what the
    parameter is, if they fit; a structure is passed as a scalar of NumPy, a ctypes.Structure, or bytes.
    """

    def __init__(self, device: Device, module: _core.Module, name: str) -> None:
        self._device = device
        self._module = module
        self.name = name
        """Its name in PTX."""
        self.parameters = [Parameter(*p) for p in module.parameters(name)]
        """What it takes."""

    @property
    def attributes(self) -> dict[str, int]:
        """What it needs: `registers_per_thread`, `shared_bytes` of a CTA, `local_bytes` of a thread and so on."""
        fields: dict[str, int] = json.loads(self._device._core.attributes(self._module, self.name))
        return fields

    def ctas_per_sm(self, block: Extent, shared: int = 0) -> int:
        """How many CTAs of that many threads and bytes of dynamic shared memory an SM holds at once."""
        return self._device._core.ctas_per_sm(self._module, self.name, extent(block, "block"), shared)

    def configure(
        self,
        grid: Extent,
        block: Extent,
        shared: int = 0,
        *,
        stream: Stream | None = None,
        cluster: Extent | None = None,
        cooperative: bool = False,
    ) -> Launcher:
        """How it is to be launched.

        grid: CTAs in x, y and z. block: threads of a CTA. shared: bytes of dynamic shared memory. stream: what it goes in order with.
        cluster: CTAs of a cluster. cooperative: all CTAs are there at once and may wait for each other.
        """
        return Launcher(
            self,
            extent(grid, "grid"),
            extent(block, "block"),
            int(shared),
            (0, 0, 0) if cluster is None else extent(cluster, "cluster"),
            cooperative,
            stream,
        )

    def __getitem__(self, shape: tuple[Any, ...]) -> Launcher:
        """`kernel[grid, block]`, `kernel[grid, block, shared]` or `kernel[grid, block, shared, stream]`."""
        if not isinstance(shape, tuple) or not 2 <= len(shape) <= 4:
            raise UsageError(
                "kernel[grid, block], kernel[grid, block, shared] or kernel[grid, block, shared, stream] is wanted"
            )
        return self.configure(*shape[:3], stream=shape[3] if len(shape) > 3 else None)

    def __repr__(self) -> str:
        types = ", ".join(f".{p.type}" + (f"[{p.size}]" if p.type == "b8" else "") for p in self.parameters)
        return f"<Kernel {self._module.demangled(self.name)}: {types}>"


class Launcher(NamedTuple):
    """A kernel with the shape of its launch. Calling it launches it."""

    kernel: Kernel
    grid: tuple[int, int, int]
    block: tuple[int, int, int]
    shared: int
    cluster: tuple[int, int, int]
    cooperative: bool
    stream: Stream | None

    def __call__(self, *arguments: Any) -> Run:
        """Runs the kernel to its end, in a stream later. Raises LaunchError if it cannot be placed, and Fault if it faults."""
        return self.kernel._device._launch(self, arguments)
