"""Points of a sweep on the workers of a Dask cluster. `warpsim sweep --elsewhere` says what is to be run and keeps the table."""

from __future__ import annotations

import contextlib
import ctypes
import functools
import hashlib
import importlib
import json
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from ._errors import UsageError
from ._sweep import check_end


def run_on(where: Any, words: Sequence[str]) -> None:
    """Runs the points of `warpsim sweep` with these words on a Dask client, a cluster, or what is behind the address of a scheduler."""
    from .__main__ import command

    with _client(where) as client, tempfile.TemporaryFile() as messages:
        process = subprocess.Popen([command(), *words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=messages)
        try:
            _serve(client, process)
        except BaseException:
            process.kill()  # what has ended is in the table, and the next sweep goes on from there
            raise
        finally:
            process.wait()
        messages.seek(0)
        check_end(process.returncode, messages.read().decode(errors="replace"))


@contextlib.contextmanager
def _client(where: Any) -> Iterator[Any]:
    distributed = _distributed()
    if isinstance(where, distributed.Client):
        yield where
        return
    with distributed.Client(where, set_as_default=False) as client:
        yield client


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise UsageError("client=... needs Dask: pip install 'dask[distributed]'") from None


def _serve(client: Any, process: subprocess.Popen[bytes]) -> None:
    """Sends the points on, and their outcomes back as they end."""
    assert process.stdin is not None
    inputs = _Inputs(client)
    points: dict[Any, int] = {}
    for line in _orders(process):
        order = json.loads(line)
        files = inputs.of(order["files"])
        future = client.submit(
            run_point, order["arguments"], files, order["build"], key=f"warpsim-{order['id']}", pure=False
        )
        points[future] = order["point"]
    try:
        with contextlib.suppress(BrokenPipeError):  # then it has said why
            for future in _distributed().as_completed(list(points), loop=client.loop):
                process.stdin.write((json.dumps(_outcome(future) | {"point": points.pop(future)}) + "\n").encode())
                process.stdin.flush()
            process.stdin.close()
    finally:
        client.cancel(list(points))


def _orders(process: subprocess.Popen[bytes]) -> Iterator[bytes]:
    """A line for each point; an empty one ends them."""
    assert process.stdout is not None
    for line in process.stdout:
        if not line.strip():
            return
        yield line


def _outcome(future: Any) -> dict[str, Any]:
    try:
        outcome: dict[str, Any] = future.result()
        return outcome
    except _distributed().KilledWorker as lost:
        return {"failure": f"its worker was lost, {lost.allowed_failures + 1} times", "seconds": 0}


class _Inputs:
    """Files that points need, by what is in them: each travels to a worker once."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self._sent: dict[str, Any] = {}
        self._known: dict[str, tuple[str, Any]] = {}

    def of(self, files: Sequence[str]) -> list[tuple[str, str, str, Any]]:
        """For each file its name here, its name below the folder on the worker, the hash of its bytes, and these."""
        full = [os.path.abspath(file) for file in files]
        root = os.path.commonpath([os.path.dirname(file) for file in full])
        return [(file, os.path.relpath(path, root), *self._content(path)) for file, path in zip(files, full)]

    def _content(self, path: str) -> tuple[str, Any]:
        if path not in self._known:
            data = Path(path).read_bytes()
            digest = hashlib.sha256(data).hexdigest()
            if digest not in self._sent:
                [self._sent[digest]] = self._client.scatter([data], hash=False)
            self._known[path] = digest, self._sent[digest]
        return self._known[path]


def run_point(arguments: Sequence[str], files: Sequence[tuple[str, str, str, bytes]], build: str) -> dict[str, Any]:
    """On a worker: runs one point in a process of its own. Where the worker is ended, so is the process."""
    from .__main__ import command

    program = command()
    if _build_of(str(program)) != build.split()[-1]:
        raise UsageError(f"{os.uname().nodename} has another build of warpsim: {program}")
    folder = _folder(files)
    there = {name: str(folder / below) for name, below, _, _ in files}
    with tempfile.TemporaryDirectory(prefix="warpsim-point-") as scratch:
        words = [str(program), *(there.get(word, word) for word in arguments)]
        words += ["--stats", f"{scratch}/statistics.json", "--out", f"{scratch}/saved"]
        begin = time.monotonic()
        with open(f"{scratch}/messages", "wb") as messages:
            ran = subprocess.run(
                words,
                cwd=scratch,
                env=_environment(os.environ),
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=messages,
                preexec_fn=_end_with_parent,
            )
        statistics = Path(scratch, "statistics.json")
        said = Path(scratch, "messages").read_text(errors="replace")
        return {
            "status": max(ran.returncode, 0),
            "signal": max(-ran.returncode, 0),
            "seconds": time.monotonic() - begin,
            "statistics": statistics.read_text() if statistics.exists() else "",
            "messages": said.replace(f"{folder}/", ""),
        }


def _folder(files: Sequence[tuple[str, str, str, bytes]]) -> Path:
    """Where these files are on this worker, each below its name."""
    key = hashlib.sha256(repr([(below, digest) for _, below, digest, _ in files]).encode()).hexdigest()[:24]
    folder = Path(_worker_folder()) / "warpsim-inputs" / key
    for _, below, _, data in files:
        file = folder / below
        if file.exists():
            continue
        file.parent.mkdir(parents=True, exist_ok=True)
        # Several points may begin at once.
        with tempfile.NamedTemporaryFile(dir=file.parent, delete=False) as new:
            new.write(data)
        os.replace(new.name, file)
    return folder


def _worker_folder() -> str:
    return str(_distributed().get_worker().local_directory)


@functools.lru_cache
def _build_of(program: str) -> str:
    """As `warpsim sweep` knows its own."""
    return hashlib.sha256(Path(program).read_bytes()).hexdigest()


def _environment(variables: Mapping[str, str]) -> dict[str, str]:
    """What is in the table depends on the sweep alone, and on no variables of workers."""
    return {k: v for k, v in variables.items() if not k.startswith("WARPSIM_") or k.startswith("WARPSIM_CACHE")}


_libc = ctypes.CDLL(None)


def _end_with_parent() -> None:
    pr_set_pdeathsig = 1
    _libc.prctl(pr_set_pdeathsig, signal.SIGKILL)
