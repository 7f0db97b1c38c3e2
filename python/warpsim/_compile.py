"""CUDA source to PTX, by the compiler that is there."""

from __future__ import annotations

import ctypes
import functools
import importlib.util
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from ._errors import CompileError, UsageError


@dataclass(frozen=True)
class Ptx:
    """PTX, for `Device.load()`."""

    text: str
    """The PTX itself."""
    name: str = "kernel.ptx"
    """What messages call it."""
    log: str = ""
    """What the compiler said: warnings."""
    source: str = ""
    """The CUDA source that it was made of."""
    source_name: str = ""
    """What messages call that."""

    def save(self, path: str | os.PathLike[str]) -> None:
        """Writes it to a file."""
        Path(path).write_text(self.text)

    def __repr__(self) -> str:
        return f"<Ptx {self.name}, {self.text.count(chr(10))} lines>"


def compile(
    source: str | os.PathLike[str],
    *,
    arch: str = "sm_75",
    options: Sequence[str] = (),
    name: str | None = None,
    compiler: str | None = None,
) -> Ptx:
    """Makes PTX of CUDA source, a text or a file.

    arch: "sm_75", "sm_90a": what kernels may use. options: further words of the compiler's command line, such as "-DN=4".
    name: what messages call the source; by default the file's name, or "kernel.cu". compiler: "nvrtc", "nvcc" or "clang"; None: the
    first of them that is there. Raises CompileError with what the compiler said.
    """
    match = re.fullmatch(r"(?:sm|compute)_(\d+[af]?)", arch)
    if match is None:
        raise UsageError(f"arch '{arch}' is none like sm_75 or sm_90a")
    if isinstance(source, str) and "\n" in source:
        text, path = source, None
    else:
        path = Path(source).resolve()
        text = path.read_text()
    wanted = [compiler] if compiler is not None else list(_compilers)
    for one in wanted:
        if one not in _compilers:
            raise UsageError(f"compiler '{one}' is none of {', '.join(_compilers)}")
        found = _compilers[one]()
        if found is not None:
            called = name or (path.name if path else "kernel.cu")
            return _compiled(found, text, path, called, match[1], tuple(options))
    raise CompileError(
        f"no CUDA compiler is here: {' or '.join(wanted)} is wanted. `pip install nvidia-cuda-nvrtc` brings NVRTC"
    )


@dataclass(frozen=True)
class _Job:
    text: str
    file: Path
    folder: Path
    """For what is written on the way."""
    arch: str
    options: tuple[str, ...]


_Compiler = Callable[[_Job], tuple[str, str]]


@functools.lru_cache(maxsize=256)
def _compiled(compiler: _Compiler, text: str, path: Path | None, name: str, arch: str, options: tuple[str, ...]) -> Ptx:
    with tempfile.TemporaryDirectory(prefix="warpsim-") as folder:
        file = path or Path(folder) / Path(name).name
        if path is None:
            file.write_text(text)
        try:
            ptx, log = compiler(_Job(text, file, Path(folder), arch, options))
        except CompileError as error:
            raise CompileError(str(error).replace(str(file), name)) from None
    # Messages need not know where it was for that moment.
    ptx = re.sub(rf'(?m)^(\s*\.file\s+\d+\s+)"(?:[^"]*/)?{re.escape(file.name)}"', rf'\1"{name}"', ptx)
    return Ptx(ptx, str(Path(name).with_suffix(".ptx")), log.replace(str(file), name), text, name)


def _toolkits() -> list[Path]:
    """Folders in which CUDA may be installed."""
    places = [os.environ.get("CUDA_PATH"), os.environ.get("CUDA_HOME"), "/usr/local/cuda"]
    folders = [Path(place) for place in places if place]
    # Wheels of NVIDIA, of CUDA 12 and of CUDA 13.
    nvidia = importlib.util.find_spec("nvidia")
    for root in (nvidia.submodule_search_locations or []) if nvidia is not None else []:
        folders += [Path(root) / "cuda_nvrtc", Path(root) / "cuda_runtime", Path(root) / "cu13"]
    return [folder for folder in folders if folder.is_dir()]


# NVRTC.


