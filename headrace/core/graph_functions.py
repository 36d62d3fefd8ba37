"""Functions of a graph's library: a traced body under a name, callable as an op and from kernels."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import slots
from headrace.core.dtypes import DType
from headrace.core.errors import InvalidArgumentError, NotFoundError, OpError
from headrace.core.func_graph import FuncGraph
from headrace.core.graph import Graph
from headrace.core.operation import Operation
from headrace.core.registry import OpDecl
from headrace.core.signature import Arg, Signature
from headrace.core.tensor import Tensor

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

_LOOPS = frozenset(["LoopCond", "While", "StatelessWhile", "For", "WhileGradient", "ForGradient"])


class Function:
    """A named function: tensors in, tensors out, by way of a traced graph.

    Several functions may share one graph: the gradient of a body is made of operations of the same graph, with more
    inputs and other outputs.

    Args:
        name: its name in the library; made of `base` and a hash of the body if None.
        graph: the traced body.
        inputs, outputs: its parameters and results, those of the graph by default.
        base: the beginning of a name that is made up.
        out_names: the names of the results in the signature.
        gradient: the function of the library that computes its gradient.
        python_gradient: what builds its gradient, as for `tf.RegisterGradient`.
        attrs: attributes of the definition, such as "_noinline".
        doc: its description.
        targets: the operations that it runs beside what its results need; those with effects by default.
    """

    def __init__(
        self,
        name: str | None,
        graph: FuncGraph,
        inputs: Sequence[Tensor] | None = None,
        outputs: Sequence[Tensor] | None = None,
        base: str = "function",
        out_names: Sequence[str] | None = None,
        gradient: Function | None = None,
        python_gradient: Callable[..., Any] | None = None,
        attrs: dict[str, Any] | None = None,
        doc: str | None = None,
        targets: Sequence[Operation] | None = None,
    ) -> None:
        self.graph = graph
        self.targets = targets
        self.inputs = list(graph.inputs if inputs is None else inputs)
        self.outputs = list(graph.outputs if outputs is None else outputs)
        self.is_view = outputs is not None
        # Operations that are added later belong to other views of the graph.
        self.operations = graph.get_operations()
        self.out_names = list(out_names) if out_names else None
        self.gradient = gradient
        self.python_gradient = python_gradient
        self.attrs = dict(attrs or {})
        self.doc = doc
        self.name = name if name is not None else f"{base}_{self._hash()}"
        # Two of one such name have one body.
        self._is_named_by_body = name is None
        self._gradient_view: Function | None = None
        # The gradients of the inputs in the body, once they have been built.
        self._gradient_parts: Any = None
        # What eager calls of it were planned as.
        self.eager_plans: Any = None
        # It in two parts, once its gradient has been asked for in them.
        self._split: Any = None
        self.decl = _declaration(self)

    def _hash(self) -> str:
        digest = hashlib.sha1()
        for op in self.operations:
            # As it was before gradients had it take and return more: two functions of one text stay the same.
            count, _, attrs = op._original or (len(op.inputs), 0, op.attrs)
            inputs = [t.name for t in op.inputs[:count]]
            digest.update(f"{op.name}|{op.type}|{op.device}|{inputs}|{[c.name for c in op.control_inputs]}|".encode())
            for key in sorted(attrs):
                value = attrs[key]
                digest.update(f"{key}={value!r};".encode())
                if hasattr(value, "tobytes"):
                    digest.update(repr(value.tolist()).encode() if value.dtype == object else value.tobytes())
        if self.attrs:
            digest.update(f"{sorted(self.attrs.items())}".encode())
        if self.python_gradient is not None:
            digest.update(f"gradient {self.python_gradient.__module__}.{self.python_gradient.__qualname__};".encode())
        # Variables of two shapes may be used alike: what is known of them is not told by the operations.
        captured = [(inner.name, _known_of(outer)) for outer, inner in getattr(self.graph, "captures", ())]
        digest.update(f"{captured}".encode())
        if self.targets:
            digest.update(f"{[op.name for op in self.targets]}".encode())
        digest.update(f"{[t.name for t in self.inputs]}->{[t.name for t in self.outputs]}".encode())
        return digest.hexdigest()[:8]

    @property
    def input_types(self) -> list[DType]:
        """The element types of its parameters."""
        return [tensor.dtype.base_dtype for tensor in self.inputs]

    @property
    def output_types(self) -> list[DType]:
        """The element types of its results."""
        return [tensor.dtype.base_dtype for tensor in self.outputs]

    @property
    def effects(self) -> list[Operation]:
        """The operations that run whether or not a result needs them."""
        if self.targets is not None:
            return list(self.targets)
        if self.is_view or self.graph.only_for_results:
            return []
        return [op for op in self.operations if _has_effect(op)]

    @property
    def stateful(self) -> bool:
        """Whether an operation of the body has state."""
        return any(op.decl.stateful for op in self.operations)

    @property
    def definition(self) -> Any:
        """It as a `FunctionDef` message."""
        return slots.function_def_of(self)

    def add_to_graph(self, graph: Graph) -> None:
        """Puts this function, and those its body calls, into the library of `graph`."""
        known = graph._functions.get(self.name)
        if known is self:
            return
        if known is not None and known.graph is not self.graph:
            is_equal = known._is_named_by_body and self._is_named_by_body
            if not is_equal and known._hash() != self._hash():
                raise InvalidArgumentError(
                    None,
                    None,
                    f"Cannot add function '{self.name}' because a different function with the same name already exists.",
                )
            if not graph.is_eager:
                return
            # The library of eager calls does not keep its functions: an equal one may be gone before this is called.
        graph._functions[self.name] = self
        graph._version_bump()
        for inner in list(self.graph._functions.values()):
            inner.add_to_graph(graph)
        if self.gradient is not None:
            self.gradient.add_to_graph(graph)

    def gradient_function(self) -> Function:
        """The function of the inputs and the outputs' gradients that returns the inputs' gradients."""
        if self.gradient is not None:
            return self.gradient
        if self._gradient_view is None:
            self._gradient_view = slots.function_gradient(self)
        return self._gradient_view

    def __repr__(self) -> str:
        return f"<function {self.name}>"


def _known_of(handle: Tensor) -> object:
    """What tells the variable that a captured handle leads to from others; None for other tensors."""
    if handle.dtype.base_dtype.name != "resource":
        return None
    value: object = getattr(handle, "_value", None)
    return handle.name if handle._is_graph_tensor else getattr(value, "dims", None)


def _has_effect(op: Operation) -> bool:
    decl = op.decl
    if decl.writes_state or decl.must_run:
        return True
    return decl.stateful and decl.binding_rule is None and not decl.lends_state and "seed2" not in decl.signature.attrs


class UndefinedFunctionError(NotFoundError, KeyError):
    """A graph's library has no function of a name."""


