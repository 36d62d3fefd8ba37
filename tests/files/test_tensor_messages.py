"""TensorProto bytes against protobuf's own classes: what those write is read, and they read what is written."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from headrace.core.dtypes import as_dtype
from headrace.files.checkpoint.wire import Damaged
from headrace.files.tensor_messages import (
    VariantData,
    read_tensor,
    read_variant,
    stored_type,
    tensor_message,
    variant_message,
)
from headrace.messages.protos import TensorProto, VariantTensorDataProto
from headrace.messages.tensor_proto import MakeNdarray, make_tensor_proto

NUMBERS = ["float16", "float32", "float64", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "bool",
           "complex64", "complex128", "bfloat16", "qint8", "quint8", "qint16", "quint16", "qint32"]  # fmt: skip
LISTS = {
    "float32": "float_val", "float64": "double_val", "int64": "int64_val", "bool": "bool_val", "complex64": "scomplex_val",
    "complex128": "dcomplex_val", "float16": "half_val", "bfloat16": "half_val", "uint32": "uint32_val", "uint64": "uint64_val",
}  # fmt: skip


@st.composite
def tensors(draw):
    """A type, and an array of any bits of it."""
    dtype = as_dtype(draw(st.sampled_from([*NUMBERS, "string"])))
    shape = tuple(draw(st.lists(st.integers(0, 3), max_size=3)))
    count = int(np.prod(shape))
    if dtype.name == "string":
        flat = np.empty(count, object)
        flat[:] = draw(st.lists(st.binary(max_size=300), min_size=count, max_size=count))
        return dtype, flat.reshape(shape)
    kind = stored_type(dtype)
    raw = draw(st.binary(min_size=count * kind.itemsize, max_size=count * kind.itemsize))
    array = np.frombuffer(bytes(byte & 1 for byte in raw) if dtype.name == "bool" else raw, kind).reshape(shape)
    return dtype, array


def same(found, dtype, array):
    assert found.dtype is dtype
    assert (found.array.dtype, found.array.shape) == (array.dtype, array.shape)
    assert found.array.tolist() == array.tolist() if array.dtype == object else found.array.tobytes() == array.tobytes()


def as_public(dtype, array):
    return array if array.dtype == object else np.asarray(array, order="C").view(dtype.as_numpy_dtype)


@settings(max_examples=200, deadline=None)
@given(tensors())
def test_what_is_written_is_read_here_and_by_protobuf(tensor):
    dtype, array = tensor
    data = tensor_message(dtype, array)
    same(read_tensor(data), dtype, array)
    same(read_tensor(memoryview(data)), dtype, array)
    found = MakeNdarray(TensorProto.FromString(data))
    expected = as_public(dtype, array)
    assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
    assert found.tolist() == expected.tolist() if array.dtype == object else found.tobytes() == expected.tobytes()


@settings(max_examples=200, deadline=None)
@given(tensors())
def test_lists_of_elements_are_read(tensor):
    dtype, array = tensor
    proto = TensorProto(dtype=dtype.as_datatype_enum)
    for size in array.shape:
        proto.tensor_shape.dim.add(size=size)
    flat = array.reshape(-1)
    if dtype.name in ("float16", "bfloat16"):
        flat = flat.view(np.uint16)
    elif dtype.is_complex:
        flat = flat.view(dtype.real_dtype.as_numpy_dtype)
    if dtype.name in ("float32", "complex64"):
        # Python's floats do not carry the bits of a signalling NaN through.
        flat = np.nan_to_num(flat)
        array = flat.view(array.dtype).reshape(array.shape)
    getattr(proto, "string_val" if dtype.name == "string" else LISTS.get(dtype.name, "int_val")).extend(flat.tolist())
    same(read_tensor(proto.SerializeToString()), dtype, array)


def test_elements_that_are_not_packed():
    # Field 10, a number at a time, as older writers do.
    assert read_tensor(b"\x08\x09\x12\x04\x12\x02\x08\x02\x50\x07\x50\x09").array.tolist() == [7, 9]
    assert read_tensor(b"\x08\x01\x12\x00\x2d\x00\x00\x80\x3f").array.item() == 1.0


@pytest.mark.parametrize(
    "change",
    [
        {"dtype": 0},
        {"dtype": 77},
        {"dtype": 101},
        {"dtype": 20},
        {"dtype": 3, "tensor_content": b"123"},
        {"dtype": 7, "tensor_content": b"\x05ab"},
        {"dtype": 7, "tensor_content": b"\xff\xff"},
        {"dtype": 10, "tensor_content": b"\x02\x01"},
        {"dtype": 21, "tensor_content": b"\x02\x01"},
        {"dtype": 3, "int_val": [1]},
        {"dtype": 3, "int64_val": [1, 2]},
        {"dtype": 8, "scomplex_val": [1.0, 2.0, 3.0]},
    ],
)
def test_messages_that_contradict_themselves(change):
    proto = TensorProto(**change)
    proto.tensor_shape.dim.add(size=2)
    with pytest.raises(Damaged):
        read_tensor(proto.SerializeToString())


@pytest.mark.parametrize("sizes", [[1 << 40], [1 << 31, 1 << 31], [0, 1 << 61, 1 << 61], [-1], [1] * 100])
def test_shapes_that_cannot_be(sizes):
    proto = make_tensor_proto(np.int64(3))
    for size in sizes:
        proto.tensor_shape.dim.add(size=size)
    with pytest.raises(Damaged):
        read_tensor(proto.SerializeToString())


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=60), tensors(), st.data())
def test_any_bytes_are_a_tensor_or_damaged(noise, tensor, data):
    whole = bytearray(tensor_message(*tensor))
    whole[data.draw(st.integers(0, len(whole) - 1))] ^= data.draw(st.integers(1, 255))
    for message in (noise, bytes(whole), bytes(whole[: len(whole) // 2])):
        try:
            found = read_tensor(message)
        except Damaged:
            continue
        # Of a few bytes no more than a few elements are made; an empty string takes one.
        assert found.array.size <= len(message)


def test_variants_as_protobuf_has_them():
    inner = VariantData(
        b"Inner", b"more", (read_tensor(tensor_message(as_dtype("int32"), np.array([1, 2], np.int32))),)
    )
    array = np.empty(2, object)
    array[0], array[1] = inner, VariantData(b"")
    outer = VariantData(b"Outer", b"", (read_tensor(tensor_message(as_dtype("variant"), array)),))
    proto = VariantTensorDataProto.FromString(variant_message(outer))
    assert proto.type_name == "Outer"
    first, second = proto.tensors[0].variant_val
    assert (first.type_name, first.metadata, second.type_name) == ("Inner", b"more", "")
    assert MakeNdarray(first.tensors[0]).tolist() == [1, 2]
    found = read_variant(proto.SerializeToString()).tensors[0].array
    assert [item.type_name for item in found] == [b"Inner", b""]
    assert found[0].tensors[0].array.tolist() == [1, 2]


def test_one_element_that_stands_for_more_than_memory_holds():
    proto = make_tensor_proto(2.5)
    proto.tensor_shape.dim.add(size=1 << 42)
    found = MakeNdarray(proto)
    assert (found.shape, found.dtype, found[-1]) == ((1 << 42,), np.float32, 2.5)
    with pytest.raises(ValueError, match="read-only"):
        found[0] = 0.0
