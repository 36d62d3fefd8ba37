"""SavedModels of graphs alone, as 1.x programs write them, loaded as objects."""

from __future__ import annotations

import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.saved_model import signatures
from headrace.saved_model.resource_graphs import ResourceGraph
from headrace.state.lifted_initial_values import UnliftableError


def write(path, make):
    with tf.Graph().as_default(), tf.Session() as session:
        inputs, outputs = make()
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        tf.saved_model.simple_save(session, path, inputs, outputs)


def test_reference_variables_are_resource_variables_of_the_object(tmp_path):
    path = str(tmp_path / "model")

    def make():
        x = tf.placeholder(tf.float32, [None])
        two = tf.constant_initializer(2.0)
        w = tf.get_variable("w", [3], initializer=two, partitioner=tf.fixed_size_partitioner(3))
        scale = tf.Variable(2.0, name="scale", use_resource=False)
        # Assigned and read where it is a reference.
        doubled = tf.identity(scale.assign_add(0.0)) * 2.0
        return {"x": x}, {"y": x * tf.reduce_sum(tf.convert_to_tensor(w)) * doubled}

    write(path, make)
    with eager_mode():
        model = tf.saved_model.load_v2(path)
        assert sorted(v.name for v in model.variables) == ["scale:0", "w/part_0:0", "w/part_1:0", "w/part_2:0"]
        serve = model.signatures["serving_default"]
        assert serve(x=tf.constant([1.0]))["y"].numpy().tolist() == [24.0]
        next(v for v in model.variables if v.name == "scale:0").assign(1.0)
        assert serve(x=tf.constant([1.0]))["y"].numpy().tolist() == [12.0]
        # Two loads have variables of their own.
        other = tf.saved_model.load_v2(path)
        assert other.signatures["serving_default"](x=tf.constant([1.0]))["y"].numpy().tolist() == [24.0]


def test_what_is_not_saved_is_initialized_by_the_model(tmp_path):
    path = str(tmp_path / "model")
    with tf.Graph().as_default(), tf.Session() as session:
        x = tf.placeholder(tf.float32, [])
        count = tf.get_local_variable("count", initializer=5.0)
        w = tf.get_variable("w", initializer=2.0)
        session.run([tf.global_variables_initializer(), tf.local_variables_initializer()])
        tf.saved_model.simple_save(
            session, path, {"x": x}, {"y": x * w + count}, legacy_init_op=tf.local_variables_initializer()
        )
    with eager_mode():
        model = tf.saved_model.load_v2(path)
        assert [v.name for v in model.variables] == ["w:0"]
        assert float(model.signatures["serving_default"](x=tf.constant(1.0))["y"]) == 7.0


def test_a_signature_that_lacks_a_placeholder_is_refused(tmp_path):
    path = str(tmp_path / "model")

    def make():
        x, y = tf.placeholder(tf.float32, []), tf.placeholder(tf.float32, [])
        return {"x": x}, {"z": x + y}

    write(path, make)
    with eager_mode(), pytest.raises(UnliftableError, match="needs an input for each placeholder"):
        tf.saved_model.load_v2(path)


def test_operations_on_references_have_counterparts_on_handles():
    with tf.Graph().as_default():
        v = tf.Variable([1.0, 2.0], name="v", use_resource=False)
        n = tf.Variable(1, name="n", use_resource=False)
        made = [tf.scatter_add(v, [0], [1.0]), n.count_up_to(3), tf.is_variable_initialized(v)]
        message = tf.train.export_meta_graph()
    kinds = {node.name: node.op for node in ResourceGraph(message, ["v"]).message.graph_def.node}
    assert [kinds[tensor.op.name] for tensor in made] == [
        "ResourceScatterAdd",
        "ResourceCountUpTo",
        "VarIsInitializedOp",
    ]
    assert [kinds["v"], kinds["n"], kinds["v/read"]] == ["Placeholder", "VarHandleOp", "ReadVariableOp"]
    # The message that was given stays.
    assert {node.op for node in message.graph_def.node if node.name in ("v", "n")} == {"VariableV2"}


def test_a_session_made_while_executing_eagerly_has_a_graph():
    with eager_mode():
        with tf.Session() as session:
            assert not tf.executing_eagerly()
            x = tf.placeholder(tf.float32, [])
            assert session.run(x * 2.0, {x: 3.0}) == 6.0
        assert tf.executing_eagerly()


@pytest.mark.parametrize(
    ("make", "method"),
    [
        (signatures.supervised_train_signature_def, "tensorflow/supervised/training"),
        (signatures.supervised_eval_signature_def, "tensorflow/supervised/eval"),
    ],
)
def test_signatures_of_training_and_evaluation(make, method):
    with tf.Graph().as_default():
        x, loss = tf.placeholder(tf.float32, [3], name="x"), tf.constant(0.5, name="loss")
        made = make({"x": x}, {"loss": loss}, {"out": x}, {"error": loss})
        assert made.method_name == method
        assert {key: info.name for key, info in made.inputs.items()} == {"x": "x:0"}
        assert {key: info.name for key, info in made.outputs.items()} == {
            "loss": "loss:0",
            "out": "x:0",
            "error": "loss:0",
        }
        with pytest.raises(ValueError, match="inputs"):
            make({}, {"loss": loss})
