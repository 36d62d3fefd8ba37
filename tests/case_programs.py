"""A case as a list of operations in plain terms, which `tests/cases.py` applies and TensorFlow 1.15 does too.

A program is JSON: `nodes`, each a placeholder with what is fed, a constant, a Python value or an operation; the steps
to run `before`, the node that is the op itself, the steps `after`; and what else belongs to it: files and functions,
the nodes that are fetched in the place of the op, and the back edges of loops, each as the node that it leads to, the
input there and the node that it comes from.
"""

from __future__ import annotations

import base64
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

import headrace as tf
from headrace.core.cases import Case, Made, MadeFunction, MadeLambda, MadeOutput, MadeVariable, made, result
from headrace.core.dtypes import DType, as_dtype
from headrace.core.registry import OpDecl, find
from headrace.core.shapes import TensorShape
from headrace.core.signature import Arg
from headrace.state.defun import Defun

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tools" / "oracle"))

import recorded

Ref = list[int]
# How many elements of a dataset are looked at; that there are fewer shows in an OutOfRangeError.
_ELEMENTS = 4


def is_shape(item: Any) -> bool:
    return isinstance(item, list) and all(size is None or type(size) is int for size in item)


def dtype_of(decl: OpDecl, arg: Arg, attrs: dict[str, Any], wide: bool = False, position: int = 0) -> DType:
    """The type of what a shape stands for: that of an attribute, else the first the op takes of the usual ones."""
    if arg.dtype is not None:
        return arg.dtype
    if arg.type_list_attr is not None and arg.type_list_attr in attrs:
        return as_dtype(attrs[arg.type_list_attr][position])
    if arg.type_attr is None:
        return as_dtype("float64" if wide else "float32")
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


