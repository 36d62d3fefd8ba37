"""TensorProtos field by field as TensorFlow 1.15.5 writes them, and read back."""

import numpy as np
import pytest
from google.protobuf import text_format
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

import headrace as tf
from headrace.messages import protos
from headrace.messages.tensor_proto import MakeNdarray, array_to_proto, make_tensor_proto


def _proto(text):
    return text_format.Parse(text, protos.TensorProto())


@pytest.mark.parametrize(
    ("arguments", "text"),
    [
        ({"values": 1.5}, "dtype: DT_FLOAT tensor_shape {} float_val: 1.5"),
        (
            {"values": [1.5, 2.5]},
            r'dtype: DT_FLOAT tensor_shape { dim { size: 2 } } tensor_content: "\000\000\300?\000\000 @"',
        ),
        (
            {"values": [1, 2, 3], "shape": [2, 2]},
            "dtype: DT_INT32 tensor_shape { dim { size: 2 } dim { size: 2 } } int_val: [1, 2, 3]",
        ),
        ({"values": []}, "dtype: DT_FLOAT tensor_shape { dim {} }"),
        ({"values": [], "shape": [2]}, "dtype: DT_FLOAT tensor_shape { dim { size: 2 } }"),
        ({"values": [1, 2], "shape": [0]}, "dtype: DT_FLOAT tensor_shape { dim {} }"),
        ({"values": [1]}, "dtype: DT_INT32 tensor_shape { dim { size: 1 } } int_val: 1"),
        (
            {"values": ["a", b"\xff"]},
            r'dtype: DT_STRING tensor_shape { dim { size: 2 } } string_val: ["a", "\377"]',
        ),
        (
            {"values": "a", "shape": [3]},
            'dtype: DT_STRING tensor_shape { dim { size: 3 } } string_val: "a"',
        ),
        (
            {"values": [True, False]},
            "dtype: DT_BOOL tensor_shape { dim { size: 2 } } bool_val: [true, false]",
        ),
        (
            {"values": np.array([1.5, 2], np.float16)},
            "dtype: DT_HALF tensor_shape { dim { size: 2 } } half_val: [15872, 16384]",
        ),
        (
            {"values": [1.5, 2], "dtype": "bfloat16"},
            "dtype: DT_BFLOAT16 tensor_shape { dim { size: 2 } } half_val: [16320, 16384]",
        ),
        ({"values": 1 + 2j}, "dtype: DT_COMPLEX128 tensor_shape {} dcomplex_val: [1, 2]"),
        (
            {"values": [1 + 2j, 1], "dtype": "complex64"},
            "dtype: DT_COMPLEX64 tensor_shape { dim { size: 2 } } scomplex_val: [1, 2, 1, 0]",
        ),
        ({"values": np.int8(-1)}, "dtype: DT_INT8 tensor_shape {} int_val: -1"),
        ({"values": np.int64(200)}, "dtype: DT_INT64 tensor_shape {} int64_val: 200"),
        ({"values": np.uint32(5)}, "dtype: DT_UINT32 tensor_shape {} uint32_val: 5"),
        ({"values": np.uint64(5)}, "dtype: DT_UINT64 tensor_shape {} uint64_val: 5"),
        (
            {"values": np.array([5, 6], np.uint16)},
            "dtype: DT_UINT16 tensor_shape { dim { size: 2 } } int_val: [5, 6]",
        ),
        (
            {"values": np.array([5, 6], np.int16)},
            r'dtype: DT_INT16 tensor_shape { dim { size: 2 } } tensor_content: "\005\000\006\000"',
        ),
        (
            {"values": [(1,), (2,)], "dtype": "quint16"},
            r'dtype: DT_QUINT16 tensor_shape { dim { size: 2 } } tensor_content: "\001\000\002\000"',
        ),
        (
            {"values": [(1,)], "dtype": "qint32"},
            "dtype: DT_QINT32 tensor_shape { dim { size: 1 } } int_val: 1",
        ),
        (
            {"values": 1.5, "shape": [3], "allow_broadcast": True},
            "dtype: DT_FLOAT tensor_shape { dim { size: 3 } } float_val: 1.5",
        ),
        (
            {"values": np.array([1, 2], np.uint8), "shape": [2], "verify_shape": True},
            r'dtype: DT_UINT8 tensor_shape { dim { size: 2 } } tensor_content: "\001\002"',
        ),
    ],
)
def test_written_as_tensorflow_writes(arguments, text):
    assert make_tensor_proto(**arguments) == _proto(text)


def test_a_proto_is_passed_through():
    proto = make_tensor_proto(3)
    assert make_tensor_proto(proto, dtype="float32") is proto


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"values": [1, 2], "shape": [3], "verify_shape": True}, TypeError, r"shape: \(3,\), got \(2,\)"),
        ({"values": 1, "shape": [1], "verify_shape": True}, TypeError, r"shape: \(1,\), got \(\)"),
        ({"values": [1, 2], "shape": [3], "allow_broadcast": True}, TypeError, r"shape: \(3,\), got \(2,\)"),
        ({"values": [[5]], "shape": [3], "allow_broadcast": True}, TypeError, r"shape: \(3,\), got \(1, 1\)"),
        ({"values": np.ones(2), "shape": [0], "verify_shape": True}, TypeError, r"shape: \(0,\), got \(2,\)"),
        ({"values": np.ones(2), "shape": [0]}, ValueError, "Needed at most 0, but received 2"),
        ({"values": [1, 2, 3], "shape": [2]}, ValueError, "Needed at most 2, but received 3"),
        (
            {"values": 1, "shape": [2], "verify_shape": True, "allow_broadcast": True},
            ValueError,
            "allow_broadcast and verify_shape are not both allowed",
        ),
        ({"values": None}, ValueError, "None values not supported"),
        ({"values": 1.5, "dtype": "int32"}, TypeError, "Expected int32, got 1.5 of type 'float' instead"),
    ],
)
def test_refused_values(arguments, error, message):
    with pytest.raises(error, match=message):
        make_tensor_proto(**arguments)


