"""The clients of CUDA that are tried, in the order of the table, and which of their own tests ask for a GPU."""

from dataclasses import dataclass, field


@dataclass
class Suite:
    """Tests that come with the client. `words` follow the interpreter's name; {source} is the unpacked source package
    from PyPI or the checkout, {results} a file for pytest's results, {module} each test module of `packages` or `folders`
    in turn, which are run in processes of their own."""

    words: list[str]
    source: str = ""  # the package whose source is needed
    checkout: str = ""  # the repository, where PyPI has no source: `run --checkout NAME=FOLDER` runs the tests
    tag: str = ""  # of the version that is installed, as v{version}
    packages: list[str] = field(default_factory=list)
    folders: list[str] = field(default_factory=list)  # of the source
    seconds: int = 60  # after which a module's further tests are left out


@dataclass
class Client:
    name: str
    package: str  # whose version is told
    requirements: list[str]
    program: str = ""  # programs/NAME.py
    variables: dict[str, str] = field(default_factory=dict)
    options: list[str] = field(default_factory=list)  # of `warpsim exec`
    suite: Suite | None = None
    needs: list[str] = field(default_factory=list)  # programs in PATH
    environment: str = ""  # where they are installed; else as the package is called
    build: str = ""  # builds/NAME installs `package` of this version, which pip alone does not, or changes what pip installed
    built_version: str = ""
    note: str = ""  # what a user does, beyond `warpsim exec`


PYTEST = [
    "-m",
    "pytest",
    "-q",
    "-p",
    "no:cacheprovider",
    "-p",
    "time_limit",
    "--timeout=300",
    "--continue-on-collection-errors",
    "--junitxml={results}",
]

CUPY_TESTS = ["core", "cuda", "binary", "creation", "functional", "indexing", "io"]

CUDA_PYTHON = "https://github.com/NVIDIA/cuda-python"
CUDA_PYTHON_TEST_PACKAGES = [
    "pytest",
    "pytest-timeout",
    "pytest-benchmark",
    "pytest-mock",
    "pytest-repeat",
    "cloudpickle",
    "ml_dtypes",
    "psutil",
]

