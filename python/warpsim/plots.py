"""Figures of a sweep, drawn by Matplotlib: curves, a heat map, what no other point beats.

Each function takes the frame of `warpsim.sweep()`, draws into `axes` (those of Matplotlib; without them into a new figure), and returns
them. Rows that failed are left out. Rows that differ in nothing that is drawn, such as several launches, become their mean.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from ._errors import UsageError

if TYPE_CHECKING:
    import pandas


def lines(frame: pandas.DataFrame, x: str, y: str = "cycles", by: str | None = None, axes: Any = None) -> Any:
    """`y` over `x`, a curve for each value of `by`: all three are columns."""
    rows, axes = _start(frame, [x, y, by], axes)
    for value, group in rows.groupby(by, sort=False) if by else [(None, rows)]:
        means = group.groupby(x, sort=False)[y].mean()
        axes.plot(
            range(len(means)) if _is_text(means.index) else means.index,
            means,
            marker="o",
            label=None if by is None else str(value),
        )
        if _is_text(means.index):
            axes.set_xticks(range(len(means)), list(means.index))
    axes.set(xlabel=x, ylabel=y)
    if by:
        axes.legend(title=by)
    return axes


def heat_map(frame: pandas.DataFrame, x: str, y: str, value: str = "cycles", axes: Any = None) -> Any:
    """A field for each pair of `x` and `y`, with the mean of `value` as its colour and as a number."""
    rows, axes = _start(frame, [x, y, value], axes)
    table = rows.pivot_table(index=y, columns=x, values=value, aggfunc="mean", sort=False)
    image = axes.imshow(table, aspect="auto")
    axes.set_xticks(range(len(table.columns)), list(table.columns))
    axes.set_yticks(range(len(table.index)), list(table.index))
    axes.set(xlabel=x, ylabel=y)
    axes.figure.colorbar(image, ax=axes, label=value)
    middle = (table.max().max() + table.min().min()) / 2
    for i, row in enumerate(table.to_numpy()):
        for j, number in enumerate(row):
            axes.text(j, i, f"{number:.4g}", ha="center", va="center", color="black" if number > middle else "white")
    return axes


def pareto(frame: pandas.DataFrame, x: str, y: str = "cycles", axes: Any = None) -> Any:
    """All points by `x` and `y`, of both of which less is better, and a line through those that no other beats in both."""
    rows, axes = _start(frame, [x, y], axes)
    means = rows.groupby("point", sort=False)[[x, y]].mean()
    best = front(means, x, y)
    axes.scatter(means[x], means[y], color="lightgrey")
    axes.step(best[x], best[y], where="post", marker="o")
    axes.set(xlabel=x, ylabel=y)
    return axes


def front(frame: pandas.DataFrame, x: str, y: str = "cycles") -> pandas.DataFrame:
    """The rows that no other row beats: none is as good in both columns and better in one. In the order of `x`."""
    rows = frame.sort_values([x, y], kind="stable")
    earlier = rows[y].cummin().shift()
    return rows[~(rows[y] >= earlier)]


def _start(frame: pandas.DataFrame, columns: list[str | None], axes: Any) -> tuple[pandas.DataFrame, Any]:
    for column in columns:
        if column is not None and column not in frame:
            raise UsageError(f"the sweep has no column '{column}': {', '.join(map(str, frame.columns))}")
    if axes is None:
        try:
            pyplot = importlib.import_module("matplotlib.pyplot")
        except ImportError:
            raise UsageError("figures need Matplotlib: pip install matplotlib") from None
        axes = pyplot.subplots()[1]
    return frame[frame["status"] == "ok"], axes


def _is_text(values: Any) -> bool:
    return any(isinstance(value, str) for value in values)
