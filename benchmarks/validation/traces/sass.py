"""Executes the integer part of SASS of Volta, all threads of a grid at once, and writes down what each warp executed in the
format of Accel-Sim's tracer. Values of memory and of floating-point registers are zeros: kernels whose branches or addresses depend
on them cannot be traced, but for divisions, which take their usual way."""

import re

import numpy as np

PARAMETERS = 0x160  # in constant bank 0, from sm_70 to sm_75
LANES = 32


class Instruction:
    def __init__(self, pc, text):
        self.pc, self.text = pc, text
        match = re.match(r"@(!?)(P[0-9T]) (.*)", text)
        self.guard = (match[2], match[1] == "!") if match else None
        name, _, rest = (match[3] if match else text).partition(" ")
        self.opcode, self.parts = name, name.split(".")
        self.operands = [o.strip() for o in rest.split(",")] if rest.strip() else []
        self.memory = next((o for o in self.operands if o.startswith("[")), None)

    def record(self):
        """What the tracer says of its registers, before the width of an access."""
        result, sources = [], []
        for i, operand in enumerate(self.operands):
            reg = register(operand)
            if operand.startswith("["):
                base = re.match(r"\[(R\d+|RZ)", operand)
                sources.append(register(base[1]) if base else 255)
            elif reg is not None:
                (result if i == 0 else sources).append(reg)
        names = lambda list: "".join(f" R{r}" for r in list)
        return f"{len(result)}{names(result)} {self.opcode} {len(sources)}{names(sources)}"

    def bytes(self):
        for part in self.parts:
            if re.fullmatch(r"[US]?(8|16|32|64|128)", part):
                return int(part.lstrip("US")) // 8
        return 4


def register(operand):
    match = re.match(r"[-~|]*(R\d+|RZ)\b", operand)
    return None if not match else 255 if match[1] == "RZ" else int(match[1][1:])


def functions(text):
    """name -> instructions, of what cuobjdump -sass prints."""
    found, body = {}, None
    for line in text.splitlines():
        if match := re.match(r"\s*Function : (\S+)", line):
            body = found[match[1]] = []
        elif body is not None and (match := re.match(r"\s+/\*([0-9a-f]{4,})\*/\s+(.*?)\s*;", line)):
            body.append(Instruction(int(match[1], 16), re.sub(r"\.reuse", "", match[2])))
    return found


COMPARE = {"LT": np.less, "LE": np.less_equal, "GT": np.greater, "GE": np.greater_equal, "EQ": np.equal, "NE": np.not_equal}


