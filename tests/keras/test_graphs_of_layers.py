"""Graphs of layers: what holds of all of them, whatever they are made of."""

from __future__ import annotations

import json
import sys
import types
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import headrace as tf

keras = tf.keras


@pytest.fixture(autouse=True)
def _fresh() -> Any:
    with tf.Graph().as_default():
        yield


def _table(model: Any) -> list[str]:
    lines: list[str] = []
    model.summary(print_fn=lines.append)
    return lines


@st.composite
def _recipes(draw: Any) -> list[tuple[str, int, int]]:
    """Steps that each make a tensor of earlier ones."""
    count = draw(st.integers(1, 7))
    return [
        (
            draw(st.sampled_from(["dense", "add", "shared", "scaled", "nested"])),
            draw(st.integers(0, 100)),
            draw(st.integers(0, 100)),
        )
        for _ in range(count)
    ]


def _model(recipe: list[tuple[str, int, int]]) -> Any:
    first, second = keras.Input((4,)), keras.Input((4,))
    shared = keras.layers.Dense(4, activation="tanh")
    inner = keras.Sequential([keras.layers.Dense(4, input_shape=(4,)), keras.layers.Dense(4)])
    tensors = [first, second]
    for kind, left, right in recipe:
        a, b = tensors[left % len(tensors)], tensors[right % len(tensors)]
        if kind == "dense":
            made = keras.layers.Dense(4)(a)
        elif kind == "add":
            made = keras.layers.Add()([a, b])
        elif kind == "shared":
            made = shared(a)
        elif kind == "scaled":
            made = a * 2.0 + b
        else:
            made = inner(a)
        tensors.append(made)
    return keras.Model([first, second], tensors[-2:])


def _outputs(model: Any, arrays: list[np.ndarray]) -> list[np.ndarray]:
    feeds = dict(zip(model.inputs, arrays))
    found: list[np.ndarray] = keras.backend.get_session().run(model.outputs, feeds)
    return found


@settings(max_examples=15, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_recipes())
def test_copies_and_settings_compute_the_same(recipe: list[tuple[str, int, int]]) -> None:
    with tf.Graph().as_default():
        model = _model(recipe)
        r = np.random.RandomState(0)
        weights = [r.randn(*w.shape) for w in model.get_weights()]
        model.set_weights(weights)
        arrays = [r.randn(3, 4), r.randn(3, 4)]
        expected = _outputs(model, arrays)
        config = json.loads(json.dumps(model.get_config(), default=lambda value: np.asarray(value).tolist()))
        for other in (keras.models.clone_model(model), keras.Model.from_config(config)):
            assert [layer.name for layer in other.layers] == [layer.name for layer in model.layers]
            assert _table(other)[3:-4] == _table(other)[3:-4]
            other.set_weights(weights)
            for got, wanted in zip(_outputs(other, arrays), expected):
                np.testing.assert_allclose(got, wanted, rtol=1e-5, atol=1e-6)


