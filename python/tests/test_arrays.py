"""Arrays of devices, and how other libraries see them."""

import ctypes
import gc

import numpy as np
import ptx
import pytest

import warpsim


@pytest.fixture(scope="module")
def device():
    return warpsim.Device()


@pytest.mark.parametrize("dtype", ["u1", "i2", "u4", "i8", "f2", "f4", "f8", "c8", "?", [("a", "u1"), ("b", "f4")]])
def test_what_goes_in_comes_out(device, dtype):
    host = np.frombuffer(np.random.default_rng(1).bytes(np.dtype(dtype).itemsize * 24), dtype)
    if host.dtype == bool:
        host = np.array([True, False] * 12)
    array = device.array(host.reshape(2, 3, 4))
    assert (array.shape, array.dtype, array.size, array.nbytes, array.ndim) == (
        (2, 3, 4),
        host.dtype,
        24,
        host.nbytes,
        3,
    )
    assert array.numpy().tobytes() == host.tobytes()
    assert np.asarray(array).shape == (2, 3, 4)
    assert len(array) == 2


def test_arrays_are_made_of_what_numpy_understands(device):
    assert device.array([[1, 2], [3, 4]], np.float32).numpy().tolist() == [[1, 2], [3, 4]]
    assert device.array(np.arange(12).reshape(3, 4).T).numpy().tolist() == np.arange(12).reshape(3, 4).T.tolist()
    assert device.array(np.arange(4, dtype=">i4")).numpy().tolist() == [0, 1, 2, 3]
    assert device.full((2, 2), 7).numpy().tolist() == [[7, 7], [7, 7]]
    assert device.zeros_like(np.ones(3, np.int8)).dtype == np.int8
    assert device.array(device.array([1, 2]), np.float64).numpy().tolist() == [1.0, 2.0]
    assert device.empty((0, 4)).numpy().shape == (0, 4)
    with pytest.raises(warpsim.UsageError):
        device.array([object()])
    with pytest.raises(warpsim.UsageError):
        device.zeros(-1)


def test_parts_are_views_of_the_same_memory(device):
    array = device.array(np.arange(24, dtype=np.int32).reshape(2, 3, 4))
    host = array.numpy()
    for key in [
        0,
        -1,
        slice(1, 2),
        (1, 2),
        (1, slice(0, 2)),
        (0, 1, 3),
        (1, Ellipsis),
        Ellipsis,
        (0, slice(1, 3)),
        (slice(0, 1), 2),
    ]:
        assert array[key].numpy().tolist() == host[key].tolist(), key
    array[1, 0] = [9, 8, 7, 6]
    assert array.numpy()[1, 0].tolist() == [9, 8, 7, 6]
    array[0] = array[1]
    assert (array.numpy()[0] == array.numpy()[1]).all()
    assert array.reshape(-1, 2).shape == (12, 2)
    assert array.view(np.uint8).shape == (2, 3, 16)
    for key in [(slice(None), 0), slice(0, 2, 2), (slice(None), slice(0, 1))]:
        if key != slice(0, 2, 2):
            with pytest.raises(warpsim.UsageError, match="without gaps"):
                array[key]
    with pytest.raises(IndexError):
        array[2]
    with pytest.raises(IndexError):
        array[0, 0, 0, 0]
    with pytest.raises(ValueError):
        array[0] = np.zeros((5, 5))


def test_memory_is_given_back_with_the_last_view():
    gpu = warpsim.Device()
    array = gpu.zeros(1 << 20)
    part = array[10:20]
    used = gpu.used_bytes
    del array
    gc.collect()
    assert gpu.used_bytes == used
    del part
    gc.collect()
    assert gpu.used_bytes < used
    freed = gpu.zeros(16)
    freed.free()
    with pytest.raises(warpsim.LaunchError, match="freed"):
        freed.numpy()
    with pytest.raises(warpsim.LaunchError, match="freed"):
        freed.free()
    kept = warpsim.Device().full(4, 2)  # outlives the name of its device
    gc.collect()
    assert kept.numpy().tolist() == [2, 2, 2, 2]


def test_a_device_has_only_so_much_memory(device):
    assert device.capacity_bytes > 1 << 30
    with pytest.raises(warpsim.LaunchError):
        device.empty(device.capacity_bytes + 1, np.uint8)


