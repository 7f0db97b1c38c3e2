"""Runs plans with the command."""
import json
import pathlib
import subprocess
import tempfile


def run(warpsim, plan, settings=(), config=None, folder=None):
    """The statistics of a plan's launches, as a list of dictionaries. What the plan saves goes to `folder`."""
    with tempfile.TemporaryDirectory() as own:
        stats = pathlib.Path(own) / "stats.json"
        command = [warpsim, "run", plan, "--stats", stats, "--out", folder or own, "--progress", "off", "-q"]
        if config:
            command += ["--config", config]
        for setting in settings:
            command += ["--set", setting]
        subprocess.run([str(word) for word in command], check=True)
        return json.loads(stats.read_text())["launches"]


def config(warpsim, name, settings=()):
    """A configuration with everything filled in, as the simulator sees it."""
    command = [str(warpsim), "config", "show", name]
    for setting in settings:
        command += ["--set", setting]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
