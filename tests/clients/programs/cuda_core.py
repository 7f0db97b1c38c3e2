# A program that NVRTC compiles, as machine code and as PTX.
import numpy as np
from cuda.core import Device, LaunchConfig, LegacyPinnedMemoryResource, Program, ProgramOptions, launch

device = Device()
device.set_current()
stream = device.create_stream()
source = 'extern "C" __global__ void k(int* x) { x[threadIdx.x] = threadIdx.x * 3; }'
for kind in ("cubin", "ptx"):
    code = Program(source, "c++", ProgramOptions(arch=f"sm_{device.arch}")).compile(kind)
    buffer = LegacyPinnedMemoryResource().allocate(32 * 4)
    values = np.from_dlpack(buffer).view(np.int32)
    values[:] = 0
    launch(stream, LaunchConfig(grid=1, block=32), code.get_kernel("k"), buffer)
    device.sync()
    assert (values == 3 * np.arange(32)).all(), kind
