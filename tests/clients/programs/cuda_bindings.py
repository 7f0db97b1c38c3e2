# The driver's functions, the runtime's and NVRTC's, as they are in C.
import ctypes

from cuda.bindings import driver, nvrtc, runtime


def well(answer):
    error, *values = answer
    assert int(error) == 0, error
    return values[0] if len(values) == 1 else values


well(driver.cuInit(0))
device = well(driver.cuDeviceGet(0))
context = well(driver.cuDevicePrimaryCtxRetain(device))
well(driver.cuCtxSetCurrent(context))
source = b'extern "C" __global__ void add(int* x, int by) { x[threadIdx.x] += by; }'
program = well(nvrtc.nvrtcCreateProgram(source, b"add.cu", 0, [], []))
well(nvrtc.nvrtcCompileProgram(program, 1, [b"--gpu-architecture=sm_90"]))
code = b" " * well(nvrtc.nvrtcGetCUBINSize(program))
well(nvrtc.nvrtcGetCUBIN(program, code))
module = well(driver.cuModuleLoadData(code))
kernel = well(driver.cuModuleGetFunction(module, b"add"))
stream = well(driver.cuStreamCreate(0))
values = (ctypes.c_int * 32)(*range(32))
memory = well(driver.cuMemAlloc(128))
well(driver.cuMemcpyHtoDAsync(memory, ctypes.addressof(values), 128, stream))
arguments = ((memory, 5), (None, ctypes.c_int))
well(driver.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, stream, arguments, 0))
well(driver.cuMemcpyDtoHAsync(ctypes.addressof(values), memory, 128, stream))
well(driver.cuStreamSynchronize(stream))
assert list(values) == [i + 5 for i in range(32)]

# The kernel in a graph of the runtime's.
library = well(runtime.cudaLibraryLoadData(code, [], [], 0, [], [], 0))
graph = well(runtime.cudaGraphCreate(0))
kind = runtime.cudaMemcpyKind
first = well(runtime.cudaGraphAddMemcpyNode1D(graph, [], 0, memory, ctypes.addressof(values), 128, kind.cudaMemcpyHostToDevice))
node = runtime.cudaKernelNodeParams()
node.func = int(well(runtime.cudaLibraryGetKernel(library, b"add")))
node.gridDim.x, node.gridDim.y, node.gridDim.z = 1, 1, 1
node.blockDim.x, node.blockDim.y, node.blockDim.z, node.sharedMemBytes = 32, 1, 1, 0
by = ctypes.c_int(7)
at = ctypes.c_void_p(int(memory))
pointers = (ctypes.c_void_p * 2)(ctypes.addressof(at), ctypes.addressof(by))
node.kernelParams = ctypes.addressof(pointers)
second = well(runtime.cudaGraphAddKernelNode(graph, [first], 1, node))
well(runtime.cudaGraphAddMemcpyNode1D(graph, [second], 1, ctypes.addressof(values), memory, 128, kind.cudaMemcpyDeviceToHost))
executable = well(runtime.cudaGraphInstantiate(graph, 0))
well(runtime.cudaGraphLaunch(executable, 0))
well(runtime.cudaDeviceSynchronize())
assert list(values) == [i + 12 for i in range(32)]