TINYGRAD = ["tinygrad==0.12.0", "numpy", "torch==2.9.1", "pytest", "pytest-timeout", "hypothesis", "z3-solver"]
TINYGRAD_OPTIONS = ["--set", "memory.bounds=page", "--devices", "8"]
TINYGRAD_SUITE = Suite(
    [*PYTEST, "-p", "tinygrad_driver", "{module}"],
    checkout="https://github.com/tinygrad/tinygrad",
    tag="v{version}",
    folders=["test"],
    seconds=240,
)

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
                "{module}",
            ],
            packages=["numba.cuda.tests.cudadrv", "numba.cuda.tests.cudapy", "numba.cuda.tests.doc_examples"],
        ),
        options=["--set", "memory.bounds=page"],
        note="`--set memory.bounds=page`: kernels of two tests leave their arrays, which GPUs do not notice",
    ),
    Client(
        "cuda.core",
        "cuda-core",
        ["cuda-core", "cuda-bindings[all]", "numpy", *CUDA_PYTHON_TEST_PACKAGES],
        "cuda_core",
        suite=Suite(
            [*PYTEST, "{module}"],
            checkout=CUDA_PYTHON,
            tag="cuda-core-v{version}",
            folders=[f"cuda_core/tests{of}" for of in ("", "/graph", "/memory", "/system")],
            seconds=120,
        ),
        needs=["c++"],
        build="cuda_bindings",
        note="with the cuda.bindings of the next row",
    ),
    Client(
        "cuda.bindings",
        "cuda-bindings",
        ["cuda-bindings[all]", "numpy", *CUDA_PYTHON_TEST_PACKAGES],
        "cuda_bindings",
        suite=Suite(
            [*PYTEST, "{module}"],
            checkout=CUDA_PYTHON,
            tag="v{version}",
            folders=[f"cuda_bindings/tests{of}" for of in ("", "/legacy_api", "/nvml")],
        ),
        needs=["c++"],
        build="cuda_bindings",
        note="NVIDIA's static runtime, which is refused, is in two of its modules; "
        "[a script](../../tests/clients/builds/cuda_bindings) builds these anew for the shared one",
    ),
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
    Client(
        "Triton",
        "triton",
        ["triton", "numpy", "pytest", "pytest-timeout"],
        "triton",
        suite=Suite(
            # It has 18 000 tests, most of which differ in their types and sizes alone. They want PyTorch, by --require.
            [
                *PYTEST,
                "-p",
                "pytorch_on_host",
                "-p",
                "sample_tests",
                "--sample=20",
                "{source}/python/test/unit/language/test_core.py",
            ],
            checkout="https://github.com/triton-lang/triton",
            tag="v{version}",
        ),
        note="of test_core 20 combinations of types and sizes for each test; Triton up to 3.4 wants `WARPSIM_PTXAS_RELEASE=12.8`",
    ),
    Client(
        "PyTorch",
        "torch",
        ["torch", "numpy"],
        "pytorch",
        note="`torch.compile`, and tensors by copies: the wheel has machine code alone of PyTorch's own operators, and NVIDIA's "
        "libraries in it are refused; the first lines of the program keep Inductor from using either. Within "
        "[`OnHost`](../../tests/clients/pytorch_on_host.py) the operators run on the host",
    ),
    Client(
        "PyTorch's Inductor",
        "torch",
        ["torch==2.6.0", "numpy<2.3", "pytest", "pytest-timeout", "expecttest", "hypothesis"],
        variables={"WARPSIM_PTXAS_RELEASE": "12.4", "TORCHINDUCTOR_COMPILE_THREADS": "1"},
        environment="torch-2.6",
        suite=Suite(
            # It would run for hours, and kernels of some tests take all memory of a small host.
            [
                *PYTEST,
                "-p",
                "inductor_on_host",
                "-p",
                "sample_tests",
                "--one-in=8",
                "-k",
                "GPUTests",
                "{source}/test/inductor/test_torchinductor.py",
            ],
            checkout="https://github.com/pytorch/pytorch",
            tag="v{version}",
        ),
        note="of the GPUTests in test_torchinductor one in 8; PyTorch's own operators run on the host by "
        "[`OnHostBesideCompiler`](../../tests/clients/inductor_on_host.py)",
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
        ["numpy", "pytest", "pytest-timeout"],
        "warp",
        suite=Suite(
            # Of the others most run on the host. Functions are methods of classes there, too.
            [*PYTEST, "-o", "python_functions=none", "-k", "cuda", "--pyargs", "{module}"],
            packages=[
                f"warp.tests{of}"
                for of in (".cuda", ".deterministic", ".interop", ".aot", "", ".matrix", ".geometry", ".tile", ".fem")
            ],
            seconds=45,
        ),
        needs=["nvcc"],
        build="warp",
        built_version="1.19.0",
        note="its library built from the wheel's sources by [a script](../../tests/clients/builds/warp), without cuBQL and MathDx: "
        "the one in the wheel has NVIDIA's static runtime in it and is refused. The other modules were not tried, or had no results "
        "after 90 seconds, most of which NVRTC takes",
    ),
    Client(
        "CUTLASS DSL",
        "nvidia-cutlass-dsl",
        ["nvidia-cutlass-dsl", "numpy"],
        "cutlass_dsl",
        note="it compiles; its own launches go through NVIDIA's static runtime, which is refused: the program loads the PTX that "
        "`cute.compile[cute.KeepPTX]` keeps and launches it by `cuda.bindings.driver`",
    ),
    Client(
        "CuPy",
        "cupy",
        ["numpy<2.5", "scipy", "pytest", "pytest-timeout", "hypothesis", "mock"],
        "cupy",
        suite=Suite(
            # Of the others many want more than one device, or arrays of more than 2 GiB.
            [*PYTEST, "-m", "not multi_gpu and not slow", "-k", "not test_carray", "{module}"],
            "cupy",
            folders=[f"tests/cupy_tests/{of}_tests" for of in CUPY_TESTS],
        ),
        needs=["nvcc"],
        build="cupy",
        built_version="14.2.0",
        note="built from its source by [a script](../../tests/clients/builds/cupy): the wheels have NVIDIA's static runtime in "
        "them and are refused, and no result is wrong",
    ),
    Client(
        "tinygrad",
        "tinygrad",
        ["tinygrad", "numpy", "pytest", "pytest-timeout", "hypothesis"],
        "tinygrad",
        {"DEV": "CUDA"},
        suite=Suite([*PYTEST, "{source}/test/test_tiny.py"], "tinygrad"),
        note="DEV=CUDA; its source on PyPI has test_tiny alone",
    ),
    # The last version whose source on PyPI has more tests; these want files of the repository, too.
    Client(
        "tinygrad 0.12",
        "tinygrad",
        TINYGRAD,
        "tinygrad",
        {"CUDA": "1", "RUN_SLOW": "1"},
        TINYGRAD_OPTIONS,
        TINYGRAD_SUITE,
        environment="tinygrad-0.12",
        note="CUDA=1; [a line](../../tests/clients/tinygrad_driver.py) lets it find libcuda, which later versions do themselves; "
        "`--set memory.bounds=page`, since NVRTC widens loads at the ends of arrays; what its tests import of the repository was "
        "partly rewritten",
    ),
    Client(
        "tinygrad 0.12, its PTX",
        "tinygrad",
        TINYGRAD,
        "tinygrad",
        {"CUDA": "1", "CUDA_PTX": "1", "RUN_SLOW": "1"},
        TINYGRAD_OPTIONS,
        TINYGRAD_SUITE,
        environment="tinygrad-0.12",
        note="CUDA=1 CUDA_PTX=1: it writes PTX instead of CUDA C++",
    ),
    Client(
        "Taichi",
        "taichi",
        ["taichi", "pytest", "pytest-timeout"],
        "taichi",
        {"TI_WANTED_ARCHS": "cuda", "TI_DEVICE_MEMORY_GB": "0.25"},
        suite=Suite(
            # Taichi launches the kernel of that test with none of the shared memory that it uses, and no other runs after it.
            [*PYTEST, "-k", "not test_large_shared_array", "{module}"],
            checkout="https://github.com/taichi-dev/taichi",
            tag="v{version}",
            folders=["tests/python"],
            seconds=120,
        ),
        note="`ti.init(arch=ti.cuda, device_memory_GB=0.25)`; the tests are some of several versions of its repository, brought to 1.7 by hand",
    ),
]

