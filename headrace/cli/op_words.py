"""What the declaration of an op says besides its rules, in words: those of an op that says nothing are left out."""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable
from pathlib import Path

import headrace
from headrace.core.cases import Case, Made, MadeFunction, MadeOutput, MadeVariable, result
from headrace.core.registry import OpDecl

_PACKAGE = Path(headrace.__file__).parent.parent
_LONGEST_VALUE = 40


def words_of(decl: OpDecl) -> str:
    """How operations of an op depend on others, and what they do beyond their outputs."""
    said = []
    for word, places in (("reads", decl.reads_state), ("writes", decl.writes_state), ("keeps", decl.kept_inputs)):
        if places:
            said.append(f"{word} {_inputs(decl, places)}")
    if decl.host_inputs:
        said.append(f"{', '.join(sorted(decl.host_inputs))} on the host")
    if decl.fresh_outputs:
        outputs = decl.signature.outputs
        all_are = len(decl.fresh_outputs) == len(outputs)
        said.append(f"fresh {'outputs' if all_are else ', '.join(outputs[i].name for i in sorted(decl.fresh_outputs))}")
    for word, holds in (
        ("outputs on the host", decl.host_outputs),
        ("may alias its inputs", decl.may_alias),
        ("runs even for a control edge", decl.must_run),
        ("control edges to it say nothing", not decl.is_waited_for),
        ("may wait", decl.may_wait),
        ("may compute with NumPy", decl.uses_numpy_floats),
        ("writes files", decl.file_rule is not None),
        ("calls Python", decl.runs_python),
        ("of the planner: graphs from elsewhere cannot have it", decl.of_the_planner),
    ):
        if holds:
            said.append(word)
    return "; ".join(said)


def planning_facts_of(decl: OpDecl) -> str:
    """What the planner goes by: see `core.planning_facts`."""
    said: list[str] = []
    if decl.role is not None:
        said.append(f"plays the {decl.role.name} of control flow")
    for word, holds in (
        ("never fails once shapes fit", decl.cannot_fail),
        ("may advance to where its gradient is there", decl.may_advance),
        ("runs after all else that is ready", decl.is_late),
        ("no side effects", not decl.side_effects),
        ("its output is its first input, a view of it or new memory", decl.is_view),
        ("forwards the memory of its input", decl.forwards is not None),
        ("locks the mutex it is given", decl.locks),
        ("releases the lock it takes", decl.unlocks),
        ("passes on the handle of its first input", decl.handle_of == "first"),
        ("chooses among handles", decl.handle_of == "any"),
        ("its output is the value of a variable", decl.reads_variable),
        ("broadcasts its inputs", decl.broadcasts),
        ("shapes of inputs tell how many elements come out", decl.sized_by_shapes),
        ("any number of bytes may come out of a few", decl.expands),
        ("passes texts on as they are", decl.moves_text),
        ("a list of rows in native programs", decl.on_list),
    ):
        if holds:
            said.append(word)
    if decl.variable_of is not None:
        said.append(f"a variable with elements of the type in {decl.variable_of}")
    if decl.types_without_kernel is not None:
        attr, types = decl.types_without_kernel
        said.append(f"refuses {attr} of {', '.join(sorted(types))}, as TensorFlow has no kernel")
    if decl.same_shape:
        said.append(f"keeps the shape of {_inputs(decl, decl.same_shape)}")
    if decl.element_cost != 1:
        said.append(f"an element costs {decl.element_cost} operations")
    if decl.touched_inputs is not None or not decl.touches_outputs:
        touched = _inputs(decl, decl.touched_inputs) if decl.touched_inputs is not None else "all inputs"
        said.append(
            f"touches the elements of {touched or 'no input'}{'' if decl.touches_outputs else ', not of outputs'}"
        )
    if decl.scalar_inputs:
        said.append(f"takes {_inputs(decl, decl.scalar_inputs)} as NumPy scalars")
    if isinstance(decl.scalar_rule, str):
        said.append(f"of scalars: {decl.scalar_rule}")
    for word, rule in (
        ("of scalars", None if isinstance(decl.scalar_rule, str) else decl.scalar_rule),
        ("static value", decl.static_rule),
        ("does nothing where", decl.same_rule),
        ("reuses an input", decl.reuse_rule),
        ("equal sizes", decl.equal_sizes_rule),
        ("elements of sizes", decl.elements_rule),
        ("work", decl.work_rule),
        ("most elements", decl.most_elements_rule),
        ("native instructions", decl.native_rule),
        ("draws from", decl.draws_from),
    ):
        if rule is not None:
            said.append(f"{word}: {rule_text(rule)}")
    return "; ".join(said)


