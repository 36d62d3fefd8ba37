"""The examples in docstrings run, and print what they say they print.

An example is read as in the middle of a program: `stage` gives it the names that such programs have (`x`, `labels`, `loss`,
`sess`), beside those of the module it stands in. `tests/examples_not_run.txt` lists the ones that do not run by themselves;
the list may only get shorter.
"""

from __future__ import annotations

import ast
import contextlib
import doctest
import functools
import importlib
import io
import json
import os
import re
import signal
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
import torch

import headrace as tf
import headrace.contrib.eager as tfe
from headrace.api.op_index import home_of
from headrace.core.eager import eager_graph
from headrace.core.registry import REGISTRY

PACKAGE = Path(tf.__file__).parent
NOT_RUN = set((Path(__file__).parent / "examples_not_run.txt").read_text().split())
# What is seen only where operations run as they are made.
EAGER = re.compile(r"numpy=|\.numpy\(\)|enable_eager_execution|enable_v2_behavior|GradientTape\(")


def examples() -> Iterator[tuple[str, str]]:
    """Of each docstring with an example: `module:Class.name`, and the docstring."""
    for file in sorted(PACKAGE.rglob("*.py")):
        module = ".".join(["headrace", *file.relative_to(PACKAGE).with_suffix("").parts]).removesuffix(".__init__")
        yield from _inside(ast.parse(file.read_text(encoding="utf-8")), f"{module}:")


def _inside(node: Any, name: str) -> Iterator[tuple[str, str]]:
    if isinstance(node, (ast.Module, ast.ClassDef, ast.FunctionDef)):
        text = ast.get_docstring(node)
        if text and ">>> " in text:
            yield name, text
    for child in ast.iter_child_nodes(node):
        if isinstance(child, (ast.ClassDef, ast.FunctionDef)):
            yield from _inside(child, name + ("" if name.endswith(":") else ".") + child.name)
        elif isinstance(child, (ast.If, ast.With, ast.Try)):
            yield from _inside(child, name)


EXAMPLES = dict(examples())


