"""The README: its examples print what it says."""

import contextlib
import io
import re
from pathlib import Path

import pytest

readme = Path(__file__).parents[1] / "README.md"


def test_the_examples_print_what_the_readme_says(kernels, monkeypatch):
    pytest.importorskip("pandas")
    monkeypatch.chdir(kernels)
    found = re.findall(r"```python\n(.*?)```\n\n((?:    [^\n]*\n)+)", readme.read_text(), re.DOTALL)
    assert len(found) == 2
    names = {}
    for code, expected in found:
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, names)
        assert printed.getvalue() == re.sub("(?m)^    ", "", expected)
