"""DisableCopyOnRead, which came after 1.15 and stands in SavedModels that TensorFlow 2 wrote."""

from __future__ import annotations

from headrace.core.registry import op

disable_copy_on_read = op("DisableCopyOnRead", "resource: resource ->", stateful=True).not_differentiable()


@disable_copy_on_read.shape
def disable_copy_on_read_shape(op):
    return []


@disable_copy_on_read.kernel
def disable_copy_on_read_kernel(node):
    # Reading copies nothing here in any case.
    return lambda resource: None


disable_copy_on_read.accepts([2])
