"""The cases declared beside the ops, applied in a graph: what tests of all ops stand on."""

from __future__ import annotations

import contextlib
import itertools
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from case_programs import CaseProgram, is_shape, recorded

import headrace as tf
from headrace.api.op_index import declare_all
from headrace.core import nest
from headrace.core.cases import Case
from headrace.core.dtypes import as_dtype
from headrace.core.eager import eager_graph, eager_mode
from headrace.core.registry import REGISTRY, OpDecl, find
from headrace.ops.flow.torch_func import registered
from headrace.state.defun import Defun

__all__ = ["ACCEPTED", "REJECTED", "Applied", "deterministic", "has_value", "is_shape", "plain_value"]

declare_all()
_NUMBERS = itertools.count()

ACCEPTED = [
    pytest.param(decl, case, id=f"{decl.type}-{i}")
    for decl in REGISTRY.values()
    for i, case in enumerate(decl.cases)
    if case.error is None
]
REJECTED = [
    pytest.param(decl, case, id=f"{decl.type}-{i}")
    for decl in REGISTRY.values()
    for i, case in enumerate(decl.cases)
    if case.error is not None
]


def deterministic(decl: OpDecl) -> bool:
    """Whether two applications give the same: drawing numbers, telling the time, keeping state do not."""
    return not decl.stateful


def has_value(tensor: Any) -> bool:
    """Whether a tensor can be fetched and compared."""
    return tensor.dtype.base_dtype.name not in ("resource", "variant")


def plain_value(value: Any) -> np.ndarray:
    """A fetched value as numbers that can be compared."""
    array = np.asarray(value)
    return array[array.dtype.names[0]] if array.dtype.names else array


# By the significant digits of the type; what is not here has to be equal.
_TOLERANCES = {
    "float16": (2e-3, 1e-3),
    "bfloat16": (1e-2, 1e-2),
    "float32": (1e-5, 1e-6),
    "float64": (1e-9, 1e-10),
    "complex64": (1e-5, 1e-6),
    "complex128": (1e-9, 1e-10),
}


def assert_close(got: Any, wanted: Any, dtype: str, factor: float = 1.0) -> None:
    """A value is another, within the precision of its type."""
    got, expected = plain_value(got), np.asarray(wanted)
    assert np.shape(got) == np.shape(expected)
    if dtype not in _TOLERANCES:
        np.testing.assert_array_equal(got, expected)
        return
    rtol, atol = (factor * t for t in _TOLERANCES[dtype])
    kind = np.complex128 if dtype.startswith("complex") else np.float64
    np.testing.assert_allclose(got.astype(kind), expected.astype(kind), rtol=rtol, atol=atol)


