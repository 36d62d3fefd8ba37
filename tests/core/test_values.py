"""What `to_array` makes of Python and NumPy values: dtypes, shapes, refusals as in TensorFlow 1.15.5."""

import warnings

import numpy as np
import pytest

from headrace.core.shapes import Dimension
from headrace.core.values import to_array


@pytest.mark.parametrize(
    ("values", "dtype", "shape", "content"),
    [
        (1, "int32", (), 1),
        (1.5, "float32", (), 1.5),
        (True, "bool", (), True),
        (1j, "complex128", (), 1j),
        ("a", "object", (), b"a"),
        ("é", "object", (), b"\xc3\xa9"),
        (b"\xff\x00", "object", (), b"\xff\x00"),
        ("", "object", (), b""),
        (2**31 - 1, "int32", (), 2**31 - 1),
        (2**31, "int64", (), 2**31),
        (-(2**31), "int32", (), -(2**31)),
        (2**63, "uint64", (), 2**63),
        ([-(2**63)], "int64", (1,), [-(2**63)]),
        ([2**63], "uint64", (1,), [2**63]),
        ([1, 2**40], "int64", (2,), [1, 2**40]),
        ([1, 2.5], "float32", (2,), [1.0, 2.5]),
        ([2**31, 1.5], "float32", (2,), [2147483648.0, 1.5]),
        ([True, 1], "int32", (2,), [1, 1]),
        ([True, 1.5], "float32", (2,), [1.0, 1.5]),
        ([True, False], "bool", (2,), [True, False]),
        ([1.5, 1j], "complex128", (2,), [1.5, 1j]),
        ([], "float32", (0,), []),
        ([[]], "float32", (1, 0), [[]]),
        ((1, 2), "int32", (2,), [1, 2]),
        ([[1, 2], [3, 4.5]], "float32", (2, 2), [[1.0, 2.0], [3.0, 4.5]]),
        ([(1, 2), (3, 4)], "int32", (2, 2), [[1, 2], [3, 4]]),
        ([["a"], [b"b\0"]], "object", (2, 1), [[b"a"], [b"b\0"]]),
        (range(3), "int32", (3,), [0, 1, 2]),
        (np.float64(1), "float64", (), 1.0),
        (np.int64(3), "int64", (), 3),
        (np.uint32(5), "uint32", (), 5),
        (np.zeros(2), "float64", (2,), [0.0, 0.0]),
        (np.array(3), "int64", (), 3),
        (np.bool_(True), "bool", (), True),
        (np.array(["a", "bc"]), "object", (2,), [b"a", b"bc"]),
        (np.array([[b"a"]]), "object", (1, 1), [[b"a"]]),
        (np.array("abc"), "object", (), b"abc"),
        (np.str_("a"), "object", (), b"a"),
        (np.bytes_(b"a"), "object", (), b"a"),
        (np.array([], object), "object", (0,), []),
        (np.array(["a", b"b"], object), "object", (2,), [b"a", b"b"]),
        (np.arange(4)[::2], "int64", (2,), [0, 2]),
        (np.array([1, 2], ">i4"), "int32", (2,), [1, 2]),
        (bytearray(b"a"), "uint8", (1,), [97]),
        (memoryview(b"ab"), "uint8", (2,), [97, 98]),
        ([np.float64(1), 1], "float32", (2,), [1.0, 1.0]),
        ([np.int64(1), np.int64(2)], "int32", (2,), [1, 2]),
        ([np.int64(2**40)], "int64", (1,), [2**40]),
        ([np.uint8(1)], "uint8", (1,), [1]),
        ([np.uint8(1), np.int64(2)], "int32", (2,), [1, 2]),
        ([np.float16(1)], "float16", (1,), [1.0]),
        ([np.float16(1), 1.5], "float32", (2,), [1.0, 1.5]),
        ([np.complex64(1)], "complex64", (1,), [1.0]),
        ([np.array(3.0), 2], "float32", (2,), [3.0, 2.0]),
        ([np.bool_(True), 1], "int32", (2,), [1, 1]),
    ],
)
def test_without_dtype(values, dtype, shape, content):
    array = to_array(values)
    assert (array.dtype, array.shape, array.tolist()) == (np.dtype(dtype), shape, content)
    assert array.dtype.isnative


