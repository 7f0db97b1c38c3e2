"""The plug-in of pytest."""

import importlib.metadata

import ptx

header = f"import numpy as np, pytest, warpsim\nrace = {ptx.race!r}\n"


def run(pytester, text, *options):
    # Where the package is not installed, nobody has told pytest of its plug-in.
    is_known = any(entry.name == "warpsim" for entry in importlib.metadata.entry_points(group="pytest11"))
    pytester.makepyfile(header + text)
    return pytester.runpytest_subprocess(*([] if is_known else ["-p", "warpsim.pytest_plugin"]), *options)


def test_the_mark_chooses_the_device(pytester):
    result = run(
        pytester,
        """
@pytest.mark.warpsim("v100", mode="timing", sm__l1__cache_kib=64)
def test_one(gpu):
    assert gpu.name == "v100" and gpu.mode == "timing" and gpu.config["sm"]["l1"]["cache_kib"] == 64

def test_other(gpu):
    assert gpu.name == "a100" and gpu.mode == "functional"
""",
        "--warpsim-config=a100",
        "--strict-markers",
    )
    result.assert_outcomes(passed=2)


def test_findings_are_failures(pytester):
    text = """
def test_race(gpu):
    gpu.load(race).count[1, 64](gpu.zeros(1, np.uint32))

def test_race_that_is_expected(gpu):
    gpu.load(race).count[1, 64](gpu.zeros(1, np.uint32))
    gpu.clear_findings()

def test_no_race(gpu):
    gpu.load(race).count[1, 1](gpu.zeros(1, np.uint32))
"""
    run(pytester, text).assert_outcomes(passed=3)
    result = run(pytester, text, "--warpsim-check=race")
    result.assert_outcomes(passed=3, errors=1)
    result.stdout.fnmatch_lines(["*the checkers have * findings*", "*race: *", "*st.global.u32*"])


def test_a_mark_that_makes_no_sense_is_an_error(pytester):
    result = run(pytester, "@pytest.mark.warpsim(sm__nothing=1)\ndef test_one(gpu): pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*sm.nothing*"])