# Why tests fail, by what their failure says.
REASONS = [
    (r"assert 'cp\.async", "expects the PTX of another version of Triton"),
    (
        r"cudaErrorSymbolNotFound|talks to NVIDIA's driver only",
        "calls a library that has NVIDIA's static runtime in it",
    ),
    (
        r"TestRawPicklable|CUBLAS_STATUS|CUSOLVER_STATUS|CUSPARSE_STATUS|CUFFT_|NCCL_ERROR",
        "calls cuBLAS or another library that has NVIDIA's static runtime in it",
    ),
    (r"cudaErrorInvalidDevice", "asks for a second device (`exec --devices 2`)"),
    (r"the required runtime APIs are not declared", "expects another error, since `exec` sets CUPY_COMPILE_WITH_PTX"),
    (r"cudadevrt is not found", "looks for libcudadevrt.a beside NVRTC"),
    (
        r"DID NOT RAISE OutOfMemoryError",
        "wants an allocation to fail before what streams have still to free is waited for",
    ),
    (r"RawKernel(.|\n)*CUDA_ERROR_NO_BINARY_FOR_GPU", "links by nvcc, whose linker leaves machine code alone"),
    (r"tensormap.replace.tile.rank", "its kernel writes 128 bytes to an array of 4 in shared memory"),
    (r"cuda.tests.cudapy.test_extending", "finds other names than it expects, since pytest imports it by another"),
    (r"expected i32 for argument #\d+, but got u32", "passes what this version of Taichi does not take"),
    (
        r"\(a != a\)\.numpy\(\)|nan location mismatch|ufunc 'isnan'|\bis(nan|finite|close)\b",
        "writes `setp.ne` for what has to be true of NaN, and is not by PTX",
    ),
    (
        r"module load failed with status code CUDA_ERROR_INVALID_PTX|AST constructor recursion depth mismatch",
        "writes `rcp.approx.f64`, which PTX has with `.ftz` alone",
    ),
    (r"op=\(sin, ", "wants more exact results of `sin.approx` for large arguments than PTX promises"),
    (r"helper_test_graphs\(Device", "its copies between devices race with their other work"),
    (r"expected size \d+==\d+, stride \d+==\d+", "the host's convolution lays its result out otherwise than a GPU's"),
    (r"urlopen error|Name or service not known", "downloads data"),
    (r"No module named '(extra|examples)", "imports a file of the checkout that was not at hand"),
    (
        r"Failed to load CUDA module '.*cubin|guest binary was rejected",
        "wants machine code of NVRTC or NVIDIA's PTX compiler, with which the library is linked",
    ),
    (r"0\.0010492\d+ \(ACTUAL\)", "allows 0.001, and a nearly singular matrix times its inverse is off by 0.00105"),
    (r"Could not run 'aten::\w+' with arguments from the 'CPU'", "calls an operator that PyTorch has for GPUs alone"),
    (r"no kernel image is available", "calls an operator of PyTorch, whose wheel has machine code alone of them"),
    (r"nvdisasm|cuobjdump|SASS|sass", "looks at machine code, of which there is none"),
    (r"LTO|lto|nvvm.*ltoir|[Nn]vJitLink", "links LTO-IR in a way that gives no PTX"),
    (r"_ipc|Ipc|IPC", "memory of other processes is not supported"),
    (r"CUDA_ERROR_NOT_SUPPORTED|NotSupported", "a function that is not supported"),
    (r"BrokenProcessPool", "its child processes do not find the module that pytest imported"),
]
