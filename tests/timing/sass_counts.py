#!/usr/bin/env python3
"""Writes how many instructions of the hardware ptxas makes of the kernels of the project, a line each: file, kernel, counts
for sm_75, sm_80 and sm_90 (0: not for this target). From the top folder:
    tests/timing/sass_counts.py > tests/timing/sass_counts.txt
Left out: kernels with calls where the PTX has calls, whose callees stand behind them, and what was compiled without
optimisation."""
import collections, glob, os, re, struct, subprocess, sys, tempfile

NOP, BRA, CALLS = 0x918, 0x947, (0x343, 0x344, 0x943, 0x944, 0x949, 0x94A)


def sections(elf):
    header, = struct.unpack_from("<Q", elf, 0x28)
    count, names = struct.unpack_from("<HH", elf, 0x3C)
    all_sections = [struct.unpack_from("<IIQQQQIIQQ", elf, header + 64 * i) for i in range(count)]
    for s in all_sections:
        at = all_sections[names][4] + s[0]
        yield elf[at:elf.index(b"\0", at)].decode(), elf[s[4]:s[4] + s[5]]


def opcodes(code):
    """Of 16-byte instructions, without the branch to itself and the padding at the end."""
    ops = [struct.unpack_from("<Q", code, i)[0] & 0xFFF for i in range(0, len(code), 16)]
    while ops and ops[-1] == NOP:
        ops.pop()
    return ops[:-1] if ops and ops[-1] == BRA else ops


def counts(file, target, has_calls):
    with tempfile.TemporaryDirectory() as folder:
        cubin = os.path.join(folder, "x.cubin")
        if subprocess.run(["ptxas", "-arch=sm_" + target, file, "-o", cubin], capture_output=True).returncode != 0:
            return {}
        with open(cubin, "rb") as f:
            elf = f.read()
    found = {name[6:]: opcodes(code) for name, code in sections(elf) if name.startswith(".text.")}
    return {kernel: len(ops) for kernel, ops in found.items() if not (has_calls and any(op in CALLS for op in ops))}


def main():
    table = collections.defaultdict(lambda: [0, 0, 0])
    files = [f for pattern in ("tests/kernels/*.ptx", "tests/timing/published/*.ptx", "examples/*/*.ptx", "tests/frontend/corpus/sample/*.ptx")
             for f in glob.glob(pattern)]
    for file in files:
        if "debug" in file or "_O0" in file:
            continue
        with open(file) as f:
            text = f.read()
        has_calls = re.search(r"\bcall\b", text) is not None
        kernels = set(re.findall(r"\.entry\s+(\S+?)\s*\(", text))
        written = re.search(r"^\.target\s+sm_(\d+)(a?)", text, re.M)
        for i, sm in enumerate((75, 80, 90)):
            if int(written[1]) > sm or (written[2] and int(written[1]) != sm):
                continue
            for kernel, n in counts(file, str(sm) + written[2], has_calls).items():
                if kernel in kernels:
                    table[file, kernel][i] = n
    print("# " + subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1])
    for (file, kernel), n in sorted(table.items()):
        print(file, kernel, *n)


if __name__ == "__main__":
    main()
