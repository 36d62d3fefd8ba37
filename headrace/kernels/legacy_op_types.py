"""Legacy op types, of graphs before 1.0: current ones under another name, the linear algebra and transforms of batches."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeGuard

import numpy as np

from headrace.core.cases import Case
from headrace.core.dtypes import as_dtype
from headrace.core.registry import OpDecl
from headrace.core.signature import Arg, Attr


def with_rules_of(decl: OpDecl, current: OpDecl, differs: str | None = None) -> OpDecl:
    """Gives a legacy op the rules of the current one that does the same, and its cases.

    Args:
        decl: a declaration without rules.
        current: one with all of its own.
        differs: why TensorFlow 1.15 does not run it.

    Returns:
        `decl`.
    """
    decl.shape_rule, decl.kernel_rule, decl.gradient_rule = (
        current.shape_rule,
        current.kernel_rule,
        current.gradient_rule,
    )
    decl.host_inputs, decl.host_outputs = current.host_inputs, current.host_outputs
    decl.may_alias, decl.differentiable = current.may_alias, current.differentiable
    accepted = (case for case in current.cases if case.error is None and _takes(decl, case))
    decl.cases += [replace(case, differs=case.differs or differs) for case in accepted]
    return decl


def _takes(decl: OpDecl, case: Case) -> bool:
    """Whether the older op has the attributes of a case, and takes their values and those of its inputs."""
    known = decl.signature.attrs
    types = {arg.type_attr: item.dtype for arg, item in zip(decl.signature.inputs, case.args) if _is_typed(item, arg)}
    return all(name in known and _allows(known[name], value) for name, value in [*case.attrs.items(), *types.items()])


def _is_typed(item: object, arg: Arg) -> TypeGuard[np.ndarray | np.generic]:
    return arg.type_attr is not None and isinstance(item, (np.ndarray, np.generic))


def _allows(attr: Attr, value: object) -> bool:
    return attr.kind != "type" or attr.allowed is None or as_dtype(value) in attr.allowed
