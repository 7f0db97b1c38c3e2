"""Lets versions of tinygrad that look for libcuda.so in the system's folders alone take the one that `exec` supplies.

A plug-in of pytest (-p tinygrad_driver), and imported by the program.
"""

from tinygrad.runtime.support.c import DLL

search = DLL.findlib


def find(name, paths, more=()):
    return "libcuda.so.1" if name == "cuda" else search(name, paths, list(more))


DLL.findlib = staticmethod(find)
