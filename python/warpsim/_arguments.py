"""Arguments of kernels as bytes."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ._array import Array
from ._errors import UsageError

if TYPE_CHECKING:
    from ._device import Device
    from ._kernel import Parameter

_float_types = {2: np.float16, 4: np.float32, 8: np.float64}


def argument_block(device: Device, kernel: str, parameters: Sequence[Parameter], arguments: Sequence[Any]) -> bytes:
    """The block of parameters that these arguments make."""
    if len(arguments) != len(parameters):
        types = ", ".join(f".{p.type}" for p in parameters)
        raise UsageError(f"'{kernel}' takes {len(parameters)} arguments ({types}), but {len(arguments)} are given")
    block = bytearray()
    for number, (parameter, argument) in enumerate(zip(parameters, arguments), 1):
        try:
            data = _bytes_of(device, parameter, argument)
        except UsageError as error:
            raise UsageError(f"argument {number} of '{kernel}': {error}") from None
        block += bytes(max(0, parameter.offset + parameter.size - len(block)))
        block[parameter.offset : parameter.offset + parameter.size] = data
    return bytes(block)


def _describe(p: Parameter) -> str:
    return f"parameter '{p.name}' (.{p.type}" + (f"[{p.size}])" if p.type == "b8" else ")")


def _bytes_of(device: Device, p: Parameter, argument: Any) -> bytes:
    address = _address_of(device, argument)
    if address is not None:
        # With 32-bit addresses a module knows the lower half of each.
        if p.size not in (8, p.address_bytes) or p.type.startswith("f"):
            raise UsageError(f"{_describe(p)} cannot hold an address")
        return address.to_bytes(8, "little")[: p.size]
    if isinstance(argument, (bytes, bytearray, memoryview)):
        return _sized(p, bytes(argument))
    if isinstance(argument, (ctypes.Structure, ctypes.Array, ctypes._SimpleCData)):
        return _sized(p, bytes(argument))
    if isinstance(argument, np.ndarray) and argument.ndim:
        raise UsageError(f"{_describe(p)}: an array of the host is given; gpu.array(...) makes one of the device")
    if isinstance(argument, (np.generic, np.ndarray)):
        return _scalar(p, argument)
    if isinstance(argument, bool):
        return _number(p, int(argument))
    if isinstance(argument, (int, float)):
        return _number(p, argument)
    if hasattr(argument, "__index__"):
        return _number(p, int(argument))
    raise UsageError(f"{_describe(p)} cannot be made of a {type(argument).__name__}")


def _address_of(device: Device, argument: Any) -> int | None:
    if isinstance(argument, Array):
        if argument.device is not device:
            raise UsageError("the array is in the memory of another device")
        argument._alive()
        return argument.ptr
    handle = getattr(argument, "_warpsim_handle_", None)
    if handle is not None:
        return int(handle(device))
    interface = getattr(argument, "__cuda_array_interface__", None)
    if interface is None:
        return None
    address = int(interface["data"][0])
    if address and not device._core.is_allocated(address, 1):
        raise UsageError(f"the memory at {address:#x} is not of this device")
    return address


def _sized(p: Parameter, data: bytes) -> bytes:
    if len(data) != p.size:
        raise UsageError(f"{_describe(p)} has {p.size} bytes, but {len(data)} are given")
    return data


def _scalar(p: Parameter, value: Any) -> bytes:
    """A scalar of NumPy, which is of a type of its own."""
    kind = value.dtype
    is_float = kind.kind == "f"
    if kind.kind in "iubf" and p.type[0] in "usf" and (is_float != (p.type[0] == "f") or kind.itemsize != p.size):
        raise UsageError(f"{_describe(p)} is given a {kind}")
    return _sized(p, np.asarray(value).astype(kind.newbyteorder("<"), copy=False).tobytes())


def _number(p: Parameter, value: int | float) -> bytes:
    """A number without a type of its own becomes what the parameter is."""
    is_struct = p.type == "b8" and p.size != 1
    if is_struct or p.size not in (1, 2, 4, 8):
        raise UsageError(f"{_describe(p)} is a struct of {p.size} bytes: a scalar of NumPy or bytes would do")
    if p.type[0] == "f" or (p.type[0] == "b" and isinstance(value, float)):
        if p.size not in _float_types or p.type.startswith("bf"):
            raise UsageError(f"{_describe(p)} cannot be made of the number {value}")
        with np.errstate(over="ignore"):
            return np.array(value, _float_types[p.size]).tobytes()
    if isinstance(value, float):
        raise UsageError(f"{_describe(p)} is an integer, but {value} is given")
    bits = p.size * 8
    if not -(1 << (bits - 1)) <= value < 1 << bits:
        raise UsageError(f"{value} does not fit {_describe(p)}")
    return (value & ((1 << bits) - 1)).to_bytes(p.size, "little")
