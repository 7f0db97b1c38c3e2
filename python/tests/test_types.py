"""The types that the package says it has."""

import subprocess
import sys
from pathlib import Path

import pytest

import warpsim

root = Path(__file__).resolve().parents[2]
use = """
import numpy as np
import warpsim

gpu = warpsim.Device("v100", mode="timing", sm__l1__cache_kib=64)
x: warpsim.Array = gpu.array(np.arange(4))
run: warpsim.Run = gpu.load("a.ptx").saxpy[1, (32, 2)](4, 2.0, x)
cycles: int = run.cycles
reveal_type(run.findings[0].act.thread)
gpu.array(np.arange(4)).numpy().nothing_like_it_in_an_Array
"""


def test_types_are_checked(tmp_path):
    pytest.importorskip("mypy")
    (tmp_path / "use.py").write_text(use + "x.nothing\n")
    package = Path(warpsim.__file__).parent
    words = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
    words += ["--config-file", str(root / "pyproject.toml"), "--cache-dir", str(tmp_path / "cache")]
    # An installed package is found by itself, and may not be named.
    env = {} if package.parent.name == "site-packages" else {"MYPYPATH": str(package.parent)}
    result = subprocess.run([*words, "use.py"], cwd=tmp_path, env=env, capture_output=True, text=True)
    lines = result.stdout.splitlines()
    assert len(lines) == 3, result.stdout + result.stderr
    assert "tuple[int, int, int]" in lines[0]
    assert "ndarray" in lines[1] and "nothing_like_it_in_an_Array" in lines[1]
    assert '"Array" has no attribute "nothing"' in lines[2]


def test_everything_public_has_a_docstring():
    for name in warpsim.__all__:
        thing = getattr(warpsim, name)
        assert thing.__doc__ and not thing.__doc__.startswith(f"{name}("), name
        if isinstance(thing, type):
            for member, value in vars(thing).items():
                if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                    assert getattr(value, "__doc__", None), f"{name}.{member}"
