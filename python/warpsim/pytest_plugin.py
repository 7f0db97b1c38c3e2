"""Tests of kernels with pytest, which finds this by itself where the package is installed.

    import pytest, numpy as np

    def test_scale(gpu):
        x = gpu.array(np.ones(100, np.float32))
        gpu.load("scale.ptx").scale[1, 128](np.int32(100), x)
        assert (x.numpy() == 2).all()

    @pytest.mark.warpsim("a100", mode="timing", sm__l1__size_kib=64)
    def test_time(gpu): ...

Each test gets a device of its own; the mark says which, in the words of `warpsim.Device`. With `--warpsim-check` all devices have
checkers, and a test in which they find something fails, as does one with `@pytest.mark.warpsim(check=...)`. Findings that a test
expects are taken by `gpu.clear_findings()`.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from ._device import Device


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("warpsim", "simulated GPUs")
    group.addoption(
        "--warpsim-check",
        nargs="?",
        const="all",
        metavar="LIST",
        help="run kernels under checkers: memory,race,init,sync, or all, which is also what it means alone",
    )
    group.addoption("--warpsim-config", metavar="NAME|FILE", help="the simulated GPU of tests that name none (h100)")
    group.addoption("--warpsim-mode", choices=["functional", "timing"], help="the mode of tests that name none")
    group.addoption("--warpsim-suppressions", metavar="FILE", help="findings that are no failures")


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers", "warpsim(config, **options): the device of the fixture gpu, in the words of warpsim.Device"
    )


def _options(request: pytest.FixtureRequest) -> dict[str, Any]:
    """What the command line says, then the marks of the module, the class and the test."""
    given = {
        "config": request.config.getoption("--warpsim-config"),
        "mode": request.config.getoption("--warpsim-mode"),
        "check": request.config.getoption("--warpsim-check"),
        "suppressions": request.config.getoption("--warpsim-suppressions"),
    }
    options = {key: value for key, value in given.items() if value is not None}
    for mark in reversed(list(request.node.iter_markers("warpsim"))):
        if len(mark.args) > 1:
            raise pytest.UsageError("pytest.mark.warpsim takes one argument without a name: the configuration")
        if mark.args:
            options["config"] = mark.args[0]
        options.update(mark.kwargs)
    if "check" not in options:
        options.pop("suppressions", None)
    return options


@pytest.fixture
def gpu(request: pytest.FixtureRequest) -> Iterator[Device]:
    """A simulated GPU for this test alone."""
    device = Device(**_options(request))
    yield device
    findings = device.findings
    if findings:
        text = "\n".join(f"========= {finding}" for finding in findings)
        pytest.fail(f"the checkers have {len(findings)} findings:\n{text}", pytrace=False)
