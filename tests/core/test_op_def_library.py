"""Ops applied by the name of their type, and definitions noted beside them."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.nest import is_namedtuple, sorted_keys
from headrace.core.op_def_library import OpDefLibrary, apply_op
from headrace.messages import protos
from headrace.messages.kernel_list import get_all_registered_kernels, get_registered_kernels_for_op
from headrace.messages.op_lists import get_registered_ops
from headrace.testing import test_ops


def test_wrappers_say_the_defaults_of_attributes() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match="No argument for attr a"):
            apply_op("AttrDefault")
        assert apply_op("AttrDefault", a="kiwi").get_attr("a") == b"kiwi"


def test_an_empty_list_tells_no_type() -> None:
    with tf.Graph().as_default():
        with pytest.raises(TypeError, match=r"infer type variable .*empty input list .*input 'a'"):
            apply_op("InPolymorphicTwice", a=[], b=[3])
        # Told by the first list, the type is that of the second, which may be empty.
        assert apply_op("InPolymorphicTwice", a=[3], b=[]).get_attr("M") == 0


def test_definitions_are_noted_once() -> None:
    library = OpDefLibrary()
    library.add_op_list(protos.OpList(op=[protos.OpDef(name="Mine"), protos.OpDef(name="Other")]))
    library.add_op(protos.OpDef(name="Mine"))
    with pytest.raises(RuntimeError, match="Mine registered twice"):
        library.add_op(protos.OpDef(name="Mine", is_stateful=True))
    with pytest.raises(ValueError, match="missing name"):
        library.add_op(protos.OpDef())
    for wrong in (library.add_op, library.add_op_list):
        with pytest.raises(TypeError, match="not an op_def_pb2"):
            wrong("Mine")


def test_ops_that_were_declared_later_are_registered() -> None:
    assert test_ops.Simple.type == "Simple"
    assert get_registered_ops()["Simple"].input_arg[0].name == "a"


def test_kernels_tell_the_types_they_take() -> None:
    (kernel,) = get_registered_kernels_for_op("MatMul").kernel
    assert (kernel.op, kernel.device_type, kernel.constraint[0].name) == ("MatMul", "CPU", "T")
    assert protos.types_pb2.DT_FLOAT in kernel.constraint[0].allowed_values.list.type
    assert not get_registered_kernels_for_op("NoSuchOp").kernel
    assert len(get_all_registered_kernels().kernel) > 500


def test_limits_of_a_reference_are_those_of_its_type() -> None:
    assert tf.as_dtype("float32_ref").limits == (0, 1)


def test_only_namedtuple_makes_strict_namedtuples() -> None:
    from collections import namedtuple

    plain = namedtuple("plain", "x")
    assert is_namedtuple(plain(1), strict=True)
    derived = type("derived", (plain,), {})(1)
    assert (is_namedtuple(derived), is_namedtuple(derived, strict=True)) == (True, False)
    with pytest.raises(TypeError, match="sortable keys"):
        sorted_keys({"a": 1, 2: 3})
