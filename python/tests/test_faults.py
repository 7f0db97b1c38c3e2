"""What goes wrong in kernels, as exceptions and as findings."""

import os
import signal
import threading
import time

import numpy as np
import ptx
import pytest

import warpsim


@pytest.mark.parametrize("mode", ["functional", "timing"])
def test_a_fault_has_all_its_fields(kernels, mode):
    gpu = warpsim.Device(mode=mode)
    saxpy = gpu.load(kernels / "saxpy.ptx").saxpy
    x, y = gpu.zeros(1000), gpu.zeros(512)
    with pytest.raises(warpsim.Fault) as caught:
        saxpy[4, 256](1000, 1.0, x, y)
    fault = caught.value
    assert fault.kind == "illegal_address"
    assert str(fault).startswith("illegal address: 4-byte load from global")
    assert fault.kernel == fault.demangled == "saxpy"
    assert fault.block in [(2, 0, 0), (3, 0, 0)]
    assert fault.thread[0] % 32 == fault.lane and fault.warp == fault.thread[0] // 32
    assert (fault.sm is None) == (mode == "functional")
    assert fault.ptx.file.endswith("saxpy.ptx") and fault.ptx.text.startswith("ld.global.f32")
    assert str(fault.source) == "saxpy.cu:5"
    assert (fault.space, fault.bytes) == ("global", 4)
    assert fault.address >= y.ptr + y.nbytes
    assert (fault.allocation.address, fault.allocation.bytes) == (y.ptr, y.nbytes)
    assert fault.run.stats["status"] == "fault"
    assert isinstance(fault, warpsim.Error)

    # The device is as good as new.
    saxpy[2, 256](512, 1.0, x, y)
    assert (y.numpy() == 0).all()


def test_ctrl_c_ends_a_kernel_and_the_device_goes_on():
    gpu = warpsim.Device()
    module, flag = gpu.load(ptx.spin), gpu.zeros(1, np.uint32)
    threading.Timer(0.3, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    began = time.monotonic()
    with pytest.raises(KeyboardInterrupt) as caught:
        module.spin[4, 64](flag)
    assert time.monotonic() - began < 30
    assert caught.value.__cause__.kind == "interrupted"
    scale, x = gpu.load(ptx.scale).scale, gpu.full(10, np.float32(1))
    scale[1, 32](10, 3.0, x)
    assert (x.numpy() == 3).all()


@pytest.mark.parametrize("mode", ["functional", "timing"])
def test_another_thread_can_end_a_kernel(mode):
    gpu = warpsim.Device(mode=mode)
    module, flag = gpu.load(ptx.spin), gpu.zeros(1, np.uint32)

    def stop():
        while thread.is_alive():
            time.sleep(0.05)
            gpu.interrupt()

    faults = []

    def run():
        with pytest.raises(warpsim.Fault) as caught:
            module.spin[4, 64](flag)
        faults.append(caught.value.kind)

    thread = threading.Thread(target=run)
    thread.start()
    stop()
    thread.join()
    assert faults == ["interrupted"]


def test_devices_run_in_threads_of_their_own():
    results = {}

    def work(number):
        gpu = warpsim.Device("v100", mode="timing", threads=1)
        scale, x = gpu.load(ptx.scale).scale, gpu.full(5000, np.float32(number))
        run = scale[20, 256](5000, 2.0, x)
        results[number] = (float(x.numpy().sum()), run.cycles)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {number: total for number, (total, _) in results.items()} == {n: 10000.0 * n for n in range(6)}
    # Where a device's memory is decides which slices of L2 its lines are in.
    cycles = sorted(cycles for _, cycles in results.values())
    assert cycles[-1] < 1.02 * cycles[0]


def test_other_threads_run_while_a_kernel_does():
    gpu = warpsim.Device()
    module, flag = gpu.load(ptx.spin), gpu.zeros(1, np.uint32)
    ticks = []

    def tick():
        for _ in range(20):
            ticks.append(None)
            time.sleep(0.001)
        while thread.is_alive():
            gpu.interrupt()
            time.sleep(0.02)

    def run():
        with pytest.raises(warpsim.Fault):
            module.spin[1, 1](flag)

    thread = threading.Thread(target=run)
    thread.start()
    tick()
    assert len(ticks) == 20


def test_each_run_has_its_own_findings():
    gpu = warpsim.Device(check="race")
    count, counter = gpu.load(ptx.race).count, gpu.zeros(1, np.uint32)
    first, quiet, second = count[1, 64](counter), count[1, 1](counter), count[1, 64](counter)
    assert [f.what for f in first.findings] == ["write after read", "write after write"]
    assert quiet.findings == []
    assert [f.count for f in second.findings] == [f.count for f in first.findings]
    finding = first.findings[0]
    assert (finding.kernel, finding.space, finding.address) == ("count", "global", counter.ptr)
    assert {finding.act.verb, finding.other.verb} <= {"read it", "had read it", "wrote", "had written it"}
    assert finding.act.thread is not None and finding.other.ptx.text
    assert "race" in str(finding) and finding.suppression.startswith("race;")
    assert len(gpu.findings) == 4
    assert len(gpu.clear_findings()) == 4 and gpu.findings == []


def test_a_checked_kernel_goes_on_after_a_bad_access(kernels):
    gpu = warpsim.Device(check="memory")
    saxpy = gpu.load(kernels / "saxpy.ptx").saxpy
    x, y = gpu.full(1000, np.float32(1)), gpu.zeros(900)
    run = saxpy[4, 256](1000, 1.0, x, y)
    assert (y.numpy() == 1).all()
    assert {f.kind for f in run.findings} == {"memory"}
    assert sum(f.count for f in run.findings) == 200
    assert run.findings[0].allocation.bytes == 3600


def test_values_that_nobody_has_written_are_found_when_the_host_reads_them():
    gpu = warpsim.Device(check="init")
    scale, x = gpu.load(ptx.scale).scale, gpu.empty(64)
    x[:32] = 1
    assert scale[1, 32](32, 2.0, x).findings == []
    x[:32].numpy()
    assert gpu.findings == []
    x.numpy()
    assert [(f.kind, f.what) for f in gpu.findings] == [("init", "uninitialised value reaches the host")]
    gpu.zeros(64).numpy()
    assert len(gpu.findings) == 1


def test_what_kernels_print_is_printed(capsys):
    run = warpsim.Device().load(ptx.hello).hello[1, 2]()
    assert run.output == "hello 3\nhello 3\n"
    assert capsys.readouterr().out == run.output
