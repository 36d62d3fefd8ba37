"""Datasets of parsed Example messages."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from headrace.core.cases import made
from headrace.core.errors import InvalidArgumentError
from headrace.kernels.data.base import Dataset, Element, dataset_op, integer, made_by
from headrace.kernels.data.batched import sparse_value
from headrace.kernels.data.parallel_mapped import called
from headrace.kernels.host_values import to_array
from headrace.kernels.parsing.examples import columns_of, tensors_of
from headrace.kernels.parsing.layouts import Layouts

if TYPE_CHECKING:
    from headrace.core.typing import NodeView

_NO_NAMES = np.zeros([0], object)
# The braces are doubled for `dataset_op`, which formats.
_TYPES = "{{float, int64, string}}"

parse_example_dataset = dataset_op(
    "ParseExampleDataset",
    "input_dataset: variant, num_parallel_calls: int64, dense_defaults: *Tdense, *, sparse_keys: list(string) >= 0, "
    f"dense_keys: list(string) >= 0, sparse_types: list({_TYPES}) >= 0, Tdense: list({_TYPES}) >= 0, "
    "dense_shapes: list(shape) >= 0, {}, sloppy=False -> handle: variant",
)


class _Parser:
    """Vectors of Examples to the components of an element: those of all keys, in the order of the keys."""

    slow_calls = 0
    much_slower_calls = 0
    is_slow = False
    runs_python = False

    def __init__(self, node: NodeView) -> None:
        attrs = node.attrs
        self.sparse, self.dense = columns_of(attrs["sparse_keys"], attrs["sparse_types"], attrs["dense_keys"], attrs)
        keys = [column.key for column in (*self.sparse, *self.dense)]
        self.order = sorted(range(len(keys)), key=keys.__getitem__)
        self.layouts = Layouts()

    def parse(self, records: Any, defaults: list[np.ndarray]) -> Element:
        """The components of the element that a vector of Examples makes."""
        found = tensors_of(self.sparse, self.dense, defaults, records, _NO_NAMES, self.layouts)
        count = len(self.sparse)
        parts = [sparse_value(*parts) for parts in found[:count]] + [parts[0] for parts in found[count:]]
        return tuple(parts[i] for i in self.order)


@made_by(parse_example_dataset)
def parse_example_dataset_kernel(node):
    parser, sloppy = _Parser(node), node.attrs["sloppy"]

    def kernel(source: Dataset, calls: Any, *values: Any) -> Dataset:
        defaults = [to_array(value) for value in values]
        return called(source, lambda records: parser.parse(records, defaults), integer(calls), parser, sloppy=sloppy)

    return kernel


# An Example of a feature "n" with the int64 values 1 and 2.
_RECORD = b"\x0a\x0d\x0a\x0b\x0a\x01n\x12\x06\x1a\x04\x0a\x02\x01\x02"
_RECORDS = made(
    "TensorSliceDataset", [np.array([[_RECORD], [_RECORD]], object)], Toutput_types=["string"], output_shapes=[[1]]
)
_OF_PAIRS: dict[str, Any] = {
    "sparse_keys": [],
    "dense_keys": ["n"],
    "sparse_types": [],
    "dense_shapes": [[2]],
    "output_types": ["int64"],
    "output_shapes": [[1, 2]],
}
parse_example_dataset.accepts(_RECORDS, np.int64(2), [np.zeros([0], np.int64)], **_OF_PAIRS)
parse_example_dataset.rejects(_RECORDS, np.int64(0), [np.zeros([0], np.int64)], error=InvalidArgumentError, **_OF_PAIRS)
