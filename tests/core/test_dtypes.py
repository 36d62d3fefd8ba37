"""Element types against TensorFlow 1.15: the table, conversions, comparison."""

import copy
import pickle
import subprocess
import sys

import numpy as np
import pytest
import torch

from headrace.core import dtypes
from headrace.core.dtypes import DType, as_dtype

# What TensorFlow 1.15 says of each type: number, name, kind, smallest and largest value, bytes an element.
TABLE = [
    (1, "float32", "floating", -3.4028235e38, 3.4028235e38, 4),
    (2, "float64", "floating", -1.7976931348623157e308, 1.7976931348623157e308, 8),
    (3, "int32", "integer", -2147483648, 2147483647, 4),
    (4, "uint8", "integer unsigned", 0, 255, 1),
    (5, "int16", "integer", -32768, 32767, 2),
    (6, "int8", "integer", -128, 127, 1),
    (7, "string", "", None, None, 8),
    (8, "complex64", "complex", None, None, 8),
    (9, "int64", "integer", -9223372036854775808, 9223372036854775807, 8),
    (10, "bool", "bool", None, None, 1),
    (11, "qint8", "quantized", None, None, 1),
    (12, "quint8", "quantized", None, None, 1),
    (13, "qint32", "quantized", None, None, 4),
    (14, "bfloat16", "floating", -3.38953139e38, 3.38953139e38, 2),
    (15, "qint16", "quantized", None, None, 2),
    (16, "quint16", "quantized", None, None, 2),
    (17, "uint16", "integer unsigned", 0, 65535, 2),
    (18, "complex128", "complex", None, None, 16),
    (19, "float16", "floating", -65504.0, 65504.0, 2),
    (20, "resource", "", None, None, 1),
    (21, "variant", "", None, None, 1),
    (22, "uint32", "integer unsigned", 0, 4294967295, 4),
    (23, "uint64", "integer unsigned", 0, 18446744073709551615, 8),
]
NAMES = [row[1] for row in TABLE]
KINDS = ("floating", "integer", "complex", "bool", "quantized", "unsigned")


@pytest.mark.parametrize(("number", "name", "kind", "least", "most", "size"), TABLE, ids=NAMES)
def test_each_type_is_as_in_tensorflow(number, name, kind, least, most, size):
    dtype = getattr(dtypes, name)
    assert (dtype.as_datatype_enum, hash(dtype)) == (number, number)
    assert (dtype.name, repr(dtype), str(dtype)) == (name, f"tf.{name}", f"<dtype: '{name}'>")
    kinds = [k for k in KINDS if getattr(dtype, f"is_{k}")]
    assert " ".join(kinds) == kind
    assert dtype.size == size
    assert dtype.is_numpy_compatible == (name not in ("resource", "variant"))
    if least is None:
        for extreme in ("min", "max"):
            with pytest.raises(TypeError, match=f"Cannot find {extreme}imum value of <dtype: '{name}'>"):
                getattr(dtype, extreme)
    else:
        assert float(dtype.min) == pytest.approx(least, rel=1e-7)
        assert float(dtype.max) == pytest.approx(most, rel=1e-7)
        if dtype.size == 2 and kind == "floating":
            # Images of halves are not known.
            with pytest.raises(KeyError):
                _ = dtype.limits
        else:
            assert dtype.limits == ((0, 1) if kind == "floating" else (0, most))


@pytest.mark.parametrize("name", NAMES)
def test_one_object_for_each_type(name):
    dtype, ref = getattr(dtypes, name), as_dtype(name + "_ref")
    number = dtype.as_datatype_enum
    assert as_dtype(name) is as_dtype(number) is DType(number) is dtype
    assert as_dtype(number + 100) is DType(number + 100) is dtype._as_ref is ref._as_ref is ref
    for one in (dtype, ref):
        assert pickle.loads(pickle.dumps(one)) is copy.deepcopy(one) is copy.copy(one) is one


@pytest.mark.parametrize("name", NAMES)
def test_a_reference_type_shares_all_but_its_name_and_number(name):
    dtype, ref = getattr(dtypes, name), as_dtype(name + "_ref")
    assert (ref.name, repr(ref), str(ref)) == (f"{name}_ref", f"tf.{name}_ref", f"<dtype: '{name}_ref'>")
    assert (ref._is_ref_dtype, dtype._is_ref_dtype) == (True, False)
    assert ref.base_dtype is dtype.base_dtype is dtype
    assert ref != dtype
    assert dtype.is_compatible_with(ref)
    assert not ref.is_compatible_with(dtype)
    assert ref.torch is dtype.torch
    assert ref.size == dtype.size
    for kind in KINDS:
        assert getattr(ref, f"is_{kind}") == getattr(dtype, f"is_{kind}")


def test_real_dtype():
    assert dtypes.complex64.real_dtype is as_dtype("complex64_ref").real_dtype is dtypes.float32
    assert dtypes.complex128.real_dtype is dtypes.float64
    assert dtypes.int32.real_dtype is dtypes.int32
    assert as_dtype("float32_ref").real_dtype is as_dtype("float32_ref")


@pytest.mark.parametrize("name", sorted(set(NAMES) - {"resource", "variant"}))
def test_numpy_types_there_and_back(name):
    dtype = getattr(dtypes, name)
    assert as_dtype(dtype.as_numpy_dtype) is dtype
    assert as_dtype(np.dtype(dtype.as_numpy_dtype)) is dtype
    assert as_dtype(np.zeros(2, dtype.as_numpy_dtype).dtype) is dtype


