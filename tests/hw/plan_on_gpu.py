#!/usr/bin/env python3
"""Runs a launch plan on a GPU, through its driver: the results and times of hardware for what `warpsim run` simulates.

    tests/hw/plan_on_gpu.py PLAN.json [--out FOLDER] [--repeat N]

Writes what the plan saves to FOLDER (default: the current one) as raw bytes, and prints a JSON object with the
microseconds of each launch, the least of N runs after a first one; each run begins with the buffers as they were.
Understands what plans of benchmarks and kernels contain: modules, buffers with `fill`, `iota`, `uniform` and `values`,
numbers, places in buffers and tensor maps as arguments. Needs numpy; anything else in a plan ends it with a message.
"""
import argparse
import ctypes
import json
import pathlib
import re
import sys

import numpy

sizes = {"u8": 1, "s8": 1, "b8": 1, "u16": 2, "s16": 2, "b16": 2, "f16": 2, "u32": 4, "s32": 4, "b32": 4, "f32": 4, "u64": 8, "s64": 8,
         "b64": 8, "f64": 8}
kinds = {"u8": "u1", "s8": "i1", "u16": "u2", "s16": "i2", "f16": "f2", "u32": "u4", "s32": "i4", "f32": "f4", "u64": "u8", "s64": "i8",
         "f64": "f8"}


class Driver:
    """libcuda.so.1, with errors as exceptions."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        self.call("cuInit", 0)
        context = ctypes.c_void_p()
        self.call("cuDevicePrimaryCtxRetain", ctypes.byref(context), 0)
        self.call("cuCtxSetCurrent", context)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status != 0:
            text = ctypes.c_char_p()
            self.library.cuGetErrorString(status, ctypes.byref(text))
            sys.exit(f"{name}: {(text.value or b'unknown error').decode()}")

    def module(self, path):
        module = ctypes.c_void_p()
        self.call("cuModuleLoadData", ctypes.byref(module), path.read_bytes() + b"\0")
        return module

    def memory(self, count):
        pointer = ctypes.c_uint64()
        self.call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(max(count, 1)))
        return pointer

    def event(self):
        event = ctypes.c_void_p()
        self.call("cuEventCreate", ctypes.byref(event), 0)
        return event


def without_comments(text):
    return re.sub(r"^\s*//.*$", "", text, flags=re.M)


def initial(buffer):
    """The bytes of a buffer at the beginning."""
    count, kind, init = buffer["count"], buffer["type"], buffer.get("init", {"fill": 0})
    if init == "undefined":
        init = {"fill": 0}
    if "values" in init:
        return numpy.array(init["values"], kinds[kind])
    if "fill" in init:
        return numpy.full(count, init["fill"], kinds[kind])
    if "iota" in init:
        return (init["iota"].get("start", 0) + init["iota"].get("step", 1) * numpy.arange(count)).astype(kinds[kind])
    if "uniform" in init:
        u = init["uniform"]
        random = numpy.random.default_rng(u.get("seed", 0))
        low, high = u.get("low", 0), u.get("high", 1)
        if kind[0] == "f":
            return (low + (high - low) * random.random(count, dtype=numpy.float32)).astype(kinds[kind])
        return random.integers(low, high, count).astype(kinds[kind])
    sys.exit(f"cannot make {init}")


def parameters(ptx, kernel):
    """The types of a kernel's parameters; of arrays of bytes how many."""
    found = re.search(r"\.entry\s+" + re.escape(kernel) + r"\s*\(([^)]*)\)", ptx)
    if not found:
        sys.exit(f"no kernel {kernel}")
    types = []
    for one in found.group(1).split(","):
        if one.strip():
            array = re.search(r"\.b8\s+\S+\[(\d+)\]", one)
            types.append(int(array.group(1)) if array else re.search(r"\.([busf]\d+)\s", one).group(1))
    return types


