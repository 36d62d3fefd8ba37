"""Candidate sampling: classes drawn at random against which a few true ones are compared."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.dims import merge_dim
from headrace.core.errors import InvalidArgumentError
from headrace.core.random_seed import get_seed
from headrace.core.registry import OpDecl, op, raw
from headrace.kernels.nn import class_samplers
from headrace.kernels.nn.class_samplers import ClassSampler
from headrace.kernels.ranks import ranked

if TYPE_CHECKING:
    from headrace.core.typing import NodeView, OpView, TensorLike


_HEAD = "true_classes: int64, *, num_true: int >= 1, num_sampled: int >= 1, unique: bool, "
_RANGE = "range_max: int >= 1, "
_TAIL = "seed=0, seed2=0 -> sampled_candidates: int64, true_expected_count: float, sampled_expected_count: float"


def _sampler_shape(op: OpView) -> list[Any]:
    dims = op.inputs[0].dims
    if dims is not None and len(dims) != 2:
        raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
    count = op.attrs["num_sampled"]
    rows = None if dims is None else dims[0]
    return [(count,), (rows, op.attrs["num_true"]), (count,)]


def _range_sampler(kind: Callable[[int], ClassSampler]) -> Callable[..., Any]:
    return lambda node: kind(node.attrs["range_max"])


def _fixed_sampler(node: NodeView) -> ClassSampler:
    attrs = node.attrs
    if bool(attrs["vocab_file"]) == bool(attrs["unigrams"]):
        which = "both" if attrs["unigrams"] else "none"
        raise InvalidArgumentError(None, None, f"Must provide either vocab_file or unigrams. Got {which}.")
    unigrams = attrs["unigrams"] or class_samplers.weights_in_file(attrs["vocab_file"])
    weights = class_samplers.distorted_weights(
        unigrams, attrs["distortion"], attrs["num_reserved_ids"], attrs["num_shards"], attrs["shard"]
    )
    if len(weights) != attrs["range_max"]:
        raise InvalidArgumentError(
            None, None, f"range_max is {attrs['range_max']}, but there are weights for {len(weights)} classes."
        )
    return class_samplers.FixedUnigramSampler(weights)


def _declare(op_type: str, sampler: Callable[..., Any], attrs: str = _RANGE) -> OpDecl:
    decl = op(op_type, _HEAD + attrs + _TAIL, stateful=True).on_host("true_classes", outputs=True)
    decl.shape(_sampler_shape)

    @decl.kernel
    def kernel(node):
        attrs = node.attrs
        count, unique, columns = attrs["num_sampled"], attrs["unique"], attrs["num_true"]
        if unique and count > attrs.get("range_max", count):
            raise InvalidArgumentError(None, None, "Sampler's range is too small.")
        # What has been drawn and learned belongs to the session.
        state = node.runtime.object(
            ("candidate_sampler", node.name),
            lambda: class_samplers.SessionSampler(sampler(node), attrs["seed"], attrs["seed2"]),
        )

        def sample(true_classes):
            if true_classes.dim() != 2:
                raise InvalidArgumentError(None, None, "true_classes must be a matrix")
            if true_classes.shape[1] != columns:
                raise InvalidArgumentError(
                    None,
                    None,
                    f"true_classes must have num_true columns, expected: {true_classes.shape[1]} was: {columns}",
                )
            drawn = state.sample(true_classes.numpy(), count, unique)
            return tuple(torch.from_numpy(part) for part in drawn)

        return sample

    return decl


_ONE_TRUE = np.zeros([2, 1], np.int64)
uniform_op = _declare("UniformCandidateSampler", _range_sampler(class_samplers.UniformSampler))
log_uniform_op = _declare("LogUniformCandidateSampler", _range_sampler(class_samplers.LogUniformSampler))
learned_unigram_op = _declare("LearnedUnigramCandidateSampler", _range_sampler(class_samplers.LearnedUnigramSampler))
thread_unsafe_unigram_op = _declare(
    "ThreadUnsafeUnigramCandidateSampler", _range_sampler(class_samplers.LearnedUnigramSampler)
)
fixed_unigram_op = _declare(
    "FixedUnigramCandidateSampler",
    _fixed_sampler,
    _RANGE
    + "vocab_file='', distortion=1.0, num_reserved_ids=0, num_shards: int >= 1 = 1, shard=0, unigrams: list(float) = [], ",
)
all_op = _declare("AllCandidateSampler", lambda node: class_samplers.AllSampler(node.attrs["num_sampled"]), "")
for _decl in (uniform_op, log_uniform_op, learned_unigram_op, thread_unsafe_unigram_op):
    _decl.accepts(_ONE_TRUE, num_true=1, num_sampled=3, unique=True, range_max=5, seed=1, seed2=2)
    _decl.rejects(_ONE_TRUE, num_true=1, num_sampled=6, unique=True, range_max=5, error=InvalidArgumentError)
all_op.accepts(_ONE_TRUE, num_true=1, num_sampled=3, unique=True)
fixed_unigram_op.accepts(
    _ONE_TRUE, num_true=1, num_sampled=3, unique=False, range_max=2, unigrams=[1.0, 2.0], seed=1, seed2=2
)

accidental_hits_op = op(
    "ComputeAccidentalHits",
    "true_classes: int64, sampled_candidates: int64, *, num_true: int, seed=0, seed2=0 -> indices: int32, ids: int64, "
    "weights: float",
).on_host("true_classes", "sampled_candidates", outputs=True)


@accidental_hits_op.shape
@ranked(2, 1)
def accidental_hits_shape(op):
    dims = op.inputs[0].dims
    if dims is not None:
        if len(dims) != 2:
            raise ValueError(f"Shape must be rank 2 but is rank {len(dims)}")
        merge_dim(dims[1], op.attrs["num_true"])
    return [(None,)] * 3


@accidental_hits_op.kernel
def accidental_hits_kernel(node):
    columns = node.attrs["num_true"]
    lowest = -torch.finfo(torch.float32).max

    def hits(true_classes, sampled):
        if true_classes.dim() != 2 or true_classes.shape[1] != columns:
            raise InvalidArgumentError(None, None, "true_candidates must be a batch_size * num_true matrix")
        if sampled.dim() != 1:
            raise InvalidArgumentError(
                None, None, "sampled_candidates must be a vector, which is typically the output from CandidateSampler"
            )
        # A class drawn twice stands where it was drawn last.
        place = {candidate: i for i, candidate in enumerate(sampled.tolist())}
        found = [
            (row, place[true]) for row, trues in enumerate(true_classes.tolist()) for true in trues if true in place
        ]
        rows = torch.tensor([row for row, _ in found], dtype=torch.int32)
        places = torch.tensor([column for _, column in found], dtype=torch.int64)
        return rows, places, torch.full((len(found),), lowest)

    return hits


accidental_hits_op.accepts(np.array([[1], [2]]), np.array([2, 3]), num_true=1)


# ---- public functions ----


def uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Classes drawn uniformly from [0, range_max).

    Args:
        true_classes: int64 [batch, num_true].
        num_true: the number of true classes of each example.
        num_sampled: how many to draw.
        unique: whether all drawn in one batch must differ.
        range_max: the number of classes.
        seed: a Python int for reproducible classes; see `set_random_seed`.
        name: a name for the operation.

    Returns:
        a namedtuple: `sampled_candidates`, int64 [num_sampled]; `true_expected_count`, float32 [batch, num_true], how
        often each true class is expected among them; `sampled_expected_count`, float32 [num_sampled], the same for those
        drawn.

    Raises:
        InvalidArgumentError: when it runs, if `unique` and there are fewer classes than `num_sampled`.
    """
    return _sampled(raw.UniformCandidateSampler, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def log_uniform_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Classes drawn from [0, range_max) by Zipf's law: k with probability log((k + 2) / (k + 1)) / log(range_max + 1).

    It suits vocabularies sorted by falling frequency.

    Args:
        true_classes: int64 [batch, num_true].
        num_true: the number of true classes of each example.
        num_sampled: how many to draw.
        unique: whether all drawn in one batch must differ.
        range_max: the number of classes.
        seed: a Python int for reproducible classes; see `set_random_seed`.
        name: a name for the operation.

    Returns:
        as `uniform_candidate_sampler`.
    """
    return _sampled(raw.LogUniformCandidateSampler, true_classes, num_true, num_sampled, unique, range_max, seed, name)


def learned_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Classes drawn from [0, range_max) as often as they have been true so far in the session, plus once.

    Args:
        true_classes: int64 [batch, num_true].
        num_true: the number of true classes of each example.
        num_sampled: how many to draw.
        unique: whether all drawn in one batch must differ.
        range_max: the number of classes.
        seed: a Python int for reproducible classes; see `set_random_seed`.
        name: a name for the operation.

    Returns:
        as `uniform_candidate_sampler`.
    """
    return _sampled(
        raw.LearnedUnigramCandidateSampler, true_classes, num_true, num_sampled, unique, range_max, seed, name
    )


def _sampled(
    apply: OpDecl,
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int | None,
    seed: int | None,
    name: str | None,
    **attrs: Any,
) -> Any:
    seed1, seed2 = get_seed(seed)
    if range_max is not None:
        attrs["range_max"] = range_max
    return apply(
        true_classes,
        num_true=num_true,
        num_sampled=num_sampled,
        unique=unique,
        seed=seed1 or 0,
        seed2=seed2 or 0,
        name=name,
        **attrs,
    )


def fixed_unigram_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    range_max: int,
    vocab_file: str = "",
    distortion: float = 1.0,
    num_reserved_ids: int = 0,
    num_shards: int = 1,
    shard: int = 0,
    unigrams: TensorLike | None = (),
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Classes drawn by given weights.

    Args:
        true_classes: int64 [batch, num_true].
        num_true: the number of true classes of each example.
        num_sampled: how many to draw.
        unique: whether all drawn in one batch must differ.
        range_max: the number of classes.
        vocab_file: a file with a class a line, whose last field after a comma is the weight; or give `unigrams`.
        distortion: the power the weights are raised to: 1.0 takes them as they are, 0.0 makes all equal.
        num_reserved_ids: how many classes of weight 0 come first.
        num_shards, shard: draw only classes whose number is `shard` modulo `num_shards`.
        unigrams: the weights, a list of floats.
        seed: a Python int for reproducible classes; see `set_random_seed`.
        name: a name for the operation.

    Returns:
        as `uniform_candidate_sampler`.

    Raises:
        InvalidArgumentError: when it runs, unless one of `vocab_file` and `unigrams` has a weight for each class.
    """
    return _sampled(
        raw.FixedUnigramCandidateSampler,
        true_classes,
        num_true,
        num_sampled,
        unique,
        range_max,
        seed,
        name,
        vocab_file=vocab_file,
        distortion=distortion,
        num_reserved_ids=num_reserved_ids,
        num_shards=num_shards,
        shard=shard,
        unigrams=[] if unigrams is None else unigrams,
    )


def all_candidate_sampler(
    true_classes: TensorLike,
    num_true: int,
    num_sampled: int,
    unique: bool,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """All classes in their order, for comparison with the samplers that draw.

    Args:
        true_classes: int64 [batch, num_true].
        num_true: the number of true classes of each example.
        num_sampled: the number of classes.
        unique: has no influence: each class comes once.
        seed: has no influence on the classes.
        name: a name for the operation.

    Returns:
        as `uniform_candidate_sampler`, every count being 1.
    """
    return _sampled(raw.AllCandidateSampler, true_classes, num_true, num_sampled, unique, None, seed, name)


def compute_accidental_hits(
    true_classes: TensorLike,
    sampled_candidates: TensorLike,
    num_true: int,
    seed: int | None = None,
    name: str | None = None,
) -> Any:
    """Where classes drawn at random happen to be true ones.

    Args:
        true_classes: int64 [batch, num_true].
        sampled_candidates: int64 [num_sampled], what a sampler returned.
        num_true: the number of true classes of each example.
        seed: has no influence on the result.
        name: a name for the operation.

    Returns:
        a namedtuple: int32 `indices` of the examples, int64 `ids`: places in `sampled_candidates`, and float32
        `weights`: the lowest float32, to be added to the logits of the hits.
    """
    seed1, seed2 = get_seed(seed)
    return raw.ComputeAccidentalHits(
        true_classes, sampled_candidates, num_true=num_true, seed=seed1 or 0, seed2=seed2 or 0, name=name
    )