@pytest.mark.parametrize(
    ("text", "dtype", "content"),
    [
        ("dtype: DT_FLOAT tensor_shape {dim {size: 3}} float_val: [1, 2]", "float32", [1, 2, 2]),
        ("dtype: DT_FLOAT tensor_shape {dim {size: 3}}", "float32", [0, 0, 0]),
        (
            "dtype: DT_STRING tensor_shape {dim {size: 3}} string_val: 'a' string_val: 'b'",
            "O",
            [b"a", b"b", b"b"],
        ),
        ("dtype: DT_STRING tensor_shape {dim {size: 2}}", "O", [b"", b""]),
        (
            "dtype: DT_COMPLEX64 tensor_shape {dim {size: 2}} scomplex_val: [1, 2]",
            "complex64",
            [1 + 2j, 1 + 2j],
        ),
        ("dtype: DT_HALF tensor_shape {dim {size: 2}} half_val: 15872", "float16", [1.5, 1.5]),
        ("dtype: DT_UINT8 tensor_shape {} int_val: 200", "uint8", 200),
        ("dtype: DT_QINT8 tensor_shape {} int_val: 3", [("qint8", "i1")], (3,)),
        (r"dtype: DT_BOOL tensor_shape {dim {size: 2}} tensor_content: '\001\000'", "bool", [True, False]),
        (r"dtype: DT_HALF tensor_shape {dim {size: 1}} tensor_content: '\000>'", "float16", [1.5]),
        ("dtype: DT_FLOAT tensor_shape {unknown_rank: true} float_val: 1", "float32", 1.0),
        (
            r"dtype: DT_STRING tensor_shape {dim {size: 3}} tensor_content: '\001\000\002abc'",
            "O",
            [b"a", b"", b"bc"],
        ),
    ],
)
def test_read(text, dtype, content):
    array = MakeNdarray(_proto(text))
    assert array.dtype == np.dtype(dtype)
    assert array.tolist() == content


@pytest.mark.parametrize(
    ("text", "error"),
    [
        ("dtype: DT_RESOURCE tensor_shape {}", TypeError),
        ("dtype: DT_FLOAT_REF tensor_shape {} float_val: 1", TypeError),
        ("tensor_shape {} float_val: 1", TypeError),
        ("dtype: DT_FLOAT tensor_shape {dim {size: 2}} tensor_content: '1234'", ValueError),
        ("dtype: DT_FLOAT tensor_shape {dim {size: 2}} tensor_content: '12345'", ValueError),
        ("dtype: DT_FLOAT tensor_shape {dim {size: -1}} float_val: 1", ValueError),
        ("dtype: DT_INT32 tensor_shape {dim {size: 1}} int_val: [1, 2]", ValueError),
        ("dtype: DT_COMPLEX64 tensor_shape {dim {size: 2}} scomplex_val: [1, 2, 3]", ValueError),
        ("dtype: DT_STRING tensor_shape {dim {size: 2}} tensor_content: '\\005'", ValueError),
        ("dtype: DT_STRING tensor_shape {dim {size: 1}} tensor_content: '\\005abc'", ValueError),
    ],
)
def test_damaged_protos_are_refused(text, error):
    with pytest.raises(error):
        MakeNdarray(_proto(text))


def test_broadcast_arrays_stay_small():
    proto = array_to_proto(np.broadcast_to(np.float32(2), (100, 100)))
    assert list(proto.float_val) == [2.0]
    assert not proto.tensor_content
    assert (MakeNdarray(proto) == np.full((100, 100), 2)).all()


NUMBERS = st.sampled_from(
    [np.dtype(f"{kind}{width}") for kind, width in zip("iiiiuuuufffccb", (1, 2, 4, 8, 1, 2, 4, 8, 2, 4, 8, 8, 16, 1))]
)


@given(NUMBERS.flatmap(lambda dtype: hnp.arrays(dtype, hnp.array_shapes(min_dims=0, min_side=0, max_side=3))))
def test_numbers_survive(array):
    back = MakeNdarray(make_tensor_proto(array))
    assert back.dtype == array.dtype
    assert back.shape == array.shape
    assert back.tobytes() == array.tobytes()


@given(st.lists(st.binary(max_size=4), max_size=4))
def test_strings_survive(strings):
    assert MakeNdarray(make_tensor_proto(strings, "string")).tolist() == strings


def test_a_constant_of_a_proto_takes_the_memory_of_what_stands_in_it():
    # 1.15.5 makes it too; whoever computes it runs out of memory.
    with tf.Graph().as_default():
        made = tf.constant(_proto("dtype: DT_FLOAT tensor_shape { dim { size: 1125899906842624 } } float_val: 2"))
        assert made.shape.as_list() == [1 << 50]
        assert (made.dtype, made.op.name) == (tf.float32, "Const")
