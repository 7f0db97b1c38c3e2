"""The examples that are programs of their own."""

import importlib.util
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def test_the_sensitivity_study_makes_its_page_and_goes_on_with_its_tables(plan, tmp_path):
    for package in ("pandas", "matplotlib"):
        if importlib.util.find_spec(package) is None:
            pytest.skip(f"there is no {package}")
    words = [sys.executable, str(EXAMPLES / "sensitivity/study.py"), str(plan), "-o", str(tmp_path / "study")]
    first = subprocess.run(words, capture_output=True, text=True, check=False)
    assert first.returncode == 0, first.stderr
    page = (tmp_path / "study/page.md").read_text()
    assert page in first.stdout
    rows = [line for line in page.splitlines() if line.startswith("| ")]
    assert rows[0].split(" | ")[1:] == ["latency x1", "latency x2", "latency x4", "bandwidth /1", "bandwidth /2", "bandwidth /4 |"]
    # Nothing is faster with a slower interconnect, and the first of each is what others are compared with.
    [ratios] = [[float(word) for word in row.strip("| ").split(" | ")[1:]] for row in rows[1:-1]]
    assert ratios[0] == ratios[3] == 1.0
    assert ratios[2] > 1.0 and all(ratio > 0.98 for ratio in ratios)
    assert (tmp_path / "study/figure.svg").stat().st_size > 1000
    tables = {file.name: file.read_text() for file in (tmp_path / "study").glob("*.csv")}
    assert len(tables) == 2
    again = subprocess.run(words, capture_output=True, text=True, check=False)
    assert again.returncode == 0, again.stderr
    assert {file.name: file.read_text() for file in (tmp_path / "study").glob("*.csv")} == tables
