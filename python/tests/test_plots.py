"""Figures of sweeps."""

import pytest
import warpsim

pd = pytest.importorskip("pandas")
matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")

from warpsim import plots

FRAME = pd.DataFrame(
    {
        "point": list("abcdabcde"),
        "launch": [0] * 4 + [1] * 4 + [0],
        "policy": ["lrr", "lrr", "gto", "gto"] * 2 + ["gto"],
        "kib": [64, 128] * 4 + [256],
        "status": ["ok"] * 8 + ["fault"],
        "cycles": [100, 60, 90, 70, 300, 80, 110, 90, 1],
    }
)


def test_curves_are_of_means_and_leave_failures_out():
    axes = plots.lines(FRAME, "kib", by="policy")
    assert [list(line.get_xdata()) for line in axes.lines] == [[64, 128], [64, 128]]
    assert [list(line.get_ydata()) for line in axes.lines] == [[200, 70], [100, 80]]
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ["lrr", "gto"]
    assert (axes.get_xlabel(), axes.get_ylabel()) == ("kib", "cycles")
    words = plots.lines(FRAME, "policy")
    assert [tick.get_text() for tick in words.get_xticklabels()] == ["lrr", "gto"]


def test_a_heat_map_has_a_field_for_each_pair():
    axes = plots.heat_map(FRAME, "kib", "policy")
    assert [text.get_text() for text in axes.texts] == ["200", "70", "100", "80"]
    assert axes.images[0].get_array().tolist() == [[200, 70], [100, 80]]


def test_the_front_is_what_nothing_beats():
    points = pd.DataFrame({"area": [1, 2, 2, 3, 4, 5, 1], "cycles": [90, 80, 85, 80, 40, 50, 95]})
    best = plots.front(points, "area")
    assert list(zip(best["area"], best["cycles"])) == [(1, 90), (2, 80), (4, 40)]
    axes = plots.pareto(FRAME, "kib")
    assert list(axes.lines[0].get_ydata()) == [100, 70]


def test_a_column_that_is_not_there_is_named():
    with pytest.raises(warpsim.UsageError, match="no column 'cycle'"):
        plots.lines(FRAME, "kib", "cycle")
