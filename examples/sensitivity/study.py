"""Is a GPU more sensitive to the latency of its interconnect, or to its bandwidth?

The question of A. Bakhoda et al., "Analyzing CUDA Workloads Using a Detailed GPU Simulator", ISPASS 2009:

    study.py [PLAN.json ...] [-o FOLDER] [--client ADDRESS]

Needs `pip install "warpsim[sweep]"`.
"""

import argparse
from pathlib import Path

import matplotlib

matplotlib.use("agg")
import matplotlib.pyplot as plt
import pandas
import warpsim

validation = Path(__file__).resolve().parents[2] / "benchmarks" / "validation"
kernels = ["atax", "gemm", "hotspot", "pathfinder"]
CONFIG = "gv100"
# A GPU of that time: 28 SMs, 8 memory controllers, 16 bytes a cycle between each of them and the SMs.
GPU = {
    "sm.count": 28,
    "dram.channels.count": 8,
    "l2.slices.count": 8,
    "l2.size_kib": 512,
    "l2.slices.ways": 16,
    "interconnect.request_latency_cycles": 20,
    "interconnect.reply_latency_cycles": 20,
    "interconnect.request_bytes_per_cycle": 16,
    "interconnect.reply_bytes_per_cycle": 16,
    "interconnect.slice_reply_bytes_per_cycle": 16,
}
FACTORS = (1, 2, 4)
LATENCY, BANDWIDTH = "interconnect.reply_latency_cycles", "interconnect.slice_reply_bytes_per_cycle"


def axes_of_the_study() -> dict[str, dict[str, list[int]]]:
    """The way to L2 and back takes 2 and 4 times as long; slices send a half and a quarter of the bytes a cycle."""
    there, back = GPU["interconnect.request_latency_cycles"], GPU[LATENCY]
    return {
        "latency": {LATENCY: [factor * (there + back) - there for factor in FACTORS]},
        "bandwidth": {BANDWIDTH: [GPU[BANDWIDTH] // factor for factor in FACTORS]},
    }


def run(plans: list[str], folder: Path, client: str | None) -> pandas.DataFrame:
    """For each plan and factor how much longer all its launches take."""
    parts = []
    for name, axis in axes_of_the_study().items():
        frame = warpsim.sweep(
            plans, axis, config=CONFIG, set=GPU, output=folder / f"{name}.csv", client=client, progress=True
        )
        failed = frame[frame["status"] != "ok"]
        if len(failed):
            raise SystemExit(f"failed: {failed['message'].iloc[0]}")
        [(key, values)] = axis.items()
        cycles = frame.groupby(["plan", key], sort=False)["cycles"].sum().unstack()
        for factor, value in zip(FACTORS, values):
            slower = cycles[value] / cycles[values[0]]
            parts.append(
                pandas.DataFrame(
                    {
                        "what": name,
                        "factor": factor,
                        "kernel": [Path(p).stem for p in slower.index],
                        "slower": slower.to_numpy(),
                    }
                )
            )
    return pandas.concat(parts, ignore_index=True)


def draw(results: pandas.DataFrame, file: Path) -> None:
    names = list(dict.fromkeys(results["kernel"]))
    figure, all_axes = plt.subplots(1, len(names), figsize=(3 * len(names), 2.8), sharey=True, squeeze=False)
    for axes, name in zip(all_axes[0], names):
        for what, group in results[results["kernel"] == name].groupby("what", sort=False):
            axes.plot(
                group["factor"],
                group["slower"],
                marker="o",
                label={"latency": "more latency", "bandwidth": "less bandwidth"}[what],
            )
        axes.set(title=name, xlabel="factor", xticks=FACTORS)
    all_axes[0][0].set_ylabel("time, relative")
    all_axes[0][0].legend()
    figure.tight_layout()
    figure.savefig(file)


def page(results: pandas.DataFrame) -> str:
    table = results.pivot_table(index="kernel", columns=["what", "factor"], values="slower", sort=False)
    means = results.groupby(["what", "factor"], sort=False)["slower"].mean()
    head = [f"{what} x{factor}" if what == "latency" else f"{what} /{factor}" for what, factor in table.columns]
    rows = [[name, *(f"{value:.2f}" for value in row)] for name, row in zip(table.index, table.to_numpy())]
    rows.append(["mean", *(f"{means[column]:.2f}" for column in table.columns)])
    lines = [
        "# Latency or bandwidth",
        "",
        f"Time of kernels, relative to that on the GPU as it is.",
        "",
        "![](figure.svg)",
        "",
    ]
    lines += ["| kernel | " + " | ".join(head) + " |", "|---" * (1 + len(head)) + "|"]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    most = FACTORS[-1]
    longer, narrower = means["latency", most] - 1, means["bandwidth", most] - 1
    told = "bandwidth" if narrower > longer else "latency"
    lines += [
        "",
        f"{most} times the latency costs {longer:.0%} on average, a {most}th of the bandwidth {narrower:.0%}: more sensitive to {told}.",
        "",
    ]
    return "\n".join(lines)


def main() -> None:
    words = argparse.ArgumentParser(description=__doc__)
    words.add_argument("plans", nargs="*", default=[str(validation / f"{name}.json") for name in kernels])
    words.add_argument("-o", "--output", type=Path, default=Path("sensitivity"))
    words.add_argument("--client", help="the address of a Dask scheduler")
    given = words.parse_args()
    given.output.mkdir(parents=True, exist_ok=True)
    results = run(given.plans, given.output, given.client)
    draw(results, given.output / "figure.svg")
    (given.output / "page.md").write_text(page(results))
    print(page(results))


if __name__ == "__main__":
    main()
