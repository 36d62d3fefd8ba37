"""Structures of Python values as messages."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.saved_model.structured_values import NotEncodableError, StructureCoder


def test_what_no_message_tells_of_is_refused_by_an_error_of_its_own():
    coder = StructureCoder()
    structure = {"a": [1, (2.5, None)], "b": tf.TensorSpec([2, None], tf.int64, "x")}
    assert coder.can_encode(structure)
    assert coder.decode_proto(coder.encode_structure(structure)) == structure
    assert not coder.can_encode([object()])
    with pytest.raises(NotEncodableError, match="object"):
        coder.encode_structure([object()])


def test_arrays_and_empty_messages():
    coder = StructureCoder()
    arrays = tf.TensorArraySpec([3], tf.int32, True, False)
    message = coder.encode_structure([arrays])
    assert coder.decode_proto(message) == [arrays]
    # Version 1.15 has no field for how many tensors a value is made of.
    assert message.list_value.values[0].type_spec_value.num_flat_components == 0
    with pytest.raises(NotEncodableError, match="kind"):
        coder.decode_proto(type(message)())


def test_a_signature_of_serving_has_its_own_inputs_only():
    utils = tf.compat.v1.saved_model
    with tf.Graph().as_default():
        text = utils.build_tensor_info(tf.compat.v1.placeholder(tf.string, [None]))
        scores = utils.build_tensor_info(tf.compat.v1.placeholder(tf.float32, [None]))
        rows = utils.build_tensor_info(tf.ragged.constant([[1], [2, 3]]))
    regress = "tensorflow/serving/regress"
    good = utils.build_signature_def({"inputs": text}, {"outputs": scores}, regress)
    more = utils.build_signature_def({"inputs": text, "other": text}, {"outputs": scores}, regress)
    assert utils.is_valid_signature(good)
    assert not utils.is_valid_signature(more)
    # What ragged rows are made of tells their types; the whole has none of its own.
    assert rows.dtype == 0
    assert [part.dtype for part in rows.composite_tensor.components] == [3, 9]


def test_ragged_inputs_are_saved_by_their_parts(tmp_path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        rows = tf.compat.v1.ragged.placeholder(tf.float32, 1)
        total = tf.reduce_sum(rows, axis=1)
        tf.compat.v1.saved_model.simple_save(session, str(tmp_path / "model"), {"rows": rows}, {"total": total})
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        saved = tf.compat.v1.saved_model.load(session, ["serve"], str(tmp_path / "model"))
        signature = saved.signature_def["serving_default"]
        get = tf.compat.v1.saved_model.get_tensor_from_tensor_info
        fed = {get(signature.inputs["rows"]): tf.compat.v1.ragged.constant_value([[1.0, 2.0], [], [4.0]])}
        assert session.run(get(signature.outputs["total"]), fed).tolist() == [3.0, 0.0, 4.0]
