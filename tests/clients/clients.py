"""The clients of CUDA that are tried, in the order of the table, and which of their own tests ask for a GPU."""

from dataclasses import dataclass, field


@dataclass
class Suite:
    """Tests that come with the client. `words` follow the interpreter's name; {source} is the unpacked source package
    from PyPI, {results} a file for pytest's results."""

    words: list[str]
    source: str = ""  # the package whose source is needed


@dataclass
class Client:
    name: str
    package: str  # whose version is told
    requirements: list[str]
    program: str = ""  # programs/NAME.py
    variables: dict[str, str] = field(default_factory=dict)
    suite: Suite | None = None
    needs: list[str] = field(default_factory=list)  # programs in PATH
    note: str = ""  # what a user does, beyond `warpsim exec`


PYTEST = [
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "--timeout=300",
    "--continue-on-collection-errors",
    "--junitxml={results}",
]

CLIENTS = [
    Client(
        "numba-cuda",
        "numba-cuda",
        ["numba-cuda[cu13]", "filecheck", "psutil", "cffi", "ml_dtypes", "pytest", "pytest-timeout"],
        "numba_cuda",
        suite=Suite(
            [
                *PYTEST,
                "-p",
                "numba_fixture",
                "--import-mode=importlib",
                "--pyargs",
                "numba.cuda.tests.cudapy",
                "numba.cuda.tests.cudadrv",
            ]
        ),
    ),
    Client("cuda.core, cuda.bindings", "cuda-core", ["cuda-core", "cuda-bindings[all]", "numpy"], "cuda_core"),
    Client(
        "PyCUDA",
        "pycuda",
        ["pycuda", "numpy", "mako", "pytest", "pytest-timeout"],
        "pycuda",
        suite=Suite(
            [*PYTEST, "-k", "not 8gb and not 16gb and not big_array", "{source}/test"], "pycuda"
        ),  # these fill the memory of most hosts
        needs=["nvcc"],
    ),
    Client("Triton", "triton", ["triton", "numpy"], "triton"),
    Client(
        "PyTorch",
        "torch",
        ["torch", "numpy"],
        "pytorch",
        note="`torch.compile`, and tensors by copies: the wheel has machine code alone of PyTorch's own operators, and NVIDIA's "
        "libraries in it are refused; the first lines of the program keep Inductor from using either",
    ),
    Client(
        "JAX",
        "jax",
        ["jax[cuda12]"],
        "jax",
        {"JAX_PLATFORMS": "cuda"},
        note="`jax._src.hardware_utils.has_visible_nvidia_gpu = lambda: True`, since it looks for /dev/nvidia0; "
        "without cuBLAS and cuDNN",
    ),
    Client(
        "Warp",
        "warp-lang",
        ["warp-lang"],
        note="the wheel has NVIDIA's static runtime in it: refused; what its `--use-dynamic-cuda` builds has not",
    ),
    Client(
        "CUTLASS DSL",
        "nvidia-cutlass-dsl",
        ["nvidia-cutlass-dsl"],
        note="its libraries have NVIDIA's static runtime in them: refused; `CUTE_DSL_KEEP_PTX=1` leaves PTX for `warpsim run`",
    ),
    Client(
        "CuPy",
        "cupy-cuda13x",
        ["cupy-cuda13x"],
        note="the wheel has NVIDIA's static runtime in it: refused, and no result is wrong",
    ),
    Client(
        "tinygrad",
        "tinygrad",
        ["tinygrad", "numpy", "pytest", "pytest-timeout", "hypothesis"],
        "tinygrad",
        {"DEV": "CUDA"},
        Suite([*PYTEST, "{source}/test/test_tiny.py"], "tinygrad"),
        note="DEV=CUDA",
    ),
    Client("Taichi", "taichi", ["taichi"], "taichi", note="`ti.init(arch=ti.cuda, device_memory_GB=0.25)`"),
]

# Why tests fail, by what their failure says.
REASONS = [
    (r"nvdisasm|cuobjdump|SASS|sass", "looks at machine code, of which there is none"),
    (r"LTO|lto|nvvm.*ltoir|[Nn]vJitLink", "links LTO-IR, of which PTX cannot be had"),
    (r"_ipc|Ipc|IPC", "memory of other processes is not supported"),
    (r"CUDA_ERROR_NOT_SUPPORTED|NotSupported", "a function that is not supported"),
    (r"BrokenProcessPool", "its child processes do not find the module that pytest imported"),
]
