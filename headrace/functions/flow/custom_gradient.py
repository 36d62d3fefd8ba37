"""`tf.custom_gradient`: a function that says its own derivative."""

from __future__ import annotations

import functools
import inspect
import itertools
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from headrace.core import nest, slots
from headrace.core.collections import GraphKeys
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import get_default_graph
from headrace.core.eager import eager_graph, executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.operation import Operation
from headrace.core.registry import RegisterGradient, raw
from headrace.core.tensor import Tensor
from headrace.kernels.state.handles import copy_handle_data

if TYPE_CHECKING:
    from headrace.core.eager import EagerOperation
    from headrace.core.typing import TensorLike


_uids = itertools.count()


def custom_gradient(f: Callable[..., Any]) -> Callable[..., Any]:
    """A decorator for a function that returns its result and the function computing its gradient.

    Args:
        f: takes tensors, returns `(y, grad)`: `y` a tensor or a structure of them, `grad` a function from the gradients of `y`
            to those of the arguments. Where `f` uses resource variables, `grad` also takes `variables=` and returns
            `(gradients of the arguments, gradients of the variables)`.

    Returns:
        a function of the same arguments that returns `y`.

    Raises:
        ValueError: when it is called with keyword arguments in a graph.
        TypeError: if `f` makes reference variables, or `grad` does not take the variables it must.

    Example:
        >>> @tf.custom_gradient
        ... def log1pexp(x):
        ...     e = tf.exp(x)
        ...     return tf.log(1 + e), lambda dy: dy * (1 - 1 / (1 + e))
    """

    @functools.wraps(f)
    def decorated(*args: Any, **kwargs: Any) -> Any:
        return (_eager_mode_decorator if executing_eagerly() else _graph_mode_decorator)(f, *args, **kwargs)

    return decorated


def custom_gradient_of_layers(f: Callable[..., Any]) -> Callable[..., Any]:
    """As `custom_gradient`, for a `grad` that takes variables whether there are any or not."""

    @functools.wraps(f)
    def decorated(*args: Any) -> Any:
        return _eager_mode_decorator(f, *args) if executing_eagerly() else _in_graph_mode(f, args, False)

    return decorated