class CaseProgram:
    """The program of a case.

    Args:
        decl: the op's declaration.
        case: the case.
        wide: whether float64 stands where float32 would, as finite differences need it.
        known: whether placeholders have their static shapes.
    """

    def __init__(self, decl: OpDecl, case: Case, wide: bool = False, known: bool = True) -> None:
        self.wide, self.known = wide, known
        self.nodes: list[dict[str, Any]] = []
        self.functions: dict[str, Any] = {}
        self.bodies: dict[str, MadeFunction] = {}
        self._rng = np.random.RandomState(3)
        self._done: dict[int, int] = {}
        self._before: list[int] = []
        self._merges: list[tuple[int, Made]] = []
        self._observed: list[int] = []
        self._widens = wide and any(_is_made(item) for item in _flat(case.args))
        # Kept, so that the id of nothing that is made is given to something else.
        self._held: list[Any] = [case]
        whole = Made(decl.type, case.args, case.attrs, case.control)
        before = [self._operation(step) for step in case.before]
        # Variables of the inputs come to life as the inputs are made; steps may need them.
        op = self._done[id(result)] = self._operation(whole, own=True)
        fetches = [self._operation(step) for step in case.fetches]
        observed = list(self._observed)
        after = [self._operation(step) for step in [*_elements(decl, case), *case.after]]
        back_edges = [self._back_edge(merge, made) for merge, made in self._merges]
        self.plain = {
            "nodes": self.nodes,
            "before": [*self._before, *before],
            "op": op,
            "after": [*observed, *after],
            "files": {name: recorded.to_plain(data) for name, data in case.files.items()},
            "library": self._library(),
            "gradients": bool(decl.differentiable),
        }
        # What most programs have not is left out.
        if fetches:
            self.plain["fetches"] = fetches
        if back_edges:
            self.plain["back_edges"] = back_edges

    @property
    def text(self) -> str:
        """The program as JSON."""
        return json.dumps(self.plain, sort_keys=True)

    @property
    def hash(self) -> str:
        """What changes when the program does."""
        return hashlib.sha256(self.text.encode()).hexdigest()[:16]

    def _node(self, node: dict[str, Any]) -> int:
        self.nodes.append(node)
        return len(self.nodes) - 1

    def _operation(self, made: Made, own: bool = False) -> int:
        if id(made) in self._done:
            return self._done[id(made)]
        decl = find(made.type)
        assert decl is not None, f"no op {made.type}"
        if len(made.args) != len(decl.signature.inputs):
            raise TypeError(f"{made.type} has {len(decl.signature.inputs)} inputs; the case gives {len(made.args)}")
        widens = self._widens or (self.wide and not own)
        attrs = {name: _widened(value) if widens else value for name, value in made.attrs.items()}
        inputs: list[Any] = []
        for arg, item in zip(decl.signature.inputs, made.args, strict=True):
            if arg.number_attr is None and arg.type_list_attr is None:
                inputs.append(self._input(decl, arg, item, attrs, 0, own))
            elif isinstance(item, (list, tuple)):
                inputs.append([self._input(decl, arg, part, attrs, i, own) for i, part in enumerate(item)])
            else:
                # A wrong argument, such as a number where a list belongs.
                inputs.append(self._input(decl, arg, item, attrs, 0, own))
        inferred = {
            name for arg in decl.signature.inputs for name in (arg.type_attr, arg.number_attr, arg.type_list_attr)
        }
        control = [self._operation(step) for step in made.control]
        plain = {name: self._attr(value) for name, value in attrs.items() if name not in inferred}
        index = self._node({"op": made.type, "inputs": inputs, "attrs": plain, "control": control})
        self._done[id(made)] = index
        self._held.append(made)
        if made.back_edge is not None:
            self._merges.append((index, made.back_edge))
        return index

    def _back_edge(self, merge: int, made: Made) -> list[int]:
        """The edge from the first output of an operation to the last input of a Merge."""
        return [merge, len(self.nodes[merge]["inputs"][0]) - 1, self._operation(made)]

    def _input(self, decl: OpDecl, arg: Arg, item: Any, attrs: dict[str, Any], position: int, own: bool) -> Ref:
        if isinstance(item, Made):
            return [self._operation(item), 0]
        if isinstance(item, MadeOutput):
            return [self._operation(item.made), item.index]
        if isinstance(item, MadeVariable):
            return [self._variable(item), 0]
        of_variable = arg.is_ref or (arg.dtype is not None and arg.dtype.name == "resource")
        if of_variable and (is_shape(item) or isinstance(item, (np.ndarray, np.generic))):
            dtype = self._variable_dtype(decl, arg, item, attrs)
            return [self._variable(MadeVariable(item, dtype, not arg.is_ref)), 0]
        dtype = dtype_of(decl, arg, attrs, self.wide, position)
        if is_shape(item):
            return [self._placeholder(item, dtype), 0]
        if isinstance(item, (np.ndarray, np.generic)):
            narrow = np.asarray(item).dtype == np.float32
            fits = arg.dtype is not None or (self.wide and narrow and own)
            kind = dtype if fits else as_dtype("float64") if self.wide and narrow else None
            name = kind.name if kind is not None else tf.constant(item).dtype.name
            return [self._node({"constant": recorded.to_plain(_plain_array(item)), "dtype": name}), 0]
        return [self._node({"literal": recorded.to_plain(item)}), 0]

    def _variable_dtype(self, decl: OpDecl, arg: Arg, item: Any, attrs: dict[str, Any]) -> str | None:
        """The type of an unnamed variable: as the op says, or as it says of its values where it takes a handle."""
        if not is_shape(item):
            return None
        if arg.is_ref:
            return dtype_of(decl, arg, attrs, self.wide).name
        given = attrs.get("dtype") or attrs.get("T")
        return as_dtype(given).name if given is not None else None

    def _variable(self, made: MadeVariable) -> int:
        if id(made) in self._done:
            return self._done[id(made)]
        if is_shape(made.value):
            dtype = as_dtype(made.dtype or "float32")
            shape = [3 if size is None else size for size in made.value]
            value = self._placeholder(made.value, as_dtype(_widened(dtype)) if self.wide else dtype)
            dtype = as_dtype(self.nodes[value]["dtype"])
        else:
            dtype = as_dtype(made.dtype) if made.dtype is not None else tf.constant(made.value).dtype
            dtype = as_dtype(_widened(dtype)) if self.wide else dtype
            shape = list(np.shape(made.value))
            value = self._node({"constant": recorded.to_plain(_plain_array(made.value)), "dtype": dtype.name})
        attrs = {"dtype": self._attr(dtype), "shape": shape}
        kind = "VarHandleOp" if made.resource else "VariableV2"
        if made.resource:
            # Without a name all handles of one session would be one variable.
            attrs["shared_name"] = f"v{len(self.nodes)}"
        index = self._node({"op": kind, "inputs": [], "attrs": attrs, "control": [], "variable": True})
        assign = "AssignVariableOp" if made.resource else "Assign"
        pair = [[index, 0], [value, 0]]
        self._before.append(self._node({"op": assign, "inputs": pair, "attrs": {}, "control": []}))
        read = {"dtype": self._attr(dtype)} if made.resource else {}
        reader = {"op": "ReadVariableOp" if made.resource else "Identity", "inputs": [[index, 0]], "attrs": read}
        self._observed.append(self._node({**reader, "control": []}))
        self._done[id(made)] = index
        self._held.append(made)
        return index

    def _placeholder(self, shape: Sequence[int | None], dtype: DType) -> int:
        sizes = [3 if size is None else size for size in shape]
        value: Any = self._rng.uniform(0.2, 0.9, sizes)
        kind = dtype.name.lstrip("q")
        if dtype.is_integer or dtype.is_quantized:
            value = self._rng.randint(1, 4, sizes)
            value = value.astype(kind)
        elif dtype.is_bool:
            value = value > 0.5
        elif kind == "string":
            value = np.array([b"s%d" % i for i in range(value.size)], object).reshape(sizes)
        elif kind == "bfloat16":
            value = value.astype(np.float32)
        else:
            value = value.astype(kind)
        fed = recorded.to_plain(np.asarray(value))
        return self._node({"feed": fed, "dtype": dtype.name, "shape": list(shape) if self.known else None})

    def _attr(self, value: Any) -> Any:
        if isinstance(value, MadeFunction):
            name = f"body_{len(self.functions)}"
            self.functions[name] = Defun(*value.input_types, func_name=name)(value.body)
            self.bodies[name] = value
            return {"function": name}
        if isinstance(value, MadeLambda):
            kind = {"of_torch": True} if value.of_torch else {"eager_types": list(value.eager_types)}
            return {"lambda": value.text, **kind}
        if isinstance(value, DType):
            return {"dtype": value.name}
        if isinstance(value, TensorShape):
            return {"shape": value.as_list() if value.ndims is not None else None}
        if isinstance(value, type) and issubclass(value, np.generic):
            return {"dtype": as_dtype(value).name}
        if isinstance(value, (list, tuple)):
            return [self._attr(part) for part in value]
        return recorded.to_plain(value)

    def _library(self) -> str | None:
        """The functions of the case, as a FunctionDefLibrary in base64."""
        if not self.functions:
            return None
        with tf.Graph().as_default() as graph:
            for function in self.functions.values():
                function.add_to_graph(graph)
            library = graph.as_graph_def().library
        return base64.b64encode(library.SerializeToString(deterministic=True)).decode()


