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
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

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
    with np.printoptions(legacy="1.25"):
        assert failures_of(name) == ""


def test_no_example_is_listed_in_vain():
    assert sorted(NOT_RUN - set(EXAMPLES)) == []
