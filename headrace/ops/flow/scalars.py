"""Between tensors and the NumPy scalars that loops compute with: ops that only the planner makes."""

from __future__ import annotations

import numpy as np
import torch

from headrace.core.native import handed_on
from headrace.core.registry import op

to_scalar = op("_ToScalar", "x: T -> y: T").not_differentiable()
to_tensor = op("_ToTensor", "x: T -> y: T").not_differentiable()


@to_scalar.shape
@to_tensor.shape
def _scalar_shape(op):
    return [()]


@to_tensor.kernel
def _to_tensor_kernel(node):
    from_numpy, asarray = torch.from_numpy, np.asarray
    return lambda value: from_numpy(asarray(value))


for _decl in (to_scalar, to_tensor):
    _decl.native(handed_on)
    _decl.no_case("Only plans have it, in the loops of which scalars go round.")
