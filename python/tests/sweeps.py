"""What the tests of sweeps vary, and how they compare tables."""

PLAN = {
    "schema": "warpsim-plan/1",
    "module": "saxpy.ptx",
    "buffers": {"x": {"type": "f32", "count": 1024}, "y": {"type": "f32", "count": 1024}},
    "launches": [{"kernel": "saxpy", "grid": [4, 1, 1], "block": [256], "args": [1000, 2.5, "x", "y"]}],
}

SPACE = {"sm.schedulers.policy": ["lrr", "gto"], "l2.size_kib": [2048, 4096]}


def same(a, b) -> bool:
    """But for what the host took."""
    return a.drop(columns=["seconds"]).equals(b.drop(columns=["seconds"]))
