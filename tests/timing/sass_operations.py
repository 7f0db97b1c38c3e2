#!/usr/bin/env python3
"""Writes how many instructions of the hardware ptxas makes of single PTX instructions, a line each: the count for sm_75 and
for sm_80, the type of the operands, the instruction. Counted is the usual way of a warp whose lanes have each their own
operands: branches to routines for rare arguments are not followed, calls that are always made are. From the top folder:
    tests/timing/sass_operations.py > tests/timing/sass_operations.txt
"""
import struct, subprocess, tempfile, os

BRA, CALL, EXIT, RET = 0x947, 0x944, 0x94D, 0x950
OPERATIONS = {
    "f32": """add.f32 D, A, B; fma.rn.f32 D, A, B, A; min.f32 D, A, B; abs.f32 D, A; copysign.f32 D, A, B; div.rn.f32 D, A, B;
        div.approx.f32 D, A, B; div.approx.ftz.f32 D, A, B; div.full.f32 D, A, B; div.full.ftz.f32 D, A, B; div.rn.ftz.f32 D, A, B;
        rcp.rn.f32 D, A; rcp.approx.f32 D, A; rcp.approx.ftz.f32 D, A; sqrt.rn.f32 D, A; sqrt.approx.f32 D, A;
        sqrt.approx.ftz.f32 D, A; rsqrt.approx.f32 D, A; rsqrt.approx.ftz.f32 D, A; sin.approx.f32 D, A; cos.approx.f32 D, A;
        ex2.approx.f32 D, A; ex2.approx.ftz.f32 D, A; lg2.approx.f32 D, A; lg2.approx.ftz.f32 D, A; tanh.approx.f32 D, A;
        slct.f32.f32 D, A, B, A; cvt.rni.f32.f32 D, A; cvt.sat.f32.f32 D, A""",
    "f64": """add.f64 D, A, B; fma.rn.f64 D, A, B, A; div.rn.f64 D, A, B; rcp.rn.f64 D, A; sqrt.rn.f64 D, A; rsqrt.approx.f64 D, A;
        min.f64 D, A, B; max.f64 D, A, B; neg.f64 D, A; abs.f64 D, A""",
    "b32": """add.s32 D, A, B; mul.lo.s32 D, A, B; mul.hi.s32 D, A, B; mul.hi.u32 D, A, B; mad.lo.s32 D, A, B, A; mad.hi.u32 D, A, B, A;
        mul24.lo.s32 D, A, B; mul24.hi.s32 D, A, B; mad24.lo.s32 D, A, B, A; mad24.hi.s32 D, A, B, A; div.s32 D, A, B; div.u32 D, A, B;
        rem.s32 D, A, B; rem.u32 D, A, B; div.s32 D, A, 7; div.u32 D, A, 7; rem.s32 D, A, 10; rem.u32 D, A, 7; sad.s32 D, A, B, A;
        abs.s32 D, A; neg.s32 D, A; min.s32 D, A, B; bfe.u32 D, A, B, 8; bfe.s32 D, A, B, 8; bfe.u32 D, A, 4, 8; bfi.b32 D, A, B, 4, 8;
        bfi.b32 D, A, B, A, B; clz.b32 D, A; popc.b32 D, A; brev.b32 D, A; bfind.u32 D, A; cnot.b32 D, A; prmt.b32 D, A, B, 0x1234;
        shf.l.wrap.b32 D, A, B, 5; lop3.b32 D, A, B, 5, 0x96; dp4a.s32.s32 D, A, B, A; fns.b32 D, A, B, 3; slct.s32.s32 D, A, B, A;
        add.sat.s32 D, A, B; shl.b32 D, A, B; shr.s32 D, A, B; cvt.rn.f32.s32 D, A; cvt.u32.u8 D, A; cvt.s32.s8 D, A;
        vabsdiff.s32.s32.s32 D, A, B""",
    "b64": """add.s64 D, A, B; sub.s64 D, A, B; neg.s64 D, A; abs.s64 D, A; min.s64 D, A, B; max.u64 D, A, B; and.b64 D, A, B; not.b64 D, A;
        shl.b64 D, A, 5; shr.u64 D, A, 5; shr.s64 D, A, 40; mul.lo.s64 D, A, B; mul.hi.s64 D, A, B; mul.hi.u64 D, A, B;
        mad.lo.s64 D, A, B, A; div.s64 D, A, B; div.u64 D, A, B; rem.s64 D, A, B; rem.u64 D, A, B""",
}


def kernel(operation, type):
    """The frame that the test puts around the operation, too: two loads, and two stores that keep both operands."""
    bytes = int(type[1:]) // 8
    text = operation and operation + ";"
    for letter, register in zip("DAB", ("%v0", "%v1", "%v2")):
        text = text.replace(" " + letter, " " + register)
    return f""".version 7.8
.target sm_75
.address_size 64
.visible .entry k(.param .u64 p)
{{
.reg .{type} %v<3>;
.reg .b32 %r<2>;
.reg .b64 %d<5>;
ld.param.u64 %d1, [p];
mov.u32 %r1, %tid.x;
mul.wide.u32 %d2, %r1, {bytes};
cvta.to.global.u64 %d3, %d1;
add.s64 %d4, %d3, %d2;
ld.global.{type} %v1, [%d4];
ld.global.{type} %v2, [%d4+4096];
{text}
st.global.{type} [%d4], %v0;
st.global.{type} [%d4+8192], %v2;
ret;
}}
"""


def code_of(text, target):
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
        if elf[at:elf.index(b"\0", at)] == b".text.k":
            return elf[s[4]:s[4] + s[5]]


def walk(code):
    """Instructions on the usual way, as many as a warp executes."""
    words = [struct.unpack_from("<QQ", code, i) for i in range(0, len(code), 16)]

    def opcode(i):
        return words[i][0] & 0xFFF

    def target(i):
        offset = (words[i][0] | words[i][1] << 64) >> 34 & (1 << 48) - 1
        return i + 1 + (offset - (offset >> 47 << 48)) // 4

    def calls(first, last):
        return any(opcode(k) == CALL for k in range(first, last))

    i, count, back = 0, 0, None
    while True:
        count += 1
        is_guarded = words[i][0] >> 12 & 7 != 7
        if opcode(i) == EXIT and not is_guarded:
            return count
        if opcode(i) == RET:
            i, back = back, None
            continue
        if opcode(i) == CALL:
            back, i = i + 1, target(i)
            continue
        if opcode(i) == BRA:
            to = target(i)
            # Around a call is the usual way; so is not to branch to one.
            if not is_guarded or (to > i and calls(i, to)):
                i = to
                continue
        i += 1


print("# " + subprocess.run(["ptxas", "--version"], capture_output=True, text=True).stdout.strip().splitlines()[-1])
for type, operations in OPERATIONS.items():
    for operation in operations.split(";"):
        operation = " ".join(operation.split())
        # What is left when nothing stands between the loads and the stores.
        frame = kernel("", type).replace("%v0;\nst", "%v1;\nst")
        print(*(walk(code_of(kernel(operation, type), t)) - walk(code_of(frame, t)) for t in ("75", "80")), type, operation)
