"""Prints, as Doxygen's INPUT, the headers that are installed: those of the list in library.cmake and what they include."""

import re
from pathlib import Path

start = re.search(r"set\(todo ([^)]*)\)", Path("tools/cmake/library.cmake").read_text())
assert start, "library.cmake has no list of public headers"
todo, public = start[1].split(), []
while todo:
    header = Path(todo.pop())
    if str(header) in public or not header.exists():
        continue
    public.append(str(header))
    todo += re.findall(r'^#include "([^"]*)"', header.read_text(), re.MULTILINE)
print("INPUT = tools/site/cpp.md " + " ".join(sorted(public)))
