"""Traced functions that return datasets: callers get datasets, and so do those who load a model of such functions."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.messages import protos


@pytest.fixture(autouse=True)
def eager():
    with eager_mode():
        yield


def pairs(n):
    return tf.data.Dataset.range(n).map(lambda x: (x, x * 2))


def listed(dataset):
    return [tuple(int(part) for part in element) for element in dataset]


def test_a_caller_gets_a_dataset():
    found = tf.function(pairs)(tf.constant(3, tf.int64))
    assert isinstance(found, tf.data.Dataset)
    assert found.element_spec == pairs(1).element_spec
    assert listed(found) == listed(found) == [(0, 0), (1, 2), (2, 4)]


def test_datasets_among_other_results():
    made = tf.function(lambda x: {"rows": tf.data.Dataset.from_tensor_slices(x), "more": (x + 1, None)})
    found = made(tf.constant([1, 2]))
    assert [int(row) for row in found["rows"]] == [1, 2]
    assert found["more"][0].numpy().tolist() == [2, 3]
    assert found["more"][1] is None


def test_a_function_goes_over_what_another_returns():
    inner = tf.function(lambda n: tf.data.Dataset.range(n))

    @tf.function
    def total(n):
        found = tf.constant(0, tf.int64)
        for value in inner(n):
            found += value
        return found

    assert int(total(tf.constant(5, tf.int64))) == 10


def test_a_graph_iterates_over_what_a_function_returns():
    with tf.Graph().as_default(), tf.Session() as session:
        iterator = tf.compat.v1.data.make_initializable_iterator(tf.function(pairs)(tf.constant(2, tf.int64)))
        element = iterator.get_next()
        session.run(iterator.initializer)
        assert [session.run(element) for _ in range(2)] == [(0, 0), (1, 2)]
        with pytest.raises(tf.errors.OutOfRangeError):
            session.run(element)


def test_a_model_is_written_and_loaded_with_such_a_function(tmp_path):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def rows(self, n):
            return {"rows": pairs(n), "count": n + 1}

    tf.saved_model.save(Model(), str(tmp_path))
    found = tf.saved_model.load_v2(str(tmp_path)).rows(tf.constant(3, tf.int64))
    assert listed(found["rows"]) == [(0, 0), (1, 2), (2, 4)]
    assert int(found["count"]) == 4


def _longer(state):
    state.tuple_value.values.add().string_value = "more"


def _of_text(state):
    state.tuple_value.values[0].string_value = "elements"


def _of_nothing(state):
    state.tuple_value.values[0].none_value.SetInParent()


def _of_text_shape(state):
    state.tuple_value.values[1].string_value = "shape"


@pytest.mark.parametrize("change", [_longer, _of_text, _of_nothing, _of_text_shape])
def test_a_file_that_describes_no_dataset_is_refused(tmp_path, change):
    class Model(tf.Module):
        @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
        def rows(self, n):
            return tf.data.Dataset.range(n)

    tf.saved_model.save(Model(), str(tmp_path))
    path, message = tmp_path / "saved_model.pb", protos.SavedModel()
    message.ParseFromString(path.read_bytes())
    for function in message.meta_graphs[0].object_graph_def.concrete_functions.values():
        change(function.output_signature.type_spec_value.type_state)
    path.write_bytes(message.SerializeToString())
    with pytest.raises(tf.errors.InvalidArgumentError, match=r"saved_model\.pb"):
        tf.saved_model.load_v2(str(tmp_path))
