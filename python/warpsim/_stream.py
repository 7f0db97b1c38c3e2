"""Streams: work that goes in order, beside that of other streams."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from ._array import Array
from ._errors import UsageError

if TYPE_CHECKING:
    from . import _core
    from ._device import Device


class Event:
    """A point in the work of a stream."""

    def __init__(self, device: Device, work: _core.Work) -> None:
        self._device = device
        self._work = work

    @property
    def is_over(self) -> bool:
        """Whether everything before it has ended."""
        return self._work.is_over

    def synchronize(self) -> None:
        """Waits for everything before it. Raises the Fault of what it waits for."""
        self._device._finish(self._work)
        self._work.launch()

    @property
    def time_us(self) -> float:
        """When the stream came to it, in microseconds of simulated time since the device was made; waits for it. Timing mode."""
        if self._device.mode != "timing":
            raise UsageError("'time_us' is known in timing mode only: Device(..., mode=\"timing\")")
        self.synchronize()
        return self._work.end_ps / 1e6


class Stream:
    """Work that goes in order: `kernel[grid, block, shared, stream](...)`, or `kernel.configure(grid, block, stream=stream)`.

    In timing mode work of several streams overlaps in simulated time, which passes when the host waits: for a stream, an event, or
    the figures of a run. Work that was given without a wait in between is given at the same time. In functional mode it is done when it
    is given; the race checker knows that it could have been done later.

    What is in no stream, reads and writes of arrays included, waits for all streams.
    """

    def __init__(self, device: Device, priority: int = 0) -> None:
        self._device = device
        self._core = device._core.make_stream(priority)
        self.priority = priority
        """CTAs of streams with a greater one come first."""

    def copy(self, to: Array | npt.NDArray[Any], from_: Array | npt.ArrayLike) -> Event:
        """Copies an array, to or from the host or inside of the device.

        Values of the host are taken now; an array of the host that is copied to has them when the event is over.
        """
        core = self._device._core
        keep: tuple[Any, ...]
        if isinstance(to, Array):
            self._check(to)
            if isinstance(from_, Array):
                self._check(from_)
                if (to.shape, to.dtype) != (from_.shape, from_.dtype):
                    raise UsageError("the arrays have different shapes or types")
                work, keep = core.submit_copy(self._core, to.ptr, from_.ptr, to.nbytes), (to, from_)
            else:
                host = np.ascontiguousarray(np.broadcast_to(np.asarray(from_, dtype=to.dtype), to.shape))
                work, keep = core.submit_write(self._core, to.ptr, host.reshape(-1).view(np.uint8)), (to,)
        elif isinstance(from_, Array):
            self._check(from_)
            if (to.shape, to.dtype) != (from_.shape, from_.dtype) or not to.flags.c_contiguous:
                raise UsageError("the array of the host has another shape or type, or gaps")
            work, keep = core.submit_read(self._core, from_.ptr, to.reshape(-1).view(np.uint8)), (to, from_)
            self._device._gather()
        else:
            raise UsageError("one of the arrays has to be of the device")
        self._device._keep(work, keep)
        return Event(self._device, work)

    def _check(self, array: Array) -> None:
        if array.device is not self._device:
            raise UsageError("the array is in the memory of another device")
        array._alive()

    def record(self) -> Event:
        """The point that it has come to."""
        return Event(self._device, self._device._core.record(self._core))

    def wait(self, event: Event) -> None:
        """What it is given from now on begins when that event is over."""
        if event._device is not self._device:
            raise UsageError("the event is of another device")
        self._device._core.wait(self._core, event._work)

    def synchronize(self) -> None:
        """Waits for all that it was given. Raises the Fault of a kernel that it waits for."""
        self.record().synchronize()

    def __repr__(self) -> str:
        return f"<Stream {self._core.number} of {self._device!r}>"
