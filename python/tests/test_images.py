"""Images, as textures and as surfaces."""

import numpy as np
import ptx
import pytest

import warpsim


@pytest.fixture(scope="module")
def device():
    return warpsim.Device()


@pytest.mark.parametrize(
    "shape, options",
    [
        ((7,), {}),
        ((5, 7), {}),
        ((5, 7, 4), {}),
        ((3, 5, 7), {"dimensions": 3}),
        ((3, 5, 7, 2), {"dimensions": 3}),
        ((3, 5, 7), {"layered": True}),
        ((3, 7, 4), {"layered": True, "dimensions": 1}),
    ],
)
@pytest.mark.parametrize("dtype", ["u1", "i2", "f4"])
def test_what_goes_in_comes_out(device, shape, options, dtype):
    values = np.arange(np.prod(shape)).reshape(shape).astype(dtype)
    image = device.image(values, **options)
    assert image.shape == shape and image.dtype == dtype
    assert (image.numpy() == values).all()
    assert (np.asarray(image.write(values[::-1])) == values[::-1]).all()
    assert (device.image(shape, dtype, **options).numpy() == 0).all()


def test_a_texture_is_sampled_as_it_says(device):
    sample = device.load(ptx.texture).sample
    values = np.arange(12, dtype=np.float32).reshape(3, 4)
    out = device.zeros(1)

    def at(texture, x, y):
        sample[1, 1](texture, x, y, out)
        return float(out.numpy()[0])

    point = device.texture(values)
    assert at(point, 2.5, 1.5) == values[1, 2]
    assert at(point, 9.0, 1.5) == values[1, 3]
    linear = device.texture(values, filter="linear")
    assert at(linear, 2.0, 1.5) == (values[1, 1] + values[1, 2]) / 2
    wrapped = device.texture(values, address="wrap", normalized=True)
    assert at(wrapped, 1.125, 0.5) == values[1, 0]
    border = device.texture(values, address="border", border=[7])
    assert at(border, -3.0, 0.0) == 7
    fractions = device.texture(np.full((2, 2), 51, np.uint8), fractions=True)
    assert at(fractions, 0.5, 0.5) == pytest.approx(0.2)


def test_a_surface_is_written(device):
    image = device.image((4, 8), np.uint32)
    mark = device.load(ptx.surface).mark
    mark[1, (8, 4)](image.surface())
    assert image.numpy().tolist() == [[10 * y + x for x in range(8)] for y in range(4)]


def test_images_and_textures_that_cannot_be_are_refused(device):
    with pytest.raises(warpsim.UsageError, match="1, 2 or 4 channels"):
        device.image(np.zeros((2, 2, 3), np.float32))
    with pytest.raises(warpsim.UsageError, match="8 to 32 bits"):
        device.image(np.zeros((2, 2)))
    with pytest.raises(warpsim.UsageError, match="is not that of an image"):
        device.image(np.zeros(4, np.float32), dimensions=3)
    image = device.image((2, 2), np.uint8)
    for options, message in [
        ({"filter": "cubic"}, "filter 'cubic' is none of point, linear"),
        ({"filter": "linear"}, "integers cannot be filtered"),
        ({"address": "wrap"}, "only normalised coordinates can wrap"),
        ({"border": [0] * 5}, "at most four"),
    ]:
        with pytest.raises(warpsim.UsageError, match=message):
            image.texture(**options)
    with pytest.raises(warpsim.UsageError, match="another device"):
        sample = device.load(ptx.texture).sample
        sample[1, 1](warpsim.Device().texture(np.zeros((2, 2), np.float32)), 0.0, 0.0, 0)
