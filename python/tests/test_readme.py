"""The examples of the README, with what it says that they print."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

readme = Path(__file__).resolve().parents[1] / "README.md"


def test_the_examples_print_what_the_readme_says(kernels):
    pytest.importorskip("pandas")
    found = re.findall(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", readme.read_text(), re.DOTALL)
    assert len(found) == 2
    # In a process of its own: what else is imported there may sit where device memory usually is.
    program = "\nprint('----')\n".join(code for code, _ in found)
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, cwd=kernels)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split("----\n") == [re.sub("(?m)^    ", "", expected) for _, expected in found]
