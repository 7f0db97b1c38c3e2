"""Devices, kernels and what a launch tells."""

import subprocess
import sys

import numpy as np
import ptx
import pytest

import warpsim


def saxpy_run(gpu, kernels, n=10000):
    saxpy = gpu.load(kernels / "saxpy.ptx").saxpy
    x, y = gpu.array(np.arange(n, dtype=np.float32)), gpu.full(n, np.float32(1))
    return saxpy[(n + 255) // 256, 256](n, 2.0, x, y), y


@pytest.mark.parametrize("mode", ["functional", "timing"])
def test_a_kernel_computes_what_it_should(kernels, mode):
    run, y = saxpy_run(warpsim.Device(mode=mode), kernels)
    assert (y.numpy() == 2 * np.arange(10000, dtype=np.float32) + 1).all()
    assert (run.kernel, run.grid, run.block) == ("saxpy", (40, 1, 1), (256, 1, 1))
    assert run.instructions == run.stats["instructions"]["warp"] > 320
    assert 0.9 < run.simt_efficiency <= 1


def test_timing_mode_tells_cycles_caches_stalls_and_lines(kernels):
    run, _ = saxpy_run(warpsim.Device("v100", mode="timing"), kernels)
    assert run.cycles > 500
    assert run.time_us == pytest.approx(run.cycles / warpsim.config("v100")["clock_mhz"])
    assert run.end_us - run.begin_us == pytest.approx(run.time_us, rel=0.01)
    assert run.stats["l1"]["hit_rate"] is not None
    assert max(run.stalls, key=run.stalls.get) == next(iter(run.stalls))
    assert 0 < run.occupancy["achieved"] <= run.occupancy["theoretical"] <= 1
    loads = [line for line in run.profile.lines if line["text"].startswith("ld.global")]
    assert [line["global"]["sectors"] for line in loads] == [1250, 1250]
    assert sum(sum(line["stall_warp_cycles"].values()) for line in run.profile.lines) > 0
    assert any(line["source"] == "saxpy.cu:5" for line in run.profile.sources)


def test_the_profile_is_a_table_of_pandas(kernels):
    pandas = pytest.importorskip("pandas")
    run, _ = saxpy_run(warpsim.Device(profile=True), kernels)
    table = run.profile.to_pandas()
    assert isinstance(table, pandas.DataFrame)
    assert table["executed"].sum() == run.instructions
    assert table.set_index("text")["global.sectors"].filter(like="st.global").tolist() == [1250]
    assert len(run.profile.to_pandas(sources=True)) == len(run.profile.sources)


def test_what_functional_mode_does_not_know_is_refused(kernels):
    run, _ = saxpy_run(warpsim.Device(), kernels)
    with pytest.raises(warpsim.UsageError, match="'cycles' is known in timing mode only"):
        run.cycles
    with pytest.raises(warpsim.UsageError, match="profile=True"):
        run.profile


def test_keywords_change_the_figures_of_the_gpu(kernels):
    gpu = warpsim.Device("v100", sm__l1__cache_kib=64, sm__schedulers__policy="lrr")
    assert gpu.config["sm"]["l1"]["cache_kib"] == 64
    assert gpu.config["sm"]["schedulers"]["policy"] == "lrr"
    with pytest.raises(warpsim.ConfigError, match="sm.l1.sise_kib"):
        warpsim.Device("v100", sm__l1__sise_kib=64)
    with pytest.raises(warpsim.ConfigError):
        warpsim.Device("v1000")
    assert list(warpsim.configs())[0] == "h100"


def test_options_that_make_no_sense_are_refused():
    with pytest.raises(warpsim.UsageError, match="neither functional nor timing"):
        warpsim.Device(mode="timig")
    with pytest.raises(warpsim.UsageError, match="there is no checker 'races'"):
        warpsim.Device(check="races")
    with pytest.raises(warpsim.UsageError, match="functional mode only"):
        warpsim.Device(mode="timing", check=["race"])
    with pytest.raises(warpsim.UsageError, match="calls of a CUDA program"):
        warpsim.Device(check="leak")


def test_ptx_that_cannot_be_read_is_told_as_a_compiler_does():
    with pytest.raises(warpsim.PtxError, match=r"text.ptx:\d+:\d+: error: unknown instruction 'addd.s32'"):
        warpsim.Device().load(ptx.scale.replace("add.u64", "addd.s32"))
    with pytest.raises(warpsim.UsageError, match="nowhere.ptx"):
        warpsim.Device().load("nowhere.ptx")


def test_kernels_are_found_by_the_names_of_their_source():
    gpu = warpsim.Device()
    module = gpu.load(ptx.variables)
    assert module.kernels == ["_Z3addv"]
    module.add[2, 64]()
    assert module.read("total", np.uint32) == [256]
    module.write("coefficients", np.array([5], np.float32), offset=4)
    assert module.read("coefficients", np.float32).tolist() == [1, 5, 3, 4]
    module.kernel("add()")[1, 1]()
    assert module.read("total", np.uint32) == [261]
    with pytest.raises(AttributeError, match="did you mean 'add'"):
        module.ad
    assert "add()" in repr(module)


def test_a_launch_that_cannot_be_placed_names_the_limit():
    scale = warpsim.Device().load(ptx.scale).scale
    with pytest.raises(warpsim.LaunchError, match="2048 wanted, at most 1024"):
        scale[1, 2048](0, 1.0, 0)
    with pytest.raises(warpsim.UsageError, match="grid"):
        scale[0, 32]
    with pytest.raises(warpsim.UsageError, match="is wanted"):
        scale[1]


def test_a_kernel_says_what_it_needs():
    gpu = warpsim.Device()
    scale = gpu.load(ptx.scale).scale
    assert [(p.name, p.type, p.offset, p.size) for p in scale.parameters] == [
        ("n", "u32", 0, 4),
        ("factor", "f32", 4, 4),
        ("array", "u64", 8, 8),
    ]
    assert scale.attributes["registers_per_thread"] > 0
    assert scale.ctas_per_sm(1024) == 2


def test_a_run_is_shown_as_text_and_as_a_page(kernels, tmp_path):
    run, _ = saxpy_run(warpsim.Device(mode="timing", steps=True), kernels)
    assert "SIMT efficiency" in repr(run)
    html = run._repr_html_()
    assert html.startswith("<iframe srcdoc=") and "saxpy" in html
    run.save_report(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text()
    assert '"steps":{"0":' in page.replace(" ", "")
    assert "y[i] = a * x[i] + y[i];" in page
    assert page.count("saxpy.cu:5") > 1
    both = warpsim.page_of([run, run], "twice")
    assert "twice" in both


def test_a_launch_that_takes_too_long_is_stopped():
    gpu = warpsim.Device(max_instructions=100000)
    spin, flag = gpu.load(ptx.spin).spin, gpu.zeros(1, np.uint32)
    with pytest.raises(warpsim.Fault) as caught:
        spin[1, 1](flag)
    assert caught.value.kind == "instruction_limit"
    assert caught.value.run.instructions >= 100000


@pytest.mark.skipif(sys.platform != "linux", reason="mmap's flags are Linux's")
@pytest.mark.parametrize("taken", [None, 2 << 40])
def test_device_memory_finds_a_place_beside_other_allocators(kernels, taken):
    # mimalloc, which pyarrow and so pandas bring along, asks for addresses from 2 TiB on.
    program = f"""
import ctypes
if {taken}:
    mmap = ctypes.CDLL(None, use_errno=True).mmap
    mmap.restype = ctypes.c_void_p
    mmap.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int, ctypes.c_int, ctypes.c_int, ctypes.c_long]
    assert mmap({taken}, 1 << 20, 0, 0x100022, -1, 0) == {taken}
import numpy as np
import warpsim
gpu = warpsim.Device(mode="timing")
x, y = gpu.array(np.ones(5000, np.float32)), gpu.zeros(5000, np.float32)
run = gpu.load("{kernels}/saxpy.ptx").saxpy[20, 256](5000, 2.0, x, y)
assert (x.ptr < 2 << 40) == (not {taken})
print(run.cycles)
"""
    cycles = saxpy_run(warpsim.Device(mode="timing"), kernels, 5000)[0].cycles
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.stderr == ""
    assert int(done.stdout) == cycles
