"""Connectionist temporal classification: label sequences from scores, greedily or by a beam of prefixes.

Graves, Fernández, Gomez and Schmidhuber, "Connectionist temporal classification", ICML 2006, section 3.2; the beam:
Hannun, Maas, Jurafsky and Ng, "First-pass large vocabulary continuous speech recognition using bi-directional recurrent
DNNs", arXiv:1408.2873, without a language model.
"""

from __future__ import annotations

import heapq
import itertools
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.composite import SparseTensor
from headrace.core.dims import Dims, merge_dim
from headrace.core.errors import FailedPreconditionError, InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.core.tensor import Tensor
from headrace.kernels.array.arguments import invalid, rank_is
from headrace.native.ctc import best_prefixes

if TYPE_CHECKING:
    from headrace.core.typing import OpView, TensorLike


greedy_op = (
    op(
        "CTCGreedyDecoder",
        "inputs: T, sequence_length: int32, *, merge_repeated=False, T: {float, double} = float -> decoded_indices: int64, "
        "decoded_values: int64, decoded_shape: int64, log_probability: T",
    )
    .on_host("inputs", "sequence_length", outputs=True)
    .not_differentiable()
)
beam_op = (
    op(
        "CTCBeamSearchDecoder",
        "inputs: T, sequence_length: int32, *, beam_width: int >= 1, top_paths: int >= 1, merge_repeated=True, "
        "T: {float, double} = float -> decoded_indices: top_paths * int64, decoded_values: top_paths * int64, "
        "decoded_shape: top_paths * int64, log_probability: T",
    )
    .on_host("inputs", "sequence_length", outputs=True)
    .not_differentiable()
)


def _batch(op: OpView) -> int | None:
    inputs, lengths = rank_is(op.inputs[0].dims, 3), rank_is(op.inputs[1].dims, 1)
    return merge_dim(inputs[1] if inputs else None, lengths[0] if lengths else None)


@greedy_op.shape
def greedy_shape(op):
    return [(None, 2), (None,), (2,), (_batch(op), 1)]


@beam_op.shape
def beam_shape(op):
    paths = op.attrs["top_paths"]
    shapes: list[Dims] = [(None, 2)] * paths + [(None,)] * paths + [(2,)] * paths
    return [*shapes, (_batch(op), paths)]


def _checked(inputs: torch.Tensor, sequence_length: torch.Tensor) -> list[int]:
    """How many times of each sequence count."""
    if inputs.dim() != 3:
        raise invalid("inputs is not a 3-Tensor")
    total, batch = inputs.shape[:2]
    if sequence_length.dim() != 1:
        raise invalid("sequence_length is not a vector")
    if sequence_length.shape[0] != batch:
        raise FailedPreconditionError(
            None,
            None,
            f"len(sequence_length) != batch_size.  len(sequence_length):  {sequence_length.shape[0]} batch_size: {batch}",
        )
    if not total:
        raise invalid("max_time is 0")
    times = sequence_length.tolist()
    for row, time in enumerate(times):
        if time > total:
            raise FailedPreconditionError(None, None, f"sequence_length({row}) <= {total}")
    return times


def _sparse(rows: list[list[int]]) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
    """Indices, values and dense shape of a sparse matrix with these rows."""
    places = [(row, column) for row, labels in enumerate(rows) for column in range(len(labels))]
    values = [label for labels in rows for label in labels]
    shape = [len(rows), max(map(len, rows), default=0)]
    return (
        torch.tensor(places, dtype=torch.int64).reshape(-1, 2),
        torch.tensor(values, dtype=torch.int64),
        torch.tensor(shape, dtype=torch.int64),
    )