class Grid:
    """All threads of a launch; those at the lowest address go on."""

    def __init__(self, code, grid, block, parameters):
        self.code, self.grid, self.block = code, grid, block
        per_cta = block[0] * block[1] * block[2]
        self.warps_of_cta = (per_cta + LANES - 1) // LANES
        ctas = grid[0] * grid[1] * grid[2]
        place = np.arange(ctas * self.warps_of_cta * LANES)
        thread, cta = place % (self.warps_of_cta * LANES), place // (self.warps_of_cta * LANES)
        self.special = {
            "SR_TID.X": thread % block[0], "SR_TID.Y": thread // block[0] % block[1], "SR_TID.Z": thread // block[0] // block[1],
            "SR_CTAID.X": cta % grid[0], "SR_CTAID.Y": cta // grid[0] % grid[1], "SR_CTAID.Z": cta // grid[0] // grid[1],
            "SR_LANEID": place % LANES}
        self.count = len(place)
        self.live = thread < per_cta
        self.pc = np.where(self.live, 0, 1 << 30)
        self.registers, self.predicates = {}, {}
        self.constants = {i * 4: d for i, d in enumerate((*block, *grid))}
        self.constants.update({PARAMETERS + 4 * i: word for i, word in enumerate(parameters)})
        self.constants.setdefault(0x28, 0)
        self.events = []  # instruction, warps, masks, addresses

    def full(self, value):
        return np.full(self.count, value, np.uint32)

    def get(self, operand):
        sign, inverted = operand.startswith("-"), operand.startswith("~")
        name = operand.lstrip("-~|").rstrip("|").split(".")[0]
        if match := re.match(r"c\[0x0\]\[0x([0-9a-f]+)\]", name):
            value = self.full(self.constants.get(int(match[1], 16), 0) & 0xffffffff)
        elif name.startswith("R"):
            value = self.full(0) if name == "RZ" else self.registers.get(int(name[1:]), self.full(0))
        else:
            try:
                value = self.full(int(name, 0) & 0xffffffff)
            except ValueError:
                value = self.full(0)  # of a floating-point number
        return np.uint32(0) - value if sign else ~value if inverted else value

    def get_wide(self, operand):
        reg = register(operand)
        if reg is None:
            match = re.match(r"c\[0x0\]\[0x([0-9a-f]+)\]", operand)
            at = int(match[1], 16)
            return np.full(self.count, self.constants.get(at, 0) | self.constants.get(at + 4, 0) << 32, np.uint64)
        low, high = self.get(f"R{reg}" if reg != 255 else "RZ"), self.get(f"R{reg + 1}" if reg != 255 else "RZ")
        return low.astype(np.uint64) | high.astype(np.uint64) << np.uint64(32)

    def predicate(self, operand):
        name = operand.lstrip("!")
        value = np.ones(self.count, bool) if name == "PT" else self.predicates.get(name, np.zeros(self.count, bool))
        return ~value if operand.startswith("!") else value

    def set(self, operand, value, mask):
        reg = register(operand)
        if reg is not None and reg != 255:
            self.registers[reg] = np.where(mask, value.astype(np.uint32), self.registers.get(reg, self.full(0)))

    def set_wide(self, operand, value, mask):
        reg = register(operand)
        self.set(f"R{reg}", value & np.uint64(0xffffffff), mask)
        self.set(f"R{reg + 1}", value >> np.uint64(32), mask)

    def set_predicate(self, operand, value, mask):
        if operand != "PT":
            self.predicates[operand] = np.where(mask, value, self.predicate(operand))

    def address(self, instruction):
        inside = instruction.memory[1:-1]
        is_global = instruction.parts[0] in ("LDG", "STG", "RED", "ATOMG", "LD", "ST", "ATOM")
        total = np.zeros(self.count, np.uint64)
        for term in re.findall(r"-?[^+]+", inside):
            scale = re.search(r"\.X(\d+)", term)
            if register(term) is None:
                total = total + np.uint64(int(term, 0) & 0xffffffffffffffff)
            elif is_global:
                total = total + self.get_wide(term.split(".")[0])
            else:
                total = total + self.get(term).astype(np.uint64) * np.uint64(int(scale[1]) if scale else 1)
        return total if is_global else total & np.uint64(0xffffffff)

    def run(self):
        by_pc = {i.pc: i for i in self.code}
        weights = (np.uint32(1) << np.arange(LANES, dtype=np.uint32))
        while (at := int(self.pc.min())) < 1 << 30:
            instruction = by_pc[at]
            here = self.pc == at
            mask = here
            if instruction.guard:
                condition = self.predicate(instruction.guard[0])
                mask = here & (~condition if instruction.guard[1] else condition)
            addresses = self.address(instruction) if instruction.memory else None
            warps = here.reshape(-1, LANES).any(axis=1).nonzero()[0]
            masks = (mask.reshape(-1, LANES)[warps] * weights).sum(axis=1, dtype=np.uint32)
            rows = addresses.reshape(-1, LANES)[warps] if addresses is not None else None
            self.events.append((instruction, warps, masks, rows))
            self.pc = np.where(here, at + 16, self.pc)
            self.execute(instruction, mask)

    def execute(self, i, mask):
        o, name = i.operands, i.parts[0]
        if name == "EXIT":
            self.pc = np.where(mask, 1 << 30, self.pc)
        elif name == "BRA":
            self.pc = np.where(mask, int(o[-1], 0), self.pc)
        elif name in ("CALL", "RET", "BRX", "SHFL", "VOTE") and mask.any():
            raise NotImplementedError(i.text)
        elif name == "S2R":
            self.set(o[0], self.special[o[1]], mask)
        elif name in ("ISETP", "PLOP3"):
            self.compare(i, mask)
        elif name in ("FCHK", "FSETP"):
            self.set_predicate(o[0], np.zeros(self.count, bool), mask)
        elif name in ("NOP", "BAR", "BSSY", "BSYNC", "BMOV", "STG", "STS", "RED", "SHFL"):
            pass
        elif name in INTEGER:
            INTEGER[name](self, i, mask)
        elif name in ("LDG", "LDS"):
            for k in range(max(i.bytes() // 4, 1)):
                self.set(f"R{register(o[0]) + k}", self.full(0), mask)
        elif name in ("FFMA", "FMUL", "FADD", "MUFU", "FMNMX", "FSEL", "I2F", "F2I"):
            self.set(o[0], self.full(0), mask)
        else:
            raise NotImplementedError(i.text)

    def compare(self, i, mask):
        o = i.operands
        if i.parts[0] == "PLOP3":
            value = table(int(o[5], 0), *(self.predicate(p).astype(np.uint32) * np.uint32(0xffffffff) for p in o[2:5]))
            return self.set_predicate(o[0], value != 0, mask)
        a, b = self.get(o[2]), self.get(o[3])
        if "U32" not in i.parts:
            a, b = a.view(np.int32), b.view(np.int32)
        value, third = COMPARE[i.parts[1]](a, b), self.predicate(o[4])
        self.set_predicate(o[0], value & third if "AND" in i.parts else value | third, mask)


def table(lut, a, b, c):
    """The function of three bits that a LOP3 names by its values."""
    result = np.zeros_like(a)
    for k in range(8):
        if lut >> k & 1:
            result |= (a if k & 4 else ~a) & (b if k & 2 else ~b) & (c if k & 1 else ~c)
    return result


def move(g, i, mask):
    g.set(i.operands[0], g.get(i.operands[1]), mask)


def multiply(g, i, mask):
    o = i.operands
    if "MOV" in i.parts:  # has its source last
        g.set(o[0], g.get(o[3]), mask)
    elif "WIDE" in i.parts:
        kind = np.int64 if "U32" not in i.parts else np.uint64
        small = np.int32 if "U32" not in i.parts else np.uint32
        product = (g.get(o[1]).view(small).astype(kind) * g.get(o[2]).view(small).astype(kind)).view(np.uint64)
        g.set_wide(o[0], product + g.get_wide(o[3]), mask)
    else:
        g.set(o[0], g.get(o[1]) * g.get(o[2]) + g.get(o[3]), mask)


def take_predicate(operands, place):
    """Takes the predicate that may stand there out of the operands; None if something else does."""
    return operands.pop(place) if re.fullmatch(r"P[0-9T]", operands[place]) else None


def set_sum(g, to, carry_out, total, mask):
    g.set(to, total & np.uint64(0xffffffff), mask)
    if carry_out:
        g.set_predicate(carry_out, total >> np.uint64(32) != 0, mask)


def add(g, i, mask):
    o = list(i.operands)
    carry_out = take_predicate(o, 1)
    total = sum(g.get(x).astype(np.uint64) for x in o[1:4])
    if "X" in i.parts:
        total = total + g.predicate(o[4]).astype(np.uint64)
    set_sum(g, o[0], carry_out, total, mask)


def scaled_add(g, i, mask):
    o = list(i.operands)
    carry_out = take_predicate(o, 1)
    if "HI" in i.parts:
        shift = np.uint64(32 - int(o[4], 0))
        wide = g.get(o[1]).astype(np.uint64) | g.get(o[3]).astype(np.uint64) << np.uint64(32)
        total = (wide >> shift & np.uint64(0xffffffff)) + g.get(o[2]).astype(np.uint64)
        total = total + (g.predicate(o[5]).astype(np.uint64) if "X" in i.parts else np.uint64(0))
    else:
        shifted = g.get(o[1]).astype(np.uint64) << np.uint64(int(o[3], 0)) & np.uint64(0xffffffff)
        total = shifted + g.get(o[2]).astype(np.uint64)
    set_sum(g, o[0], carry_out, total, mask)


def logic(g, i, mask):
    o = list(i.operands)
    test = take_predicate(o, 0)
    value = table(int(o[4], 0), g.get(o[1]), g.get(o[2]), g.get(o[3]))
    g.set(o[0], value, mask)
    if test:
        g.set_predicate(test, value != 0, mask)


def shift(g, i, mask):
    o = i.operands
    amount = g.get(o[2]) & np.uint32(31)
    if i.parts[1] == "L":
        g.set(o[0], g.get(o[1]) << amount, mask)
    else:
        value = g.get(o[3])
        g.set(o[0], (value.view(np.int32) >> amount.view(np.int32)).view(np.uint32) if "S32" in i.parts else value >> amount, mask)


def select(g, i, mask):
    o = i.operands
    g.set(o[0], np.where(g.predicate(o[3]), g.get(o[1]), g.get(o[2])), mask)


def least(g, i, mask):
    o = i.operands
    a, b = g.get(o[1]).view(np.int32), g.get(o[2]).view(np.int32)
    g.set(o[0], np.where(g.predicate(o[3]), np.minimum(a, b), np.maximum(a, b)).view(np.uint32), mask)


def permute(g, i, mask):
    o = i.operands
    wide = g.get(o[1]).astype(np.uint64) | g.get(o[3]).astype(np.uint64) << np.uint64(32)
    selector = int(o[2], 0)
    result = np.zeros(g.count, np.uint64)
    for k in range(4):
        result |= (wide >> np.uint64(8 * (selector >> 4 * k & 7)) & np.uint64(255)) << np.uint64(8 * k)
    g.set(o[0], result, mask)


INTEGER = {"MOV": move, "IMAD": multiply, "IADD3": add, "LEA": scaled_add, "LOP3": logic, "SHF": shift, "SEL": select,
           "IMNMX": least, "PRMT": permute}


def addresses_text(row, mask):
    lanes = [int(row[k]) for k in range(LANES) if mask >> k & 1]
    if not lanes:
        return "2 0x0"
    steps = {b - a for a, b in zip(lanes, lanes[1:])}
    bits = mask // (mask & -mask)
    if len(lanes) > 1 and len(steps) == 1 and bits & bits + 1 == 0:
        return f"1 0x{lanes[0]:x} {steps.pop()}"
    return f"2 0x{lanes[0]:x}" + "".join(f" {b - a}" for a, b in zip(lanes, lanes[1:]))


def write(grid, name, registers, shared, file):
    """As post-traces-processing leaves it, version 4."""
    lines = [[] for _ in range(grid.count // LANES)]
    for instruction, warps, masks, rows in grid.events:
        head, tail = f"{instruction.pc:04x} ", " " + instruction.record()
        cached = {}
        for k, (warp, mask) in enumerate(zip(warps.tolist(), masks.tolist())):
            if rows is None:
                lines[warp].append(cached.setdefault(mask, f"{head}{mask:08x}{tail} 0\n"))
            else:
                text = addresses_text(rows[k], mask)
                lines[warp].append(f"{head}{mask:08x}{tail} {instruction.bytes()} {text}\n")
    dims = lambda d: f"({d[0]},{d[1]},{d[2]})"
    file.write(f"-kernel name = {name}\n-kernel id = 1\n-grid dim = {dims(grid.grid)}\n-block dim = {dims(grid.block)}\n"
               f"-shmem = {shared}\n-nregs = {registers}\n-binary version = 70\n-cuda stream id = 0\n"
               f"-accelsim tracer version = 4\n\n#traces format = PC mask ...\n\n")
    for cta in range(len(lines) // grid.warps_of_cta):
        x, y = cta % grid.grid[0], cta // grid.grid[0] % grid.grid[1]
        file.write(f"\n#BEGIN_TB\n\nthread block = {x},{y},{cta // grid.grid[0] // grid.grid[1]}\n")
        for warp in range(grid.warps_of_cta):
            body = lines[cta * grid.warps_of_cta + warp]
            file.write(f"\nwarp = {warp}\ninsts = {len(body)}\n")
            file.writelines(body)
        file.write("\n#END_TB\n")
