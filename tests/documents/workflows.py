#!/usr/bin/env python3
"""Whether the action, the workflows and the example's are what GitHub understands: YAML with the keys that it needs."""
import pathlib
import shutil
import subprocess
import sys

try:
    import yaml
except ImportError:
    print("python3-yaml is not here")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])


def load(path):
    return yaml.safe_load(path.read_text())


def check_steps(where, steps, is_action):
    assert steps, f"{where}: no steps"
    for step in steps:
        assert ("run" in step) != ("uses" in step), f"{where}: a step runs or uses something: {step}"
        if is_action and "run" in step:
            assert "shell" in step, f"{where}: a step of an action names its shell: {step}"
        if "run" in step and step.get("shell", "bash") == "bash":
            subprocess.run(["bash", "-n", "-c", step["run"]], check=True)


action = load(root / "action.yml")
assert action["name"] and action["description"]
assert action["runs"]["using"] == "composite"
check_steps("action.yml", action["runs"]["steps"], True)
known = {step["id"] for step in action["runs"]["steps"] if "id" in step}
text = (root / "action.yml").read_text()
for part in text.split("${{")[1:]:
    word = part.split("}}")[0].split()[0].split(".")
    if word[0] == "inputs":
        assert word[1] in action["inputs"], f"action.yml: there is no input {word[1]}"
    if word[0] == "steps":
        assert word[1] in known, f"action.yml: there is no step {word[1]}"

workflows = sorted(root.glob(".github/workflows/*.yml")) + sorted(root.glob("examples/*/.github/workflows/*.yml"))
assert len(workflows) >= 2
for path in workflows:
    workflow = load(path)
    assert True in workflow or "on" in workflow, f"{path}: when does it run?"  # YAML takes `on` for true
    for name, job in workflow["jobs"].items():
        assert "runs-on" in job, f"{path}: {name} has no runs-on"
        check_steps(f"{path}: {name}", job["steps"], False)

if shutil.which("actionlint"):
    subprocess.run(["actionlint", *map(str, workflows)], check=True)