def _graph_mode_decorator(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The call in a graph, whose gradient goes by an op of its own. Programs that recompute activations call it themselves."""
    if kwargs:
        raise ValueError("The custom_gradient decorator supports positional arguments only in graph mode.")
    return _in_graph_mode(f, args, not isinstance(get_default_graph(), FuncGraph))


def _in_graph_mode(f: Callable[..., Any], args: Any, expects_variables: bool) -> Any:
    inputs = [_in_graph(convert_to_tensor(x)) for x in args]
    known = _variables()
    result, grad_fn = f(*inputs)
    made = [v for v in _variables() if all(v is not old for old in known)]
    for variable in made:
        if not hasattr(variable, "_handle"):
            raise TypeError(
                "All variables used by a function wrapped with @custom_gradient must be `ResourceVariable`s: create "
                f"{variable.name} in a variable_scope with use_resource=True."
            )
    results = [convert_to_tensor(r) for r in nest.flatten(result)]
    for r in results:
        # TensorFlow looks back from copies of the results; they stay, and op seeds count them.
        raw.Identity(r)
    variables = variables_read(results, inputs)
    takes = _takes_variables(grad_fn)
    if variables and not takes:
        raise TypeError(
            "If using @custom_gradient with a function that uses variables, then grad_fn must accept a keyword argument "
            "'variables'."
        )
    if expects_variables and takes and not (variables or slots.variable_scope().use_resource):
        raise TypeError(
            "The grad_fn of a @custom_gradient function takes 'variables', but the function used no resource variable: make "
            "its variables in a variable_scope with use_resource=True."
        )
    name = f"CustomGradient-{next(_uids)}"
    count = len(results)

    @RegisterGradient(name)
    def gradient_of_custom(_: Operation, *gradients: Tensor) -> list[Any]:
        if variables:
            for_inputs, for_variables = grad_fn(*gradients[:count], variables=variables)
            for_variables = list(for_variables)
            if len(for_variables) != len(variables):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        else:
            for_inputs, for_variables = grad_fn(*gradients[:count]), []
        return [None] * count + nest.flatten(for_inputs) + for_variables

    # The arguments and variables pass through the same op, so that the walk back finds them behind the results.
    with get_default_graph().gradient_override_map({"IdentityN": name}):
        passed = raw.IdentityN([*results, *inputs, *variables])
    for variable in variables:
        # TensorFlow reads them once more for its tapes; op seeds count that.
        convert_to_tensor(variable)
    for given, handle in zip(results, passed, strict=False):
        copy_handle_data(given, handle)
    return nest.pack_sequence_as(result, passed[:count])


def _eager_mode_decorator(f: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """The call while executing eagerly: tapes are told of it as of one operation."""
    graph = eager_graph()
    used = _UsedVariables()
    outer = graph.tapes
    inputs = [convert_to_tensor(x) for x in args]
    # What the gradient function keeps of inside, tapes around may differentiate once more.
    graph.tapes = [*outer, used]
    try:
        # It gets what it was given, numbers and arrays as such.
        result, grad_fn = f(*args, **kwargs)
    finally:
        graph.tapes = outer
    for variable in used.variables.values():
        for tape in outer:
            if tape.watches_variables:
                tape.watch_variable(variable)
    flat = nest.flatten(result)
    # Tensors of their own, so that an argument may be returned as it is.
    outputs = [graph.tensor_of(convert_to_tensor(x)._value, convert_to_tensor(x).dtype) for x in flat]  # type: ignore[attr-defined]  # tensors of eager execution have values
    variables = [variable for variable in used.variables.values() if variable.trainable]
    takes = _takes_variables(grad_fn)
    if variables and not takes:
        raise TypeError(
            "If using @custom_gradient with a function that uses variables, then grad_fn must accept a keyword argument "
            "'variables'."
        )

    def backward(*gradients: Any) -> list[Any]:
        if variables:
            for_inputs, for_variables = grad_fn(*gradients, variables=variables)
            for_variables = list(for_variables)
            if len(for_variables) != len(variables):
                raise ValueError("Must return gradient for each variable from @custom_gradient grad_fn.")
        else:
            for_inputs, for_variables = grad_fn(*gradients), []
        for_inputs = nest.flatten(for_inputs)
        if len(for_inputs) != len(inputs):
            raise ValueError(
                f"custom_gradient function expected to return {len(inputs)} gradients but returned {len(for_inputs)} instead."
            )
        return for_inputs + for_variables

    graph.note([*inputs, *[variable._handle for variable in variables]], outputs, backward)
    return nest.pack_sequence_as(result, outputs)


class _UsedVariables:
    """What watches beside the tapes inside: it learns which variables are used."""

    watches_variables = True

    def __init__(self) -> None:
        self.variables: dict[int, Any] = {}

    def see(self, op: EagerOperation) -> None:
        for tensor in op.inputs:
            variable = getattr(tensor, "_variable", None)
            variable = variable() if variable is not None else None
            if variable is not None:
                self.watch_variable(variable)

    def watch_variable(self, variable: Any) -> None:
        self.variables.setdefault(id(variable._handle), variable)

    def note(self, inputs: TensorLike, outputs: Any, backward: Any, filled: int | None = None) -> None:
        """Nothing: only the variables are of interest."""


def _in_graph(tensor: Tensor) -> Tensor:
    """A tensor of the default graph: in a function what stands for one that has a value."""
    graph = get_default_graph()
    return graph.capture(tensor) if isinstance(graph, FuncGraph) else tensor


def _trained_outside(handle: Tensor) -> Any:
    """The eager variable to be trained that a function reaches by what stands for its handle; None for other tensors."""
    graph = handle._op._graph
    variable = graph.variable_behind(handle) if isinstance(graph, FuncGraph) else None
    return variable if variable is not None and not variable._in_graph_mode and variable.trainable else None


def _takes_variables(grad_fn: Callable[..., Any]) -> bool:
    parameters = inspect.signature(grad_fn).parameters
    return "variables" in parameters or any(p.kind is p.VAR_KEYWORD for p in parameters.values())


def _variables() -> list[Any]:
    graph = get_default_graph()
    return graph.get_collection(GraphKeys.GLOBAL_VARIABLES) + graph.get_collection(GraphKeys.LOCAL_VARIABLES)


def _is_reference(variable: Any) -> bool:
    return not hasattr(variable, "_handle") and isinstance(variable.op, Operation) and variable.op.type == "VariableV2"


def variables_read(results: list[Tensor], inputs: list[Tensor]) -> list[Any]:
    """The variables to be trained that `results` read, looking back as far as `inputs`."""
    # Of a mirrored variable the part that is meant here: `handle` is refused where it is meant as a whole.
    known = [v for v in _variables() if v.trainable]
    handles = {v._handle: v for v in known if isinstance(getattr(v, "_handle", None), Tensor)}
    handles |= {v.op.outputs[0]: v for v in known if _is_reference(v)}
    given, stop = set(inputs), {t.op for t in inputs}
    found: dict[Any, None] = {}
    seen: set[Operation] = set()
    pending = [t.op for t in results]
    while pending:
        op = pending.pop()
        if op in seen or op in stop:
            continue
        seen.add(op)
        for tensor in op.inputs:
            # Of a handle that is an argument the result is a gradient of that argument.
            variable = handles[tensor] if tensor in handles else _trained_outside(tensor)
            if variable is not None and tensor not in given:
                found[variable] = None
            pending.append(tensor.op)
    return list(found)


def grad_pass_through(f: Callable[..., Any]) -> Callable[..., Any]:
    """A function like `f` whose gradient is that of the identity.

    Args:
        f: takes tensors, returns a tensor of the same shape as the first, or as many tensors.

    Returns:
        a function of the same arguments.

    Raises:
        ValueError: when it is called with keyword arguments in a graph.
        TypeError: in a graph, if `f` uses no variable and none would be a resource variable in the scope that is open.

    Example:
        >>> with tf.variable_scope("rounding", use_resource=True):
        ...     rounded = tf.grad_pass_through(tf.round)(x)
    """

    @custom_gradient
    def passing(*args: Any, **settings: Any) -> tuple[Tensor, Callable[..., Any]]:
        def grad(*grads: Any, **used: Any) -> tuple[Tensor]:
            variables = used.get("variables")
            return grads if variables is None else (grads, [None] * len(variables))

        return f(*args, **settings), grad

    return functools.wraps(f)(passing)
