"""Images, which kernels read as textures and write as surfaces."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._errors import UsageError

if TYPE_CHECKING:
    from ._device import Device

_channels = {"u1": "u8", "i1": "s8", "u2": "u16", "i2": "s16", "u4": "u32", "i4": "s32", "f2": "f16", "f4": "f32"}


class _Handle:
    """What a kernel takes for a texture or a surface: the parameter is a 64-bit number."""

    def __init__(self, image: Image, handle: int) -> None:
        self.image = image
        """The image that it looks at."""
        self.handle = handle
        """Its number, as kernels see it."""

    def _warpsim_handle_(self, device: Device) -> int:
        if device is not self.image.device:
            raise UsageError("the image is in the memory of another device")
        return self.handle


class Texture(_Handle):
    """An image, and how it is sampled: what CUDA calls cudaTextureObject_t."""


class Surface(_Handle):
    """An image whose texels kernels read and write: what CUDA calls cudaSurfaceObject_t."""


class Image:
    """Texels in the memory of a device, as CUDA arrays have them."""

    def __init__(
        self, device: Device, shape: Sequence[int], dtype: np.dtype[Any], dimensions: int | None, layered: bool
    ):
        self.device = device
        """The device whose memory it is in."""
        self.shape = tuple(int(n) for n in shape)
        """Layers if there are any, then texels in z, y and x, then channels if there are several."""
        self.dtype = dtype
        """The type of a channel."""
        inner = self.shape[1:] if layered else self.shape
        if dimensions is None:
            dimensions = min(len(inner), 2)
        if dimensions not in (1, 2, 3) or len(inner) - dimensions not in (0, 1):
            raise UsageError(
                f"shape {self.shape} is not that of an image of {dimensions} dimensions, with or without channels"
            )
        channels = inner[dimensions] if len(inner) > dimensions else 1
        kind = dtype.str.lstrip("<|=")
        if channels not in (1, 2, 4) or kind not in _channels:
            raise UsageError(f"texels have 1, 2 or 4 channels of 8 to 32 bits, not {channels} of {dtype}")
        name = _channels[kind] + (f"x{channels}" if channels > 1 else "")
        size = list(reversed(inner[:dimensions]))
        self._core = _core.Image(device._core, name, size, self.shape[0] if layered else 0)

    def numpy(self) -> npt.NDArray[Any]:
        """A copy on the host."""
        host = np.empty(self.shape, self.dtype)
        self._core.read(host.reshape(-1).view(np.uint8))
        return host

    def __array__(self, dtype: npt.DTypeLike | None = None, copy: bool | None = None) -> npt.NDArray[Any]:
        host = self.numpy()
        return host if dtype is None else host.astype(dtype, copy=False)

    def write(self, values: npt.ArrayLike) -> Image:
        """Copies values of the host into it."""
        host = np.ascontiguousarray(np.broadcast_to(np.asarray(values, dtype=self.dtype), self.shape))
        self._core.write(host.reshape(-1).view(np.uint8))
        return self

    def texture(
        self,
        *,
        filter: str = "point",
        address: str | Sequence[str] = "clamp",
        normalized: bool = False,
        fractions: bool = False,
        border: Sequence[float] = (),
    ) -> Texture:
        """How a kernel sees it as a texture.

        filter: "point" or "linear". address: what coordinates outside mean, for all dimensions or for each: "clamp", "border", and of
        normalised coordinates "wrap" and "mirror". normalized: coordinates are in [0, 1), not in texels. fractions: integers of 8 and 16
        bits read as numbers in [0, 1] or [-1, 1]. border: its colour.
        """
        words = [address] if isinstance(address, str) else list(address)
        return Texture(self, self._core.texture(filter, words, normalized, fractions, list(border)))

    def surface(self) -> Surface:
        """How a kernel sees it as a surface."""
        return Surface(self, self._core.surface())

    def __repr__(self) -> str:
        return f"<Image of shape {self.shape}, {self.dtype}>"