@pytest.mark.parametrize(
    ("values", "dtype", "content"),
    [
        (1, "float32", 1.0),
        (1, "complex128", 1.0),
        (True, "int32", 1),
        (True, "complex64", 1.0),
        (1.5, "half", 1.5),
        (0.1, "double", 0.1),
        (16777217, "float32", 16777216.0),
        (2**70, "float32", 1.1805916207174113e21),
        (300, "uint8", 44),
        (-1, "uint16", 65535),
        (2**31, "int32", -(2**31)),
        ([2**40], "int32", [0]),
        (1e39, "float32", float("inf")),
        ([70000], "float16", [float("inf")]),
        ([1, 2], "float32", [1.0, 2.0]),
        ([True], "int32", [1]),
        ([True, 1.5], "float32", [1.0, 1.5]),
        ([], "int32", []),
        ([[]], "string", [[]]),
        ([b"a", "b"], "string", [b"a", b"b"]),
        ([np.int32(1)], "float32", [1.0]),
        ([np.float64(1.5)], "float32", [1.5]),
        ([np.int64(1)], "int32", [1]),
        ([1, 2**63], "uint64", [1, 2**63]),
        (np.float64(1.5), "int32", 1),
        (np.array([1.7, 2.2]), "int64", [1, 2]),
        (np.array([1, 2]), "bool", [True, True]),
        (np.array([300]), "uint8", [44]),
        (np.array(["1"]), "float32", [1.0]),
        (np.array([1, 2.5], object), "int32", [1, 2]),
        (1, "float32_ref", 1.0),
        (Dimension(3), "int64", 3),
        ([Dimension(3), 1], "int32", [3, 1]),
    ],
)
def test_with_dtype(values, dtype, content):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        array = to_array(values, dtype)
    assert array.tolist() == content
    assert array.dtype == {
        "string": "object",
        "float32_ref": "float32",
        "half": "float16",
        "double": "float64",
    }.get(dtype, dtype)


def test_bfloat16():
    array = to_array([1, 2.5], "bfloat16")
    assert array.dtype.name == "bfloat16"
    assert array.astype(np.float32).tolist() == [1.0, 2.5]
    assert to_array(array).dtype == array.dtype
    assert to_array([array[0]]).dtype == array.dtype
    assert to_array([array[1]], "float32").tolist() == [2.5]


def test_quantized_elements_are_tuples():
    assert to_array([(5,), (-1,)], "qint8")["qint8"].tolist() == [5, -1]
    assert to_array((5,), "qint8").shape == ()
    assert to_array(np.array([1, 2], np.int8), "qint8")["qint8"].tolist() == [1, 2]
    with pytest.raises(TypeError, match="Expected qint8, got 1 of type 'int' instead"):
        to_array([1, 2], "qint8")


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        (1.5, "int32", "Expected int32, got 1.5 of type 'float' instead."),
        (1.0, "bool", "Expected bool, got 1.0 of type 'float' instead."),
        ([1, 1.5], "int32", "Expected int32, got 1.5 of type 'float' instead."),
        ([[1], [2.5]], "int64", "Expected int64, got 2.5 of type 'float' instead."),
        ("a", "float32", "Expected float32, got 'a' of type 'str' instead."),
        ("a", "half", "Expected float16, got 'a' of type 'str' instead."),
        ([1.5, "a"], "float32", "Expected float32, got 'a' of type 'str' instead."),
        (1, "string", "Expected string, got 1 of type 'int' instead."),
        ([1, "a"], "string", "Expected string, got 1 of type 'int' instead."),
        (0, "bool", "Expected bool, got 0 of type 'int' instead."),
        ([1, 2], "bool", "Expected bool, got 1 of type 'int' instead."),
        ([None], "float32", "Expected float32, got None of type 'NoneType' instead."),
        ([None, 1], "int32", "Expected int32, got None of type 'NoneType' instead."),
        (1j, "float32", "Expected float32, got 1j of type 'complex' instead."),
        ([np.float64(1.5)], "int32", "Expected int32, got 1.5 of type 'float64' instead."),
        ([np.array([1.5])], "float32", "Expected float32, got array([1.5]) of type 'ndarray' instead."),
        ({1}, "int32", "Expected int32, got {1} of type 'set' instead."),
        (np.array([1, 2]), "string", "Expected binary or unicode string, got 1"),
        (np.array([1, b"a"], object), None, "Expected binary or unicode string, got 1"),
        (1, "resource", "Incompatible types: <dtype: 'resource'>"),
        (
            [1, "a"],
            None,
            "Failed to convert object of type <class 'list'> to Tensor. Contents: [1, 'a']. Consider",
        ),
        (["a", 1], None, "Failed to convert object of type <class 'list'> to Tensor. Contents: ['a', 1]."),
        ([None], None, "Failed to convert object of type <class 'list'> to Tensor. Contents: [None]."),
        ({1: 2}, None, "Failed to convert object of type <class 'dict'> to Tensor. Contents: {1: 2}."),
        (iter([1]), None, "Failed to convert object of type <class 'list_iterator'>"),
        ([1, [2]], None, "Failed to convert object of type <class 'list'> to Tensor. Contents: [1, [2]]."),
        (-(2**63) - 1, None, "Failed to convert object of type <class 'int'>"),
        ([1.5, 2**70], None, "Failed to convert object of type <class 'list'>"),
        (np.datetime64("2001"), None, "Cannot convert value dtype('<M8[Y]') to a TensorFlow DType."),
    ],
)
def test_refused_with_type_error(values, dtype, message):
    with pytest.raises(TypeError) as caught:
        to_array(values, dtype)
    assert message in str(caught.value)