@greedy_op.kernel
def greedy_kernel(node):
    merge = node.attrs["merge_repeated"]

    def decode(inputs, sequence_length):
        times = _checked(inputs, sequence_length)
        blank = inputs.shape[2] - 1
        scores, best = inputs.max(2)
        rows, sums = [], []
        for row, time in enumerate(times):
            path = best[: max(time, 0), row].tolist()
            if merge:
                path = [label for label, _ in itertools.groupby(path)]
            rows.append([label for label in path if label != blank])
            sums.append(-scores[: max(time, 0), row].sum())
        total = torch.stack(sums)[:, None] if sums else inputs.new_zeros((0, 1))
        return (*_sparse(rows), total)

    return decode


class _Beam:
    """The likeliest prefixes of one sequence.

    A prefix is a number in a tree: `parents` has the prefix one label shorter, `labels` the label added to it. Of each
    prefix in the beam there are the log probabilities of the paths to it that end in blank and in its last label.
    """

    def __init__(self, width: int, dtype: Any) -> None:
        self._width = width
        self._dtype = dtype
        self._parents, self._labels = [-1], [-1]
        self._children: dict[tuple[int, int], int] = {}
        self._prefixes = np.array([0])
        self._last = np.array([-1])
        self._blank = np.zeros(1, dtype)
        self._label = np.full(1, -np.inf, dtype)

    def run(self, scores: np.ndarray, paths: int, merge_repeated: bool) -> list[tuple[list[int], Any]]:
        """Goes through all times; returns what `best` does."""
        for row in scores:
            self.step(row)
        return self.best(paths, merge_repeated)

    def step(self, scores: np.ndarray) -> None:
        """Goes on by one time, whose log probabilities (up to a constant) are `scores`, that of blank last."""
        scores = scores - scores.max()
        scores = scores - np.log(np.exp(scores).sum())
        classes = len(scores) - 1
        blank, total = self._blank, np.logaddexp(self._blank, self._label)
        last = self._last
        places = {prefix: i for i, prefix in enumerate(self._prefixes.tolist())}
        above = np.array([places.get(self._parents[prefix], -1) for prefix in places], np.int64)
        # From its parent a prefix is reached by its last label; if that label is the parent's too, from blank only.
        inside = above >= 0
        same = inside & (last == last[above])
        reached = np.where(inside, np.where(same, blank[above], total[above]), self._dtype(-np.inf))
        rooted = last < 0
        emitted = np.where(rooted, self._dtype(-np.inf), scores[last])
        kept_label = np.logaddexp(self._label, reached) + emitted
        kept_blank = total + scores[-1]
        kept = np.logaddexp(kept_blank, kept_label)
        grown = total[:, None] + scores[:classes]
        repeated = np.flatnonzero(~rooted)
        grown[repeated, last[repeated]] = blank[repeated] + scores[last[repeated]]
        # Prefixes that are in the beam are not reached a second time.
        grown[above[inside], last[inside]] = -np.inf
        inner = {(int(above[i]), int(last[i])): i for i in np.flatnonzero(inside).tolist()}
        old, new = self._best_of(kept, grown)
        fallen = set(inner.values()).difference(old)
        if fallen and not fallen.isdisjoint(place for place, _ in new):
            # Whether a prefix that falls out grows before that depends on the order.
            old, new = self._chosen(kept, grown, total, inner)
        prefixes = self._prefixes[old].tolist()
        for place, label in new:
            key = (int(self._prefixes[place]), label)
            if key not in self._children:
                self._children[key] = len(self._parents)
                self._parents.append(key[0])
                self._labels.append(label)
            prefixes.append(self._children[key])
        self._prefixes = np.array(prefixes, np.int64)
        self._last = np.array([self._labels[prefix] for prefix in prefixes], np.int64)
        nothing = np.full(len(new), -np.inf, self._dtype)
        self._blank = np.concatenate([kept_blank[old], nothing])
        grown_to = np.array([grown[which] for which in new], self._dtype)
        self._label = np.concatenate([kept_label[old], grown_to])

    def _best_of(self, kept: np.ndarray, grown: np.ndarray) -> tuple[list[int], list[tuple[int, int]]]:
        """Which prefixes stay, and which grow by which label, if all may: the likeliest."""
        candidates = np.concatenate([kept, grown.reshape(-1)])
        if len(candidates) > self._width:
            place = len(candidates) - self._width
            least = np.partition(candidates, place)[place]
            above = np.flatnonzero(candidates > least)
            # Of equal ones the first.
            equal = np.flatnonzero(candidates == least)[: self._width - len(above)]
            chosen = np.sort(np.concatenate([above, equal]))
        else:
            chosen = np.arange(len(candidates))
        chosen = chosen[candidates[chosen] > -np.inf]
        places, labels = np.divmod(chosen[chosen >= len(kept)] - len(kept), grown.shape[1])
        return chosen[chosen < len(kept)].tolist(), list(zip(places.tolist(), labels.tolist(), strict=True))

    def _chosen(
        self, kept: np.ndarray, grown: np.ndarray, total: np.ndarray, inner: dict[tuple[int, int], int]
    ) -> tuple[list[int], list[tuple[int, int]]]:
        """Which prefixes stay, and which grow by which label.

        Prefixes grow in the order of their probabilities, each label that beats the worst in the full beam taking its
        place. As in TensorFlow, a prefix that lost its place does not grow if its parent grows after that and before it.

        Args:
            kept: log probabilities of the prefixes in the beam.
            grown: those of each with a label more.
            total: those of the prefixes before this time.
            inner: the places of prefixes whose parents are in the beam, by the parent's place and the last label.
        """
        worst = [(score, (place, -1)) for place, score in enumerate(kept.tolist())]
        heapq.heapify(worst)
        children: dict[int, list[int]] = {}
        for place, label in inner:
            children.setdefault(place, []).append(label)
        lost: set[int] = set()
        barren: set[int] = set()
        for place in np.argsort(-total, kind="stable").tolist():
            full = len(worst) >= self._width
            if place in barren or not total[place] > (worst[0][0] if full else -np.inf):
                continue
            row = grown[place]
            labels = np.flatnonzero(row > (worst[0][0] if full else -np.inf)).tolist()
            if place in children:
                labels = sorted({*labels, *children[place]})
            for label in labels:
                existing = inner.get((place, label))
                if existing is not None:
                    if existing in lost:
                        barren.add(existing)
                    continue
                entry = (row[label].item(), (place, label))
                if len(worst) < self._width:
                    heapq.heappush(worst, entry)
                elif entry[0] > worst[0][0]:
                    _, (out, extension) = heapq.heapreplace(worst, entry)
                    if extension < 0:
                        lost.add(out)
        entries = sorted(entry for _, entry in worst)
        return [place for place, label in entries if label < 0], [entry for entry in entries if entry[1] >= 0]

    def best(self, paths: int, merge_repeated: bool) -> list[tuple[list[int], Any]]:
        """The labels and log probabilities of the likeliest prefixes, best first."""
        total = np.logaddexp(self._blank, self._label)
        found = []
        for place in np.argsort(-total, kind="stable")[:paths].tolist():
            prefix, labels = int(self._prefixes[place]), []
            while prefix:
                labels.append(self._labels[prefix])
                prefix = self._parents[prefix]
            labels.reverse()
            if merge_repeated:
                labels = [label for label, _ in itertools.groupby(labels)]
            found.append((labels, total[place]))
        return found


