"""Loops: those of the graph over tensors, datasets and what is left of them, Python's over the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autograph.branches import GetState, SetState, if_stmt
from headrace.autograph.expressions import Thunk, and_
from headrace.autograph.special import NoReturn_
from headrace.autograph.staged import ZERO, State, as_staged, is_staged, length, undefined
from headrace.core import slots
from headrace.core.constant_value import constant_value
from headrace.core.eager import executing_eagerly
from headrace.core.func_graph import FuncGraph
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop

if TYPE_CHECKING:
    from headrace.core.typing import TensorLike


def while_stmt(
    test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: Sequence[str], options: Thunk | None
) -> None:
    """A while statement; one of the graph if the condition is a tensor.

    Args:
        test, body: the condition and the block.
        get_state, set_state: give and set the variables it changes.
        names: the names of these.
        options: gives the keyword arguments of `tf.while_loop`, or None.

    Raises:
        ValueError: if a variable has no value before a loop of the graph, or changes its structure there.
    """
    before = get_state()
    value = as_staged(_tried(test))
    if is_staged(value):
        set_state(before)
        _staged_while(test, body, get_state, set_state, names, options)
        return
    while value:
        body()
        value = as_staged(test())
        if is_staged(value):
            # The first turns have run while the graph was built; the others run in it.
            _staged_while(test, body, get_state, set_state, names, options)
            return


def _tried(test: Thunk) -> Any:
    """What the condition of a loop is before its first turn.

    A graph of the loop evaluates it again: what tells which kind of loop it is leaves no operation behind.
    """
    if executing_eagerly():
        return test()
    with FuncGraph("tried").as_default():
        return test()


def _state_before(names: Sequence[str], before: Sequence[Any]) -> State:
    """The values of variables with which a loop of the graph begins, all of which it needs."""
    if any(isinstance(value, NoReturn_) for value in before):
        raise ValueError("return statements are not supported within a TensorFlow loop.")
    missing = undefined(names, before)
    if missing:
        raise ValueError(
            f"TensorFlow requires that the following symbols must be defined before the loop: {tuple(missing)}"
        )
    return State(names, before)


def _staged_while(
    test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: Sequence[str], options: Thunk | None
) -> None:
    before = get_state()
    state = _state_before(names, before)
    given = _given(options)

    def run_test(*tensors: Any) -> Tensor:
        set_state(state.with_tensors(tensors))
        return test()

    def run_body(*tensors: Any) -> list[Tensor | TensorArray]:
        set_state(state.with_tensors(tensors))
        body()
        after = State(names, get_state())
        state.check_like(after, _changing)
        if given.get("shape_invariants") is None:
            state.check_shapes_after(after)
        return after.tensors

    first = state.tensors or [raw.Const(value=ZERO, dtype="int32")]
    if not state.tensors:
        run_plain_test, run_plain_body = run_test, run_body
        results = while_loop(
            lambda unused: run_plain_test(), lambda unused: (run_plain_body(), unused)[1], first, **given
        )
        set_state(before)
        return
    results = while_loop(run_test, run_body, first, return_same_structure=True, **given)
    set_state(state.with_tensors(results))


def _changing(name: str, what: str = "", types: tuple[str, str] | None = None) -> str:
    if types is not None:
        return (
            f'"{name}" has dtype {types[0]} before the loop, but dtype {types[1]} after one iteration. TensorFlow control '
            "flow requires it stays the same."
        )
    return f'"{name}" changes in a turn of a TensorFlow loop: before and after it, {what}.'


def _given(options: Thunk | None) -> Mapping[str, Any]:
    return options() if options is not None else {}


def for_stmt(
    iterated: Any,
    test: Thunk | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    options: Thunk | None,
) -> None:
    """A for statement; one of the graph over the rows of a tensor and over a dataset.

    Args:
        iterated: what gives the items.
        test: whether the loop has not been left, or None.
        body: the block, takes the item.
        get_state, set_state: give and set the variables it changes.
        names: the names of these.
        options: gives the keyword arguments of `tf.while_loop`, or None.
    """
    iterated = as_staged(iterated)
    if is_staged(iterated):
        _for_rows(iterated, test, body, get_state, set_state, names, options)
    elif is_dataset(iterated) and not _runs_eagerly():
        _for_elements(iterated, test, body, get_state, set_state, names)
    elif is_iterator(iterated) and not _runs_eagerly():
        _for_what_is_left(iterated, test, body, get_state, set_state, names)
    else:
        for item in iterated:
            going_on = as_staged(test()) if test is not None else True
            if is_staged(going_on):
                if_stmt(going_on, lambda item=item: body(item), _nothing, get_state, set_state, names, len(names))  # type: ignore[misc]  # the default binds the item: such lambdas have no inferred type
            elif going_on:
                body(item)
            else:
                break


def _nothing() -> None:
    """The branch of a loop that has been left."""


def _runs_eagerly() -> bool:
    return executing_eagerly()


def is_dataset(value: object) -> bool:
    """Whether a value is a dataset."""
    return hasattr(value, "_variant_tensor") or (hasattr(value, "reduce") and hasattr(value, "_make_one_shot_iterator"))


def is_iterator(value: object) -> bool:
    """Whether a value is what `iter` makes of a dataset."""
    return hasattr(value, "_iterator_resource") and hasattr(value, "__next__")


def _for_rows(
    rows: Tensor,
    test: Thunk | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    options: Thunk | None,
) -> None:
    if rows.dims is not None and not rows.dims:
        raise ValueError(f"iterating over a scalar tensor is not possible: {rows.name}")
    is_range = rows._is_graph_tensor and rows._op.type == "Range"
    start, limit, delta = rows._op.inputs if is_range else (0, length(rows), 1)
    array = None if is_range else TensorArray(rows.dtype, size=limit).unstack(rows)
    number: list[Any] = [start]

    def run_test() -> Tensor:
        inside = _is_before(number[0], limit, delta)
        return and_(lambda: inside, test) if test is not None else inside

    def run_body() -> None:
        at = number[0]
        body(at if array is None else array.read(at))
        number[0] = at + delta

    get, put = _beside(number, get_state, set_state)
    _staged_while(run_test, run_body, get, put, ["index of the loop", *names], options)


def _beside(own: list[Any], get_state: GetState, set_state: SetState) -> tuple[GetState, SetState]:
    """The state of a loop that has a variable of its own, the one of `own`, before those of the program."""

    def get() -> list[Any]:
        return [own[0], *get_state()]

    def put(values: Sequence[Any]) -> None:
        own[0] = values[0]
        set_state(values[1:])

    return get, put


def _is_before(at: TensorLike, limit: TensorLike, delta: Any) -> Any:
    """Whether a number of a range comes before its limit."""
    step = constant_value(delta) if isinstance(delta, Tensor) else delta
    if step is not None:
        return raw.Less(at, limit) if step >= 0 else raw.Greater(at, limit)
    up = raw.LogicalAnd(raw.GreaterEqual(delta, 0), raw.Less(at, limit))
    down = raw.LogicalAnd(raw.Less(delta, 0), raw.Greater(at, limit))
    return raw.LogicalOr(up, down)


def _for_elements(
    dataset: Any,
    test: Thunk | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    before = get_state()
    state = _state_before(names, before)

    def step(tensors: Sequence[Tensor], *element: Any) -> Any:
        set_state(state.with_tensors(tensors if state.tensors else []))
        item = element[0] if len(element) == 1 else tuple(element)
        if test is None:
            body(item)
        else:
            if_stmt(test(), lambda: body(item), _nothing, get_state, set_state, names, len(names))
        after = State(names, get_state())
        state.check_like(after, _changing)
        return tuple(after.tensors) if state.tensors else tensors

    first = tuple(state.tensors) if state.tensors else ZERO
    results = dataset.reduce(first, step)
    set_state(state.with_tensors(results if state.tensors else []))


def _for_what_is_left(
    iterator: Any,
    test: Thunk | None,
    body: Callable[[Any], None],
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
) -> None:
    going_on: list[Any] = [True]

    def run_test() -> Any:
        return and_(lambda: going_on[0], test) if test is not None else going_on[0]

    def run_body() -> None:
        element = slots.next_as_optional(iterator)
        there_is = element.has_value()
        if_stmt(there_is, lambda: body(element.get_value()), _nothing, get_state, set_state, names, len(names))
        going_on[0] = there_is

    get, put = _beside(going_on, get_state, set_state)
    _staged_while(run_test, run_body, get, put, ["whether there was an element", *names], None)
