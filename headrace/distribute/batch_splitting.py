"""Dividing global batches among replicas, and the elements of a dataset among workers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from headrace.core import nest
from headrace.core.composite import SparseTensor
from headrace.core.defaults import device, get_default_graph
from headrace.core.eager import executing_eagerly
from headrace.core.operation import Operation
from headrace.core.registry import raw
from headrace.core.tensor import Tensor
from headrace.core.type_specs import TensorSpec
from headrace.data.dataset import Dataset
from headrace.ops.sparse.slice import sparse_slice


def is_planned() -> bool:
    """Whether a dataset is iterated by operations of a graph that sessions run, as in 1.15 by those of several devices."""
    return not executing_eagerly() and not get_default_graph().building_function


def check_batched(dataset: Any) -> None:
    """Checks that the elements of a dataset are batches.

    Raises:
        ValueError: if a component is a scalar, or may be one.
    """
    for shape in nest.flatten(dataset.output_shapes):
        if shape.ndims is None:
            raise ValueError(
                "Cannot take the length of shape with unknown rank: a batch is divided along its first dimension. Tell the "
                "shapes of the elements, as with the argument output_shapes of tf.data.Dataset.from_generator."
            )
        if shape.ndims == 0:
            raise ValueError(
                "Input shape should have at least one dimension. Perhaps your input dataset is not batched?"
            )


def _parts(batch: Any, devices: Sequence[str]) -> list[Any]:
    """A batch in parts, of which the first have as many rows as fit and the last may have fewer, or none."""
    count = len(devices)
    if batch is None:
        return [None] * count
    if isinstance(batch, Tensor) and batch.dims and batch.dims[0] is not None and batch.dims[0] % count == 0:
        return list(raw.Split(0, batch, num_split=count))
    rows = batch.dense_shape[0] if isinstance(batch, SparseTensor) else _number_of_rows(batch)
    size = (rows + (count - 1)) // count
    parts = []
    for number, where in enumerate(devices):
        with device(where):
            if isinstance(batch, SparseTensor):
                rest = batch.dense_shape[1:]
                start = raw.ConcatV2([raw.Reshape(size * number, [1]), raw.ZerosLike(rest)], 0)
                parts.append(sparse_slice(batch, start, raw.ConcatV2([raw.Reshape(size, [1]), rest], 0)))
            else:
                parts.append(batch[size * number : size * (number + 1)])
    return parts


def _number_of_rows(batch: Any) -> Tensor:
    rows: Tensor = raw.Shape(batch)[0] if isinstance(batch, Tensor) else batch.nrows()
    return rows


def split_batch(element: Any, devices: Sequence[str]) -> list[Any]:
    """An element of batches as one element for each replica.

    Args:
        element: tensors, or a structure of them.
        devices: the devices of the replicas.

    Example:
        >>> from headrace.distribute.batch_splitting import split_batch
        >>> first, second = split_batch(tf.constant([1, 2, 3, 4]), ["/cpu:0", "/cpu:1"])
        >>> second.shape.as_list()
        [2]
    """
    if len(devices) == 1:
        return [element]
    split = [_parts(component, devices) for component in nest.flatten(element)]
    return [nest.pack_sequence_as(element, [parts[i] for parts in split]) for i in range(len(devices))]


def spec_of_part(spec: Any, count: int) -> Any:
    """The description of one of `count` parts of a batch; of what is no tensor, that of the batch."""
    if type(spec) is not TensorSpec or spec.shape.ndims is None:
        return spec
    rows, *rest = spec.shape.as_list() if spec.shape.ndims else [None]
    size = rows // count if rows is not None and rows % count == 0 else None
    return TensorSpec([size, *rest], spec.dtype)


def rebatch(dataset: Any, count: int) -> Any:
    """A dataset whose elements are the parts of another's batches, in `count` parts each."""
    check_batched(dataset)
    if count == 1 and not is_planned():
        return dataset
    if all(type(spec) is TensorSpec for spec in nest.flatten(dataset.element_spec)):
        element_spec = nest.map_structure(lambda spec: spec_of_part(spec, count), dataset.element_spec)
        flat = nest.flatten(element_spec)
        variant = raw.RebatchDataset(
            dataset._variant_tensor,
            count,
            output_types=[spec.dtype for spec in flat],
            output_shapes=[spec.shape for spec in flat],
        )
        return dataset._made(variant, element_spec)
    several = isinstance(dataset.element_spec, tuple)

    def parts(*batch: Any) -> Any:
        first, *others = split_batch(batch if several else batch[0], ["/device:CPU:0"] * count)
        made = Dataset.from_tensors(first)
        for part in others:
            made = made.concatenate(Dataset.from_tensors(part))
        return made

    return dataset.flat_map(parts)


def auto_shard_dataset(dataset: Any, num_shards: int, index: int) -> Any:
    """The part of a dataset that is for one of several workers: of its files, or else of its elements.

    Args:
        dataset: the dataset.
        num_shards: the number of workers.
        index: the number of the worker.
    """
    if not dataset.options().experimental_distribute.auto_shard:
        return dataset
    part = raw.AutoShardDataset(dataset._variant_tensor, num_shards, index, **dataset._flat_structure)
    return dataset._same(part)


def clone_dataset(dataset: Any) -> Any:
    """A dataset like another, made by operations of its own on the device in force; eagerly it is the same one."""
    if executing_eagerly():
        return dataset
    copies: dict[Operation, Operation] = {}

    def clone(tensor: Tensor) -> Tensor:
        op = tensor.op
        # Another graph's, or one that came into a function: there is nothing to copy it by.
        if op.graph is not graph or op.decl.may_be_fed:
            return tensor
        if op not in copies:
            inputs = [clone(given) if given.dtype.name == "variant" else given for given in op.inputs]
            copies[op] = graph.create_op(op.type, inputs, name=op.type, attrs=dict(op.attrs))
        return copies[op].outputs[tensor.value_index]

    graph = get_default_graph()
    return dataset._same(clone(dataset._variant_tensor))
