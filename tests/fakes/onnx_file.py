"""A surrogate in the format ONNX that returns its inputs, written without the package onnx.

The format is protocol buffers: each field is a key (number and wire type), then a varint, or a
length and bytes. Numbers of fields and types: https://github.com/onnx/onnx/blob/main/onnx/onnx.proto
"""

from __future__ import annotations

from pathlib import Path

_FLOAT, _INT32 = 1, 6


def write_echo_model(path: Path, n_categories: int, n_numbers: int) -> None:
    """Write a model whose output is `x_cat`, as floats, followed by `x_cont`."""
    cast = _node(b"Cast", [b"x_cat"], b"codes", _attribute(b"to", _FLOAT))
    concat = _node(b"Concat", [b"codes", b"x_cont"], b"output", _attribute(b"axis", 1))
    graph = (
        _bytes(1, cast)
        + _bytes(1, concat)
        + _bytes(2, b"echo")
        + _bytes(11, _value(b"x_cat", _INT32, n_categories))
        + _bytes(11, _value(b"x_cont", _FLOAT, n_numbers))
        + _bytes(12, _value(b"output", _FLOAT, n_categories + n_numbers))
    )
    opset = _bytes(1, b"") + _number(2, 13)
    path.write_bytes(_number(1, 7) + _bytes(7, graph) + _bytes(8, opset))


def _node(operator: bytes, inputs: list[bytes], output: bytes, attribute: bytes) -> bytes:
    return (
        b"".join(_bytes(1, name) for name in inputs)
        + _bytes(2, output)
        + _bytes(4, operator)
        + _bytes(5, attribute)
    )


def _attribute(name: bytes, value: int) -> bytes:
    return _bytes(1, name) + _number(3, value) + _number(20, 2)  # type 2: integer


def _value(name: bytes, element: int, width: int) -> bytes:
    shape = _bytes(1, _bytes(2, b"rows")) + _bytes(1, _number(1, width))
    tensor = _number(1, element) + _bytes(2, shape)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor))


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _varint(value: int) -> bytes:
    encoded = bytearray()
    while value > 127:
        encoded.append(value & 127 | 128)
        value >>= 7
    return bytes([*encoded, value])
