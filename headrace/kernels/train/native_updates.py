"""How updates of many variables become native instructions, one a variable."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from headrace.kernels.native import Rule, equal_dims, same_shape, source

if TYPE_CHECKING:
    from headrace.core.native import Lowering, NativeBuilder
    from headrace.core.typing import NodeView


def updates_of_many(
    name: str,
    shared: int,
    states: int,
    order: Sequence[int],
    flag: str | None = None,
    ints: Sequence[int] = (),
) -> Rule:
    """The rule of an op that updates N variables.

    Args:
        name: the instruction for one.
        shared: how many numbers come first, which all share.
        states: how many lists of variables follow.
        order: what the instruction takes: the numbers from 0 on, then the variable, its slots and its gradient.
        flag: an attribute that the instruction is told.
        ints: what it is told where there is no such attribute.
    """

    def rule(node: NodeView) -> Lowering | None:
        count, decay = node.attrs["N"], node.attrs["decay"]
        told = ints if flag is None else [int(node.attrs[flag])]
        dtype = node.inputs[-1].dtype.as_numpy_dtype

        def lower(b: NativeBuilder, inputs: Sequence[int]) -> Sequence[int]:
            numbers = [inputs[i] for i in range(shared)]
            for member in range(count):
                own = [inputs[shared + part * count + member] for part in range(states)]
                place = shared + states * count + member
                gradient = source(b, node, inputs, place)
                if (
                    not equal_dims(node.inputs[place])
                    or getattr(node.inputs[shared + member].bound, "dims", None) is None
                ):
                    same_shape(b, *own, gradient)
                if decay:
                    (more,) = b.apply("mul", [own[0], b.constant(np.asarray(decay, dtype))])
                    (gradient,) = b.apply("add", [gradient, more])
                values = [*numbers, *own, gradient]
                b.apply(name, [values[i] for i in order], told)
            return []

        return lower

    return rule
