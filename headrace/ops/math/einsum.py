"""Einsum, which TensorFlow 2 has as an op: sums of products by an equation. `tf.einsum` of 1.x is made of other ops."""

from __future__ import annotations

import string
from typing import Any

import torch

from headrace.core.registry import op, raw

einsum_op = op("Einsum", "inputs: N * T, *, equation: string, N: int >= 1, T: type -> output: T")


def _labels(equation: str, ranks: list[int | None]) -> tuple[list[list[str]], list[str]]:
    """The label of each axis of inputs and output; those an ellipsis stands for are numbers.

    Raises:
        ValueError: if the equation does not fit, or an ellipsis stands for an unknown number of axes.
    """
    left, arrow, right = equation.replace(" ", "").partition("->")
    parts = left.split(",")
    if not arrow or len(parts) != len(ranks):
        raise ValueError(f"Expected {len(ranks)} terms and an arrow in the equation {equation!r}")
    most = 0
    inputs = []
    for part, rank in zip(parts, ranks, strict=True):
        before, dots, after = part.partition("...")
        if not set(before + after) <= set(string.ascii_letters):
            raise ValueError(f"{part!r} of the equation {equation!r} is no list of letters")
        count = 0
        if dots:
            if rank is None:
                raise ValueError(f"the rank of an input of {equation!r} is not known")
            count = rank - len(before) - len(after)
        if rank is not None and rank != len(before) + count + len(after):
            raise ValueError(f"an input of rank {rank} does not fit {part!r} of the equation {equation!r}")
        most = max(most, count)
        inputs.append((before, count, after, dots))
    named = [[*b, *[str(most - n + i) for i in range(n)], *a] for b, n, a, _ in inputs]
    before, dots, after = right.partition("...")
    return named, [*before, *([str(i) for i in range(most)] if dots else []), *after]


@einsum_op.shape
def einsum_shape(op):
    if "->" not in op.attrs["equation"]:
        raise ValueError(f"Expecting exactly one '->' in einsum equation: {op.attrs['equation']}")
    dims = [tensor.dims for tensor in op.inputs]
    if any(d is None for d in dims):
        return [None]
    inputs, output = _labels(op.attrs["equation"], [len(d) for d in dims])
    sizes: dict[str, Any] = {}
    for labels, known in zip(inputs, dims, strict=True):
        for label, size in zip(labels, known, strict=True):
            if sizes.get(label) in (None, 1):
                sizes[label] = size
    return [tuple(sizes.get(label) for label in output)]


@einsum_op.kernel
def einsum_kernel(node):
    equation = node.attrs["equation"].replace(" ", "")
    return lambda *values: torch.einsum(equation, *values)


einsum_op.accepts([[2, 3], [3, 4]], equation="ij,jk->ik").accepts([[2, 3], [2, 3]], equation="bi,bi->b")
einsum_op.accepts([[2, 2, 3], [3]], equation="...i,i->...").rejects([[2, 3]], equation="ij", error=ValueError)


@einsum_op.gradient
def einsum_gradient(op, grad):
    inputs, output = _labels(op.attrs["equation"], [None if t.dims is None else len(t.dims) for t in op.inputs])
    letters: dict[str, str] = {}
    unused_labels = [letter for letter in string.ascii_letters if not any(letter in term for term in (*inputs, output))]

    def term(labels: list[str]) -> str:
        return "".join(label if label.isalpha() else letters.setdefault(label, unused_labels.pop()) for label in labels)

    found = []
    for i, labels in enumerate(inputs):
        others = [(raw.Conj(t) if t.dtype.is_complex else t, inputs[j]) for j, t in enumerate(op.inputs) if j != i]
        known = set(output).union(*[other for _, other in others])
        if len(set(labels)) < len(labels) or not set(labels) <= known or any(label.isdigit() for label in labels):
            raise LookupError(
                f"No gradient defined for operation '{op.name}' (op type: Einsum): the axes of its input {i} in "
                f"{op.attrs['equation']!r} are not those of the others."
            )
        equation = ",".join([term(output), *[term(other) for _, other in others]]) + "->" + term(labels)
        found.append(raw.Einsum([grad, *[value for value, _ in others]], equation=equation))
    return found