@beam_op.kernel
def beam_kernel(node):
    width, paths, merge = node.attrs["beam_width"], node.attrs["top_paths"], node.attrs["merge_repeated"]

    def decode(inputs, sequence_length):
        times = _checked(inputs, sequence_length)
        if paths > width:
            raise invalid("requested more paths than the beam width.")
        scores = inputs.numpy()
        dtype = scores.dtype.type
        rows: list[list[list[int]]] = [[] for _ in range(paths)]
        total = np.zeros((len(times), paths), dtype)
        found = best_prefixes(np.ascontiguousarray(scores), times, width, paths, merge)
        for row, time in enumerate(times):
            best = _Beam(width, dtype).run(scores[: max(time, 0), row], paths, merge) if found is None else found[row]
            if len(best) < paths:
                raise invalid("Less leaves in the beam search than requested.")
            for path, (labels, score) in enumerate(best):
                rows[path].append(labels)
                total[row, path] = score
        parts = [_sparse(labels) for labels in rows]
        return (*(part[i] for i in range(3) for part in parts), torch.from_numpy(total))

    return decode


for _merges in (False, True):
    greedy_op.accepts([4, 2, 3], np.array([4, 2], np.int32), merge_repeated=_merges)
    beam_op.accepts([4, 2, 3], np.array([4, 2], np.int32), beam_width=3, top_paths=2, merge_repeated=_merges)
