"""What is done to a pipeline before it is run, as TensorFlow's default optimizations do it."""

from __future__ import annotations

import numpy as np

from headrace.kernels.data.base import Dataset, apart, dataset_op
from headrace.kernels.data.batched import mark_whole
from headrace.kernels.data.case_inputs import INT64_SCALARS, numbers
from headrace.ops.data.random import Repeated, Shuffled


def fused(dataset: Dataset) -> Dataset:
    """`dataset` as TensorFlow's default optimization leaves it: a shuffle that is repeated does both at once."""
    dataset.inputs = [fused(source) for source in dataset.inputs]
    if isinstance(dataset, Repeated) and dataset.inputs and type(dataset.inputs[0]) is Shuffled:
        inner = dataset.inputs[0]
        # A repeat that goes once is left out before.
        if inner.reshuffle and inner.count == 1 and (dataset.count == -1 or dataset.count > 1):
            return Shuffled(inner.inputs[0], inner.size, inner.seeds, False, dataset.count)
    return dataset


def make_sloppy(dataset: Dataset) -> None:
    """Lets what works on several elements at once give them as they come."""
    dataset.make_sloppy()
    for source in dataset.inputs:
        make_sloppy(source)


optimize_dataset = dataset_op(
    "OptimizeDataset",
    "input_dataset: variant, optimizations: string, *, {}, optimization_configs: list(string) = [] -> handle: variant",
)


@optimize_dataset.kernel
def optimize_dataset_kernel(node):
    def optimize(source, optimizations):
        # The pipeline is rewritten as a graph, where what is used twice stands twice, its functions with their state too.
        source = apart(source, lambda part, inputs: part.twin(inputs))
        names = {bytes(name) for name in optimizations.reshape(-1)}
        if b"map_and_batch_fusion" in names:
            mark_whole(source)
        if b"make_sloppy" in names:
            make_sloppy(source)
        return fused(source) if b"shuffle_and_repeat_fusion" in names else source

    return optimize


optimize_dataset.accepts(numbers(3), np.array([b"noop_elimination"]), **INT64_SCALARS)
