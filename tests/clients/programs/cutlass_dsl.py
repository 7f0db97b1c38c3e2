# Kernels of CuTe: a sum by vectors, and a product of matrices by cp.async, swizzled shared memory, ldmatrix and mma. The DSL
# compiles; what it compiled is loaded and launched as PTX, since its own launches go through NVIDIA's static runtime.
import ctypes
import os
import tempfile

folder = tempfile.TemporaryDirectory()
os.environ["CUTE_DSL_DUMP_DIR"] = folder.name  # where it keeps PTX; it is read when the DSL is imported

import cutlass
import numpy as np
from cuda.bindings import driver
from cutlass import cute
from cutlass.cute.nvgpu import cpasync, warp
from cutlass.cute.runtime import make_fake_compact_tensor


def checked(result):
    assert result[0] == driver.CUresult.CUDA_SUCCESS, result[0]
    return result[1] if len(result) == 2 else None


def like(array):
    of = {"float16": cutlass.Float16, "float32": cutlass.Float32}[array.dtype.name]
    return make_fake_compact_tensor(of, array.shape, stride_order=(1, 0), assumed_align=16)


def launch(function, arrays, grid, block, shared=0):
    """Compiles, and runs the one kernel of it on copies of the arrays, the last of which is returned."""
    compiled = cute.compile[cute.KeepPTX](function, *map(like, arrays))
    (name,) = compiled.kernel_info
    module = checked(driver.cuModuleLoadData(compiled.__ptx__.encode() + b"\0"))
    kernel = checked(driver.cuModuleGetFunction(module, name.encode()))
    there = []
    for array in arrays:
        there.append(checked(driver.cuMemAlloc(array.nbytes)))
        checked(driver.cuMemcpyHtoD(there[-1], array.ctypes.data, array.nbytes))
    arguments = (tuple(int(x) for x in there), (ctypes.c_void_p,) * len(there))
    checked(driver.cuLaunchKernel(kernel, *grid, *block, shared, 0, arguments, 0))
    out = np.empty_like(arrays[-1])
    checked(driver.cuMemcpyDtoH(out.ctypes.data, there[-1], out.nbytes))
    return out


@cute.kernel
def sum_kernel(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    t, _, _ = cute.arch.thread_idx()
    j, i, _ = cute.arch.block_idx()
    mine = (None, (i, j * 16 + t))  # four elements of a row
    c[mine] = a[mine].load() + b[mine].load()


@cute.jit
def sum(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    a, b, c = (cute.zipped_divide(x, (1, 4)) for x in (a, b, c))
    sum_kernel(a, b, c).launch(grid=(2, 30, 1), block=(16, 1, 1))


TILE = (64, 32, 32)  # of m, n and k


@cute.kernel
def product_kernel(
    a: cute.Tensor,
    b: cute.Tensor,
    c: cute.Tensor,
    copy_in: cute.TiledCopy,
    mma: cute.TiledMma,
    layout_a: cute.ComposedLayout,
    layout_b: cute.ComposedLayout,
):
    t, _, _ = cute.arch.thread_idx()
    i, j, _ = cute.arch.block_idx()
    tile_a = cute.local_tile(a, TILE, (i, j, None), proj=(1, None, 1))
    tile_b = cute.local_tile(b, TILE, (i, j, None), proj=(None, 1, 1))
    tile_c = cute.local_tile(c, TILE, (i, j, None), proj=(1, 1, None))
    shared = cutlass.memory.SmemAllocator()
    shared_a = shared.allocate_tensor(cutlass.Float16, layout_a, 16)
    shared_b = shared.allocate_tensor(cutlass.Float16, layout_b, 16)
    load = cute.make_copy_atom(warp.LdMatrix8x8x16bOp(False, 4), cutlass.Float16)
    load_a, load_b = cute.make_tiled_copy_A(load, mma), cute.make_tiled_copy_B(load, mma)
    copying, multiplying = copy_in.get_slice(t), mma.get_slice(t)
    loading_a, loading_b = load_a.get_slice(t), load_b.get_slice(t)
    registers_a = mma.make_fragment_A(multiplying.partition_A(shared_a))
    registers_b = mma.make_fragment_B(multiplying.partition_B(shared_b))
    part = multiplying.partition_C(tile_c)
    total = mma.make_fragment_C(part)
    total.fill(0.0)
    for k in range(cute.size(tile_a, mode=[2])):
        cute.copy(copy_in, copying.partition_S(tile_a)[None, None, None, k], copying.partition_D(shared_a))
        cute.copy(copy_in, copying.partition_S(tile_b)[None, None, None, k], copying.partition_D(shared_b))
        cute.arch.cp_async_commit_group()
        cute.arch.cp_async_wait_group(0)
        cute.arch.sync_threads()
        cute.copy(load_a, loading_a.partition_S(shared_a), loading_a.retile(registers_a))
        cute.copy(load_b, loading_b.partition_S(shared_b), loading_b.retile(registers_b))
        cute.gemm(mma, total, registers_a, registers_b, total)
        cute.arch.sync_threads()
    cute.autovec_copy(total, part)


@cute.jit
def product(a: cute.Tensor, b: cute.Tensor, c: cute.Tensor):
    copy_in = cute.make_tiled_copy_tv(
        cute.make_copy_atom(cpasync.CopyG2SOp(), cutlass.Float16, num_bits_per_copy=128),
        cute.make_layout((32, 4), stride=(4, 1)),
        cute.make_layout((1, 8)),
    )
    operation = warp.MmaF16BF16Op(cutlass.Float16, cutlass.Float32, (16, 8, 16))
    mma = cute.make_tiled_mma(operation, cute.make_layout((2, 2, 1)), permutation_mnk=(32, 32, 16))
    rows = cute.make_composed_layout(cute.make_swizzle(2, 3, 3), 0, cute.make_layout((8, 32), stride=(32, 1)))
    layout_a = cute.tile_to_shape(rows, (TILE[0], TILE[2]), (0, 1))
    layout_b = cute.tile_to_shape(rows, (TILE[1], TILE[2]), (0, 1))
    product_kernel(a, b, c, copy_in, mma, layout_a, layout_b).launch(grid=(2, 3, 1), block=(128, 1, 1))


checked(driver.cuInit(0))
checked(driver.cuCtxSetCurrent(checked(driver.cuDevicePrimaryCtxRetain(0))))
generator = np.random.default_rng(1)
a, b = generator.random((2, 30, 128), dtype=np.float32)
np.testing.assert_array_equal(launch(sum, [a, b, np.zeros_like(a)], (2, 30, 1), (16, 1, 1)), a + b)
a, b = (generator.random((rows, 64)).astype(np.float16) for rows in (128, 96))
c = launch(product, [a, b, np.zeros((128, 96), np.float32)], (2, 3, 1), (128, 1, 1), shared=6 << 10)
np.testing.assert_allclose(c, a.astype(np.float64) @ b.astype(np.float64).T, rtol=1e-5)
