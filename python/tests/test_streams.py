"""Streams: what overlaps, what waits, and who notices."""

import gc

import numpy as np
import ptx
import pytest

import warpsim


def scaled(gpu, count=4):
    scale = gpu.load(ptx.scale).scale
    return scale, [gpu.full(40000, np.float32(1)) for _ in range(count)]


def test_streams_overlap_in_simulated_time():
    gpu = warpsim.Device("v100", mode="timing")
    scale, arrays = scaled(gpu)
    alone = scale[20, 256](5000, 2.0, arrays[0])
    streams = [gpu.stream() for _ in arrays]
    runs = [scale[20, 256, 0, s](5000, 2.0, a) for s, a in zip(streams, arrays)]
    assert not any(run.is_over for run in runs)
    assert "not over" in repr(runs[0])
    gpu.synchronize()
    assert all(run.is_over and not run.has_failed for run in runs)
    first, last = min(run.begin_us for run in runs), max(run.end_us for run in runs)
    assert first >= alone.end_us
    assert last - first < 2 * alone.time_us
    assert [float(a.numpy()[0]) for a in arrays] == [4, 2, 2, 2]
    assert len({run.instructions for run in runs}) == 1 and runs[0].profile.lines


def test_one_stream_goes_in_order():
    gpu = warpsim.Device("v100", mode="timing")
    scale, arrays = scaled(gpu)
    stream = gpu.stream(priority=1)
    runs = [scale[20, 256, 0, stream](5000, 2.0, a) for a in arrays]
    assert runs[3].cycles > 0  # waits
    times = [(run.begin_us, run.end_us) for run in runs]
    assert all(before[1] <= after[0] for before, after in zip(times, times[1:]))


def test_streams_wait_for_events():
    gpu = warpsim.Device("v100", mode="timing")
    scale, arrays = scaled(gpu, 2)
    one, other = gpu.stream(), gpu.stream()
    first = scale[20, 256, 0, one](5000, 2.0, arrays[0])
    event = one.record()
    other.wait(event)
    second = scale[20, 256, 0, other](5000, 3.0, arrays[0])
    other.synchronize()
    assert event.is_over and event.time_us == pytest.approx(first.end_us)
    assert second.begin_us >= first.end_us
    assert arrays[0].numpy()[0] == 6
    late = gpu.stream()
    late.wait(event)
    late.synchronize()


@pytest.mark.parametrize("mode", ["functional", "timing"])
def test_copies_go_in_order_with_kernels(mode):
    gpu = warpsim.Device("v100", mode=mode)
    scale, (x, y) = scaled(gpu, 2)
    stream, host, out = gpu.stream(), np.full(40000, 5, np.float32), np.zeros(40000, np.float32)
    stream.copy(x, host)
    host[:] = 0
    scale[20, 256, 0, stream](5000, 2.0, x)
    stream.copy(y, x)
    event = stream.copy(out, y)
    event.synchronize()
    assert out[0] == 10 and out[-1] == 5
    if mode == "timing":
        # 160,000 bytes at some 12 GB/s, twice.
        assert 15 < event.time_us < 100
    with pytest.raises(warpsim.UsageError):
        stream.copy(np.zeros(3), y)
    with pytest.raises(warpsim.UsageError):
        stream.copy(np.zeros(3), np.zeros(3))


def test_reads_wait_for_streams():
    gpu = warpsim.Device("v100", mode="timing")
    scale, arrays = scaled(gpu, 1)
    run = scale[20, 256, 0, gpu.stream()](5000, 2.0, arrays[0])
    assert arrays[0].numpy()[0] == 2 and run.is_over
    scale[20, 256, 0, gpu.stream()](5000, 2.0, arrays[0])
    arrays[0].fill(1)
    assert arrays[0].numpy()[0] == 1


def test_memory_stays_until_its_kernel_is_over():
    gpu = warpsim.Device("v100", mode="timing")
    scale, arrays = scaled(gpu, 1)
    gc.collect()
    used = gpu.used_bytes
    run = scale[20, 256, 0, gpu.stream()](5000, 2.0, arrays.pop())
    gc.collect()
    assert gpu.used_bytes == used
    assert run.cycles > 0
    other = gpu.zeros(1)
    gpu.synchronize()
    gpu._keep(run._work, ())
    gc.collect()
    assert gpu.used_bytes < used
    del other


def test_a_fault_ends_all_that_is_under_way():
    gpu = warpsim.Device("v100", mode="timing")
    scale, (x, y) = scaled(gpu, 2)
    one, other = gpu.stream(), gpu.stream()
    bad = scale[200, 256, 0, one](50000, 2.0, x)
    good = scale[20, 256, 0, other](5000, 2.0, y)
    behind = scale[20, 256, 0, one](5000, 2.0, y)
    with pytest.raises(warpsim.Fault) as caught:
        gpu.synchronize()
    assert caught.value.kind == "illegal_address" and caught.value.allocation.address == x.ptr
    assert bad.has_failed and behind.has_failed and good.is_over
    with pytest.raises(warpsim.Fault):
        bad.cycles
    assert scale[20, 256](5000, 2.0, y).cycles > 0


def test_a_fault_in_a_stream_of_functional_mode_comes_at_once():
    gpu = warpsim.Device()
    scale, (x,) = scaled(gpu, 1)
    with pytest.raises(warpsim.Fault):
        scale[200, 256, 0, gpu.stream()](50000, 2.0, x)


def test_races_of_streams_are_found():
    gpu = warpsim.Device(check="race")
    scale, (x,) = scaled(gpu, 1)
    one, other = gpu.stream(), gpu.stream()
    scale[1, 256, 0, one](100, 2.0, x)
    racy = scale[1, 256, 0, other](100, 2.0, x)
    assert {f.kind for f in racy.findings} == {"race"}
    assert "stream" in racy.findings[0].message + str(racy.findings[0].notes)
    gpu.clear_findings()
    other.wait(one.record())
    one.wait(other.record())
    assert scale[1, 256, 0, one](100, 2.0, x).findings == []
    other.wait(one.record())
    assert scale[1, 256, 0, other](100, 2.0, x).findings == []
    x.numpy()
    assert scale[1, 256, 0, one](100, 2.0, x).findings == []
    scale[1, 256](100, 2.0, x)
    assert gpu.findings == []


def test_devices_with_work_under_way_can_go():
    gpu = warpsim.Device("v100", mode="timing")
    module, flag = gpu.load(ptx.spin), gpu.zeros(1, np.uint32)
    module.spin[1, 1, 0, gpu.stream()](flag)
    with pytest.raises(warpsim.UsageError, match="another device"):
        module.spin[1, 1, 0, warpsim.Device().stream()](flag)
    del gpu, module, flag
    gc.collect()