greedy_op.rejects([4, 2, 3], np.array([5, 2], np.int32), error=FailedPreconditionError)
beam_op.rejects([4, 2, 3], np.array([4, 2], np.int32), beam_width=1, top_paths=2, error=InvalidArgumentError)


def ctc_greedy_decoder(
    inputs: TensorLike, sequence_length: TensorLike, merge_repeated: bool = True
) -> tuple[list[SparseTensor], Tensor]:
    """The labels of the likeliest class of each time, without blanks.

    Args:
        inputs: float logits of shape (time, batch, classes); the last class is blank.
        sequence_length: int32 vector, how many times of each sequence count.
        merge_repeated: whether a class repeated without blank between is one label.

    Returns:
        a list of one int64 SparseTensor (batch, longest), and the negative sums of the greatest logits (batch, 1).

    Raises:
        InvalidArgumentError: when run, for lengths that do not fit.

    Example:
        >>> logits = tf.one_hot([[0], [0], [2], [1]], 3)
        >>> (decoded,), score = tf.nn.ctc_greedy_decoder(logits, [4])
        >>> sess.run(decoded.values)
        array([0, 1])
    """
    indices, values, shape, score = raw.CTCGreedyDecoder(inputs, sequence_length, merge_repeated=merge_repeated)
    return [SparseTensor(indices, values, shape)], score


def ctc_beam_search_decoder(
    inputs: TensorLike,
    sequence_length: TensorLike,
    beam_width: int = 100,
    top_paths: int = 1,
    merge_repeated: bool = True,
) -> tuple[list[SparseTensor], Tensor]:
    """The likeliest label sequences, by a search that keeps the best prefixes.

    Args:
        inputs: float logits of shape (time, batch, classes); the last class is blank.
        sequence_length: int32 vector, how many times of each sequence count.
        beam_width: how many prefixes are kept.
        top_paths: how many sequences are wanted.
        merge_repeated: whether equal labels that follow one another in the result are made one.

    Returns:
        a list of `top_paths` int64 SparseTensors (batch, longest), and log probabilities (batch, top_paths), up to a
        constant.

    Raises:
        InvalidArgumentError: when run, for lengths that do not fit, or more paths than the beam is wide.

    Example:
        >>> logits = 10.0 * tf.one_hot([[0], [0], [2], [0]], 3)
        >>> (best,), score = tf.nn.ctc_beam_search_decoder(logits, [4], merge_repeated=False)
        >>> sess.run(best.values)
        array([0, 0])
    """
    indices, values, shapes, score = raw.CTCBeamSearchDecoder(
        inputs, sequence_length, beam_width=beam_width, top_paths=top_paths, merge_repeated=merge_repeated
    )
    return [SparseTensor(*parts) for parts in zip(indices, values, shapes, strict=True)], score


def ctc_beam_search_decoder_v2(
    inputs: TensorLike, sequence_length: TensorLike, beam_width: int = 100, top_paths: int = 1
) -> tuple[list[SparseTensor], Tensor]:
    """`ctc_beam_search_decoder` that keeps equal labels which follow one another."""
    return ctc_beam_search_decoder(inputs, sequence_length, beam_width, top_paths, merge_repeated=False)
