"""Arrays in the memory of a device."""

from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._errors import LaunchError, UsageError

if TYPE_CHECKING:
    from ._device import Device

Shape = int | tuple[int, ...]

# Codes of DLPack by kinds of NumPy.
_dlpack_codes = {"i": 0, "u": 1, "f": 2, "c": 5, "b": 6}
_dlpack_cpu = 1


def shape_of(shape: Shape) -> tuple[int, ...]:
    return tuple(int(n) for n in shape) if isinstance(shape, (tuple, list)) else (int(shape),)


class _Memory:
    """An allocation, which is freed when nobody looks at it any more."""

    def __init__(self, device: Device, bytes: int) -> None:
        self.address = device._core.allocate(max(bytes, 1))
        self.bytes = bytes
        self.release = weakref.finalize(self, device._core.free, self.address)
        # The process's end frees everything.
        self.release.atexit = False


class Array:
    """An array in the memory of a device, in the order of C.

    Kernels take it for a pointer. `numpy()` and `np.asarray()` copy it to the host; `array[...] = values` copies to the device. A
    slice is a view of the same memory.
    """

    __array_priority__ = 100.0

    def __init__(
        self, device: Device, shape: tuple[int, ...], dtype: np.dtype[Any], memory: _Memory, address: int
    ) -> None:
        self.device = device
        """The device whose memory it is in."""
        self.shape = shape
        """Elements of each dimension."""
        self.dtype = dtype
        """The type of its elements."""
        self.ptr = address
        """Its address, as kernels see it."""
        self._memory = memory

    @classmethod
    def _new(cls, device: Device, shape: Shape, dtype: npt.DTypeLike) -> Array:
        sizes, kind = shape_of(shape), np.dtype(dtype)
        if any(n < 0 for n in sizes):
            raise UsageError(f"an array of shape {sizes} cannot be")
        if kind.hasobject:
            raise UsageError("Python objects cannot be in the memory of a device")
        memory = _Memory(device, int(np.prod(sizes, dtype=np.int64)) * kind.itemsize)
        return cls(device, sizes, kind, memory, memory.address)

    @property
    def size(self) -> int:
        """Its elements."""
        return int(np.prod(self.shape, dtype=np.int64))

    @property
    def nbytes(self) -> int:
        """Its bytes."""
        return self.size * self.dtype.itemsize

    @property
    def ndim(self) -> int:
        """Its dimensions."""
        return len(self.shape)

    def __len__(self) -> int:
        if not self.shape:
            raise TypeError("an array without dimensions has no length")
        return self.shape[0]

    def _alive(self) -> _Memory:
        if not self._memory.release.alive:
            raise LaunchError("this array's memory was freed")
        return self._memory

    # Views.

    def _view(self, shape: tuple[int, ...], dtype: np.dtype[Any], offset: int = 0) -> Array:
        return Array(self.device, shape, dtype, self._memory, self.ptr + offset)

    def reshape(self, *shape: Any) -> Array:
        """The same memory in another shape."""
        wanted = shape_of(shape[0] if len(shape) == 1 else shape)
        # NumPy knows what -1 means, and what is wrong.
        sizes = np.broadcast_to(np.empty((), np.int8), self.shape).reshape(wanted).shape if self.size else wanted
        return self._view(sizes, self.dtype)

    def view(self, dtype: npt.DTypeLike) -> Array:
        """The same memory as elements of another type."""
        kind = np.dtype(dtype)
        last = (self.shape[-1] if self.shape else 1) * self.dtype.itemsize
        if last % kind.itemsize:
            raise UsageError(f"{last} bytes are no whole number of {kind}")
        head = self.shape[:-1]
        return self._view((*head, last // kind.itemsize) if self.shape else (), kind)

    def __getitem__(self, key: Any) -> Array:
        """A part without gaps: an index or a slice of the first dimensions, `a[3]`, `a[10:20]`, `a[2, 5:]`."""
        shape, offset = self._part(key)
        return self._view(shape, self.dtype, offset)

    def _part(self, key: Any) -> tuple[tuple[int, ...], int]:
        keys = key if isinstance(key, tuple) else (key,)
        if any(k is Ellipsis for k in keys):
            at = next(i for i, k in enumerate(keys) if k is Ellipsis)
            fill = (slice(None),) * (self.ndim - len(keys) + 1)
            keys = keys[:at] + fill + keys[at + 1 :]
        if len(keys) > self.ndim:
            raise IndexError(f"{len(keys)} indices for an array of {self.ndim} dimensions")
        shape: list[int] = []
        offset = 0
        step = self.nbytes if self.size else self.dtype.itemsize
        for i, size in enumerate(self.shape):
            step = step // size if size else step
            k = keys[i] if i < len(keys) else slice(None)
            if isinstance(k, slice):
                first, past, stride = k.indices(size)
                count = max(0, past - first)
                # All that follows is whole, or the elements would not lie side by side.
                if (stride != 1 and count > 1) or (count != size and any(n != 1 for n in shape)):
                    raise UsageError("only a part without gaps is an array of the device; numpy() has all slices")
                shape.append(count)
                offset += first * step if count else 0
            else:
                index = int(k)
                if not -size <= index < size:
                    raise IndexError(f"index {index} is outside of a dimension of {size}")
                if any(n != 1 for n in shape) and size != 1:
                    raise UsageError("only a part without gaps is an array of the device; numpy() has all slices")
                offset += (index % size) * step
        return tuple(shape), offset

    # Copies.

    def numpy(self) -> npt.NDArray[Any]:
        """A copy on the host."""
        self._alive()
        host = np.empty(self.shape, self.dtype)
        if host.size:
            self.device._read(self.ptr, host.reshape(-1).view(np.uint8))
        return host

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        if copy is False:
            raise ValueError("a copy is wanted: from_dlpack() gives a view of the device's memory")
        host = self.numpy()
        return host if dtype is None else host.astype(dtype, copy=False)

    def __setitem__(self, key: Any, values: Any) -> None:
        """Copies values to a part of it, from the host or from an array of the same device."""
        part = self[key]
        part._alive()
        self.device._finish()
        if isinstance(values, Array) and values.device is self.device and values.dtype == self.dtype:
            if values.shape != part.shape:
                raise UsageError(f"an array of shape {values.shape} does not fit one of shape {part.shape}")
            self.device._core.copy(part.ptr, values.ptr, part.nbytes)
            return
        host = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=self.dtype), part.shape))
        if host.size:
            self.device._core.write(part.ptr, host.reshape(-1).view(np.uint8))

    def fill(self, value: Any) -> Array:
        """Sets all elements."""
        self[...] = value
        return self

    def free(self) -> None:
        """Gives its memory back, of which no view may be used from now on. It would else be given back with the last view."""
        self._alive().release()

    # Other libraries.

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        self._alive()
        return {
            "shape": self.shape,
            "typestr": self.dtype.str,
            "descr": self.dtype.descr,
            "data": (self.ptr, False),
            "strides": None,
            "stream": None,
            "version": 3,
        }

    def __dlpack_device__(self) -> tuple[int, int]:
        """Memory of a simulated device is memory of the process, for others as well."""
        return _dlpack_cpu, 0

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """A view of the device's memory for other libraries. Checkers do not see what is read and written through it."""
        self._alive()
        if dl_device is not None and tuple(dl_device) != self.__dlpack_device__():
            raise BufferError("memory of a simulated device is memory of the host for other libraries")
        source = self.device.array(self) if copy else self
        if source.dtype.kind not in _dlpack_codes or not source.dtype.isnative:
            raise BufferError(f"DLPack has no type for {source.dtype}")
        kind = (_dlpack_codes[source.dtype.kind], source.dtype.itemsize * 8)
        strides = [1] * source.ndim
        for i in range(source.ndim - 1, 0, -1):
            strides[i - 1] = strides[i] * source.shape[i]
        return self.device._core.dlpack(source.ptr, list(source.shape), strides, kind, source)

    def __repr__(self) -> str:
        if not self._memory.release.alive:
            return f"<Array of shape {self.shape}, {self.dtype}, freed>"
        return f"<Array at {self.ptr:#x} of shape {self.shape}, {self.dtype}>"
