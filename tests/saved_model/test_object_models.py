"""Objects with variables and functions as SavedModels: written and loaded here, by TensorFlow 1.15.5 and by 2.21."""

from __future__ import annotations

import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest

import headrace as tf
from headrace.messages import protos
from headrace.messages.program_order import order_variable_uses

sys.path.insert(0, str(pathlib.Path(__file__).parent.parent))
from oracle import has_oracle, oracle_python

from headrace.core.eager import eager_mode

FIXTURES = pathlib.Path(__file__).parent.parent / "fixtures" / "objects"


class Counter(tf.Module):
    def __init__(self):
        super().__init__()
        self.total = tf.Variable(0.0)

    @tf.function(input_signature=[tf.TensorSpec([], tf.float32)])
    def add(self, x):
        self.total.assign_add(x)
        return self.total * 2.0

    @tf.function(input_signature=[])
    def reset(self):
        self.total.assign(0.0)


class Net(tf.Module):
    def __init__(self):
        super().__init__()
        self.counter = Counter()
        self.parts = {"a": tf.Variable([1.0, 2.0], name="a"), "b": [tf.Variable(tf.ones([2, 2]), name="w/b")]}
        self.words = tf.constant(["x", "y"])

    @tf.function
    def loop(self, x, limit=100.0):
        steps = 0
        while tf.reduce_sum(x) < limit:
            x = x * self.parts["a"] + 1.0
            steps += 1
        if tf.reduce_sum(x) > 150.0:
            y = x - 1.0
        else:
            y = x + tf.matmul([x], self.parts["b"][0])[0]
        return {"x": x, "y": [y, steps], "words": self.words}

    @tf.function(
        input_signature=[
            tf.TensorSpec([None, 2], tf.float32, name="left"),
            tf.TensorSpec([2, 2], tf.float32, name="right"),
        ]
    )
    def serve(self, left, right):
        return {"product": tf.matmul(left, right) + self.parts["a"], "sum": tf.reduce_sum(left) + self.counter.total}


# The same text for all three: what a loaded model answers.
ASK = """
import numpy as np
def told(x):
    return tf.nest.map_structure(lambda t: t.numpy().tolist() if hasattr(t, "numpy") else t, x)
model = load(folder)
answers = [told(model.counter.add(tf.constant(1.0))), told(model.counter.add(tf.constant(2.0)))]
model.counter.reset()
answers.append(told(model.counter.total))
found = told(model.loop(tf.constant([1.0, 2.0])))
answers += [found["x"], found["y"], [word.decode() for word in found["words"]]]
served = model.signatures["pair"](left=tf.constant([[1.0, 2.0]]), right=tf.constant([[1.0, 0.0], [0.0, 1.0]]))
answers += [sorted(model.signatures), told(served["product"]), told(served["sum"]), told(model.parts["b"][0])]
with tf.GradientTape() as tape:
    y = tf.reduce_sum(model.serve(tf.ones([3, 2]), tf.ones([2, 2]))["product"])
answers.append(told(tape.gradient(y, model.parts["a"])))
"""
EXPECTED = [
    2.0,
    6.0,
    0.0,
    [6.0, 95.0],
    [[107.0, 196.0], 5],
    ["x", "y"],
    ["pair", "serving_default"],
    [[2.0, 4.0]],
    3.0,
    [[1.0, 1.0], [1.0, 1.0]],
    [3.0, 3.0],
]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = str(tmp_path_factory.mktemp("objects") / "model")
    with eager_mode():
        net = Net()
        net.loop(tf.constant([1.0, 2.0]))
        tf.saved_model.save(net, folder, {"serving_default": net.serve, "pair": net.serve.get_concrete_function()})
    return folder


def asked(folder):
    with eager_mode():
        names = {"tf": tf, "folder": str(folder), "load": tf.saved_model.load_v2}
        exec(ASK, names)  # the text above
        return names["answers"]


def test_what_is_written_loads(written):
    assert asked(written) == EXPECTED


@pytest.mark.parametrize("name", ["tf1", "tf2"])
def test_models_of_tensorflow_load(name):
    assert asked(FIXTURES / name) == EXPECTED


@pytest.mark.parametrize("place", ["written", "tf1", "tf2"])
def test_sessions_load_them_by_signature(place, request):
    folder = request.getfixturevalue("written") if place == "written" else str(FIXTURES / place)
    with tf.Graph().as_default(), tf.Session() as session:
        meta = tf.saved_model.loader.load(session, ["serve"], folder)
        signature = meta.signature_def["serving_default"]
        feeds = {signature.inputs["left"].name: [[1.0, 2.0]], signature.inputs["right"].name: np.eye(2)}
        assert session.run(signature.outputs["product"].name, feeds).tolist() == [[2.0, 4.0]]