class Applied:
    """A case applied in the default graph, or eagerly where that is the default.

    Attributes:
        op: the operation; None when run eagerly.
        outputs: its outputs.
        leaves: the placeholders, constants and variables that gradients may be asked for.
        feeds: what is fed to which placeholder.
    """

    def __init__(self, decl: OpDecl, case: Case, wide: bool = False, known: bool = True, tape: Any = None) -> None:
        self.tape = tape
        self.program = CaseProgram(decl, case, wide, known)
        self.case = case
        self.feeds: dict[Any, np.ndarray] = {}
        self.leaves: list[Any] = []
        plain = self.program.plain
        self.ops: dict[int, Any] = {}
        self.tensors: dict[int, list[Any]] = {}
        self._graphs_of_functions: list[Any] = []
        self._eager = tf.executing_eagerly()
        # Run eagerly, an operation happens where it is applied.
        first = [*plain["before"], plain["op"], *plain.get("fetches", ())]
        for i in first if self._eager else range(len(plain["nodes"])):
            self._add(i)
        if self._eager:
            with contextlib.suppress(tf.errors.OutOfRangeError):
                for i in plain["after"]:
                    self._add(i)
        for node, position, source in plain.get("back_edges", ()):
            self.ops[node]._update_input(position, self.tensors[source][0])
        self.op = self.ops[self.program.plain["op"]]
        self.outputs = self.tensors[self.program.plain["op"]]

    def _add(self, i: int) -> None:
        if i in self.ops:
            return
        node = self.program.plain["nodes"][i]
        if "feed" in node or "constant" in node:
            tensor = self._value(node)
            self.leaves.append(tensor)
            if self.tape is not None and tensor.dtype.is_floating:
                self.tape.watch(tensor)
            self.ops[i], self.tensors[i] = None if self._eager else tensor.op, [tensor]
        elif "literal" in node:
            self.ops[i], self.tensors[i] = None, [recorded.from_plain(node["literal"])]
        else:
            self.ops[i], self.tensors[i] = self._applied(node)
            if node.get("variable"):
                self.leaves += self.tensors[i]

    def _value(self, node: dict[str, Any]) -> Any:
        dtype = as_dtype(node["dtype"])
        value = recorded.from_plain(node["feed"] if "feed" in node else node["constant"])
        if "feed" not in node or self._eager:
            return tf.constant(value, dtype)
        tensor = tf.placeholder(dtype, node["shape"])
        quantized = np.dtype(dtype.as_numpy_dtype).names is not None
        self.feeds[tensor] = value if quantized else np.asarray(value).astype(dtype.as_numpy_dtype)
        return tensor

    def _applied(self, node: dict[str, Any]) -> tuple[Any, list[Any]]:
        decl = find(node["op"])
        assert decl is not None
        inputs = [
            [self._at(part) for part in ref] if not ref or isinstance(ref[0], list) else self._at(ref)
            for ref in node["inputs"]
        ]
        attrs = {name: self._attr(value) for name, value in node["attrs"].items()}
        for i in node["control"]:
            self._add(i)
        with tf.control_dependencies([] if self._eager else [self.ops[i] for i in node["control"]]):
            result = decl(*inputs, **attrs)
        if isinstance(result, tf.Operation):
            return result, []
        flat = [] if result is None else nest.flatten(result)
        if self._eager:
            return None, flat
        op = flat[0].op if flat else tf.get_default_graph().get_operations()[-1]
        return op, list(op.outputs)

    def _at(self, ref: list[int]) -> Any:
        self._add(ref[0])
        return self.tensors[ref[0]][ref[1]]

    def _attr(self, value: Any) -> Any:
        if isinstance(value, list):
            return [self._attr(part) for part in value]
        if isinstance(value, dict):
            if "dtype" in value:
                return as_dtype(value["dtype"])
            if "function" in value:
                return self._function(value["function"])
            if "lambda" in value:
                return (
                    self._torch_token(value["lambda"])
                    if "of_torch" in value
                    else self._token(value["lambda"], value["eager_types"])
                )
            if "shape" in value and "array" not in value:
                return tf.TensorShape(value["shape"])
        return recorded.from_plain(value)

    def _function(self, name: str) -> Any:
        """A function of the case; what is applied eagerly shares one library, where each needs a name of its own."""
        if not self._eager:
            return self.program.functions[name]
        made = self.program.bodies[name]
        return Defun(*made.input_types, func_name=f"{name}_{next(_NUMBERS)}")(made.body)

    def _torch_token(self, text: str) -> str:
        """What `TorchFunc` finds a function by."""
        with tf.Graph().as_default() as graph:
            token = registered(eval(text))
        self._graphs_of_functions.append(graph)
        return token

    def _token(self, text: str, eager_types: list[str]) -> str:
        """What an op finds a Python function by."""
        function = eval(text)
        with tf.Graph().as_default() as graph:
            op = tf.py_function(function, [], eager_types)[0].op if eager_types else tf.py_func(function, [], [])
        # The function lives as long as a graph in which it is an operation.
        self._graphs_of_functions.append(graph)
        return op.get_attr("token")

    @property
    def fetched(self) -> list[Any]:
        """The outputs of the op, or of what the case fetches in its place."""
        instead = self.program.plain.get("fetches")
        return self.outputs if instead is None else [tensor for i in instead for tensor in self.tensors[i]]

    @property
    def targets(self) -> list[Any]:
        """The outputs that can be fetched, or the operation if there are none."""
        return [tensor for tensor in self.fetched if has_value(tensor)]

    @contextlib.contextmanager
    def session(self) -> Iterator[Any]:
        """A session in which the steps before the op have run, its files in the current directory."""
        with files_of(self.case), tf.Session() as session:
            for i in self.program.plain["before"]:
                session.run(self.ops[i], self.feeds)
            yield session

    def run(self, fetches: Any) -> Any:
        """What `fetches` are in a new session."""
        with self.session() as session:
            return session.run(fetches, self.feeds)

    def run_step(self, session: Any, index: int) -> list[Any]:
        """What a node gives when it is run in a step of its own: a value for each output that has one."""
        tensors = [tensor for tensor in self.tensors[index] if has_value(tensor)]
        if tensors:
            return session.run(tensors, self.feeds)
        session.run(self.ops[index], self.feeds)
        return []


@contextlib.contextmanager
def files_of(case: Case) -> Iterator[None]:
    """The files of the case in a current directory of its own, where it also writes."""
    if not case.files and not case.before and not case.after:
        yield
        return
    here = os.getcwd()
    with tempfile.TemporaryDirectory() as place:
        os.chdir(place)
        try:
            for name, data in case.files.items():
                Path(name).write_bytes(data)
            yield
        finally:
            os.chdir(here)


def run_eagerly(decl: OpDecl, case: Case, tape: Any = None) -> Applied:
    """A case applied eagerly: the steps before it, the op and the steps after it, in this order."""
    with files_of(case), eager_mode():
        # Cases share names of iterators, which are of the process here: each is the first to make them.
        objects = eager_graph().runtime.objects
        for key in [key for key in objects if key[0] == "iterator"]:
            del objects[key]
        return Applied(decl, case, tape=tape)