@functools.cache
def _find_nvrtc() -> _Compiler | None:
    names = ["libnvrtc.so.13", "libnvrtc.so.12", "libnvrtc.so.11.2", "libnvrtc.so"]
    places = [folder / part / name for folder in _toolkits() for part in ("lib64", "lib") for name in names]
    for candidate in [*(str(place) for place in places if place.exists()), *names]:
        try:
            return functools.partial(_by_nvrtc, ctypes.CDLL(candidate))
        except OSError:
            continue
    return None


def _by_nvrtc(library: ctypes.CDLL, job: _Job) -> tuple[str, str]:
    library.nvrtcGetErrorString.restype = ctypes.c_char_p
    program = ctypes.c_void_p()

    def call(function: str, *arguments: object) -> None:
        status = getattr(library, function)(*arguments)
        if status != 0:
            raise CompileError(f"{function}: {library.nvrtcGetErrorString(status).decode()}")

    def text_of(what: str) -> str:
        size = ctypes.c_size_t()
        call(f"nvrtcGet{what}Size", program, ctypes.byref(size))
        text = ctypes.create_string_buffer(size.value)
        call(f"nvrtcGet{what}", program, text)
        return text.value.decode(errors="replace").strip("\0")

    words = [f"--gpu-architecture=compute_{job.arch}", "--generate-line-info", f"-I{job.file.parent}"]
    words += [f"-I{place / 'include'}" for place in _toolkits() if (place / "include").is_dir()]
    words += job.options
    call("nvrtcCreateProgram", ctypes.byref(program), job.text.encode(), str(job.file).encode(), 0, None, None)
    try:
        array = (ctypes.c_char_p * len(words))(*(word.encode() for word in words))
        status = library.nvrtcCompileProgram(program, len(words), array)
        log = text_of("ProgramLog")
        if status != 0:
            raise CompileError(log or library.nvrtcGetErrorString(status).decode())
        return text_of("PTX"), log
    finally:
        library.nvrtcDestroyProgram(ctypes.byref(program))


# Programs.


def _run(words: Sequence[str]) -> tuple[int, str]:
    done = subprocess.run(words, capture_output=True, text=True, errors="replace", check=False)
    return done.returncode, done.stderr + done.stdout


def _program(*names: str) -> str | None:
    folders = os.pathsep.join([os.environ.get("PATH", ""), *(str(place / "bin") for place in _toolkits())])
    return next((found for name in names if (found := shutil.which(name, path=folders))), None)


@functools.cache
def _find_nvcc() -> _Compiler | None:
    nvcc = _program("nvcc")
    return None if nvcc is None else functools.partial(_by_nvcc, nvcc)


def _by_nvcc(nvcc: str, job: _Job) -> tuple[str, str]:
    out = job.folder / "out.ptx"
    words = [nvcc, "-ptx", f"-arch=compute_{job.arch}", "-O3", "-lineinfo", "-o", str(out)]
    status, log = _run([*words, *job.options, str(job.file)])
    if status != 0:
        raise CompileError(log)
    return out.read_text(), log


@functools.cache
def _find_clang() -> _Compiler | None:
    clang = _program("clang++", *(f"clang++-{version}" for version in range(22, 13, -1)))
    return None if clang is None else functools.partial(_by_clang, clang)


def _by_clang(clang: str, job: _Job) -> tuple[str, str]:
    out = job.folder / "out.ptx"
    words = ["-x", "cuda", f"--cuda-gpu-arch=sm_{job.arch}", "--cuda-device-only", "-O3", "-S", "-gline-tables-only"]
    words += ["-Wno-unknown-cuda-version", "-o", str(out), *job.options, str(job.file)]
    status, log = _run([clang, *words])
    if status != 0 and ("cannot find CUDA installation" in log or "__clang_cuda_runtime_wrapper.h" in log):
        # Of CUDA's headers there are none, or none that this clang can read.
        prelude = Path(__file__).with_name("clang_prelude.h")
        without = ["-nocudainc", "-nocudalib", "-Xclang", "-target-feature", "-Xclang", "+ptx63"]
        status, log = _run([clang, *without, "-include", str(prelude), *words])
    if status != 0:
        raise CompileError(log)
    return out.read_text(), log


_compilers: dict[str, Callable[[], _Compiler | None]] = {
    "nvrtc": _find_nvrtc,
    "nvcc": _find_nvcc,
    "clang": _find_clang,
}
