"""What can go wrong, as exceptions."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from . import _core
    from ._run import Run


class Error(Exception):
    """What all errors of the simulator are."""


class UsageError(Error, ValueError):
    """A call or an option that makes no sense."""


class ConfigError(UsageError):
    """A GPU that cannot be: the text has a line for each problem of its configuration."""


class PtxError(Error):
    """PTX that cannot be read: the text has all diagnostics, as a compiler prints them."""


class CompileError(Error):
    """CUDA source that does not compile: the text is what the compiler said."""


class LaunchError(Error):
    """A launch that cannot be placed, or memory that is not there: the text names the resource and the limit."""


@dataclass(frozen=True)
class Line:
    """A line of PTX or of the source."""

    file: str
    line: int
    text: str = ""

    @classmethod
    def of(cls, fields: dict[str, Any] | None) -> Line | None:
        return None if fields is None else cls(fields["file"], fields["line"], fields.get("text", ""))

    def __str__(self) -> str:
        return f"{self.file}:{self.line}"


@dataclass(frozen=True)
class Allocation:
    """A piece of device memory."""

    address: int
    bytes: int

    @classmethod
    def of(cls, fields: dict[str, Any] | None) -> Allocation | None:
        return None if fields is None else cls(fields["address"], fields["bytes"])


def dims(values: list[int] | None) -> tuple[int, int, int] | None:
    return None if values is None else (values[0], values[1], values[2])


class Fault(Error):
    """A kernel that was stopped: it faulted, hung, or took too long. The text is the whole report.

    What does not apply is None.
    """

    kind: str
    """What happened: "illegal_address", "misaligned_address", "deadlock", "assertion", "interrupted" and so on."""
    message: str
    """The same as a sentence."""
    details: str
    """What else is known, such as who waits where in a deadlock."""
    kernel: str | None
    """The kernel's name in PTX."""
    demangled: str | None
    """The kernel's name in its source."""
    block: tuple[int, int, int] | None
    """blockIdx of the thread that did it."""
    thread: tuple[int, int, int] | None
    """threadIdx of the thread that did it."""
    warp: int | None
    """Its warp in the block."""
    lane: int | None
    """Its lane in the warp."""
    sm: int | None
    """The SM that it was on; in timing mode."""
    ptx: Line | None
    """The line of PTX."""
    source: Line | None
    """The line of the CUDA source, where the PTX knows it."""
    space: str | None
    """The memory that the address is in: "global", "shared", "local" and so on."""
    address: int | None
    """The address that was accessed."""
    bytes: int | None
    """How many bytes were accessed there."""
    allocation: Allocation | None
    """The allocation that the address was probably meant for."""
    run: Run | None
    """What was counted until then."""

    def __init__(self, report: str, kind: str, launch: _core.Launch | None = None) -> None:
        super().__init__(report)
        fields: dict[str, Any] = json.loads(launch.fault) if launch is not None and launch.fault else {}
        self.kind = kind
        self.message = fields.get("message", report)
        self.details = fields.get("details", "")
        self.kernel = fields.get("kernel")
        self.demangled = fields.get("demangled")
        self.block = dims(fields.get("block"))
        self.thread = dims(fields.get("thread"))
        self.warp = fields.get("warp")
        self.lane = fields.get("lane")
        self.sm = fields.get("sm")
        self.ptx = Line.of(fields.get("ptx"))
        self.source = Line.of(fields.get("source"))
        self.space = fields.get("space")
        self.address = fields.get("address")
        self.bytes = fields.get("bytes")
        self.allocation = Allocation.of(fields.get("allocation"))
        self.run = None
        if launch is not None:
            from ._run import Run

            self.run = Run(launch)