def _elements(decl: OpDecl, case: Case) -> list[Made]:
    """The steps that show what is in the dataset that a case gives; none for other ops."""
    outputs = [arg.dtype.name for arg in decl.signature.outputs if arg.dtype is not None]
    if outputs != ["variant"] or decl.signature.outputs[0].name == "optional":
        return []
    if not {"output_types", "output_shapes"} <= set(decl.signature.attrs):
        return []
    kind = {name: case.attrs[name] for name in ("output_types", "output_shapes")}
    iterator = made("IteratorV2", shared_name="elements", container="", **kind)
    steps = [made("IteratorGetNext", iterator, **kind) for _ in range(_ELEMENTS)]
    return [made("MakeIterator", result, iterator), *steps]


def _flat(items: Any) -> list[Any]:
    return [leaf for item in items for leaf in (_flat(item) if isinstance(item, (list, tuple)) else [item])]


def _is_made(item: Any) -> bool:
    return isinstance(item, (Made, MadeOutput, MadeVariable))


def _widened(value: Any) -> Any:
    """float32 as float64, whatever it is written as; all else as it is."""
    if isinstance(value, (list, tuple)):
        return [_widened(part) for part in value]
    if value is np.float32 or (isinstance(value, (str, DType)) and value in ("float32", as_dtype("float32"))):
        return "float64"
    return value


def _plain_array(item: Any) -> Any:
    """Text as the bytes that both sides take it for."""
    array = np.asarray(item)
    if array.dtype.kind != "U":
        return array
    return np.array([text.encode() for text in array.ravel().tolist()], object).reshape(array.shape)