class Plan:
    def __init__(self, driver, path):
        self.driver, self.folder = driver, path.parent
        self.plan = json.loads(without_comments(path.read_text()))
        if "modules" in self.plan or "symbols" in self.plan:
            sys.exit("plans with several modules or symbols are not run here")
        module = self.folder / self.plan["module"]
        self.ptx, self.module = module.read_text(), driver.module(module)
        self.first = {name: initial(buffer) for name, buffer in self.plan["buffers"].items()}
        self.memory = {name: driver.memory(data.nbytes) for name, data in self.first.items()}

    def reset(self):
        for name, data in self.first.items():
            self.driver.call("cuMemcpyHtoD_v2", self.memory[name], data.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(data.nbytes))

    def tensor_map(self, about):
        data = ctypes.create_string_buffer(128 + 64)
        at = (ctypes.addressof(data) + 63) // 64 * 64
        elements = {"u8": 0, "u16": 1, "u32": 2, "s32": 3, "u64": 4, "s64": 5, "f16": 6, "f32": 7, "f64": 8, "bf16": 9}
        swizzles = {"none": 0, "32B": 1, "64B": 2, "128B": 3}
        rank = len(about["dims"])
        address = self.value("u64", about["address"]).value
        self.driver.call("cuTensorMapEncodeTiled", ctypes.c_void_p(at), elements[about["type"]], rank, ctypes.c_uint64(address),
                         (ctypes.c_uint64 * rank)(*about["dims"]), (ctypes.c_uint64 * rank)(*about.get("strides", [])),
                         (ctypes.c_uint32 * rank)(*about["box"]), (ctypes.c_uint32 * rank)(*about.get("element_strides", [1] * rank)), 0,
                         swizzles[about.get("swizzle", "none")], 0, 0)
        return (ctypes.c_char * 128).from_buffer_copy(ctypes.string_at(at, 128))

    def value(self, kind, argument):
        if isinstance(argument, dict) and "tensormap" in argument:
            return self.tensor_map(argument["tensormap"])
        if isinstance(argument, dict):
            return ctypes.c_uint64(self.memory[argument["buffer"]].value + argument.get("offset", 0))
        if isinstance(argument, str):
            return ctypes.c_uint64(self.memory[argument].value)
        if kind == "f32":
            return ctypes.c_float(argument)
        if kind == "f64":
            return ctypes.c_double(argument)
        return ctypes.c_uint64(int(argument) & (1 << 64) - 1)

    def launch(self, launch):
        """Microseconds."""
        function = ctypes.c_void_p()
        self.driver.call("cuModuleGetFunction", ctypes.byref(function), self.module, launch["kernel"].encode())
        if launch.get("cluster") or launch.get("cooperative"):
            sys.exit("launches of clusters and cooperative ones are not run here")
        values = [self.value(kind, argument) for kind, argument in zip(parameters(self.ptx, launch["kernel"]), launch.get("args", []))]
        pointers = (ctypes.c_void_p * max(len(values), 1))(*[ctypes.addressof(value) for value in values])
        shared = launch.get("shared", 0)
        if shared > 48 * 1024:
            self.driver.call("cuFuncSetAttribute", function, 8, shared)
        grid, block = (launch.get("grid", [1]) + [1, 1])[:3], (launch["block"] + [1, 1])[:3]
        begin, end = self.driver.event(), self.driver.event()
        self.driver.call("cuEventRecord", begin, None)
        self.driver.call("cuLaunchKernel", function, *grid, *block, shared, None, pointers, None)
        self.driver.call("cuEventRecord", end, None)
        self.driver.call("cuCtxSynchronize")
        milliseconds = ctypes.c_float()
        self.driver.call("cuEventElapsedTime", ctypes.byref(milliseconds), begin, end)
        return milliseconds.value * 1000

    def run(self):
        self.reset()
        return [self.launch(launch) for launch in self.plan["launches"]]

    def save(self, folder):
        for name, file in self.plan.get("save", {}).items():
            data = numpy.empty_like(self.first[name])
            self.driver.call("cuMemcpyDtoH_v2", data.ctypes.data_as(ctypes.c_void_p), self.memory[name], ctypes.c_size_t(data.nbytes))
            (folder / file).write_bytes(data.tobytes())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("plan", type=pathlib.Path)
    parser.add_argument("--out", type=pathlib.Path, default=pathlib.Path("."))
    parser.add_argument("--repeat", type=int, default=1)
    options = parser.parse_args()
    plan = Plan(Driver(), options.plan.resolve())
    runs = [plan.run() for _ in range(options.repeat + (options.repeat > 1))]
    plan.save(options.out)
    print(json.dumps({"microseconds": [min(times) for times in zip(*runs[options.repeat > 1:])]}))


if __name__ == "__main__":
    main()
