# A parallel loop and an atomic sum.
import taichi as ti

ti.init(arch=ti.cuda, device_memory_GB=0.25)
x = ti.field(ti.i32, shape=1000)
total = ti.field(ti.i32, shape=())


@ti.kernel
def fill():
    for i in x:
        x[i] = i * 2
        total[None] += x[i]


fill()
assert ti.lang.impl.current_cfg().arch == ti.cuda
assert x[999] == 1998 and total[None] == 999 * 1000
