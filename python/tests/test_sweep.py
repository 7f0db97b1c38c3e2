"""Sweeps, on this machine and on a Dask cluster, one of whose workers is lost."""

import json
import os
import signal
import threading
import time

import pytest
import warpsim
from sweeps import SPACE, same

pd = pytest.importorskip("pandas")


def test_a_sweep_is_a_frame_with_a_row_for_each_launch(plan):
    frame = warpsim.sweep(plan, SPACE, config="rtx3070", columns=["stalls.long_scoreboard"])
    assert len(frame) == 4
    assert list(frame["sm.schedulers.policy"]) == ["lrr", "lrr", "gto", "gto"]
    assert list(frame["l2.size_kib"]) == [2048, 4096, 2048, 4096]
    assert (frame["status"] == "ok").all()
    assert (frame["cycles"] > 100).all()
    assert "stalls.long_scoreboard" in frame


def test_what_is_wrong_is_told_before_anything_runs(plan):
    with pytest.raises(warpsim.UsageError, match="sm.schedulers.polcy"):
        warpsim.sweep(plan, {"sm.schedulers.polcy": ["lrr"]})
    with pytest.raises(warpsim.UsageError, match="ends with .csv or .parquet"):
        warpsim.sweep(plan, SPACE, output="x.txt")


def test_failures_are_rows(plan):
    text = json.loads(plan.read_text())
    text["launches"][0]["block"] = [4096, 1, 1]
    plan.write_text(json.dumps(text))
    frame = warpsim.sweep(plan, {"sm.schedulers.policy": ["gto"]}, config="rtx3070")
    assert list(frame["status"]) == ["fault"]
    assert "4096" in frame["message"][0]


def test_parquet_goes_on_where_it_was(plan, tmp_path):
    pytest.importorskip("pyarrow")
    table = tmp_path / "results.parquet"
    first = warpsim.sweep(plan, SPACE, config="rtx3070", output=table)
    more = warpsim.sweep(plan, SPACE | {"l2.size_kib": [2048, 4096, 1024]}, config="rtx3070", output=table)
    assert len(more) == 6
    # The seconds of a run are not measured twice.
    assert set(first["seconds"]) < set(more["seconds"])
    assert not (tmp_path / "results.parquet.csv").exists()
    assert pd.read_parquet(table)["cycles"].equals(more["cycles"])


@pytest.fixture
def cluster(tmp_path):
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        processes=True,
        dashboard_address=None,
        local_directory=str(tmp_path / "dask"),
    ) as made:
        yield made


def test_a_cluster_computes_the_same(plan, tmp_path, cluster):
    here = warpsim.sweep(plan, SPACE, config="rtx3070")
    there = warpsim.sweep(plan, SPACE, config="rtx3070", client=cluster.scheduler_address)
    assert same(here, there)
    # Each file is on a worker once.
    inputs = list((tmp_path / "dask").rglob("saxpy.ptx"))
    assert 1 <= len(inputs) <= 2


def test_nothing_is_lost_or_run_twice_when_a_worker_is_killed(plan, tmp_path, cluster):
    from distributed import Client

    text = json.loads(plan.read_text())
    text["launches"] *= 30
    plan.write_text(json.dumps(text))
    space = {"l2.size_kib": [2048, 4096], "sm.schedulers.policy": ["lrr", "gto"], "sm.l1.mshrs": "64..512*2"}
    table = tmp_path / "results.csv"
    with Client(cluster) as client:
        victim = next(iter(client.run(os.getpid).values()))

        def kill() -> None:
            # When some points have ended and others have not.
            for _ in range(6000):
                if table.exists() and table.read_text().count("\n") > 60:
                    os.kill(victim, signal.SIGKILL)
                    return
                time.sleep(0.01)

        killer = threading.Thread(target=kill)
        killer.start()
        frame = warpsim.sweep(plan, space, config="rtx3070", client=client, output=table)
        killer.join()
        assert victim not in client.run(os.getpid).values()
    assert (frame["status"] == "ok").all()
    assert len(frame) == 16 * 30
    assert frame["point"].nunique() == 16
    assert not frame.duplicated(["point", "launch"]).any()
    assert same(frame, warpsim.sweep(plan, space, config="rtx3070"))
