"""Plans with many configurations, as one table: on this machine, or on a cluster by Dask."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._errors import Error, UsageError

if TYPE_CHECKING:
    import pandas

Values = Sequence[Any] | str
"""Values of an axis: a list, or text as the command takes it: "8..64:8", "1024..8192*2"."""


def sweep(
    plans: str | os.PathLike[str] | Sequence[str | os.PathLike[str]],
    vary: Mapping[str, Values],
    *,
    config: str | None = None,
    set: Mapping[str, Any] | None = None,
    mode: str | None = None,
    sample: str = "all",
    seed: int = 1,
    columns: Sequence[str] = (),
    options: Sequence[str] = (),
    output: str | os.PathLike[str] | None = None,
    retry: bool = False,
    jobs: int | None = None,
    threads: int | None = None,
    client: Any = None,
    progress: bool = False,
) -> pandas.DataFrame:
    """Runs plans with every combination of what is varied; a row for each launch, as `warpsim sweep` has them.

    A failure is a row too: its `status` is not "ok", and `message` says why. What is in `output` already is not run again, so a
    sweep that was ended goes on where it was.

    :param plans: plans (JSON), or folders of them as ``--capture`` writes them
    :param vary: for each key of the configuration its values: ``{"sm.schedulers.policy": ["lrr", "gto"], "l2.size_kib": "1000..8000*2"}``;
        the key ``config`` varies the configuration itself
    :param config: name or file; without it what the plan says, or h100
    :param set: one value of a key for all
    :param mode: "functional" or "timing"; without it what the plan says, or "timing"
    :param sample: "all", "random:N" or "latin:N", a Latin hypercube of N points
    :param seed: of samples
    :param columns: further keys of the statistics, such as "stalls.long_scoreboard"
    :param options: of each run: ``["--timeout", "600"]``; ``["--sample=2%"]`` times a part of large grids, and the column
        "sampling.cycles_error" says how far off the cycles may be
    :param output: the table on disk, which ends with .csv or .parquet; without it there is none
    :param retry: run again what has failed earlier
    :param jobs: how many run at a time on this machine; without it one for each core
    :param threads: host threads of each run; without it its share of the cores, and 1 on a cluster
    :param client: where to run instead: a Dask client, a cluster such as ``dask_jobqueue.SLURMCluster``, or the address of a scheduler.
        Its workers need this version of warpsim. Files that plans name relative to themselves travel there, each once
    :param progress: a line on standard error that tells how far it is
    :raises UsageError: for keys, values and plans that are wrong, before anything runs
    """
    with tempfile.TemporaryDirectory(prefix="warpsim-sweep-") as scratch:
        table = _table(output, scratch)
        paths = [plans] if isinstance(plans, (str, os.PathLike)) else plans
        words = [
            "sweep",
            *(os.fspath(path) for path in paths),
            "-q",
            "--progress",
            "on" if progress else "off",
            "-o",
            str(table),
        ]
        for key, values in vary.items():
            words += ["--vary", f"{key}={values if isinstance(values, str) else _listed(values)}"]
        for key, value in (set or {}).items():
            words += ["--set", f"{key}={_text(value)}"]
        for word, value in (("--config", config), ("--mode", mode), ("--jobs", jobs), ("--threads", threads)):
            if value is not None:
                words += [word, str(value)]
        if columns:
            words += ["--columns", ",".join(columns)]
        words += ["--sample", sample, "--seed", str(seed), *(["--retry"] if retry else [])]
        if client is not None:
            words += ["--elsewhere", *([] if threads is not None else ["--threads", "1"])]
        words += ["--", *options] if options else []
        if client is None:
            _run(words, progress)
        else:
            from ._cluster import run_on

            run_on(client, words)
        frame = _read(table, vary)
        if output is not None and Path(output).suffix == ".parquet":
            _replace(Path(output), frame)
            table.unlink()
        return frame


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _listed(values: Sequence[Any]) -> str:
    return ",".join(_text(value) for value in values)


def _table(output: str | os.PathLike[str] | None, scratch: str) -> Path:
    """Where the command writes its rows."""
    if output is None:
        return Path(scratch, "results.csv")
    path = Path(output)
    if path.suffix == ".csv":
        return path
    if path.suffix != ".parquet":
        raise UsageError(f"'{path}': a table ends with .csv or .parquet")
    # Parquet cannot be added to: rows are kept here until the sweep is complete.
    rows = path.with_suffix(".parquet.csv")
    if path.exists() and not rows.exists():
        import pandas

        pandas.read_parquet(path).to_csv(rows, index=False, quoting=csv.QUOTE_MINIMAL, lineterminator="\n")
    return rows


def _read(table: Path, vary: Mapping[str, Values]) -> pandas.DataFrame:
    """The rows in the order of plans, values and launches, not in that in which they have ended."""
    import pandas

    texts = dict.fromkeys(("plan", "point", "message", "kernel", "status"), "string")
    frame = pandas.read_csv(table, dtype=texts, keep_default_na=False, na_values=[""])
    places = {
        key: {_text(v): i for i, v in enumerate(values)} for key, values in vary.items() if not isinstance(values, str)
    }

    def rank(column: pandas.Series[Any]) -> pandas.Series[Any]:
        known = places.get(str(column.name), {})
        return column.map(lambda value: known.get(_text(value), len(known))) if known else column

    return frame.sort_values(["plan", *vary, "launch"], key=rank, kind="stable", ignore_index=True)


def _replace(path: Path, frame: pandas.DataFrame) -> None:
    beside = path.with_suffix(".parquet.new")
    frame.to_parquet(beside, index=False)
    os.replace(beside, path)


def _run(words: Sequence[str], progress: bool) -> None:
    from .__main__ import command

    ran = subprocess.run(
        [command(), *words],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        check=False,
        stderr=None if progress else subprocess.PIPE,
    )
    check_end(ran.returncode, (ran.stderr or b"").decode(errors="replace"))


def check_end(status: int, messages: str) -> None:
    """Of `warpsim sweep`, which ends with 1 when a point has failed: its rows say how."""
    if status in (0, 1):
        return
    text = messages.strip().removeprefix("error: ")
    if status == 2:
        raise UsageError(text or "warpsim sweep refuses its arguments")
    if status == 130:
        raise KeyboardInterrupt
    raise Error(text or f"warpsim sweep ended with {status}")
