"""Arguments of ops given by name, as `apply_op` of 1.x takes them: what it says of those that do not fit."""

from __future__ import annotations

from typing import Any

import pytest

import headrace as tf
from headrace.testing import test_ops

apply_op = test_ops._op_def_lib.apply_op


@pytest.mark.parametrize(
    ("op_type", "arguments", "message"),
    [
        ("Simple", {}, "No argument for input a"),
        ("Simple", {"a": 1, "other": 2, "extra": 3}, "apply_op() got unexpected keyword arguments: extra, other"),
        ("Polymorphic", {"a": "s", "T": tf.string}, "Should not specify value for inferred attr 'T'."),
        ("PolymorphicOut", {}, "No argument for attr T"),
        ("Attr", {"a": [12]}, "Expected int for argument 'a' not [12]."),
        ("AttrBool", {"a": 0}, "Expected bool for argument 'a' not 0."),
        ("AttrFloat", {"a": "bad"}, "Expected float for argument 'a' not 'bad'."),
        ("OutTypeList", {"T": tf.int32}, "Expected list for attr T"),
        ("NPolymorphicOut", {"N": 3, "T": [tf.int32]}, "Expected DataType for argument 'T' not [tf.int32]."),
        (
            "TypeListTwice",
            {"a": ["z", True], "b": ["y", 6]},
            (
                "Input 'b' of 'TypeListTwice' Op has type list of string, int32 that does not match type list string, bool "
                "of argument 'a'."
            ),
        ),
        (
            "NInTwice",
            {"a": [1, 2, 3], "b": ["short"]},
            "List argument 'b' to 'NInTwice' Op with length 1 must match length 3 of argument 'a'.",
        ),
    ],
)
def test_what_does_not_fit(op_type: str, arguments: dict[str, Any], message: str) -> None:
    with tf.Graph().as_default(), pytest.raises((TypeError, ValueError)) as raised:
        apply_op(op_type, **arguments)
    assert str(raised.value) == message


def test_names_kept_apart_from_words_of_python() -> None:
    with tf.Graph().as_default():
        assert apply_op("ReservedAttr", range_=7).get_attr("range") == 7
        assert apply_op("ReservedInput", input_=7).inputs[0].op.type == "Const"
