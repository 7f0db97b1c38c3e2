"""CUDA kernels without a GPU: a simulator that executes PTX, counts what kernels do, and checks every access.

A kernel that runs, and what it did::

    import numpy as np
    import warpsim

    gpu = warpsim.Device("v100", mode="timing")
    saxpy = gpu.load("saxpy.ptx").saxpy
    x = gpu.array(np.arange(1 << 20, dtype=np.float32))
    y = gpu.zeros_like(x)
    run = saxpy[4096, 256](np.int32(1 << 20), np.float32(2), x, y)
    print(run.cycles, run.stats["l1"]["hit_rate"])
"""

from ._array import Array
from ._compile import Ptx, compile
from ._device import Device, config, configs
from ._errors import (
    Allocation,
    CompileError,
    ConfigError,
    Error,
    Fault,
    LaunchError,
    Line,
    PtxError,
    UsageError,
)
from ._findings import Act, Finding
from ._image import Image, Surface, Texture
from ._kernel import Kernel, Launcher, Module, Parameter
from ._run import Profile, Run, page_of
from ._stream import Event, Stream
from ._sweep import sweep

__all__ = [
    "Act",
    "Allocation",
    "Array",
    "CompileError",
    "ConfigError",
    "Device",
    "Error",
    "Event",
    "Fault",
    "Finding",
    "Image",
    "Kernel",
    "LaunchError",
    "Launcher",
    "Line",
    "Module",
    "Parameter",
    "Profile",
    "Ptx",
    "PtxError",
    "Run",
    "Stream",
    "Surface",
    "Texture",
    "UsageError",
    "compile",
    "config",
    "configs",
    "page_of",
    "sweep",
]
