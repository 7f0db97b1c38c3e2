#!/usr/bin/env python3
"""Writes what ptxas spills of kernels that may use fewer registers than it would give them, a line each: file, kernel,
limit (.maxnreg), bytes of local memory that a thread needs for that, for sm_80. From the top folder:
    tests/timing/ptxas_spills.py > tests/timing/ptxas_spills.txt
Left out: kernels with calls or frames of their own, whose local memory is not only that of spills."""
import glob, os, re, subprocess, tempfile

LIMITS = (24, 32, 40, 48, 64)


def limited(text, limit):
    """The text with one limit for each kernel and no other bounds."""
    text = re.sub(r"\.(maxnreg|maxntid|minnctapersm|reqntid)[^\n{]*", "", text)
    return re.sub(r"(\.entry\s+[\w$]+\s*(\([^)]*\))?)", rf"\1\n.maxnreg {limit}\n", text) if limit else text


def ptxas(text):
    """For each kernel: registers, bytes of its frame."""
    with tempfile.NamedTemporaryFile("w", suffix=".ptx") as f:
        f.write(text)
        f.flush()
        run = subprocess.run(["ptxas", "-v", "-arch=sm_80", f.name, "-o", os.devnull], capture_output=True, text=True)
    found, kernel = {}, None
    for line in run.stderr.splitlines():
        if m := re.search(r"Compiling entry function '(\S+)'", line):
            kernel = m[1]
            found[kernel] = [0, 0]
        elif (m := re.search(r"Function properties for (\S+)", line)) and m[1] != kernel:
            kernel = None  # of a callee
        elif kernel and (m := re.search(r"(\d+) bytes stack frame", line)):
            found[kernel][1] = int(m[1])
        elif kernel and (m := re.search(r"Used (\d+) registers", line)):
            found[kernel][0] = int(m[1])
    return found


print("# " + subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1])
for file in sorted(f for pattern in ("tests/kernels/*.ptx", "tests/cuda/ptx/*.ptx", "tests/timing/published/*.ptx",
                                     "tests/frontend/corpus/sample/*.ptx", "benchmarks/validation/*.ptx")
                   for f in glob.glob(pattern)):
    if "debug" in file or "_O0" in file:
        continue
    with open(file, encoding="utf-8", errors="replace") as f:
        text = f.read()
    target = re.search(r"^\.target\s+sm_(\d+)([a-z]?)", text, re.M)
    if not target or int(target[1]) > 80 or target[2] or re.search(r"\bcall\b", text):
        continue
    free = ptxas(text)
    for limit in LIMITS:
        if not any(registers > limit for registers, _ in free.values()):
            continue
        for kernel, (_, spilled) in sorted(ptxas(limited(text, limit)).items()):
            registers, frame = free.get(kernel, (0, 0))
            if registers > limit and frame == 0:
                print(file, kernel, limit, spilled)