class AsWritten(doctest.OutputChecker):
    """Holds output against what is written, where something is written."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        return not want or super().check_output(want, got, optionflags)


def stage(session: Any) -> dict[str, Any]:
    """The names an example finds: a small model in the middle of its training."""
    x = tf.placeholder_with_default(np.ones([4, 3], np.float32), [4, 3], name="x")
    labels = tf.constant([0, 1, 1, 0], name="labels")
    w = tf.get_variable("w", [3, 2])
    logits = tf.matmul(x, w, name="logits")
    loss = tf.reduce_mean(tf.nn.sparse_softmax_cross_entropy_with_logits(labels=labels, logits=logits), name="loss")
    global_step = tf.train.get_or_create_global_step()
    session.run(tf.global_variables_initializer())
    constrained = tf.contrib.constrained_optimization.ConstrainedMinimizationProblem
    sum_of_w = property(lambda self: 1.0 - tf.reduce_sum(w, keepdims=True)[0])
    problem = type("Problem", (constrained,), {"objective": property(lambda self: loss), "constraints": sum_of_w})()
    return {
        "sess": session,
        "session": session,
        "x": x,
        "y": logits,
        "labels": labels,
        "w": w,
        "weights": w,
        "logits": logits,
        "loss": loss,
        "global_step": global_step,
        "problem": problem,
        "optimizer": tf.train.GradientDescentOptimizer(0.1),
        "saver": tf.train.Saver(),
        "images": tf.constant(np.linspace(0, 1, 2 * 8 * 8 * 3).reshape(2, 8, 8, 3), tf.float32, name="images"),
        "image": tf.constant(np.linspace(0, 1, 8 * 8 * 3).reshape(8, 8, 3), tf.float32, name="image"),
        "inputs": tf.constant(np.linspace(0, 1, 2 * 5 * 4).reshape(2, 5, 4), tf.float32, name="inputs"),
    }


def free_names(text: str) -> set[str]:
    """The names that an example uses before it defines them."""
    free: set[str] = set()
    bound: set[str] = set()
    for example in doctest.DocTestParser().get_examples(text):
        nodes = list(ast.walk(ast.parse(example.source)))
        names = [node for node in nodes if isinstance(node, ast.Name)]
        own = {node.arg for node in nodes if isinstance(node, ast.arg)}
        free |= {node.id for node in names if isinstance(node.ctx, ast.Load)} - bound - own
        bound |= {node.id for node in names if not isinstance(node.ctx, ast.Load)}
        bound |= {node.name for node in nodes if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    return free


def stage_model_fn(features: Any, labels: Any, mode: str, params: Any = None) -> Any:
    """A logistic regression on "x"."""
    logits = tf.layers.dense(features["x"], 1, name="dense")
    logistic = tf.sigmoid(logits)
    if mode == tf.estimator.ModeKeys.PREDICT:
        outputs = {"serving_default": tf.estimator.export.PredictOutput({"y": logits, "logistic": logistic})}
        return tf.estimator.EstimatorSpec(mode, {"y": logits, "logistic": logistic}, export_outputs=outputs)
    loss = tf.losses.sigmoid_cross_entropy(labels, logits)
    train_op = tf.train.GradientDescentOptimizer(0.1).minimize(loss, tf.train.get_or_create_global_step())
    return tf.estimator.EstimatorSpec(mode, {"y": logits, "logistic": logistic}, loss, train_op)


def stage_input_fn(params: Any = None, epochs: int = 1) -> Any:
    """Eight examples with a feature "x", labelled by whether it is above the middle."""
    x = np.linspace(0, 1, 8, dtype=np.float32)[:, None]
    examples = tf.data.Dataset.from_tensor_slices(({"x": x}, np.int32(x > 0.5)))
    return tf.data.make_one_shot_iterator(examples.batch(8).repeat(epochs)).get_next()


def stage_serving_input_receiver_fn() -> Any:
    x = tf.placeholder(tf.float32, [None, 1], name="x")
    return tf.estimator.export.ServingInputReceiver({"x": x}, {"x": x})


def stage_estimator() -> Any:
    """The model, trained for a step."""
    return tf.estimator.Estimator(stage_model_fn, tempfile.mkdtemp(dir=Path.cwd())).train(stage_input_fn, steps=1)


def stage_model() -> Any:
    """A model of three features with two outputs, compiled."""
    model = tf.keras.Sequential([tf.keras.layers.Dense(2, input_shape=(3,))])
    model.compile("sgd", "mse")
    return model


def stage_serialized() -> Any:
    price = tf.train.Feature(float_list=tf.train.FloatList(value=[2.5]))
    example = tf.train.Example(features=tf.train.Features(feature={"price": price}))
    return tf.constant([example.SerializeToString()])


def more_of_stage(text: str) -> dict[str, Any]:
    """Names that only some examples need, made for those that use them."""
    makers = {
        "pd": lambda: importlib.import_module("pandas"),
        "columns": lambda: [tf.feature_column.numeric_column("x")],
        "features": lambda: {"x": tf.constant(np.linspace(0, 1, 8, dtype=np.float32)[:, None])},
        "input_fn": lambda: stage_input_fn,
        "train_input_fn": lambda: functools.partial(stage_input_fn, epochs=10),
        "eval_input_fn": lambda: stage_input_fn,
        "model_fn": lambda: stage_model_fn,
        "model": stage_model,
        "estimator": stage_estimator,
        "serving_input_receiver_fn": lambda: stage_serving_input_receiver_fn,
        "sparse": lambda: tf.SparseTensor([[0, 0], [0, 1], [1, 0]], [1.0, 2.0, 3.0], [2, 2]),
        "serialized": stage_serialized,
    }
    return {name: makers[name]() for name in sorted(free_names(text) & set(makers))}


def surroundings(module: str) -> dict[str, Any]:
    """The names of the module an example stands in, and of what everybody imports."""
    common = {"tf": tf, "headrace": tf, "np": np, "torch": torch, "os": os, "json": json, "functools": functools}
    return {
        **vars(importlib.import_module(module)),
        **common,
        "threading": threading,
        "__name__": "__main__",
        "tfe": tfe,
        "slim": tf.contrib.slim,
    }


@contextlib.contextmanager
def patience(seconds: int) -> Iterator[None]:
    """An example that waits for what never comes, such as a checkpoint, fails rather than hangs."""

    def end(*_: Any) -> None:
        raise TimeoutError(f"it waits for more than {seconds} s")

    before = signal.signal(signal.SIGALRM, end)
    signal.alarm(seconds)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, before)


def failures_of(name: str) -> str:
    """What an example says that it should not; empty if it runs."""
    names = surroundings(name.partition(":")[0])
    parsed = doctest.DocTestParser().get_doctest(EXAMPLES[name], names, name, None, 0)
    for example in parsed.examples:
        if re.match(r"tf\.enable_(eager_execution|v2_behavior)\(\)", example.source):
            example.source = "pass\n"
    told = io.StringIO()
    runner = doctest.DocTestRunner(AsWritten(), False, doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    known = set(REGISTRY)
    eagerly = EAGER.search(EXAMPLES[name]) is not None
    graph = eager_graph() if eagerly else tf.Graph()
    try:
        with graph.as_default(), patience(20):
            parsed.globs.update({k: v for k, v in more_of_stage(EXAMPLES[name]).items() if k not in names})
            if eagerly:
                runner.run(parsed, out=told.write, clear_globs=False)
            else:
                with tf.Session() as session:
                    parsed.globs.update({k: v for k, v in stage(session).items() if k not in names or k == "x"})
                    runner.run(parsed, out=told.write, clear_globs=False)
    finally:
        # What an example declares goes with it; what it made us import stays.
        for op_type in set(REGISTRY) - known:
            if home_of(op_type) is None and "." not in op_type:
                del REGISTRY[op_type]
    return told.getvalue()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", [name for name in EXAMPLES if name not in NOT_RUN])
def test_an_example_runs(name, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with np.printoptions(legacy="1.25"), mock.patch.dict(os.environ):
        assert failures_of(name) == ""


def test_no_example_is_listed_in_vain():
    assert sorted(NOT_RUN - set(EXAMPLES)) == []
