"""The command `warpsim`, which comes with the package: `python -m warpsim run ...`."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def command() -> Path:
    """The program itself: of a wheel, or of the build that the package belongs to."""
    here = Path(__file__).absolute().parent
    for place in (here / "bin" / "warpsim", here.parents[1] / "bin" / "warpsim"):
        if place.exists():
            return place
    raise SystemExit(f"warpsim: the program is not in {here / 'bin'}: this package was built without it")


def main() -> None:
    program = str(command())
    os.execv(program, [program, *sys.argv[1:]])


if __name__ == "__main__":
    main()
