import json
import os
import shutil
from pathlib import Path

import pytest
import sweeps

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


@pytest.fixture
def plan(tmp_path: Path, kernels: Path) -> Path:
    folder = tmp_path / "plans"
    folder.mkdir()
    shutil.copy(kernels / "saxpy.ptx", folder)
    path = folder / "saxpy.json"
    path.write_text(json.dumps(sweeps.PLAN))
    return path
