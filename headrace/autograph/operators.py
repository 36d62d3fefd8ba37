"""What rewritten functions call: control flow that becomes the graph's where it depends on tensors."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping, MutableMapping, MutableSequence, Sequence
from typing import TYPE_CHECKING, Any

from headrace.autograph.special import NoReturn_, Undefined
from headrace.autograph.staged import State, as_staged, is_staged, length, undefined
from headrace.core import slots
from headrace.core.constant_value import constant_value
from headrace.core.eager import executing_eagerly
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.functions.flow.assertion import Assert
from headrace.functions.flow.cond import cond
from headrace.functions.flow.tensor_array import TensorArray
from headrace.functions.flow.while_loop import while_loop

if TYPE_CHECKING:
    import numpy as np

    from headrace.core.typing import TensorLike


Thunk = Callable[[], Any]
GetState = Callable[[], list[Any]]
SetState = Callable[[Sequence[Any]], None]


def no_return() -> NoReturn_:
    """Stands for what a function returns, until it returns."""
    return NoReturn_()


def returned(value: object) -> Any:
    """What a function returns.

    Raises:
        UnboundLocalError: if it is a variable without a value.
    """
    if isinstance(value, NoReturn_):
        return None
    if isinstance(value, Undefined):
        value._refuse()
    return value


def attribute(owner: Any, name: str) -> Any:
    """An attribute, perhaps one that is not there yet."""
    return getattr(owner, name, None) if hasattr(owner, name) else Undefined(name)


def set_attribute(owner: Any, name: str, value: TensorLike) -> None:
    """Sets an attribute back to what it was, which may be that it was not there."""
    if not isinstance(value, Undefined):
        if getattr(owner, name, Undefined) is not value:
            setattr(owner, name, value)
    elif hasattr(owner, name):
        delattr(owner, name)


def item(owner: Any, key: Any) -> Any:
    """An item of a list or dict, perhaps one that is not there yet; None for what else may be written by a key."""
    if isinstance(owner, MutableMapping):
        return owner[key] if key in owner else Undefined(str(key))
    return owner[key] if _is_place(owner, key) else None


def set_item(owner: Any, key: Any, value: TensorLike) -> None:
    """Sets an item of a list or dict back to what it was, which may be that it was not there."""
    if isinstance(owner, MutableMapping):
        if isinstance(value, Undefined):
            owner.pop(key, None)
        elif owner.get(key, Undefined) is not value:
            owner[key] = value
    elif _is_place(owner, key) and owner[key] is not value:
        owner[key] = value


def _is_place(owner: Any, key: Any) -> bool:
    return isinstance(owner, MutableSequence) and isinstance(key, int) and -len(owner) <= key < len(owner)


# ---- branches ----


def if_stmt(
    test: bool | Tensor,
    body: Thunk,
    orelse: Thunk,
    get_state: GetState,
    set_state: SetState,
    names: Sequence[str],
    live_count: int,
) -> None:
    """An if statement.

    Args:
        test: the condition; a tensor makes the statement one of the graph.
        body, orelse: the blocks.
        get_state, set_state: give and set the variables they change.
        names: the names of these.
        live_count: how many of them, from the first, are live after the statement.

    Raises:
        ValueError: if a variable has a value behind one of the branches only.
    """
    test = as_staged(test)
    if not is_staged(test):
        (body if test else orelse)()
        return
    before = get_state()
    chosen, kept = list(names[:live_count]), before[live_count:]
    states: dict[str, State] = {}

    def run(block: Thunk, label: str) -> Callable[[], list[Any]]:
        def made() -> list[Any]:
            set_state(before)
            block()
            values = get_state()[:live_count]
            _check_defined(chosen, values, label)
            states[label] = State(chosen, values)
            if label == "else":
                states["if"].check_like(states["else"], _differing)
            # A conditional hands on at least one tensor.
            return states[label].tensors or [raw.Const(value=_zero(), dtype="int32")]

        return made

    results = cond(test, run(body, "if"), run(orelse, "else"), strict=True)
    state = states["if"]
    set_state([*state.with_tensors(results if state.tensors else []), *kept])


def _zero() -> np.ndarray:
    import numpy as np

    return np.array(0, np.int32)


def _check_defined(names: Sequence[str], values: Sequence[Any], label: str) -> None:
    missing = undefined(names, values)
    returns = [value for value in values if isinstance(value, NoReturn_)]
    where = {"if": "if branch", "else": "else branch"}[label]
    if returns:
        raise ValueError(
            f"A value must also be returned from the {where}. If a value is returned from one branch of a conditional a "
            "value must be returned from all branches."
        )
    if missing:
        raise ValueError(
            f"The following symbols must also be initialized in the {where}: {tuple(missing)}. Alternatively, you may "
            "initialize them before the if statement."
        )


def _differing(name: str, what: str = "", types: tuple[str, str] | None = None) -> str:
    if types is not None:
        return (
            f'"{name}" has dtype {types[0]} in the TRUE branch, but dtype={types[1]} in the FALSE branch. TensorFlow control '
            "flow requires that they are the same."
        )
    return f'"{name}" differs between the TRUE branch and the FALSE branch: {what}. Both must give the same.'


def if_exp(test: bool | Tensor, body: Thunk, orelse: Thunk) -> Any:
    """`body if test else orelse`."""
    test = as_staged(test)
    if is_staged(test):
        return cond(test, body, orelse)
    return body() if test else orelse()


# ---- loops ----


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
    value = as_staged(test())
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


def _staged_while(
    test: Thunk, body: Thunk, get_state: GetState, set_state: SetState, names: Sequence[str], options: Thunk | None
) -> None:
    before = get_state()
    if any(isinstance(value, NoReturn_) for value in before):
        raise ValueError("return statements are not supported within a TensorFlow loop.")
    missing = undefined(names, before)
    if missing:
        raise ValueError(
            f"TensorFlow requires that the following symbols must be defined before the loop: {tuple(missing)}"
        )
    state = State(names, before)
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

    first = state.tensors or [raw.Const(value=_zero(), dtype="int32")]
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

    def get() -> list[Any]:
        return [number[0], *get_state()]

    def put(values: Sequence[Any]) -> None:
        number[0] = values[0]
        set_state(values[1:])

    _staged_while(run_test, run_body, get, put, ["index of the loop", *names], options)


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
    if any(isinstance(value, NoReturn_) for value in before):
        raise ValueError("return statements are not supported within a TensorFlow loop.")
    missing = undefined(names, before)
    if missing:
        raise ValueError(
            f"TensorFlow requires that the following symbols must be defined before the loop: {tuple(missing)}"
        )
    state = State(names, before)

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

    first = tuple(state.tensors) if state.tensors else _zero()
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

    def get() -> list[Any]:
        return [going_on[0], *get_state()]

    def put(values: Sequence[Any]) -> None:
        going_on[0] = values[0]
        set_state(values[1:])

    _staged_while(run_test, run_body, get, put, ["whether there was an element", *names], None)


# ---- expressions ----


def and_(first: Thunk, second: Thunk) -> Any:
    """`first and second`."""
    value = first()
    staged = as_staged(value)
    if is_staged(staged):
        return cond(staged, second, lambda: staged)
    return value and second()


def or_(first: Thunk, second: Thunk) -> Any:
    """`first or second`."""
    value = first()
    staged = as_staged(value)
    if is_staged(staged):
        return cond(staged, lambda: staged, second)
    return value or second()


def not_(value: TensorLike) -> Any:
    """`not value`."""
    staged = as_staged(value)
    return raw.LogicalNot(staged) if is_staged(staged) else not value


def eq(first: TensorLike, second: TensorLike) -> Any:
    """`first == second`, of tensors too."""
    return raw.Equal(first, second) if _any_staged(first, second) else first == second


def not_eq(first: TensorLike, second: TensorLike) -> Any:
    """`first != second`, of tensors too."""
    return raw.NotEqual(first, second) if _any_staged(first, second) else first != second


def _any_staged(*values: Any) -> bool:
    return any(is_staged(as_staged(value)) for value in values)


_COMPARE: Mapping[str, Callable[[Any, Any], Any]] = {
    "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq, "!=": operator.ne,
    "is": operator.is_, "is_not": operator.is_not, "in": lambda a, b: a in b, "not_in": lambda a, b: a not in b,
    "eq": eq, "ne": not_eq,
}  # fmt: skip


def compared(operators: str, first: Any, *others: Thunk) -> Any:
    """`first < second < third`: operators by blanks; each value is computed once, and only if it is asked for."""
    signs = operators.split()

    def rest(left: TensorLike, i: int) -> bool | Tensor:
        right = others[i]()
        result = _COMPARE[signs[i]](left, right)
        if i + 1 == len(signs):
            return result
        return and_(lambda: result, lambda: rest(right, i + 1))

    return rest(first, 0)


def assert_(test: Thunk, message: Thunk) -> None:
    """An assert statement; an operation of the graph if it depends on a tensor."""
    value = as_staged(test())
    if is_staged(value):
        text = message()
        Assert(value, [] if text is None else list(text) if isinstance(text, (list, tuple)) else [text])
    elif __debug__ and not value:
        text = message()
        raise AssertionError(*([] if text is None else [text]))