def has_functions(graph: Graph) -> bool:
    """Whether the library of `graph` or of a graph around it has any."""
    looked: Graph | None = graph
    while looked is not None:
        if looked._functions:
            return True
        looked = getattr(looked, "outer_graph", None)
    return False


def called_function(graph: Graph, name: str) -> Function | None:
    """The function called `name` in the library of `graph` or of a graph around it, None if there is none."""
    looked: Graph | None = graph
    while looked is not None:
        found = looked._functions.get(name)
        if found is not None:
            return found
        looked = getattr(looked, "outer_graph", None)
    return None


def function_named(graph: Graph, name: str) -> Function:
    """The function called `name` in the library of `graph` or of a graph around it.

    Raises:
        UndefinedFunctionError: if there is none.
    """
    found = called_function(graph, name)
    if found is None:
        raise UndefinedFunctionError(None, None, f"Function {name} is not defined.")
    return found


def may_loop(op: Operation) -> bool:
    """Whether an operation is a loop, or calls functions that have some: nobody knows when it ends."""
    pending = [op]
    seen: set[str] = set()
    while pending:
        each = pending.pop()
        if each.type in _LOOPS:
            return True
        for attr in each.decl.signature.attrs.values():
            value = each.attrs.get(attr.name) if attr.kind in ("func", "list(func)") else None
            names = value if isinstance(value, (list, tuple)) else [value] if value else []
            for name in names:
                function = called_function(each.graph, name)
                if function is not None and function.name not in seen:
                    seen.add(function.name)
                    pending += function.operations
    return False


