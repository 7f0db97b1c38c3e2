"""What a launch did."""

from __future__ import annotations

import html
import json
import os
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

from . import _core
from ._errors import Error, UsageError
from ._findings import Finding, findings_of

if TYPE_CHECKING:
    import pandas

    from ._device import Device


class Profile:
    """What each line of a kernel did.

    The rows have `executed` (warp instructions), `threads` and `threads_guarded` (lanes, before and after the guard),
    `divergent` (executions that parted the lanes), `micro_ops`, `stall_warp_cycles` (what warps waited for, in timing mode), and
    of lines that access memory `global` and `shared` (requests, bytes, sectors of 32 bytes, bank conflicts).
    """

    def __init__(self, fields: dict[str, Any]) -> None:
        self.lines: list[dict[str, Any]] = fields["lines"]
        """A row for each PTX instruction that was executed, in the order of the program."""
        self.sources: list[dict[str, Any]] = fields["sources"]
        """A row for each line of the CUDA source, where the PTX knows it."""

    def to_pandas(self, sources: bool = False) -> pandas.DataFrame:
        """The rows as a table, of PTX or of the sources; what is inside of others has a dot: `stall_warp_cycles.wait`."""
        import pandas

        table = pandas.json_normalize(self.sources if sources else self.lines)
        counts = [name for name in table.columns if name not in ("function", "line", "text", "source")]
        return table.fillna(dict.fromkeys(counts, 0)).astype(dict.fromkeys(counts, "int64"))

    def __repr__(self) -> str:
        return f"<Profile of {len(self.lines)} PTX instructions and {len(self.sources)} source lines>"


class Run:
    """What a launch did: counts in both modes, and time in timing mode."""

    def __init__(
        self, launch: _core.Launch | None, device: Device | None = None, work: _core.Work | None = None
    ) -> None:
        self._told = launch
        self._device = device
        self._work = work
        self.output = ""
        """What its kernel has printed; of several that run at the same time, the last one to end has it all."""

    @property
    def _launch(self) -> _core.Launch:
        """Of a stream: waits for it."""
        if self._told is None:
            assert self._device is not None and self._work is not None
            self._device._finish(self._work)
            self._told = self._work.launch()
            assert self._told is not None
        return self._told

    @property
    def is_over(self) -> bool:
        """Whether it has ended: what was launched in a stream may not have."""
        return self._work is None or self._work.is_over

    @property
    def has_failed(self) -> bool:
        """Whether it has ended by a fault, its own or that of another kernel on the device; all figures raise it then."""
        if self._work is None or not self._work.is_over:
            return False
        try:
            return self._work.launch() is None
        except Error:
            return True

    def synchronize(self) -> Run:
        """Waits for it. Raises the Fault that has ended it."""
        self._launch
        return self

    @cached_property
    def stats(self) -> dict[str, Any]:
        """All counts and rates, as an element of `launches` in the statistics of the command: `stats["l1"]["hit_rate"]`."""
        fields: dict[str, Any] = json.loads(self._launch.statistics)
        return fields

    @cached_property
    def children(self) -> list[dict[str, Any]]:
        """The same of the grids that its kernels launched."""
        fields: list[dict[str, Any]] = json.loads(self._launch.children)
        return fields

    @property
    def kernel(self) -> str:
        """The kernel's name in PTX."""
        return str(self.stats["kernel"])

    @property
    def grid(self) -> tuple[int, int, int]:
        """CTAs in x, y and z."""
        x, y, z = self.stats["grid"]
        return x, y, z

    @property
    def block(self) -> tuple[int, int, int]:
        """Threads of a CTA in x, y and z."""
        x, y, z = self.stats["block"]
        return x, y, z

    def _timed(self, key: str) -> Any:
        if "cycles" not in self.stats:
            raise UsageError(f"'{key}' is known in timing mode only: Device(..., mode=\"timing\")")
        return self.stats[key]

    @property
    def cycles(self) -> int:
        """Core cycles from the launch to its end; timing mode."""
        return int(self._timed("cycles"))

    @property
    def time_us(self) -> float:
        """The same in microseconds; timing mode."""
        return float(self._timed("time_us"))

    @property
    def begin_us(self) -> float:
        """When it began, in microseconds of simulated time since the device was made; timing mode."""
        self._timed("cycles")
        return self._launch.begin_ps / 1e6

    @property
    def end_us(self) -> float:
        """When it ended, in microseconds of simulated time since the device was made; timing mode."""
        self._timed("cycles")
        return self._launch.end_ps / 1e6

    @property
    def ipc(self) -> float | None:
        """Micro-ops of a cycle and an SM, of all SMs that the GPU has; timing mode."""
        ipc: float | None = self._timed("ipc")
        return ipc

    @property
    def stalls(self) -> dict[str, float]:
        """What warps waited for: of each state of Nsight Compute how many warps were in it for each issued instruction, the greatest
        first; timing mode."""
        stalls: dict[str, float] = self._timed("stalls")
        return dict(sorted(stalls.items(), key=lambda item: -(item[1] or 0)))

    @property
    def occupancy(self) -> dict[str, Any]:
        """`theoretical` and `achieved`, shares of the warps that an SM can hold, and what it is `limited_by`; timing mode."""
        occupancy: dict[str, Any] = self._timed("occupancy")
        return occupancy

    @property
    def instructions(self) -> int:
        """PTX instructions that warps executed."""
        return int(self.stats["instructions"]["warp"])

    @property
    def simt_efficiency(self) -> float | None:
        """The share of lanes that were active, 0 to 1."""
        share: float | None = self.stats["simt_efficiency"]
        return share

    @cached_property
    def profile(self) -> Profile:
        """What each line did. Counted in timing mode, and in functional mode by a `Device(..., profile=True)`."""
        if not self._launch.has_lines:
            raise UsageError("nobody counted by line: Device(..., profile=True)")
        return Profile(json.loads(self._launch.lines))

    @cached_property
    def findings(self) -> list[Finding]:
        """What the checkers of a `Device(..., check="race")` found in this launch."""
        return findings_of(self._launch.findings)

    def report(self) -> str:
        """A page of HTML about it, which needs nothing but a browser."""
        return page_of([self])

    def save_report(self, path: str | os.PathLike[str]) -> None:
        """Writes the page to a file."""
        with open(path, "w", encoding="utf-8") as file:
            file.write(self.report())

    def __repr__(self) -> str:
        if not self.is_over:
            return "<Run that is not over>"
        return self._launch.table()

    def _repr_html_(self) -> str:
        return frame_of(self.report())


def page_of(runs: Sequence[Run], title: str | None = None) -> str:
    """A page of HTML about several runs of one device, as `warpsim run --report` writes it."""
    if title is None:
        title = ", ".join(dict.fromkeys(run.kernel for run in runs))
    return _core.page([run._launch for run in runs], title)


def frame_of(page: str) -> str:
    """A page inside of another, such as a notebook."""
    return (
        f'<iframe srcdoc="{html.escape(page)}" width="100%" height="640" '
        'style="border: 1px solid #8884; border-radius: 4px" sandbox="allow-scripts"></iframe>'
    )
