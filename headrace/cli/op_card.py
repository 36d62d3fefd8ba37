"""`headrace op TYPE`: what there is to know of one op, and where it is found."""

from __future__ import annotations

import difflib
import textwrap
from collections.abc import Callable
from pathlib import Path

import headrace
from headrace.api.op_index import op_types
from headrace.cli.op_uses import file_of, gradient_of, reached_as
from headrace.cli.op_words import cases_of, planning_facts_of, rule_text, words_of
from headrace.core.registry import OpDecl, find
from headrace.core.signature import signature_text
from headrace.plan import ir
from headrace.plan.fusion import Fusion, FusionPass
from headrace.plan.passes import PASSES
from headrace.plan.rewriting import HasAll

_ROOT = Path(headrace.__file__).parent
_WIDTH = 120


class UnknownOp(LookupError):
    """No op of this type is declared."""


def op_card(op_type: str) -> str:
    """What is declared of an op, as lines of `word  value`.

    Args:
        op_type: TensorFlow's name for it, `MatMul`.

    Raises:
        UnknownOp: if there is none, naming those that are spelled like it.
    """
    decl = find(op_type)
    if decl is None:
        close = difflib.get_close_matches(op_type, op_types(), n=3)
        raise UnknownOp(f"No op of type {op_type!r} is declared" + (f"; close: {', '.join(close)}" if close else ""))
    rows = [
        ("signature", signature_text(decl.signature)),
        ("declared", f"{_shown(decl.module)}:{decl.line}"),
        ("stateful", "yes: equal ones are not merged" if decl.stateful else "no"),
        ("also", words_of(decl)),
        ("planning", planning_facts_of(decl)),
        ("shapes", _rule(decl.shape_rule, "not known before it runs")),
        *_kernels(decl),
        ("gradient", _gradient(decl)),
        *_fusions(decl),
        ("cases", cases_of(decl)),
        *_uses(decl),
    ]
    width = max(len(word) for word, _ in rows)
    return "\n".join([op_type, *(_row(word, value, width) for word, value in rows if value)])


def _row(word: str, value: str, width: int) -> str:
    indent = " " * (width + 4)
    first = f"  {word:{width}}  "
    return textwrap.fill(
        value, _WIDTH, initial_indent=first, subsequent_indent=indent, break_long_words=False, break_on_hyphens=False
    )


def _shown(module: str) -> str:
    """The file of a module: `headrace/ops/math/matmul.py`."""
    return str(file_of(module.partition(".")[2]).relative_to(_ROOT.parent))


def _rule(rule: Callable[..., object] | None, missing: str) -> str:
    return missing if rule is None else rule_text(rule)


def _kernels(decl: OpDecl) -> list[tuple[str, str]]:
    rows = [(f"kernel on {device}", rule_text(rule)) for device, rule in decl.device_kernels.items()]
    if decl.binding_rule is not None:
        rows.insert(0, ("binding", rule_text(decl.binding_rule)))
    if decl.kernel_rule is not None or not rows:
        rows.insert(0, ("kernel", _rule(decl.kernel_rule, "none: the planner replaces it")))
    return rows


def _gradient(decl: OpDecl) -> str:
    if decl.gradient_rule is not None:
        return rule_text(decl.gradient_rule)
    return (
        "none: a gradient ends here"
        if decl.differentiable is False
        else "not declared: a gradient that comes is an error"
    )


# ---- what the planner makes of it


def _fusions(decl: OpDecl) -> list[tuple[str, str]]:
    """The fusion that makes such operations, and those passes that look for them."""
    rows = []
    if isinstance(decl.fusion, Fusion):
        rows.append(("made by", f"{_shown(decl.module)}: {decl.fusion.purpose}"))
    elif decl.of_the_planner:
        rows.append(("made by", ", ".join(_planner_files(decl.type)) or "the planner"))
    found = []
    for each in PASSES:
        if isinstance(each.when, HasAll) and any(decl.type in group for group in each.when.groups):
            place = f" ({_shown(each.fusion.pattern.__module__)})" if isinstance(each, FusionPass) else ""
            found.append(f"{each.name}{place}: {each.purpose}")
    if found or not decl.of_the_planner:
        rows.append(("fused by", "; ".join(found) or "nothing"))
    return rows


def _planner_files(op_type: str) -> list[str]:
    """The files that make such operations: `declared("_Transfer")`, `declared(FEED)`."""
    spelled = [f'"{op_type}"', *(name for name, value in vars(ir).items() if value == op_type)]
    texts = {file: file.read_text(encoding="utf-8") for file in sorted((_ROOT / "plan").rglob("*.py"))}
    making = [file for file, text in texts.items() if any(f"declared({each})" in text for each in spelled)]
    found = making or [file for file, text in texts.items() if spelled[0] in text]
    return [str(file.relative_to(_ROOT.parent)) for file in found]


# ---- where programs reach it


def _uses(decl: OpDecl) -> list[tuple[str, str]]:
    if decl.of_the_planner:
        return [("reached as", "nothing: the planner makes it")]
    names = reached_as(decl)
    rows = [("reached as", ", ".join(names) or f"tf.raw_ops.{decl.type}")]
    if not names or "Grad" in decl.type or "Backprop" in decl.type:
        rows.append(("gradient of", ", ".join(gradient_of(decl)[:5])))
    return rows
