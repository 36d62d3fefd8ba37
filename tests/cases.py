"""The cases declared beside the ops, applied in a graph: what tests of all ops stand on."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import headrace as tf
import headrace.ops
from headrace.core.dtypes import as_dtype
from headrace.core.registry import REGISTRY, Case, OpDecl
from headrace.core.signature import Arg

headrace.ops.declare_all()

# Drawing numbers, telling the time, keeping state: two runs differ, and that is right.
ACCEPTED = [
    pytest.param(decl, case, id=f"{decl.type}-{i}")
    for decl in REGISTRY.values()
    for i, case in enumerate(decl.cases)
    if case.error is None and not any(arg.is_ref for arg in decl.signature.inputs)
]
REJECTED = [
    pytest.param(decl, case, id=f"{decl.type}-{i}")
    for decl in REGISTRY.values()
    for i, case in enumerate(decl.cases)
    if case.error is not None and not any(arg.is_ref for arg in decl.signature.inputs)
]


def is_shape(item: Any) -> bool:
    return isinstance(item, list) and all(size is None or isinstance(size, int) for size in item)


def dtype_of(decl: OpDecl, arg: Arg, attrs: dict[str, Any], wide: bool = False) -> Any:
    if arg.dtype is not None:
        return arg.dtype
    if arg.type_attr is None:
        return as_dtype("float32")
    given = attrs.get(arg.type_attr)
    if given is not None:
        return as_dtype(given)
    attr = decl.signature.attrs[arg.type_attr]
    allowed = attr.allowed or tuple(map(as_dtype, ("float32", "float64", "int32")))
    names = [dtype.name for dtype in allowed]
    order = ("float64", "float32", "int32", "bool") if wide else ("float32", "float64", "int32", "bool")
    for name in order:
        if name in names:
            return as_dtype(name)
    return allowed[0]


class Applied:
    """A case applied in a new graph: placeholders for what is given by shape, constants for what is given by value."""

    def __init__(self, decl: OpDecl, case: Case, wide: bool = False, known: bool = True) -> None:
        self.decl, self.known, self.wide = decl, known, wide
        self.rng = np.random.RandomState(3)
        self.feeds: dict[Any, np.ndarray] = {}
        inputs = []
        for arg, item in zip(decl.signature.inputs, case.args, strict=True):
            if arg.number_attr is not None or arg.type_list_attr is not None:
                inputs.append([self.tensor(arg, part, case.attrs) for part in item])
            else:
                inputs.append(self.tensor(arg, item, case.attrs))
        result = decl(*inputs, **case.attrs)
        if isinstance(result, tf.Operation):
            self.outputs: list[Any] = []
            self.op = result
        else:
            parts = list(result) if isinstance(result, (list, tuple)) else [result]
            self.outputs = [t for part in parts for t in (part if isinstance(part, list) else [part])]
            self.op = self.outputs[0].op if self.outputs else None

    def tensor(self, arg: Arg, item: Any, attrs: dict[str, Any]) -> Any:
        dtype = dtype_of(self.decl, arg, attrs, self.wide)
        if not is_shape(item):
            if not isinstance(item, (np.ndarray, np.generic)):
                return item
            fits = arg.dtype is not None or (self.wide and np.asarray(item).dtype == np.float32)
            return tf.constant(item, dtype if fits else None)
        sizes = [3 if size is None else size for size in item]
        value = self.rng.uniform(0.2, 0.9, sizes)
        if dtype.is_integer:
            value = self.rng.randint(1, 4, sizes)
        elif dtype.is_bool:
            value = value > 0.5
        placeholder = tf.placeholder(dtype, item if self.known else None)
        self.feeds[placeholder] = np.asarray(value).astype(dtype.as_numpy_dtype)
        return placeholder

    def run(self, fetches: Any) -> Any:
        with tf.Session() as session:
            return session.run(fetches, self.feeds)


def deterministic(decl: OpDecl) -> bool:
    return not decl.stateful
