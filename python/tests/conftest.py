import os
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]
root = Path(__file__).resolve().parents[2]

# Nothing that is tested keeps modules in the user's cache.
os.environ.setdefault("WARPSIM_CACHE", "off")


def pytest_configure(config):
    # Where the package is not installed, nobody has told pytest of its plug-in.
    if not config.pluginmanager.has_plugin("warpsim"):
        import warpsim.pytest_plugin

        config.pluginmanager.register(warpsim.pytest_plugin, "warpsim")


@pytest.fixture
def kernels() -> Path:
    """The kernels of the project's tests, as PTX."""
    return root / "tests" / "kernels"
