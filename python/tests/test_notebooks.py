"""The notebooks, from their first cell to their last."""

from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
pytest.importorskip("pandas")

notebooks = sorted((Path(__file__).parents[1] / "notebooks").glob("*.ipynb"))


@pytest.mark.parametrize("path", notebooks, ids=lambda path: path.stem)
def test_a_notebook_can_be_executed(path):
    notebook = nbformat.read(path, as_version=4)
    nbclient.NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    outputs = [output for cell in notebook.cells if cell.cell_type == "code" for output in cell.outputs]
    assert len(outputs) >= 3
    if path.stem == "divergence_and_coalescing":
        assert any("iframe" in output.get("data", {}).get("text/html", "") for output in outputs)


def test_there_are_three_notebooks():
    assert len(notebooks) == 3
