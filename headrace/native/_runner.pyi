"""The extension module, built of src/."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy.typing as npt

INSTRUCTIONS: frozenset[str]
INSTRUCTION_SET: str

def configure(
    tensor_type: type,
    tensor_dtypes: Sequence[object],
    array_type: type,
    dtypes: Sequence[object],
    scalar_types: Sequence[type],
    empty: Callable[..., npt.NDArray[Any]],
    make_memory: Callable[[int], npt.NDArray[Any]],
    tensor_over: Callable[..., object],
    fresh_tensor: Callable[..., object],
    failure: type[Exception],
    /,
) -> None: ...
def read(arena: object, value: int, /) -> npt.NDArray[Any]: ...
def use_team(address: int, /) -> None: ...
def ctc_beams(
    scores: npt.NDArray[Any], times: Sequence[int], width: int, paths: int, merges: bool, /
) -> list[list[tuple[list[int], float]]] | None:
    """For each sequence the labels and log probabilities of the likeliest prefixes; None where a score is no number."""

class Program:
    def __init__(
        self,
        values: Sequence[tuple[int, int, tuple[int, ...] | None, int]],
        constants: Sequence[npt.NDArray[Any]],
        instructions: Sequence[tuple[str, tuple[int, ...], tuple[int, ...], tuple[int, ...], tuple[float, ...]]],
        outputs: Sequence[tuple[int, int]],
        /,
    ) -> None: ...
    def run(
        self, inputs: Sequence[object], buffers: Sequence[object], arena: object = None, /
    ) -> tuple[Any, ...] | None: ...
    def profile(
        self, inputs: Sequence[object], buffers: Sequence[object], times: int, /
    ) -> list[tuple[int, float]] | None: ...
    def lease(self) -> object: ...
    def give_back(self, arena: object, /) -> None: ...
    def set_limit(self, nanoseconds: float, /) -> None: ...
    def set_check(self, function: Callable[[], None], /) -> None:
        """What runs that take long call now and then; what it raises ends them."""
    def describe(self) -> str: ...

# Direct calls, of which `direct.py` tells: each answers None where it does not compute what it is given.
def where(condition: object, /) -> Any: ...
def gather_nd(params: object, indices: object, /) -> Any: ...
def fill_empty_rows(indices: object, values: object, shape: object, default: object, /) -> Any: ...
def kept_ids(indices: object, ids: object, shape: object, default: object, /) -> Any: ...
def sparse_reshape(indices: object, shape: object, new_shape: object, /) -> Any: ...
def sparse_to_dense(indices: object, shape: object, values: object, default: object, checked: bool, /) -> Any: ...
def unique(x: object, wide: bool, /) -> Any: ...
def sum_of_repeated(data: object, indices: object, /) -> Any: ...
def unsorted_sum(data: object, ids: object, number: object, /) -> Any: ...
def sparse_segment_sum(data: object, indices: object, ids: object, kind: int, /) -> Any: ...
def sparse_segment_grad(grad: object, indices: object, ids: object, rows: object, kind: int, /) -> Any: ...
def fingerprint_buckets(texts: object, buckets: int, /) -> Any: ...
def texts_differ(texts: object, one: object, /) -> Any: ...
def join_rows(texts: object, separator: bytes, keep: bool, /) -> Any: ...
def find(contents: object, keys: object, default: object, /) -> Any: ...
def hashed_cross(first: int, buckets: int, sparse: int, /, *columns: object) -> Any: ...
def ftrl_rows(
    var: object,
    accum: object,
    linear: object,
    grad: object,
    indices: object,
    lr: float,
    l1: float,
    l2: float,
    lr_power: float,
    /,
) -> Any: ...
def adagrad_rows(
    var: object, accum: object, grad: object, indices: object, lr: float, update_slots: bool, /
) -> Any: ...
def adam_step(var: object, m: object, v: object, rate: float, epsilon: float, begin: int, end: int, /) -> Any: ...
def add_turned_product(d: object, a: object, b: object, alpha: float, threads: int, /) -> Any: ...
def cross_entropy(logits: object, labels: object, loss: object, backprop: object, threads: int, /) -> Any: ...
def largest_of_windows(
    images: object,
    out: object,
    rows: int,
    columns: int,
    down: int,
    across: int,
    above: int,
    before: int,
    threads: int,
    /,
) -> Any: ...
def turn_filters(filters: object, /) -> Any: ...
def filter_tiles(
    images: object,
    turned: object,
    bias: object,
    out: object,
    above: int,
    before: int,
    activation: int,
    threads: int,
    /,
) -> Any: ...
def filter_sums(images: object, gradient: object, above: int, before: int, out: object, threads: int, /) -> Any: ...
def nearest_centers(points: object, centers: object, indices: object, distances: object, threads: int, /) -> Any: ...
def add_to_segments(data: object, ids: object, sums: object, rows: int, threads: int, /) -> Any: ...
def forest_leaves(
    values: object,
    features: object,
    thresholds: object,
    left: object,
    right: object,
    strict: bool,
    leaves: object,
    /,
) -> Any: ...
def boosted_trees(
    values: object,
    column: int,
    trees: list[tuple[object, object, object, int, object, float]],
    rows: object,
    nodes: object,
    sums: object,
    /,
) -> Any: ...
def forest_starts(leaves: object, table: object, filled: object, candidates: int, found: object, /) -> Any: ...
def forest_counts(
    values: object,
    labels: object,
    weights: object,
    examples: object,
    rows: object,
    features: object,
    thresholds: object,
    left: object,
    total: object,
    sums: object,
    strict: bool,
    split_after: float,
    /,
) -> Any: ...
def gather_rows(elements: list[tuple[object, int]], component: int, /) -> Any: ...
def philox_words(key: int, high: int, position: int, out: object, /) -> Any: ...
def forest_best(left: object, total: object, row: int, count: int, /) -> Any: ...
