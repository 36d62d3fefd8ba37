"""Datasets that objects keep: written with the functions that use them, as 1.15.5 writes and reads them."""

from __future__ import annotations

import pathlib
import subprocess
import sys

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.messages import protos

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from oracle import has_oracle, oracle_python

READ = "import sys, tensorflow as tf; tf.enable_eager_execution(); model = tf.saved_model.load_v2(sys.argv[1]); "
READ += "print(int(model(tf.constant(2, tf.int64))))"


class Summing(tf.Module):
    """Adds up what it makes of each element of its dataset."""

    def __init__(self, dataset, number=lambda element: element):
        super().__init__()
        self.dataset = dataset
        self.number = number

    @tf.function(input_signature=[tf.TensorSpec([], tf.int64)])
    def __call__(self, factor):
        total = tf.zeros([], tf.int64)
        for element in self.dataset:
            total += factor * tf.reduce_sum(self.number(element))
        return total


def int64(value):
    return tf.constant(value, tf.int64)


def squares():
    return Summing(tf.data.Dataset.range(4).map(lambda x: x * x).batch(3).prefetch(1))


def captured():
    offset = int64(10)
    return Summing(tf.data.Dataset.range(3).flat_map(lambda x: tf.data.Dataset.range(x).map(lambda y: y + offset)))


def pairs():
    whole = tf.data.Dataset.from_tensor_slices({"a": int64([1, 2]), "b": int64([3, 4])})
    return Summing(tf.data.Dataset.zip((whole, whole.shuffle(2))), lambda pair: pair[0]["a"] + pair[1]["b"])


def texts():
    lengths = tf.data.Dataset.from_tensor_slices(["a", "bcd"]).map(tf.strings.length)
    return Summing(lengths, lambda length: tf.cast(length, tf.int64))


def sparse():
    matrix = tf.SparseTensor([[0, 0], [1, 1]], int64([1, 5]), [2, 2])
    return Summing(tf.data.Dataset.from_tensor_slices(matrix), tf.sparse.to_dense)


def ragged():
    rows = tf.ragged.constant([[1, 2], [3]], dtype=tf.int64)
    return Summing(tf.data.Dataset.from_tensor_slices(rows).batch(2), lambda batch: batch.values)


@pytest.mark.parametrize(
    ("make", "doubled"), [(squares, 28), (captured, 62), (pairs, 20), (texts, 8), (sparse, 12), (ragged, 12)]
)
def test_a_dataset_is_written_with_the_function_that_uses_it(make, doubled, tmp_path):
    folder = str(tmp_path / "model")
    with eager_mode():
        model = make()
        assert int(model(int64(2))) == doubled
        tf.saved_model.save(model, folder)
        again = tf.saved_model.load_v2(folder)
        assert [int(again(int64(2))), int(again(int64(4)))] == [doubled, 2 * doubled]
    with tf.Graph().as_default(), tf.Session() as session:
        signature = tf.saved_model.loader.load(session, ["serve"], folder).signature_def["serving_default"]
        assert session.run(signature.outputs["output_0"].name, {signature.inputs["factor"].name: 2}) == doubled


@pytest.mark.skipif(not has_oracle(), reason="needs TensorFlow 1.15.5")
def test_tensorflow_reads_it(tmp_path):
    with eager_mode():
        tf.saved_model.save(pairs(), str(tmp_path / "model"))
    run = subprocess.run([oracle_python(), "-c", READ, str(tmp_path / "model")], capture_output=True, text=True)
    assert run.stdout.split() == ["20"], run.stderr


def test_the_dataset_is_an_object_with_a_resource(tmp_path):
    with eager_mode():
        tf.saved_model.save(squares(), str(tmp_path / "model"))
    model = protos.SavedModel.FromString((tmp_path / "model" / "saved_model.pb").read_bytes())
    nodes = model.meta_graphs[0].object_graph_def.nodes
    children = [{child.local_name: child.node_id for child in node.children} for node in nodes]
    resource = children[children[0]["dataset"]]["_variant_tracker"]
    assert nodes[resource].WhichOneof("kind") == "resource"
    assert {"_create_resource", "_initialize"} <= children[resource].keys()


def numbers():
    yield 1


def with_variable():
    step = tf.Variable(int64(3))
    kept = Summing(tf.data.Dataset.range(3).map(lambda x: x + step))
    kept.step = step
    return kept


@pytest.mark.parametrize(
    ("make", "what"),
    [
        (with_variable, "ReadVariableOp is stateful"),
        (lambda: Summing(tf.data.Dataset.from_generator(numbers, tf.int64)), "PyFunc is stateful"),
        (
            lambda: Summing(tf.data.Dataset.range(3).map(lambda x: x + tf.cast(tf.random.uniform([]), tf.int64))),
            "Random",
        ),
    ],
)
def test_state_in_a_dataset_is_refused(make, what, tmp_path):
    with eager_mode():
        model = make()
        with pytest.raises(tf.errors.FailedPreconditionError, match=what):
            tf.saved_model.save(model, str(tmp_path / "model"))


def test_a_dataset_that_no_object_keeps_is_refused(tmp_path):
    with eager_mode():
        elsewhere = tf.data.Dataset.range(3)
        model = tf.Module()
        model.total = tf.function(lambda: elsewhere.reduce(int64(0), tf.add), input_signature=[])
        with pytest.raises(AssertionError, match="not tracked"):
            tf.saved_model.save(model, str(tmp_path / "model"))


def test_a_dataset_of_a_graph_is_refused(tmp_path):
    with tf.Graph().as_default(), tf.Session(), pytest.raises(NotImplementedError, match="created executing eagerly"):
        tf.saved_model.save(Summing(tf.data.Dataset.range(3)), str(tmp_path / "model"))


@pytest.mark.parametrize("is_eager", [True, False])
def test_checkpoints_take_objects_with_datasets(is_eager, tmp_path):
    def saved():
        step = tf.Variable(5)
        checkpoint = tf.train.Checkpoint(data=tf.data.Dataset.range(3).batch(2), step=step)
        if not is_eager:
            tf.get_default_session().run(step.initializer)
        path = checkpoint.save(str(tmp_path / "c"))
        status = checkpoint.restore(path).assert_consumed()
        return status, [name for name, _ in tf.train.list_variables(path)]

    if is_eager:
        with eager_mode():
            _, names = saved()
    else:
        with tf.Graph().as_default(), tf.Session():
            _, names = saved()
    assert [name for name in names if "data" in name] == []
    assert "step/.ATTRIBUTES/VARIABLE_VALUE" in names
