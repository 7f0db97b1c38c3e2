#!/usr/bin/env python3
"""Whether what a release consists of is of one version and for one list of systems, wherever these are written."""

import datetime
import pathlib
import re
import subprocess
import sys

try:
    import tomllib
    import yaml
except ImportError as missing:
    print(f"skipped: {missing.name} is not here")
    sys.exit(77)

root = pathlib.Path(sys.argv[1])


def read(name):
    return (root / name).read_text()


# The version is in CMakeLists.txt alone; the changelog tells of it, and what is to come stands above it.
version = re.search(r"^project\(warpsim VERSION ([0-9]+\.[0-9]+\.[0-9]+) ", read("CMakeLists.txt"), re.MULTILINE)[1]
changelog = read("CHANGELOG.md")
headings = re.findall(r"^## (.*)$", changelog, re.MULTILINE)
assert headings[0] == "[Unreleased]", f"CHANGELOG.md begins with {headings[0]}"
releases = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", heading) for heading in headings[1:]]
assert all(releases), f"headings of CHANGELOG.md are '[VERSION] - YYYY-MM-DD': {headings}"
numbers = [tuple(map(int, release[1].split("."))) for release in releases]
dates = [datetime.date.fromisoformat(release[2]) for release in releases]
assert releases[0][1] == version, f"CMakeLists.txt has {version}, the newest section of CHANGELOG.md {releases[0][1]}"
assert numbers == sorted(set(numbers), reverse=True) and dates == sorted(dates, reverse=True), "the newest comes first"
kinds = set(re.findall(r"^### (.*)$", changelog, re.MULTILINE))
assert kinds <= {"Added", "Changed", "Deprecated", "Removed", "Fixed", "Security"}, kinds

notes = root / "tools/packaging/notes"
told = subprocess.run([notes, f"v{version}"], check=True, capture_output=True, text=True).stdout
assert told.strip() and told.strip() in changelog and "\n## " not in told
assert subprocess.run([notes, "v999.0.0"], check=False, capture_output=True).returncode == 1

# The systems that packages are for.
systems = set(re.findall(r"^    ([a-z]+[0-9.]+)\) suite=", read("tests/packages/clean_root"), re.MULTILINE))
assert len(systems) >= 2


def image_of(system):
    return re.sub(r"([a-z]+)([0-9.]+)", r"\1:\2", system)


def name_of(system):
    return re.sub(r"([a-z]+)([0-9.]+)", lambda parts: f"{parts[1].capitalize()} {parts[2]}", system)


jobs = yaml.safe_load(read(".github/workflows/release.yml"))["jobs"]
made = jobs["packages"]["strategy"]["matrix"]["include"]
assert {one["system"] for one in made if one["kind"] == "deb"} == systems
assert all(one["image"] == image_of(one["system"]) for one in made)
tried = jobs["try"]["strategy"]["matrix"]["include"]
for kind in ("deb", "tarball"):
    assert {one["system"] for one in tried if one["kind"] == kind} == systems, f"each system tries a {kind}"
    for one in tried:
        assert {"kind": one["kind"], "system": one["made"]}.items() <= next(
            m for m in made if (m["kind"], m["system"]) == (one["kind"], one["made"])
        ).items()
ci = yaml.safe_load(read(".github/workflows/ci.yml"))["jobs"]["test"]["strategy"]["matrix"]["include"]
assert {one["image"] for one in ci} == {image_of(system) for system in systems}
install = re.search(r"^## Install\n(.*?)^## ", read("README.md"), re.MULTILINE | re.DOTALL)[1]
for page in (install, changelog, read("tools/package"), read("tools/setup.sh")):
    for system in systems:
        assert name_of(system) in page, f"{name_of(system)} is missing in: {page[:200]}"

# The container is one of them, and its steps are shell.
stages = []
containerfile = re.sub(r"\\\n\s*", "", read("Containerfile"))
for line in containerfile.splitlines():
    word, _, rest = line.partition(" ")
    if word == "FROM":
        image, _, stage = rest.partition(" AS ")
        assert re.fullmatch(r"docker\.io/library/(\S+?)(-slim)?", image)[1] in map(image_of, systems), image
        stages.append(stage)
    elif word == "RUN":
        subprocess.run(["sh", "-n", "-c", rest], check=True)
    elif word == "COPY" and rest.startswith("--from="):
        assert rest[len("--from=") :].split()[0] in stages, line
    else:
        assert word in ("", "#", "ENV", "WORKDIR", "COPY", "ENTRYPOINT", "CMD"), line
assert "build/package/packages/*.deb" in containerfile

# Wheels are built for every Python that the package says it runs on.
project = tomllib.loads(read("pyproject.toml"))
least = re.fullmatch(r">=3\.(\d+)", project["project"]["requires-python"])[1]
built = [int(minor) for minor in re.findall(r"cp3(\d+)-\*", project["tool"]["cibuildwheel"]["build"])]
assert built == list(range(int(least), max(built) + 1)), built

for script in (
    "tools/package",
    "tools/packaging/notes",
    *(f"tests/packages/{name}" for name in ("check", "clean_root", "inside", "make")),
):
    subprocess.run(["sh", "-n", root / script], check=True)
