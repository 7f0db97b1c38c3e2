#!/usr/bin/env python3
"""Writes how many instructions ptxas makes of kernels that call routines: of 1, 2 and 4 operations with values of their own, a
line each: the counts for sm_75, sm_80 and sm_90, how many operations, the type of the operands, the operation. From the top
folder:
    tests/timing/sass_routines.py > tests/timing/sass_routines.txt
"""
import os, struct, subprocess, tempfile

NOP, BRA = 0x918, 0x947
OPERATIONS = {
    "f32": "div.rn.f32 D, A, B; div.rn.ftz.f32 D, A, B; rcp.rn.f32 D, A; rcp.rn.ftz.f32 D, A; sqrt.rn.f32 D, A; sqrt.rn.ftz.f32 D, A",
    "f64": "div.rn.f64 D, A, B; rcp.rn.f64 D, A; sqrt.rn.f64 D, A; rsqrt.approx.f64 D, A",
    "b64": "div.s64 D, A, B; div.u64 D, A, B; rem.s64 D, A, B; rem.u64 D, A, B",
}


def kernel(operation, type, count):
    """Like that of the test: operation n has values 2n and 2n+1."""
    bytes = int(type[1:]) // 8
    loads = work = stores = ""
    for n in range(count):
        text = operation + ";\n"
        for letter, register in zip("DAB", (f"%w{n}", f"%v{2 * n}", f"%v{2 * n + 1}")):
            text = text.replace(" " + letter, " " + register)
        work += text
        stores += f"st.global.{type} [%d4+{4096 * (20 + n)}], %w{n};\n"
    for n in range(2 * count):
        if f"%v{n}" in work:
            loads += f"ld.global.{type} %v{n}, [%d4+{4096 * n}];\n"
    return f""".version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{{
.reg .{type} %v<8>;
.reg .{type} %w<4>;
.reg .b32 %r<2>;
.reg .b64 %d<5>;
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, {bytes};
cvta.to.global.u64 %d3, %d1;
add.s64 %d4, %d3, %d2;
{loads}{work}{stores}ret;
}}
"""


def count_of(text, target):
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
        with open(ptx, "w") as f:
            f.write(text)
        subprocess.run(["ptxas", "-arch=sm_" + target, ptx, "-o", cubin], check=True)
        with open(cubin, "rb") as f:
            elf = f.read()
    header, = struct.unpack_from("<Q", elf, 0x28)
    count, names = struct.unpack_from("<HH", elf, 0x3C)
    sections = [struct.unpack_from("<IIQQQQIIQQ", elf, header + 64 * i) for i in range(count)]
    for s in sections:
        at = sections[names][4] + s[0]
        if elf[at:elf.index(b"\0", at)] != b".text.k":
            continue
        ops = [struct.unpack_from("<Q", elf, s[4] + i)[0] & 0xFFF for i in range(0, s[5], 16)]
        while ops[-1] == NOP:
            ops.pop()
        return len(ops) - (ops[-1] == BRA)


print("# " + subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1])
for type, operations in OPERATIONS.items():
    for operation in operations.split(";"):
        for n in (1, 2, 4):
            print(*(count_of(kernel(operation.strip(), type, n), t) for t in ("75", "80", "90")), n, type, operation.strip())