@pytest.mark.parametrize(
    ("values", "dtype", "message"),
    [
        (None, None, "None values not supported."),
        (None, "float32", "None values not supported."),
        ([[1, 2], [3]], None, "dense tensor: [[1, 2], [3]] - got shape [2], but wanted [2, 2]."),
        ([[1, 2], 3], None, "dense tensor: [[1, 2], 3] - got shape [2], but wanted [2, 2]."),
        ([[], [1]], None, "dense tensor: [[], [1]] - got shape [2], but wanted [2, 0]."),
        ([["a"], ["b", "c"]], None, "got shape [2], but wanted [2, 1]."),
        ([[1, 2], [3]], "int32", "setting an array element with a sequence."),
        ([np.array([1, 2]), np.array([3, 4])], None, "got shape [2, 2], but wanted [2]."),
    ],
)
def test_refused_with_value_error(values, dtype, message):
    with pytest.raises(ValueError) as caught:
        to_array(values, dtype)
    assert message in str(caught.value)


def test_int_too_large_for_int64():
    with pytest.raises(OverflowError):
        to_array(2**63, "int64")


@pytest.mark.parametrize(
    ("values", "shape", "content"),
    [
        (1, [2, 2], [[1, 1], [1, 1]]),
        ([1, 2], [4], [1, 2, 2, 2]),
        ([1, 2, 3, 4], (2, 2), [[1, 2], [3, 4]]),
        ([[1, 2], [3, 4]], [4], [1, 2, 3, 4]),
        ([5], [], 5),
        ([], [2], [0.0, 0.0]),
        ("a", [2], [b"a", b"a"]),
        (np.ones(2), np.array([3]), [1.0, 1.0, 1.0]),
        ([True, False], [3], [True, False, False]),
    ],
)
def test_shape(values, shape, content):
    assert to_array(values, shape=shape).tolist() == content


def test_shape_without_elements_forgets_the_type():
    assert to_array(1, shape=[0]).dtype == np.float32
    assert to_array(1, "int32", [0, 3]).shape == (0, 3)


@pytest.mark.parametrize("count", [4, 1, -1])
def test_too_many_elements(count):
    with pytest.raises(ValueError, match=f"Needed at most {count}, but received 5"):
        to_array([1, 2, 3, 4, 5], shape=[count])


@pytest.mark.parametrize("dtype", [None, "float64", "float32"])
def test_the_result_is_a_copy(dtype):
    source = np.ones(3)
    array = to_array(source, dtype)
    assert not np.shares_memory(source, array)
    source[:] = 2
    assert array.tolist() == [1, 1, 1]


def test_no_copy_on_demand():
    source = np.ones(3)
    assert to_array(source, copy=False) is source
    assert np.shares_memory(to_array(source, "float64", [3, 1], copy=False), source)