def test_numpy_types_are_the_ones_programs_expect():
    assert dtypes.float32.as_numpy_dtype is np.float32
    assert dtypes.bool.as_numpy_dtype is np.bool_
    assert dtypes.string.as_numpy_dtype is np.object_
    assert dtypes.qint8.as_numpy_dtype == np.dtype([("qint8", np.int8)])
    for opaque in (dtypes.resource, dtypes.variant):
        with pytest.raises(KeyError):
            _ = opaque.as_numpy_dtype


CONVERSIONS = [
    ("float", "float32"),
    ("half", "float16"),
    ("double", "float64"),
    ("half_ref", "float16_ref"),
    ("float_ref", "float32_ref"),
    ("double_ref", "float64_ref"),
    (float, "float32"),
    (bool, "bool"),
    (object, "string"),
    (np.dtype("f4"), "float32"),
    (np.dtype(">f4"), "float32"),
    (np.dtype("S3"), "string"),
    (np.dtype("U4"), "string"),
    (np.dtype("O"), "string"),
    (np.str_, "string"),
    (np.bytes_, "string"),
    (np.object_, "string"),
    (np.bool_, "bool"),
    (np.longlong, "int64"),
    (np.intc, "int32"),
    (np.uintc, "uint32"),
    (np.ulonglong, "uint64"),
    (np.dtype("q"), "int64"),
    (np.dtype([("quint16", np.uint16)]), "quint16"),
]


@pytest.mark.parametrize(("value", "name"), CONVERSIONS, ids=lambda v: str(v))
def test_as_dtype(value, name):
    assert as_dtype(value).name == name


@pytest.mark.parametrize(
    "value",
    [None, int, complex, str, bytes, "nope", "f4", ">f4", "object", "O", b"float32", 0, 999, 1.5, [1],
     set(), np.float32(0.5), np.int32(999), np.datetime64, np.longdouble, np.generic, np.number, np.void, np.dtype("V8"),
     np.dtype([("resource", np.ubyte)]), np.array(1.0), list, type(None), len],
    ids=repr,
)  # fmt: skip
def test_as_dtype_rejects(value):
    with pytest.raises(TypeError, match=r"Cannot convert value .* to a TensorFlow DType"):
        as_dtype(value)
    assert dtypes.float32 != value


@pytest.mark.parametrize("number", [0, 24, 100, 1000])
def test_dtype_of_a_wrong_number(number):
    with pytest.raises(TypeError, match=f"type_enum is not a valid types_pb2.DataType: {number}"):
        DType(number)


@pytest.mark.parametrize("other", [np.float32, np.dtype("f4"), "float32", "float", 1, float, torch.float32], ids=str)
def test_equal_to_whatever_names_it(other):
    assert dtypes.float32 == other
    assert other == dtypes.float32
    assert (dtypes.float32 != other) is False
    assert dtypes.float64 != other


@pytest.mark.parametrize("other", [None, "nope", 5, {}, [], object, "float32_ref"], ids=repr)
def test_equal_to_nothing_else(other):
    assert (dtypes.float32 == other) is False
    assert dtypes.float32 != other


def test_membership_in_a_list_of_numpy_types():
    assert dtypes.float32 in [np.int32, np.float32]
    assert dtypes.float16 not in [np.int32, np.float32]


def test_types_have_no_order():
    with pytest.raises(TypeError):
        _ = dtypes.float32 < dtypes.float64


@pytest.mark.parametrize("name", NAMES)
def test_torch_types(name):
    dtype = getattr(dtypes, name)
    if name in ("string", "resource", "variant"):
        assert dtype.torch is None
    elif dtype.is_quantized:
        assert dtype.torch is getattr(torch, name[1:])
    else:
        assert dtype.torch is getattr(torch, name)
        assert dtypes.of_torch(dtype.torch) is as_dtype(dtype.torch) is dtype
        assert dtype.torch.itemsize == dtype.size


@pytest.mark.parametrize("name", ["complex32", "float8_e5m2", "qint8"])
def test_torch_types_tensorflow_has_not(name):
    with pytest.raises(TypeError):
        dtypes.of_torch(getattr(torch, name))
    with pytest.raises(TypeError):
        as_dtype(getattr(torch, name))


def test_short_names():
    assert dtypes.half is dtypes.float16
    assert dtypes.double is dtypes.float64


def test_quantized_types_include_their_references():
    names = {f"{q}{ref}" for q in ("qint8", "quint8", "qint16", "quint16", "qint32") for ref in ("", "_ref")}
    assert {t.name for t in dtypes.QUANTIZED_DTYPES} == names


def test_sets_of_signatures():
    sets = {name: {t.name for t in types} for name, types in dtypes.DTYPE_SETS.items()}
    assert len(sets["numeric"]) == 17
    assert sets["realnumeric"] == {t.name for t in map(DType, range(1, 24)) if t.is_integer or t.is_floating}
    assert sets["numeric"] == sets["realnumeric"] | sets["complex"] | {"qint8", "quint8", "qint32"}
    assert sets["floating"] == {"float16", "bfloat16", "float32", "float64"}
    assert sets["inexact"] == sets["floating"] | sets["complex"]
    assert sets["integer"] == {t.name for t in map(DType, range(1, 24)) if t.is_integer}
    assert sets["index"] == {"int32", "int64"}
    assert sets["quantized"] == {"qint8", "quint8", "qint16", "quint16", "qint32"}


def test_neither_torch_nor_ml_dtypes_is_loaded_for_the_types():
    program = (
        "import sys\n"
        "from headrace.core import dtypes\n"
        "assert dtypes.float32 == 'float32' and dtypes.bfloat16.is_floating and dtypes.float32 != object()\n"
        "assert not {'torch', 'ml_dtypes'} & set(sys.modules)\n"
    )
    subprocess.run([sys.executable, "-c", program], check=True)
