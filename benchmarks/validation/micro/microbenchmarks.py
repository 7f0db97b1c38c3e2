"""The microbenchmarks: what the simulator says beside what was published, from benchmarks.json (README.md says how)."""
import json
import pathlib
import statistics
import struct
import sys
import tempfile

import simulator

here = pathlib.Path(__file__).resolve().parent
reading_bytes = 64   # of each launch: cycles, operations, and what keeps the compiler from leaving out the rest
allowed_percent = 5


class Run:
    """One benchmark on one configuration, with everything that its group and the published value say."""

    def __init__(self, group, benchmark, config, published):
        self.keys = {**group, **benchmark, **published}
        self.name, self.config, self.value = benchmark["name"], config, published["value"]

    def __getitem__(self, key):
        return self.keys.get(key)

    def setting_list(self):
        return [f"{key}={json.dumps(value)}" for key, value in (self["set"] or {}).items()]

    def launches(self):
        """What comes before, then what is measured: several, where a difference between launches is."""
        before = [{**launch, "block": launch.get("block", 256)} for launch in self["before"] or []]
        variants = self["variants"] or [{"args": self["args"]}]
        if len(variants) > 1:  # all that are measured are to find the code in the SM's caches
            variants = variants[:1] + variants
        return before + [{"kernel": self["kernel"], "grid": self["grid"] or 1, "block": self["block"] or 32, **v} for v in variants]

    def measure(self, launches, readings):
        """The result, from the statistics and readings of its launches."""
        cycles, operations = readings[-1]
        kind = self["measure"]
        if kind == "cycles per operation":
            return cycles / operations
        if kind == "operations per cycle":
            return operations / cycles
        if kind == "launch":
            return launches[-1]["cycles"]
        if kind == "sectors per request":
            return launches[-1]["l1"]["load_sectors"] / launches[-1]["l1"]["load_requests"]
        small, large = launches[-2:]
        amount = self["variants"][1]["amount"] - self["variants"][0]["amount"]
        if kind == "amount per cycle":
            return amount / (large["cycles"] - small["cycles"])
        if kind == "cycles per amount":
            return (large["cycles"] - small["cycles"]) / amount
        if kind == "amount per nanosecond":
            return amount / (large["time_us"] - small["time_us"]) / 1000
        sys.exit(f"benchmarks.json: {self.name}: unknown measure '{kind}'")


def read_runs():
    """Groups with their runs, in the order of the file."""
    groups = []
    for group in json.loads((here / "benchmarks.json").read_text())["groups"]:
        shared = {key: value for key, value in group.items() if key != "benchmarks"}
        runs = []
        for benchmark in group["benchmarks"]:
            for config, published in benchmark["published"].items():
                runs.append(Run(shared, benchmark, config, published if isinstance(published, dict) else
                                dict(zip(("value", "source"), published))))
        groups.append((group["title"], runs))
    return groups


def data_argument(argument, number):
    """"data" and "data+4096" are the benchmark's buffer and a place in it."""
    if not isinstance(argument, str):
        return argument
    _, _, offset = argument.partition("+")
    return {"buffer": f"data{number}", "offset": int(offset or 0)}


def plan_of(runs):
    """A plan that makes all of them, and where in it the launches of each begin and end."""
    launches, buffers, spans = [], {"out": None}, []
    for run in runs:
        begin = len(launches)
        if run["data_bytes"]:
            buffers[f"data{begin}"] = {"type": "u8", "count": run["data_bytes"]}
        for launch in run.launches():
            out = {"buffer": "out", "offset": reading_bytes * len(launches)}
            arguments = [out if a == "out" else data_argument(a, begin) for a in launch["args"] or []]
            launches.append({"kernel": launch["kernel"], "grid": [launch.get("grid", 1)], "block": [launch["block"]], "args": arguments})
        spans.append((begin, len(launches)))
    buffers["out"] = {"type": "u64", "count": len(launches) * reading_bytes // 8}
    plan = {"module": str(here / runs[0]["module"]), "mode": "timing", "buffers": buffers, "launches": launches, "save": {"out": "out.bin"}}
    return plan, spans


def simulate(options, runs):
    """Results of runs that share module, configuration and settings."""
    plan, spans = plan_of(runs)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "plan.json"
        path.write_text(json.dumps(plan))
        launches = simulator.run(options.warpsim, path, runs[0].setting_list() + options.set, runs[0]["config"] or runs[0].config, folder)
        words = struct.iter_unpack("<QQ48x", (pathlib.Path(folder) / "out.bin").read_bytes())
        readings = list(words)
    return [run.measure(launches[begin:end], readings[begin:end]) for run, (begin, end) in zip(runs, spans)]


def percent(simulated, published):
    return 100 * (simulated / published - 1)


def number(value):
    return f"{value:.0f}" if value >= 1000 else f"{value:.4g}"


def print_group(title, runs):
    """A line for each figure; how many lie further off than they may."""
    print(f"\n{title}, {runs[0]['unit']}\n\n| benchmark | configuration | simulated | published | error | role | source | note |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    beyond = 0
    for run in runs:
        error = percent(run.result, run.value)
        note = run["note"] if abs(error) > allowed_percent and run["note"] else ""
        beyond += abs(error) > (run["allow"] or allowed_percent)
        print(f"| {run.name} | {run.config} | {number(run.result)} | {number(run.value)} | {error:+.1f} % | {run['role']} | {run['source']} | {note} |")
    return beyond


def print_summary(groups):
    print("\n| | role | figures | within 5 % | mean error | median |\n| --- | --- | --- | --- | --- | --- |")
    every = [run for _, runs in groups for run in runs]
    for title, runs in groups + [("all", every)]:
        for role in ("configured", "predicted"):
            errors = [abs(percent(run.result, run.value)) for run in runs if run["role"] == role]
            if errors:
                within = sum(error <= allowed_percent for error in errors)
                print(f"| {title} | {role} | {len(errors)} | {within} | {statistics.mean(errors):.1f} % | {statistics.median(errors):.1f} % |")


def table(options):
    """Prints a table for each group, and one of all groups; how many figures lie further off than they may."""
    groups = [(title, [run for run in runs if not options.only or options.only in run.name]) for title, runs in read_runs()]
    groups = [(title, runs) for title, runs in groups if runs]
    together = {}
    for _, runs in groups:
        for run in runs:
            together.setdefault((run["module"], run.config, run["config"], str(run["set"])), []).append(run)
    for runs in together.values():
        for run, result in zip(runs, simulate(options, runs)):
            run.result = result
    beyond = sum(print_group(title, runs) for title, runs in groups)
    print_summary(groups)
    return beyond
