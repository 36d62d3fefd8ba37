"""What a saver writes it reads: values of every type and shape, under other names, in parts, and no more files than asked."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as st_numpy

import headrace as tf

TYPES = ["float32", "float64", "float16", "int8", "int16", "int32", "int64", "uint8", "bool", "complex64"]


@settings(max_examples=25, deadline=None)
@given(data=st.data(), version=st.sampled_from([tf.train.SaverDef.V1, tf.train.SaverDef.V2]), count=st.integers(1, 3))
def test_values_of_every_type_and_shape_come_back(tmp_path_factory, data, version, count):
    arrays = [
        data.draw(st_numpy.arrays(data.draw(st.sampled_from(TYPES)), st_numpy.array_shapes(min_dims=0, max_side=4)))
        for _ in range(count)
    ]
    with tf.Graph().as_default(), tf.Session() as session:
        variables = [tf.Variable(array) for array in arrays]
        saver = tf.train.Saver(write_version=version)
        session.run(tf.global_variables_initializer())
        path = saver.save(session, str(tmp_path_factory.mktemp("saved") / "model"))
        session.run([tf.assign(v, tf.zeros_like(v)) for v in variables])
        saver.restore(session, path)
        restored = session.run(variables)
    for array, got in zip(arrays, restored, strict=True):
        assert got.dtype == array.dtype
        np.testing.assert_array_equal(got, array)
    assert dict(tf.train.list_variables(path)) == {
        v.op.name: list(a.shape) for v, a in zip(variables, arrays, strict=True)
    }


@settings(max_examples=10, deadline=None)
@given(rows=st.integers(2, 9), before=st.integers(1, 3), after=st.integers(1, 3))
def test_a_variable_in_parts_is_read_into_other_parts(tmp_path_factory, rows, before, after):
    values = np.arange(rows * 2, dtype=np.float32).reshape(rows, 2)

    def its_rows(shape, dtype, partition_info):
        first = partition_info.var_offset[0]
        return tf.constant(values[first : first + shape[0]])

    def parts(count):
        return tf.get_variable("w", [rows, 2], initializer=its_rows, partitioner=tf.fixed_size_partitioner(count))

    with tf.Graph().as_default(), tf.Session() as session:
        parts(min(before, rows))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path_factory.mktemp("parts") / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        whole = tf.convert_to_tensor(parts(min(after, rows)))
        tf.train.Saver().restore(session, path)
        np.testing.assert_array_equal(session.run(whole), values)


def test_a_saver_keeps_as_many_as_it_is_told_to(tmp_path):
    v = tf.Variable(0)
    saver = tf.train.Saver(max_to_keep=2)
    with tf.Session() as session:
        for step in range(4):
            session.run(v.assign(step))
            saver.save(session, str(tmp_path / "model"), step)
    kept = sorted(path.name for path in tmp_path.glob("*.index"))
    assert kept == ["model-2.index", "model-3.index"]
    assert tf.train.latest_checkpoint(str(tmp_path)) == str(tmp_path / "model-3")
    assert [tf.train.load_variable(path, "Variable") for path in saver.last_checkpoints] == [2, 3]


@pytest.mark.parametrize("missing", ["name", "shape"])
def test_what_is_not_in_the_file_is_named(tmp_path, missing):
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("w", initializer=tf.zeros([2]))
        session.run(tf.global_variables_initializer())
        path = tf.train.Saver().save(session, str(tmp_path / "model"))
    with tf.Graph().as_default(), tf.Session() as session:
        tf.get_variable("other" if missing == "name" else "w", [2 if missing == "name" else 3])
        error, text = {
            "name": (tf.errors.NotFoundError, "Key other not found in checkpoint"),
            "shape": (tf.errors.InvalidArgumentError, r"lhs shape= ?\[3\] rhs shape= ?\[2\]"),
        }[missing]
        with pytest.raises(error, match=text):
            tf.train.Saver().restore(session, path)
