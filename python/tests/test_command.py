"""The command that comes with the package."""

import subprocess
import sys


def run(*words):
    result = subprocess.run([sys.executable, "-m", "warpsim", *words], capture_output=True, text=True)
    return result.returncode, result.stdout + result.stderr


def test_the_command_runs(kernels):
    assert run("version")[1].startswith("warpsim")
    status, text = run("run", str(kernels / "plans" / "saxpy.json"), "--config", "v100", "--details")
    assert status == 0 and "SIMT efficiency" in text
    assert run("run", "nothing.json")[0] == 2


def test_the_command_brings_the_cuda_libraries():
    program = (
        "import ctypes; cuda = ctypes.CDLL('libcuda.so.1'); n = ctypes.c_int(); "
        "print(cuda.cuInit(0), cuda.cuDeviceGetCount(ctypes.byref(n)), n.value)"
    )
    status, text = run("exec", "--devices", "3", "--", sys.executable, "-c", program)
    assert status == 0 and text.strip() == "0 0 3", text


def test_a_program_under_the_command_has_devices_of_both_kinds():
    program = (
        "import warpsim, ctypes, numpy; cuda = ctypes.CDLL('libcuda.so.1'); assert cuda.cuInit(0) == 0; "
        "print(warpsim.Device().full(3, 7).numpy().sum())"
    )
    status, text = run("exec", "--", sys.executable, "-c", program)
    assert status == 0 and text.strip() == "21", text