def function_of(value: Any, graph: Graph) -> Function:
    """The function that an attribute names or a caller gave, added to the library of `graph`."""
    if isinstance(value, str):
        return function_named(graph, value)
    inner = getattr(value, "function", value)
    if not isinstance(inner, Function):
        raise TypeError(f"A function is a Defun or the name of a function of the graph, got {value!r}.")
    inner.add_to_graph(graph)
    return inner


def attr_function(node: Any, attr: str, error: type[OpError] | None = None) -> Function:
    """The function that an attribute of a planned node (or an operation) names.

    Args:
        node: the node or operation.
        attr: the attribute's name.
        error: the class to raise if there is no such function, where TensorFlow raises another.

    Raises:
        UndefinedFunctionError: if there is no such function.
    """
    origin = getattr(node, "origin", node)
    try:
        return function_named(origin.graph, node.attrs[attr])
    except UndefinedFunctionError as missing:
        if error is None:
            raise
        raise error(None, None, missing.message) from None  # type: ignore[call-arg]  # classes of one code take none


def _declaration(function: Function) -> OpDecl:
    """The op whose application is a call of `function`."""
    graph = function.graph
    names: set[str] = set()

    def named(name: str) -> str:
        text = "".join(c if c.isalnum() else "_" for c in name.lower()) or "arg"
        if not text[0].isalpha():
            text = f"arg_{text}"
        result, count = text, 0
        while result in names:
            result = f"{text}_{count}"
            count += 1
        names.add(result)
        return result

    inputs = tuple(Arg(named(t.op.name), t.dtype.base_dtype) for t in function.inputs)
    if function.out_names:
        if len(function.out_names) != len(function.outputs):
            raise InvalidArgumentError(
                None,
                None,
                f"output names must be either empty or equal in size to outputs. output names size = "
                f"{len(function.out_names)} outputs size = {len(function.outputs)}",
            )
        outputs = tuple(Arg(n, t.dtype.base_dtype) for n, t in zip(function.out_names, function.outputs, strict=True))
    else:
        outputs = tuple(
            Arg(named(t.op.name if t.graph is graph else "output"), t.dtype.base_dtype) for t in function.outputs
        )
    decl = OpDecl(function.name, Signature(function.name, inputs, {}, outputs, function.stateful), function.stateful)
    decl.may_alias = True
    if function.effects:
        decl.writes_state = tuple(i for i, t in enumerate(function.inputs) if t.dtype.name == "resource")
        decl.must_run = True
    decl.shape_rule = lambda op: [None] * len(op.outputs)

    def kernel(node: NodeView) -> Callable[..., Any]:
        call = node.runtime.bind(function, node.name, known_of(node.inputs))
        if len(function.outputs) == 1:
            return lambda *values: call(*values)[0]
        return call

    decl.kernel_rule = kernel

    def gradient(op: Operation, *gradients: Any) -> Tensor | list[Tensor]:
        if function.python_gradient is not None:
            return function.python_gradient(op, *gradients)
        return slots.call_gradient(op, function, gradients)

    decl.gradient(gradient)
    return decl


def known_of(values: Sequence[Any], start: int = 0) -> dict[int, Any]:
    """Of the values passed to a function, those that are known while planning: variables and constants, by position."""
    return {
        i: value
        for i, value in enumerate(values[start:])
        if value.constant is not None or (value.dtype.name == "resource" and hasattr(value.bound, "is_resource"))
    }