def test_in_a_graph_variables_are_restored_by_their_initializers(written):
    with tf.Graph().as_default(), tf.Session() as session:
        model = tf.saved_model.load_v2(written)
        session.run(tf.global_variables_initializer())
        assert session.run(model.parts["a"]).tolist() == [1.0, 2.0]
        y = model.loop(tf.constant([1.0, 2.0]))["x"]
        assert session.run(y).tolist() == [6.0, 95.0]


@pytest.mark.oracle
@pytest.mark.skipif(not has_oracle(), reason="make oracle has not been run")
@pytest.mark.parametrize("which", ["tf1", "tf2"])
def test_tensorflow_loads_what_is_written(written, which):
    python = oracle_python() if which == "tf1" else os.environ.get("HEADRACE_TF2", ".oracle/tf2/bin/python")
    if not os.path.exists(python):
        pytest.skip("TensorFlow 2 is not installed")
    start = "tf.compat.v1.enable_eager_execution(); load = tf.saved_model.load_v2" if which == "tf1" else ""
    text = f"import tensorflow as tf\nload = tf.saved_model.load\n{start}\nfolder = {written!r}\n{ASK}\nprint('ANSWERS', answers)"
    done = subprocess.run(
        [python, "-c", text],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3"},
    )
    assert f"ANSWERS {EXPECTED}" in done.stdout, done.stderr[-2000:]


def test_methods_of_two_objects_of_a_class_keep_their_own_variables(tmp_path):
    with eager_mode():
        both = tf.Module()
        both.one, both.other = Counter(), Counter()
        both.other.total.assign(10.0)
        tf.saved_model.save(both, str(tmp_path / "m"))
        model = tf.saved_model.load_v2(str(tmp_path / "m"))
        added = [float(part.add(tf.constant(1.0)).numpy()) for part in (model.one, model.other, model.one)]
    assert added == [2.0, 22.0, 4.0]


def test_calls_that_fit_no_trace_are_told(written):
    with eager_mode():
        model = tf.saved_model.load_v2(written)
        with pytest.raises(ValueError, match="Could not find matching function"):
            model.loop(tf.constant([1, 2]))
        with pytest.raises(TypeError, match="left"):
            model.signatures["pair"](right=tf.constant([[1.0]]))
        with pytest.raises(TypeError, match="without a function"):
            model(1.0)


def test_variables_that_are_not_kept_are_refused(tmp_path):
    with eager_mode():
        loose = tf.Variable(1.0)
        module = tf.Module()
        module.f = tf.function(lambda x: x * loose, input_signature=[tf.TensorSpec([], tf.float32)])
        with pytest.raises(AssertionError, match="not reachable from root"):
            tf.saved_model.save(module, str(tmp_path / "m"))
        # What no signature uses is missed later.
        module.f = tf.function(lambda x: x * loose)
        module.f(tf.constant(1.0))
        with pytest.raises(KeyError, match="not reachable from root"):
            tf.saved_model.save(module, str(tmp_path / "m"))
        with pytest.raises(ValueError, match="Expected a Trackable"):
            tf.saved_model.save(3, str(tmp_path / "m"))


@pytest.mark.parametrize("change", ["number", "captures", "function", "constant", "spec"])
def test_object_graphs_that_do_not_fit_are_refused_by_name(written, tmp_path, change):
    import shutil

    folder = tmp_path / "model"
    shutil.copytree(written, folder)
    path = folder / "saved_model.pb"
    model = protos.SavedModel.FromString(path.read_bytes())
    saved = model.meta_graphs[0].object_graph_def
    function = next(node for node in saved.nodes if node.WhichOneof("kind") == "function")
    described = saved.concrete_functions[function.function.concrete_functions[0]]
    if change == "number":
        saved.nodes[0].children[0].node_id = 9999
    elif change == "captures":
        described.bound_inputs.extend([0] * 40)
    elif change == "function":
        function.function.concrete_functions[0] = "none"
    elif change == "constant":
        next(node for node in saved.nodes if node.WhichOneof("kind") == "constant").constant.operation = "none"
    else:
        described.output_signature.type_spec_value.type_spec_class_name = "StrangeSpec"
    path.write_bytes(model.SerializeToString())
    with eager_mode(), pytest.raises(tf.errors.OpError) as caught:
        tf.saved_model.load_v2(str(folder))
    assert str(folder) in caught.value.message


def test_uses_of_variables_are_ordered_by_edges():
    message = protos.FunctionDef()
    message.signature.input_arg.add(name="v", type=protos.types_pb2.DT_RESOURCE)
    for name, op in (
        ("r1", "ReadVariableOp"),
        ("w1", "AssignVariableOp"),
        ("r2", "ReadVariableOp"),
        ("w2", "AssignVariableOp"),
    ):
        message.node_def.add(name=name, op=op, input=["v"])
    order_variable_uses(message)
    edges = {node.name: sorted(node.input[1:]) for node in message.node_def}
    assert edges == {"r1": [], "w1": ["^r1"], "r2": ["^w1"], "w2": ["^r2", "^w1"]}
    assert dict(message.control_ret) == {"w1": "w1", "w2": "w2"}
