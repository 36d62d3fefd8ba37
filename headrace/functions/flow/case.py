"""Choices built on `cond`: case, and conds of what may be known already."""

from __future__ import annotations

import functools
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.core.constant_value import constant_value
from headrace.core.convert import convert_to_tensor
from headrace.core.defaults import control_dependencies, name_scope
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.kernels import composing

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.typing import TensorLike


Branch = Callable[[], Any]


def case(
    pred_fn_pairs: Tensor | Sequence[Sequence[int | Callable[..., Any] | Tensor]],
    default: Branch | None = None,
    exclusive: bool = False,
    strict: bool = False,
    name: str = "case",
) -> Any:
    """The result of the function that belongs to the first predicate that is true.

    Args:
        pred_fn_pairs: a list of pairs, or a dict, of a bool scalar tensor and a function without arguments.
        default: the function to take if no predicate is true; without it that is an error of the run.
        exclusive: whether it is an error that more than one predicate is true.
        strict: keep a result list of one tensor a list.
        name: a name scope.

    Returns:
        what the functions return, which must agree in structure and types.

    Raises:
        TypeError: if the arguments are of other types.

    Example:
        >>> a, b = tf.constant(1), tf.constant(2)
        >>> sess.run(tf.case([(a > b, lambda: a), (a < b, lambda: b)], default=lambda: tf.constant(0)))
        2
    """
    return _case_helper(cond, pred_fn_pairs, default, exclusive, name, strict=strict)


def _case_helper(
    cond_fn: Callable[..., Any],
    pred_fn_pairs: Tensor | Sequence[Sequence[Callable[..., Any] | Tensor | int]] | Mapping[Tensor, Callable[..., Any]],
    default: Branch | None,
    exclusive: bool,
    name: str,
    allow_python_preds: bool = False,
    **cond_kwargs: Any,
) -> int | Tensor:
    """`case`, built on a `cond` of another kind, which gets `cond_kwargs` as well; libraries of 1.x call it."""
    predicates, actions = _pairs(pred_fn_pairs, allow_python_preds)
    with name_scope(name, "case", predicates):
        if default is None:
            default, predicates, actions = _last_as_default(predicates, actions)
        function: Branch = default
        for predicate, action in reversed(list(zip(predicates, actions, strict=True))):
            function = functools.partial(cond_fn, predicate, true_fn=action, false_fn=function, **cond_kwargs)
        if not exclusive:
            return function()
        with control_dependencies([_at_most(1, predicates, "Input error: exclusive=True")]):
            return function()


def _pairs(pairs: Any, allow_python: bool) -> tuple[list[Any], list[Branch]]:
    if not isinstance(pairs, (list, tuple, dict)):
        raise TypeError("fns must be a list, tuple, or dict")
    if not pairs:
        raise ValueError("tf.case: pred_fn_pairs must have at least one pair of a predicate and a function, got none")
    if isinstance(pairs, OrderedDict):
        pairs = list(pairs.items())
    elif isinstance(pairs, dict):
        pairs = sorted(pairs.items(), key=lambda pair: pair[0].name)
    for pair in pairs:
        if not isinstance(pair, tuple) or len(pair) != 2:
            raise TypeError("Each entry in pred_fn_pairs must be a 2-tuple")
        predicate, function = pair
        if isinstance(predicate, Tensor):
            if predicate.dtype.name != "bool":
                raise TypeError(f"pred must be Tensor of type bool: {predicate.name}")
        elif not allow_python:
            raise TypeError(f"pred must be a Tensor, got: {predicate}")
        elif not isinstance(predicate, bool):
            raise TypeError(f"pred must be a Tensor or bool, got: {predicate}")
        if not callable(function):
            raise TypeError(f"fn for pred {getattr(predicate, 'name', predicate)} must be callable.")
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def _last_as_default(predicates: Sequence[Any], actions: Sequence[Branch]) -> tuple[Branch, list[Any], list[Branch]]:
    """The last action as the default, with checks that it was right to take it."""
    last = len(predicates) - 1
    *others, predicate = predicates
    *other_actions, action = actions

    def default() -> Tensor:
        data = (
            "Input error: None of conditions evaluated as True:",
            composing.stack(list(predicates), name="preds_c"),
        )
        message = (
            f"Implementation error: selected default action #{last} was called, but some of other predicates are True: "
        )
        with control_dependencies([_at_most(0, others, message), Assert(predicate, data=data)]):
            return action()

    return default, others, other_actions


def _at_most(count: int, predicates: Sequence[Any], message: str) -> Operation | None:
    """Asserts that at most `count` of the predicates are true."""
    preds = composing.stack(list(predicates), name="preds_c")
    true = raw.Sum(composing.cast(preds, "int32"), convert_to_tensor([0], name="Const"), name="num_true_conds")
    allowed = convert_to_tensor(count, name="n_true_conds")
    condition = raw.LessEqual(true, allowed)
    names = ", ".join(getattr(predicate, "name", "?") for predicate in predicates)
    data = [f"{message}: more than {count} conditions ({names}) evaluated as True:", preds]
    return Assert(condition, data=data, summarize=len(predicates))


def smart_cond(
    pred: int | TensorLike,
    true_fn: int | Callable[..., Any] | None = None,
    false_fn: int | Callable[..., Any] | None = None,
    name: str | None = None,
) -> Any:
    """`cond`, but where `pred` is known only the function it selects is called, and no cond is made.

    Args:
        pred: a bool scalar tensor, a Python bool, or 0 or 1.
        true_fn, false_fn: functions without arguments.
        name: a name scope for the cond.

    Raises:
        TypeError: if `pred` is of another type or a function is not callable.
    """
    if not callable(true_fn):
        raise TypeError("`true_fn` must be callable.")
    if not callable(false_fn):
        raise TypeError("`false_fn` must be callable.")
    known = smart_constant_value(pred)
    if known is None:
        return cond(pred, true_fn=true_fn, false_fn=false_fn, name=name)
    return true_fn() if known else false_fn()


def smart_constant_value(pred: TensorLike) -> Any:
    """The value of a bool scalar tensor where it is known while the graph is built, else None; of a bool itself.

    Raises:
        TypeError: if `pred` is neither a tensor nor a bool, 0 or 1.
    """
    if isinstance(pred, Tensor):
        return constant_value(pred)
    # Numbers of NumPy's are as good, as what `np.random.rand() < 0.5` gives is one.
    if pred in {0, 1}:
        return bool(pred)
    raise TypeError(f"`pred` must be a Tensor, or a Python bool, or 1 or 0. Found instead: {type(pred)}")


def smart_case(
    pred_fn_pairs: Sequence[Sequence[Tensor | Callable[..., Any]]] | Mapping[Tensor, Callable[..., Any]],
    default: Branch | None = None,
    exclusive: bool = False,
    name: str = "smart_case",
) -> Any:
    """`case`, built on `smart_cond`: predicates may also be Python bools."""
    return _case_helper(smart_cond, pred_fn_pairs, default, exclusive, name, allow_python_preds=True)