@settings(max_examples=10, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(_recipes())
def test_every_layer_comes_after_those_it_takes_from(recipe: list[tuple[str, int, int]]) -> None:
    with tf.Graph().as_default():
        model = _model(recipe)
        depths = {id(node): depth for depth, nodes in model._nodes_by_depth.items() for node in nodes}
        for nodes in model._nodes_by_depth.values():
            for node in nodes:
                for layer, index, _, _ in node.iterate_inbound():
                    assert depths[id(layer.inbound_nodes[index])] > depths[id(node)]


def test_deep_graphs_need_no_deep_stack() -> None:
    x = start = keras.Input((2,))
    for _ in range(sys.getrecursionlimit()):
        x = keras.layers.Activation("linear")(x)
    model = keras.Model(start, x)
    assert len(model.layers) == sys.getrecursionlimit() + 1


def test_a_phase_is_that_of_the_call() -> None:
    x = keras.Input((100,))
    model = keras.Model(x, keras.layers.Dropout(0.5)(x))
    session = keras.backend.get_session()
    ones = tf.ones((1, 100))
    trained, plain = session.run([model(ones, training=True), model(ones, training=False)])
    assert (trained == 0).any()
    assert (plain == 1).all()


def test_masks_go_through_models() -> None:
    x = keras.Input((3,))
    inner = keras.Sequential([keras.layers.Embedding(5, 2, mask_zero=True, input_length=3)])
    y = keras.layers.Dropout(0.1)(inner(x))
    model = keras.Model(x, y)
    mask = keras.backend.get_session().run(y._keras_mask, {x: [[1, 0, 2]]})
    np.testing.assert_array_equal(mask, [[True, False, True]])
    assert model.output_mask is y._keras_mask


def test_drawings_say_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("pydotplus", "pydot_ng", "pydot"):
        monkeypatch.setitem(sys.modules, name, None)
    x = keras.Input((3,))
    with pytest.raises(ImportError, match="pydot"):
        keras.utils.plot_model(keras.Model(x, keras.layers.Dense(2)(x)))


class _Box:
    """A node, an arrow, or a drawing of them."""

    def __init__(self, *names: str, **settings: Any) -> None:
        self.names, self.settings = names, settings
        self.nodes: list[_Box] = []
        self.edges: list[_Box] = []
        self.parts: list[_Box] = []

    def create(self) -> bytes:
        return b""

    def set(self, key: str, value: object) -> None:
        self.settings[key] = value

    def set_node_defaults(self, **settings: Any) -> None:
        self.settings.update(settings)

    def add_node(self, node: _Box) -> None:
        self.nodes.append(node)

    def add_edge(self, edge: _Box) -> None:
        self.edges.append(edge)

    def add_subgraph(self, part: _Box) -> None:
        self.parts.append(part)

    def get_edge(self, source: str, target: str) -> list[_Box]:
        return [edge for edge in self.edges if edge.names == (source, target)]

    def get_nodes(self) -> list[_Box]:
        return self.nodes

    def get_name(self) -> str:
        return self.names[0]


def test_drawings_have_a_box_for_each_layer_and_an_arrow_for_each_input(monkeypatch: pytest.MonkeyPatch) -> None:
    pydot = types.SimpleNamespace(Dot=_Box, Node=_Box, Edge=_Box, Cluster=_Box)
    monkeypatch.setitem(sys.modules, "pydotplus", pydot)
    x = keras.Input((3,), name="x")
    inner = keras.Sequential([keras.layers.Dense(2, input_shape=(3,), name="d")], name="inner")
    y = keras.layers.Add(name="sum")([inner(x), inner(x)])
    model = keras.Model(x, y)
    dot = keras.utils.model_to_dot(model, show_shapes=True)
    labels = [node.settings["label"] for node in dot.nodes]
    assert labels[0] == "x: InputLayer\n|{input:|output:}|{{[(?, 3)]}|{[(?, 3)]}}"
    assert [label.partition("\n")[0] for label in labels] == ["x: InputLayer", "inner: Sequential", "sum: Add"]
    assert len(dot.edges) == 2
    plain = keras.utils.model_to_dot(model, show_layer_names=False)
    assert [node.settings["label"] for node in plain.nodes] == ["InputLayer", "Sequential", "Add"]
    nested = keras.utils.model_to_dot(model, expand_nested=True)
    assert len(nested.parts) == 1
    assert len(nested.edges) == 2


def test_weights_are_set_in_the_session_of_the_backend() -> None:
    """As 1.15.5: it is made with the backend's settings whatever asks for it first, here for a device that is not there."""
    with tf.device("/gpu:7"):
        model = keras.Sequential([keras.layers.Dense(1, input_shape=(2,))])
    values = [np.full([2, 1], 3.0, np.float32), np.ones([1], np.float32)]
    model.set_weights(values)
    np.testing.assert_array_equal(keras.backend.get_session().run(model.weights[0]), values[0])
    np.testing.assert_array_equal(model.predict(np.ones([4, 2], np.float32)), np.full([4, 1], 7.0))
