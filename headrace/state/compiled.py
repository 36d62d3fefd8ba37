"""`tf.xla`: computations marked for compilation. Every plan is compiled to straight-line code; the marks stay in graphs."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core import nest
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, get_default_graph, name_scope
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.ops.flow.grouping import group
from headrace.state.variable_scope import get_variable_scope, variable_scope

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


_SCOPES = ("__xla_scope",)


class _Scopes:
    """How many outermost scopes a graph has had, and how many are open."""

    def __init__(self) -> None:
        self.count = self.depth = 0


@contextlib.contextmanager
def jit_scope(compile_ops: Any = True, separate_compiled_gradients: bool = False) -> Iterator[None]:
    """A context whose operations are marked for compilation.

    Args:
        compile_ops: whether they are, a bool.
        separate_compiled_gradients: whether their gradients are compiled apart.

    Raises:
        NotImplementedError: for a function as `compile_ops`.

    Example:
        >>> with tf.xla.experimental.jit_scope():
        ...     y = tf.matmul(x, w)
    """
    if callable(compile_ops):
        raise NotImplementedError("jit_scope(compile_ops=function): give a bool, and a scope for each choice.")
    graph = get_default_graph()
    found = graph.get_collection(_SCOPES)
    scopes = found[0] if found else _Scopes()
    if not found:
        graph.add_to_collection(_SCOPES, scopes)
    marks = {"_XlaCompile": bool(compile_ops), "_XlaSeparateCompiledGradients": bool(separate_compiled_gradients)}
    named: dict[str, Any] = dict(marks)
    if not scopes.depth:
        named["_XlaScope"] = f"jit_scope_{scopes.count}"
        scopes.count += 1
    scopes.depth += 1
    try:
        with graph._attr_scope_of(named):
            yield
    finally:
        scopes.depth -= 1


def compile(computation: Callable[..., Any], inputs: Sequence[Any] | None = None) -> Any:
    """What a function returns for some inputs; it is compiled with everything else.

    Args:
        computation: takes tensors, returns tensors and then operations, or a structure of tensors. Variables that it
            makes are resource variables.
        inputs: a list of what it is given, or of structures of such.

    Returns:
        the tensors, which wait for the operations, in a list or the structure; an operation if there are no tensors.

    Raises:
        TypeError: if `inputs` is no list. ValueError: for results that are neither tensors nor operations, operations
            before tensors, or operations in a structure.

    Example:
        >>> y, = tf.xla.experimental.compile(lambda a, b: a + b, [1.0, 2.0])
    """
    if inputs is None:
        inputs = []
    if not isinstance(inputs, (list, tuple)):
        raise TypeError("inputs must be a list")
    given = [convert_to_tensor(x) for x in nest.flatten(inputs)]
    with name_scope("cluster"):
        copies = [raw.Identity(x, name=f"input_{i}") for i, x in enumerate(given)]
        arguments = nest.pack_sequence_as(inputs, copies)
        with variable_scope(get_variable_scope(), use_resource=True, auxiliary_name_scope=False):
            results = computation(*arguments)
        flat = not isinstance(results, dict) and not (
            isinstance(results, (list, tuple)) and any(isinstance(r, (list, tuple, dict)) for r in results)
        )
        tensors, operations = _flat_results(results) if flat else (_tensors_of(results), [])
    if not tensors:
        return group(*operations, name="output_0")
    with control_dependencies(operations):
        outputs = [raw.Identity(t, name=f"output_{i}") for i, t in enumerate(tensors)]
    return outputs if flat else nest.pack_sequence_as(results, outputs)


def _converted(value: TensorLike) -> Any:
    try:
        return convert_to_tensor(value)
    except Exception as error:
        raise ValueError(
            "XLA computation function return values must all either be Operations or convertible to Tensors. Got error: "
            f'"{error}"'
        ) from error


def _flat_results(results: Any) -> tuple[list[Any], list[Operation]]:
    if results is None:
        results = ()
    if not isinstance(results, (list, tuple)):
        results = (results,)
    made = [r if isinstance(r, Operation) else _converted(r) for r in results]
    tensors = [r for r in made if not isinstance(r, Operation)]
    operations = [r for r in made if isinstance(r, Operation)]
    if any(a is not b for a, b in zip(made, [*tensors, *operations], strict=True)):
        raise ValueError(
            "XLA computation function must return zero or more Tensor values followed by zero or more Operations."
        )
    return tensors, operations


def _tensors_of(results: Any) -> list[Any]:
    items = nest.flatten(results)
    for item in items:
        if isinstance(item, Operation):
            raise ValueError(
                "xla.compile does not support Operation as return value in non-flat output structure. Make the tensors "
                f'wait for the operations with control dependencies. Operation found: "{item.name}"'
            )
    return [_converted(item) for item in items]


# The older spelling.
experimental_jit_scope = jit_scope
