"""A sweep whose workers are jobs of a real Slurm, which the test starts on this machine."""

import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import warpsim
from sweeps import SPACE, same

programs = ("munged", "slurmctld", "slurmd", "sbatch", "scancel")
missing = [p for p in programs if shutil.which(p, path=os.environ["PATH"] + ":/usr/sbin") is None]
pytestmark = pytest.mark.skipif(bool(missing), reason="Slurm is not here (Debian: slurm-wlm)")


def free_port() -> int:
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


@pytest.fixture
def slurm(tmp_path_factory, monkeypatch):
    """A controller and a node on the loopback, which belong to who runs the tests."""
    folder = tmp_path_factory.mktemp("slurm")
    folder.chmod(0o755)
    monkeypatch.setenv("PATH", os.environ["PATH"] + ":/usr/sbin")
    me = subprocess.check_output(["id", "-un"], text=True).strip()
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o600)
    conf = folder / "slurm.conf"
    node = socket.gethostname().split(".")[0]
    conf.write_text(f"""\
ClusterName=test
SlurmctldHost={node}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser={me}
SlurmdUser={me}
AuthType=auth/munge
AuthInfo=socket={folder}/munge.socket
CryptoType=crypto/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
SchedulerParameters=sched_interval=1,batch_sched_delay=0
NodeName={node} NodeAddr=127.0.0.1 CPUs={os.cpu_count()} State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
    # Slurm looks at control groups also where it leaves processes alone.
    is_old = Path("/sys/fs/cgroup/freezer").exists()
    (folder / "cgroup.conf").write_text("CgroupPlugin=cgroup/v1\n" if is_old else "IgnoreSystemd=yes\n")
    for name in ("state", "spool"):
        (folder / name).mkdir()
    monkeypatch.setenv("SLURM_CONF", str(conf))
    started = []

    def start(*words: str) -> None:
        log = open(folder / f"{words[0]}.out", "wb")
        started.append(subprocess.Popen(words, stdout=log, stderr=log))

    start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={folder}/munge.socket",
          f"--pid-file={folder}/munged.pid", f"--seed-file={folder}/munged.seed", f"--log-file={folder}/munged.log")  # fmt: skip
    start("slurmctld", "-D", "-i", "-f", str(conf))
    start("slurmd", "-D", "-f", str(conf))
    try:
        for _ in range(300):
            answer = subprocess.run(["sinfo", "-h", "-o", "%t"], capture_output=True, text=True)
            if answer.stdout.strip() == "idle":
                break
            time.sleep(0.1)
        else:
            said = "\n".join(
                f"{p.name}:\n{p.read_text(errors='replace')[-1500:]}"
                for p in sorted(folder.glob("*.log")) + sorted(folder.glob("*.out"))
            )
            pytest.fail(f"Slurm does not come up: {answer.stdout} {answer.stderr}\n{said}")
        yield folder
    finally:
        subprocess.run(["scancel", "-u", me, "-s", "KILL", "-f"], capture_output=True)
        for _ in range(100):
            if not subprocess.run(["squeue", "-h"], capture_output=True).stdout:
                break
            time.sleep(0.1)
        for process in reversed(started):
            process.terminate()
        for process in reversed(started):
            try:
                process.wait(5)
            except subprocess.TimeoutExpired:
                process.kill()  # it waits for the ends of steps that are gone
                process.wait()


def test_jobs_of_slurm_compute_the_same(slurm, plan, tmp_path):
    jobqueue = pytest.importorskip("dask_jobqueue")
    package = Path(warpsim.__file__).parents[1]
    with jobqueue.SLURMCluster(
        cores=1,
        memory="1GB",
        walltime="00:10:00",
        interface="lo",
        local_directory=str(tmp_path / "dask"),
        log_directory=str(slurm),
        python=sys.executable,
        job_script_prologue=[f"export PYTHONPATH={package}"],
        job_directives_skip=["--mem", "-n"],
        job_extra_directives=["-n 1"],
        scheduler_options={"dashboard_address": None},
    ) as cluster:
        cluster.scale(jobs=2)
        there = warpsim.sweep(plan, SPACE, config="rtx3070", client=cluster, output=tmp_path / "results.csv")
        jobs = subprocess.check_output(["squeue", "-h", "-o", "%T"], text=True).split()
    assert "RUNNING" in jobs
    assert same(there, warpsim.sweep(plan, SPACE, config="rtx3070"))
    assert list((tmp_path / "dask").rglob("saxpy.ptx"))
