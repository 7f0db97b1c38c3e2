"""CUDA source to PTX, by each compiler that is there."""

import numpy as np
import pytest

import warpsim

source = """
extern "C" __global__ void twice(int* a) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(&a[i], a[i]);
    __syncthreads();
    a[i] = max(__shfl_xor_sync(0xffffffffu, a[i], 1), BIAS);
}
"""


def compiled(compiler, text=source, **options):
    try:
        return warpsim.compile(text, compiler=compiler, **options)
    except warpsim.CompileError as error:
        if "no CUDA compiler is here" in str(error):
            pytest.skip(f"{compiler} is not here")
        raise


@pytest.mark.parametrize("compiler", ["nvrtc", "nvcc", "clang"])
def test_source_becomes_a_kernel(compiler):
    ptx = compiled(compiler, options=["-DBIAS=3"], name="twice.cu")
    assert ptx.name == "twice.ptx" and ".target sm_75" in ptx.text
    gpu = warpsim.Device(profile=True)
    a = gpu.array(np.arange(32, dtype=np.int32))
    run = gpu.load(ptx).twice[1, 32](a)
    assert a.numpy().tolist() == np.maximum(2 * (np.arange(32) ^ 1), 3).tolist()
    # The lines of the source, with their text.
    assert "twice.cu:5" in {line["source"] for line in run.profile.sources}
    assert "atomicAdd(&a[i], a[i]);" in run.report()


@pytest.mark.parametrize("compiler", ["nvrtc", "nvcc", "clang"])
def test_mistakes_are_told_with_their_place(compiler):
    with pytest.raises(warpsim.CompileError, match=r"wrong\.cu[:(]5.*BIAS|wrong.cu\(5\)|wrong.cu:5") as caught:
        compiled(compiler, name="wrong.cu", text=source.replace("\n", "", 1) + "// without BIAS\n")
    assert "BIAS" in str(caught.value)


def test_a_file_is_compiled_as_well(tmp_path):
    (tmp_path / "value.h").write_text("#define BIAS 1\n")
    (tmp_path / "file.cu").write_text('#include "value.h"\n' + source)
    ptx = compiled(None, tmp_path / "file.cu", arch="compute_80")
    assert ptx.name == "file.ptx" and ".target sm_80" in ptx.text
    ptx.save(tmp_path / "file.ptx")
    assert warpsim.Device().load(tmp_path / "file.ptx").kernels == ["twice"]


def test_what_makes_no_sense_is_refused():
    with pytest.raises(warpsim.UsageError, match="is none like sm_75"):
        warpsim.compile(source, arch="75")
    with pytest.raises(warpsim.UsageError, match="is none of nvrtc, nvcc, clang"):
        warpsim.compile(source, compiler="gcc")