def _inputs(decl: OpDecl, places: tuple[int, ...]) -> str:
    return ", ".join(decl.signature.inputs[i].name for i in places)


# ---- rules


def rule_text(rule: Callable[..., object]) -> str:
    """A rule's name and place: `matmul_shape, headrace/ops/math/matmul.py:44`; of one that a function makes, how."""
    while isinstance(rule, functools.partial):
        rule = rule.func
    name = getattr(rule, "__qualname__", type(rule).__qualname__)
    maker, local, inner = name.rpartition(".<locals>.")
    if local:
        given = [f"{key}={_named(value)}" for key, value in _closed_over(rule).items() if _named(value)]
        own = "" if inner == "<lambda>" else f"{inner} "
        name = f"{own}made by {maker.rpartition('>.')[2]}({', '.join(given)})"
    elif name == "<lambda>":
        name = "a lambda"
    return f"{name}, {place_of(rule)}"


def place_of(function: Callable[..., object]) -> str:
    """`headrace/ops/math/matmul.py:57`."""
    code = inspect.unwrap(function)
    if not (inspect.isfunction(code) or inspect.ismethod(code) or inspect.isclass(code)):
        code = type(code)
    if code.__module__ == "builtins":
        return "not written in Python"
    file = inspect.getsourcefile(code)
    assert file is not None, code
    path = Path(file)
    shown = path.relative_to(_PACKAGE) if path.is_relative_to(_PACKAGE) else path.name
    return f"{shown}:{inspect.getsourcelines(code)[1]}"


def _closed_over(rule: Callable[..., object]) -> dict[str, object]:
    code = inspect.unwrap(rule)
    return dict(inspect.getclosurevars(code).nonlocals) if inspect.isfunction(code) else {}


def _named(value: object) -> str:
    """What a reader knows a value by; empty if by nothing."""
    if isinstance(value, str | int | None):
        return repr(value)
    name = getattr(value, "__name__", "")
    module = getattr(value, "__module__", None) or ""
    return (
        f"torch.{name}" if name and module.startswith(("torch", "_VariableFunctions")) else name.replace("<lambda>", "")
    )


# ---- cases


def cases_of(decl: OpDecl) -> str:
    """How many cases there are, the first that works, and what is said of them."""
    if not decl.cases:
        return f"none: {decl.why_no_case or 'not declared'}"
    accepted = [case for case in decl.cases if case.error is None]
    said = [f"{len(accepted)} that work, {len(decl.cases) - len(accepted)} that do not"]
    if accepted:
        said.append(f"{decl.type}({_arguments(accepted[0].args, accepted[0].attrs)})")
    if decl.why_own is not None:
        said.append(f"no TensorFlow has it: {decl.why_own}")
    said += dict.fromkeys(
        f"{_of(case, decl)} differs from TensorFlow 1.15: {case.differs}" for case in decl.cases if case.differs
    )
    said += dict.fromkeys(f"{_of(case, decl)} varies: {case.varies}" for case in decl.cases if case.varies)
    return "; ".join(said)


def _of(case: Case, decl: OpDecl) -> str:
    return "it" if len(decl.cases) == 1 else f"case {decl.cases.index(case) + 1}"


def _arguments(args: tuple[object, ...], attrs: dict[str, object]) -> str:
    return ", ".join([*map(_short, args), *(f"{name}={_short(value)}" for name, value in attrs.items())])


def _short(value: object) -> str:
    text = re.sub(r"\s+", " ", _text(value))
    return text if len(text) <= _LONGEST_VALUE else f"{text[: _LONGEST_VALUE - 1]}…"


def _text(value: object) -> str:
    """A part of a case, as declarations write it."""
    if value is result:
        return "result"
    if isinstance(value, Made):
        return f"{value.type}({_arguments(value.args, value.attrs)})"
    if isinstance(value, MadeOutput):
        return f"{_text(value.made)}[{value.index}]"
    if isinstance(value, MadeVariable):
        return f"variable({_text(value.value)})"
    if isinstance(value, MadeFunction):
        return f"a function of {', '.join(value.input_types) or 'nothing'}"
    if isinstance(value, list):
        return f"[{', '.join(map(_text, value))}]"
    return repr(value)
