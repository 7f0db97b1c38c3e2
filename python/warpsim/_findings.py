"""What checkers have found."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from ._errors import Allocation, Line, dims


@dataclass(frozen=True)
class Act:
    """What one thread did, or the host if there is no thread."""

    verb: str
    """"wrote", "read" and so on."""
    block: tuple[int, int, int] | None
    """blockIdx of the thread."""
    thread: tuple[int, int, int] | None
    """threadIdx of the thread."""
    value: str | None
    """What it wrote or read."""
    source: Line | None
    """The line of the CUDA source, where the PTX knows it."""
    ptx: Line | None
    """The line of PTX."""

    @classmethod
    def of(cls, fields: dict[str, Any]) -> Act:
        return cls(
            fields.get("verb", ""),
            dims(fields.get("block")),
            dims(fields.get("thread")),
            fields.get("value"),
            Line.of(fields.get("source")),
            Line.of(fields.get("ptx")),
        )

    def __str__(self) -> str:
        def triple(v: tuple[int, int, int]) -> str:
            return f"({v[0]},{v[1]},{v[2]})"

        if self.block is None or self.thread is None:
            who = "the host"
        else:
            who = f"block {triple(self.block)}, thread {triple(self.thread)}"
        text = " ".join(part for part in (who, self.verb, self.value) if part)
        if self.source is not None:
            text += f" at {self.source}"
        if self.ptx is not None:
            text += f"\n    {self.ptx}:  {self.ptx.text}"
        return text


@dataclass(frozen=True)
class Finding:
    """A mistake of a program that a GPU would not have told of."""

    kind: str
    """The checker: "memory", "race", "init" or "sync"."""
    what: str
    """In a few words, the same for all of its sort: "write after read"."""
    message: str
    """One sentence."""
    count: int
    """How often it happened."""
    kernel: str | None
    """The kernel's name in PTX."""
    demangled: str | None
    """The kernel's name in its source."""
    space: str | None
    """The memory that it is about: "global", "shared" and so on."""
    address: int | None
    """The address that it is about."""
    bytes: int | None
    """How many bytes."""
    act: Act
    """What was noticed first."""
    other: Act | None
    """The second access, of a race; of a value that nobody has written, where it was read."""
    allocation: Allocation | None
    """The allocation that the address was probably meant for."""
    notes: tuple[str, ...]
    """What is missing, and what else helps."""
    suppression: str
    """The line of a suppressions file that would silence it."""

    def __str__(self) -> str:
        lines = [f"{self.kind}: {self.message}" + (f"  ({self.count} times)" if self.count > 1 else "")]
        if self.demangled:
            lines.append(f"kernel {self.demangled}")
        lines += [str(act) for act in (self.act, self.other) if act is not None and (act.thread or act.source)]
        return "\n  ".join(lines + list(self.notes))


def findings_of(report: str) -> list[Finding]:
    """The findings of a check report in JSON."""
    return [
        Finding(
            kind=f["kind"],
            what=f["what"],
            message=f["message"],
            count=f["count"],
            kernel=f.get("kernel"),
            demangled=f.get("demangled"),
            space=f.get("space"),
            address=f.get("address"),
            bytes=f.get("bytes"),
            act=Act.of(f),
            other=Act.of(f["other"]) if "other" in f else None,
            allocation=Allocation.of(f.get("allocation")),
            notes=tuple(f.get("notes", ())),
            suppression=f["suppression"],
        )
        for f in json.loads(report)["findings"]
    ]