def test_dlpack_is_a_view_of_device_memory(device):
    array = device.array(np.arange(6, dtype=np.float32).reshape(2, 3))
    view = np.from_dlpack(array)
    assert view.tolist() == [[0, 1, 2], [3, 4, 5]]
    assert view.__array_interface__["data"][0] == array.ptr
    device.load(ptx.scale).scale[1, 32](6, 2.0, array)
    assert view.tolist() == [[0, 2, 4], [6, 8, 10]]
    del array
    gc.collect()
    assert view.sum() == 30
    with pytest.raises(BufferError):
        device.zeros(2, [("a", "u1")]).__dlpack__()
    with pytest.raises(BufferError):
        device.zeros(2).__dlpack__(dl_device=(2, 0))


def test_arrays_are_made_of_dlpack(device):
    class Tensor:
        def __init__(self, array):
            self.array = array

        def __dlpack__(self, **options):
            return self.array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self.array.__dlpack_device__()

    assert device.array(Tensor(np.arange(5.0))).numpy().tolist() == [0, 1, 2, 3, 4]


def test_the_interface_of_cuda_arrays_goes_both_ways(device):
    array = device.array(np.arange(6, dtype=np.int16).reshape(2, 3))
    interface = array.__cuda_array_interface__
    assert (interface["shape"], interface["typestr"], interface["data"]) == ((2, 3), "<i2", (array.ptr, False))

    class Foreign:
        def __init__(self, **changes):
            self.__cuda_array_interface__ = {**interface, **changes}

    assert device.array(Foreign()).numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    assert device.array(Foreign(), np.float32).dtype == np.float32
    assert device.array(Foreign(strides=(6, 2))).numpy().tolist() == [[0, 1, 2], [3, 4, 5]]
    with pytest.raises(warpsim.UsageError, match="gaps"):
        device.array(Foreign(strides=(8, 2)))
    with pytest.raises(warpsim.UsageError, match="not of this device"):
        device.array(Foreign(data=(0x1000, False)))
    floats = device.full(4, np.float32(3))
    interface = floats.__cuda_array_interface__
    device.load(ptx.scale).scale[1, 32](4, 2.0, Foreign())
    assert floats.numpy().tolist() == [6, 6, 6, 6]


def test_arguments_become_what_parameters_are(device):
    keep, out = device.load(ptx.parameters).keep, device.zeros(64, np.uint8)

    class Struct(ctypes.Structure):
        _fields_ = [("x", ctypes.c_uint32), ("y", ctypes.c_uint64)]
        _pack_ = 4

    record = np.array((1, 2, 3), [("x", "u4"), ("y", "u4"), ("z", "u4")])
    for struct in [
        np.array([1, 2, 3], np.uint32).tobytes(),
        record,
        record[()],
        Struct(1, 2 + (3 << 32)),
        (ctypes.c_uint32 * 3)(1, 2, 3),
    ]:
        keep[1, 1](True, -2, np.int64(-3), 0.5, struct, out)
        host = out.numpy()
        assert host[0] == 1
        assert host[2:4].view(np.int16)[0] == -2
        assert host[8:16].view(np.int64)[0] == -3
        assert host[16:24].view(np.float64)[0] == 0.5
        assert host[24:28].view(np.uint32)[0] == 1
        assert host[32:40].view(np.uint32).tolist() == [2, 3]


@pytest.mark.parametrize(
    "number, argument, message",
    [
        (0, 256, "argument 1 of 'keep': 256 does not fit parameter 'keep_param_0|a"),
        (1, 1.5, "is an integer, but 1.5 is given"),
        (2, np.int32(1), "is given a int32"),
        (3, np.float32(1), "is given a float32"),
        (4, b"short", "has 12 bytes, but 5 are given"),
        (4, 7, "is a struct of 12 bytes"),
        (5, np.zeros(4), "an array of the host is given"),
        (5, "text", "cannot be made of a str"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(device, number, argument, message):
    keep, out = device.load(ptx.parameters).keep, device.zeros(64, np.uint8)
    arguments = [1, 2, 3, 0.5, bytes(12), out]
    arguments[number] = argument
    with pytest.raises(warpsim.UsageError, match=message):
        keep[1, 1](*arguments)
    with pytest.raises(warpsim.UsageError, match="takes 6 arguments"):
        keep[1, 1](1)
    arguments[number] = warpsim.Device().zeros(1)
    with pytest.raises(warpsim.UsageError, match="another device"):
        keep[1, 1](*arguments)
