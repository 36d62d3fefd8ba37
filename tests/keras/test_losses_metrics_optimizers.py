"""Losses, metrics, optimizers and mixed precision of Keras: programs against what TensorFlow 1.15.5 says of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import headrace as tf
from headrace.core.eager import eager_mode
from headrace.keras.optimizers.optimizer_state import _var_key
from headrace.plan.graph import all_nodes
from tests.oracle import TESTS, assert_same, golden, run_program

FOLDER = TESTS / "programs" / "keras"
PROGRAMS = sorted(
    path for kind in ("losses", "metrics", "mixed_precision", "optimizers") for path in FOLDER.glob(f"{kind}*.py")
)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_as_in_1_15(program: Path) -> None:
    """The numbers, names and errors are those of TensorFlow."""
    got = run_program(program.read_text(), path=str(program))
    assert_same(got, golden(f"keras/{program.stem}"))


@pytest.mark.parametrize("name", ["Adam", "SGD", "Momentum", "Adagrad"])
def test_a_step_of_many_variables_is_one_update(name: str) -> None:
    """The multi-tensor kernels serve the optimizers of Keras too."""
    make = {
        "Adam": tf.keras.optimizers.Adam,
        "SGD": tf.keras.optimizers.SGD,
        "Momentum": lambda: tf.keras.optimizers.SGD(0.1, momentum=0.9),
        "Adagrad": tf.keras.optimizers.Adagrad,
    }[name]
    with tf.Graph().as_default():
        weights = [tf.get_variable(f"w{i}", [3, 3], use_resource=True) for i in range(4)]
        h = tf.ones([2, 3])
        for weight in weights:
            h = tf.tanh(tf.matmul(h, weight))
        step = make().get_updates(tf.reduce_sum(h), weights)
        with tf.Session() as session:
            types = [node.type for node in all_nodes(session.plan_for(step, []).graph.nodes)]
    assert sum(kind.endswith("Many") for kind in types) == 1
    assert not any(kind.startswith("ResourceApply") for kind in types)


def test_slots_are_saved_and_found_again(tmp_path: Path) -> None:
    """A checkpoint of objects holds the optimizer and the metric, under the names that TensorFlow gives them."""

    def build() -> tuple[tf.train.Checkpoint, object, list]:
        w = tf.Variable([1.0, 2.0], use_resource=True)
        optimizer, mean = tf.keras.optimizers.Adam(0.1), tf.keras.metrics.Mean()
        step = [*optimizer.get_updates(tf.reduce_sum(w * w), [w]), mean.update_state(w)]
        return tf.train.Checkpoint(w=w, optimizer=optimizer, mean=mean), step, [w, *optimizer.weights, *mean.weights]

    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, step, variables = build()
        session.run([variable.initializer for variable in [*variables, *tf.global_variables()]])
        for _ in range(3):
            session.run(step)
        path = checkpoint.save(str(tmp_path / "model"), session=session)
        saved = session.run(variables)
    names = {name for name, _ in tf.train.list_variables(path)}
    assert {
        "w/.OPTIMIZER_SLOT/optimizer/m/.ATTRIBUTES/VARIABLE_VALUE",
        "optimizer/learning_rate/.ATTRIBUTES/VARIABLE_VALUE",
        "optimizer/iter/.ATTRIBUTES/VARIABLE_VALUE",
        "mean/total/.ATTRIBUTES/VARIABLE_VALUE",
    } <= names
    with tf.Graph().as_default(), tf.Session() as session:
        checkpoint, _, variables = build()
        checkpoint.restore(path).assert_consumed().run_restore_ops(session)
        for got, expected in zip(session.run(variables), saved, strict=True):
            np.testing.assert_array_equal(got, expected)


def test_slots_of_variables_of_one_name_in_several_graphs_are_apart() -> None:
    optimizer = tf.keras.optimizers.SGD(0.1, momentum=0.9)
    slots = []
    for _ in range(2):
        with tf.Graph().as_default() as graph:
            variable = tf.Variable([1.0, 2.0], name="var", use_resource=True)
            assert _var_key(variable) == "var"
            slots.append(optimizer.add_slot(variable, "momentum"))
            assert slots[-1].graph is graph
            assert optimizer.get_slot(variable, "momentum") is slots[-1]
    assert slots[0] is not slots[1]


def test_keys_of_eager_variables_of_one_name_are_apart() -> None:
    with eager_mode():
        first, second = (tf.Variable(1.0, name="var") for _ in range(2))
        keys = {_var_key(first), _var_key(second)}
    assert len(keys) == 2
    assert all(key.startswith("var_") for key in keys)
