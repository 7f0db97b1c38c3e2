"""Simulated GPUs."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from . import _core
from ._arguments import argument_block
from ._array import Array, Shape
from ._compile import Ptx
from ._errors import UsageError
from ._findings import Finding, findings_of
from ._image import Image, Texture
from ._kernel import Launcher, Module
from ._run import Run
from ._stream import Stream

Source = str | os.PathLike[str] | Ptx


def _override(key: str, value: Any) -> str:
    """`sm__l1__size_kib=64` is what `--set sm.l1.size_kib=64` is to the command."""
    text = value if isinstance(value, str) else json.dumps(value.item() if isinstance(value, np.generic) else value)
    return f"{key.replace('__', '.')}={text}"


class Device:
    """A simulated GPU, with memory of its own.

    config: the name of a GPU that `configs()` lists, or a file of a configuration. Further keywords change figures of it:
    `sm__l1__size_kib=64` is the key `sm.l1.size_kib`.
    mode: "functional" computes results and counts instructions; "timing" also goes cycle by cycle.
    check: checkers to run under: a list or a text with commas of "memory", "race", "init", "sync"; or "all".
    suppressions: a file of findings not to tell of.
    profile: count what each line does. None: in timing mode. In functional mode kernels are interpreted then.
    steps: keep the instructions of the first warps of small launches, through which the report steps. Interpreted, too.
    interval: timing mode: a sample every so many cycles in the statistics; 0: none.
    engine: how functional mode executes: "auto", "interpreted", "compiled"; results are the same bits.
    threads: threads of the host; 0: one for each core; 1 is reproducible to the bit.
    max_instructions: warp instructions after which a launch is stopped; 0: never.

    Several devices may be used by several threads at the same time; launches of one device come one after the other. A launch
    does not hold Python's lock.
    """

    def __init__(
        self,
        config: str | os.PathLike[str] = "h100",
        *,
        mode: str = "functional",
        check: str | Sequence[str] | None = None,
        suppressions: str | os.PathLike[str] | None = None,
        profile: bool | None = None,
        steps: bool = False,
        interval: int = 0,
        engine: str = "auto",
        threads: int = 0,
        max_instructions: int = 0,
        **overrides: Any,
    ) -> None:
        options = _core.Options()
        options.config = os.fspath(config)
        options.overrides = [_override(key, value) for key, value in overrides.items()]
        options.mode = mode
        options.check = "" if check is None else check if isinstance(check, str) else ",".join(check)
        options.suppressions = "" if suppressions is None else os.fspath(suppressions)
        options.lines = mode == "timing" if profile is None else profile
        options.steps = steps
        options.interval_cycles = interval
        options.engine = engine
        options.threads = threads
        options.max_instructions = max_instructions
        self._core = _core.Device(options)
        self.mode = mode
        """ "functional" or "timing"."""
        self._findings: list[Finding] = []
        self._runs: list[Run] = []
        self._kept: list[tuple[_core.Work, Sequence[Any]]] = []
        self._output = ""

    @property
    def name(self) -> str:
        """The name of its configuration: "h100"."""
        return self._core.name

    @cached_property
    def config(self) -> dict[str, Any]:
        """All figures of the GPU, overrides included: `gpu.config["sm"]["count"]`."""
        fields: dict[str, Any] = json.loads(self._core.config)
        return fields

    @property
    def used_bytes(self) -> int:
        """Bytes of its memory that are in use."""
        return self._core.used_bytes()

    @property
    def capacity_bytes(self) -> int:
        """Bytes of its memory."""
        return self._core.capacity_bytes()

    # Code.

    def load(self, *sources: Source, max_registers: int = 0) -> Module:
        """Reads and checks PTX: files, what `compile()` returns, or texts. Several are linked together.

        max_registers: of a thread, unless a kernel says otherwise; 0: no limit.
        """
        if not sources:
            raise UsageError("load() wants PTX: a file, what compile() returns, or a text")
        texts = [_text_of(source) for source in sources]
        if all(text is None for text in texts):
            return Module(self, self._core.load_files([os.fspath(s) for s in sources], max_registers))  # type: ignore[arg-type]
        pairs = [text or (os.fspath(s), Path(s).read_text()) for s, text in zip(sources, texts)]  # type: ignore[arg-type]
        named = {ptx.source_name: ptx.source for ptx in sources if isinstance(ptx, Ptx) and ptx.source}
        return Module(self, self._core.load_texts(pairs, named, max_registers))

    # Memory.

    def zeros(self, shape: Shape, dtype: npt.DTypeLike = np.float32) -> Array:
        """An array of zeros."""
        array = Array._new(self, shape, dtype)
        if self._core.is_checked:
            array.fill(np.zeros((), array.dtype))
        return array

    def empty(self, shape: Shape, dtype: npt.DTypeLike = np.float32) -> Array:
        """An array that nobody has written; it reads as zeros, and `check="init"` tells who relies on that."""
        return Array._new(self, shape, dtype)

    def full(self, shape: Shape, value: Any, dtype: npt.DTypeLike | None = None) -> Array:
        """An array of equal elements, by default of the type of the value."""
        return Array._new(self, shape, np.asarray(value).dtype if dtype is None else dtype).fill(value)

    def zeros_like(self, other: Any) -> Array:
        """An array of zeros in the shape and type of another."""
        like = other if isinstance(other, Array) else np.asarray(other)
        return self.zeros(like.shape, like.dtype)

    def empty_like(self, other: Any) -> Array:
        """An array that nobody has written, in the shape and type of another."""
        like = other if isinstance(other, Array) else np.asarray(other)
        return self.empty(like.shape, like.dtype)

    def array(self, values: Any, dtype: npt.DTypeLike | None = None) -> Array:
        """A copy of values in the memory of this device.

        values: what NumPy makes an array of; an array of this or another device; what has `__dlpack__` or, in this device's memory,
        `__cuda_array_interface__`.
        """
        if isinstance(values, Array):
            copy = self.empty(values.shape, values.dtype if dtype is None else dtype)
            if values.size:
                copy[...] = values if values.device is self and copy.dtype == values.dtype else values.numpy()
            return copy
        interface = getattr(values, "__cuda_array_interface__", None)
        if interface is not None:
            return self._array_of_interface(interface, dtype)
        if not isinstance(values, np.ndarray) and not hasattr(values, "__array__") and hasattr(values, "__dlpack__"):
            values = np.from_dlpack(values)
        host = np.asarray(values, dtype=dtype)
        if not host.dtype.isnative:
            host = host.astype(host.dtype.newbyteorder("="))
        array = self.empty(host.shape, host.dtype)
        if host.size:
            array[...] = host
        return array

    def _array_of_interface(self, interface: dict[str, Any], dtype: npt.DTypeLike | None) -> Array:
        kind, shape = np.dtype(interface["typestr"]), shape_tuple(interface["shape"])
        size = int(np.prod(shape, dtype=np.int64))
        address, strides = int(interface["data"][0]), interface.get("strides")
        steps = kind.itemsize
        for i in range(len(shape) - 1, -1, -1):
            if strides is not None and size and shape[i] != 1 and strides[i] != steps:
                raise UsageError("an array with gaps, or not in the order of C, cannot be copied")
            steps *= shape[i]
        if size and not self._core.is_allocated(address, size * kind.itemsize):
            raise UsageError(f"the memory at {address:#x} is not of this device")
        copy = self.empty(shape, kind)
        if size:
            self._core.copy(copy.ptr, address, copy.nbytes)
        return copy if dtype is None or copy.dtype == np.dtype(dtype) else self.array(copy, dtype)

    def image(
        self,
        values: Any,
        dtype: npt.DTypeLike | None = None,
        *,
        dimensions: int | None = None,
        layered: bool = False,
    ) -> Image:
        """Texels for textures and surfaces: of values, or zeros if a shape is given as a tuple.

        The axes are layers if it is `layered`, then z, y and x, then channels. dimensions: 1, 2 or 3 of these are positions; None: two, or
        one if there are no more axes.
        """
        if isinstance(values, tuple):
            return Image(self, values, np.dtype(np.float32 if dtype is None else dtype), dimensions, layered)
        host = np.asarray(values, dtype=dtype)
        return Image(self, host.shape, host.dtype.newbyteorder("="), dimensions, layered).write(host)

    def texture(self, values: Any, **options: Any) -> Texture:
        """A texture of values: `image(values).texture(filter=..., address=..., ...)` with the words of both."""
        of_image = {key: options.pop(key) for key in ("dtype", "dimensions", "layered") if key in options}
        return self.image(values, **of_image).texture(**options)

    def _read(self, address: int, to: npt.NDArray[np.uint8]) -> None:
        self._finish()
        self._core.read(address, to)
        self._gather()

    # Runs.

    def _launch(self, launcher: Launcher, arguments: Sequence[Any]) -> Run:
        kernel = launcher.kernel
        block = argument_block(self, kernel.name, kernel.parameters, arguments)
        order = _core.Order(
            kernel._module,
            kernel.name,
            launcher.grid,
            launcher.block,
            launcher.shared,
            launcher.cluster,
            launcher.cooperative,
            block,
        )
        stream = launcher.stream
        if stream is not None and stream._device is not self:
            raise UsageError("the stream is of another device")
        try:
            if stream is None:
                launch = self._core.launch(order)
            else:
                work = self._core.submit(stream._core, order)
        finally:
            self._print()
        if stream is None:
            return self._note(Run(launch))
        self._keep(work, arguments)
        run = Run(None, self, work)
        if work.is_over:
            self._note(run)
        else:
            self._runs.append(run)
        return run

    def _note(self, run: Run) -> Run:
        run.output, self._output = self._output, ""
        if self._core.is_checked:
            self._gather()
            self._findings += run.findings
        return run

    def _print(self) -> None:
        """What kernels have printed since the last time."""
        text = self._core.take_output()
        if text:
            sys.stdout.write(text)
        self._output = text

    def _keep(self, work: _core.Work, objects: Sequence[Any]) -> None:
        """Objects that have to be there until the work is over."""
        self._kept = [(other, kept) for other, kept in self._kept if not other.is_over]
        if not work.is_over:
            self._kept.append((work, objects))

    def _finish(self, work: _core.Work | None = None) -> None:
        """Waits for work of a stream, or of all."""
        if self._core.is_idle:
            return
        try:
            if work is None:
                self._core.finish_all()
            else:
                self._core.finish(work)
        finally:
            self._print()
            over, self._runs = self._runs, []
            for run in over:
                if not run.is_over:
                    self._runs.append(run)
                elif not run.has_failed:
                    self._note(run)

    def stream(self, priority: int = 0) -> Stream:
        """A stream of work beside others; that of greater priority comes first."""
        return Stream(self, priority)

    def synchronize(self) -> None:
        """Waits for all streams. Raises the Fault of a kernel that it waits for."""
        self._finish()

    def interrupt(self) -> None:
        """From another thread: the launch that is under way ends with a Fault whose kind is "interrupted"."""
        self._core.interrupt()

    def _gather(self) -> None:
        """Findings that belong to no launch."""
        if self._core.is_checked:
            self._findings += findings_of(self._core.take_findings())

    @property
    def findings(self) -> list[Finding]:
        """All that the checkers have found so far, in launches and by reads of the host."""
        self._gather()
        return list(self._findings)

    def clear_findings(self) -> list[Finding]:
        """The same, which are forgotten then."""
        found, self._findings = self.findings, []
        return found

    def __repr__(self) -> str:
        return f"<Device {self.name}, {self.mode} mode, {self.used_bytes} bytes in use>"


def shape_tuple(shape: Any) -> tuple[int, ...]:
    return tuple(int(n) for n in shape)


def _text_of(source: Source) -> tuple[str, str] | None:
    """PTX with what messages call it; None: a file."""
    if isinstance(source, Ptx):
        return source.name, source.text
    if isinstance(source, str) and "\n" in source:
        return "text.ptx", source
    return None


def configs() -> dict[str, str]:
    """The GPUs that there are, by their names, with what they are."""
    return dict(_core.configs())


def config(config: str | os.PathLike[str] = "h100", **overrides: Any) -> dict[str, Any]:
    """All figures of a GPU, as `Device(config, **overrides)` would have them."""
    text = _core.config(os.fspath(config), [_override(key, value) for key, value in overrides.items()])
    fields: dict[str, Any] = json.loads(text)
    return fields
