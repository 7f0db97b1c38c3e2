# Compiles a kernel by ptxas and launches it by the driver.
import ctypes

import triton
import triton.language as tl
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


@triton.jit
def scale(x, y, n, block: tl.constexpr):
    i = tl.program_id(0) * block + tl.arange(0, block)
    inside = i < n
    tl.store(y + i, tl.load(x + i, mask=inside) * 2 + 1, mask=inside)


driver = ctypes.CDLL("libcuda.so.1")


def check(result):
    assert result == 0, result


context, module, function = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
check(driver.cuInit(0))
check(driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 0))
check(driver.cuCtxSetCurrent(context))
major, minor = ctypes.c_int(), ctypes.c_int()
check(driver.cuDeviceGetAttribute(ctypes.byref(major), 75, 0))
check(driver.cuDeviceGetAttribute(ctypes.byref(minor), 76, 0))

source = ASTSource(
    scale, signature={"x": "*fp32", "y": "*fp32", "n": "i32", "block": "constexpr"}, constexprs={"block": 128}
)
kernel = triton.compile(source, target=GPUTarget("cuda", major.value * 10 + minor.value, 32))
check(driver.cuModuleLoadData(ctypes.byref(module), kernel.asm["cubin"]))
check(driver.cuModuleGetFunction(ctypes.byref(function), module, kernel.metadata.name.encode()))

count = 300
x, y = ctypes.c_uint64(), ctypes.c_uint64()
host = (ctypes.c_float * count)(*range(count))
check(driver.cuMemAlloc_v2(ctypes.byref(x), 4 * count))
check(driver.cuMemAlloc_v2(ctypes.byref(y), 4 * count))
check(driver.cuMemcpyHtoD_v2(x, host, 4 * count))
n, scratch, profile = ctypes.c_int(count), ctypes.c_uint64(), ctypes.c_uint64()
arguments = (ctypes.c_void_p * 5)(*(ctypes.addressof(a) for a in (x, y, n, scratch, profile)))
threads = 32 * kernel.metadata.num_warps
check(driver.cuLaunchKernel(function, 3, 1, 1, threads, 1, 1, kernel.metadata.shared, None, arguments, None))
check(driver.cuMemcpyDtoH_v2(host, y, 4 * count))
assert list(host) == [2.0 * i + 1 for i in range(count)]
