"""Stochastic dual coordinate ascent for linear models: SdcaOptimizer, SdcaOptimizerV2, SdcaShrinkL1.

Shalev-Shwartz and Zhang, "Stochastic dual coordinate ascent methods for regularized loss minimization",
arXiv:1209.1873; the l1 penalty enters by soft thresholds, as in their "Accelerated proximal stochastic dual coordinate
ascent", arXiv:1309.2375.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from headrace.core.errors import InvalidArgumentError
from headrace.core.registry import op, raw
from headrace.kernels.array.arguments import invalid, rank_is, shape_text
from headrace.kernels.host_values import to_array
from headrace.kernels.random.sampling import host_generator
from headrace.kernels.train.dual_losses import LOSSES

if TYPE_CHECKING:
    from headrace.core.operation import Operation
    from headrace.core.registry import OpDecl
    from headrace.core.typing import NodeView, OpView, TensorLike
    from headrace.kernels.train.dual_losses import DualLoss


_LOSSES = "loss_type: {'logistic_loss', 'squared_loss', 'hinge_loss', 'smooth_hinge_loss', 'poisson_loss'}"
_INPUTS = (
    "sparse_example_indices: num_sparse_features * int64, sparse_feature_indices: num_sparse_features * int64, "
    "sparse_feature_values: num_sparse_features_with_values * float, dense_features: num_dense_features * float, "
    "example_weights: float, example_labels: float, sparse_indices: num_sparse_features * int64, "
    "sparse_weights: num_sparse_features * float, dense_weights: num_dense_features * float, example_state_data: float"
)
_REST = (
    "num_sparse_features: int >= 0, num_sparse_features_with_values: int >= 0, num_dense_features: int >= 0, l1: float, "
    "l2: float, num_loss_partitions: int >= 1, num_inner_iterations: int >= 1 -> out_example_state_data: float, "
    "out_delta_sparse_weights: num_sparse_features * float, out_delta_dense_weights: num_dense_features * float"
)
optimizer_op = op("SdcaOptimizer", f"{_INPUTS}, *, {_LOSSES}, adaptative=False, {_REST}")
optimizer_v2_op = op("SdcaOptimizerV2", f"{_INPUTS}, *, {_LOSSES}, adaptive=False, {_REST}")
shrink_op = op("SdcaShrinkL1", "weights: num_features * ref float, *, num_features: int >= 0, l1: float, l2: float ->")
shrink_op.writes("weights").not_differentiable()


def _parts(attrs: Any, inputs: Sequence[Any]) -> list[Any]:
    """The inputs as the signature groups them; lists for lists."""
    sparse, valued, dense = (
        attrs[f"num_{name}"] for name in ("sparse_features", "sparse_features_with_values", "dense_features")
    )
    parts, start = [], 0
    for count in (sparse, sparse, valued, dense, None, None, sparse, sparse, dense, None):
        parts.append(inputs[start] if count is None else list(inputs[start : start + count]))
        start += 1 if count is None else count
    return parts


@optimizer_op.shape
@optimizer_v2_op.shape
def optimizer_shape(op: OpView) -> list[Any]:
    parts = _parts(op.attrs, op.inputs)
    for vector in (parts[4], parts[5]):
        rank_is(vector.dims, 1)
    return [(None, 4), *[weights.dims for weights in (*parts[7], *parts[8])]]


class _Problem:
    """Examples as rows of a sparse matrix whose columns are all features of all groups, and their weights."""

    def __init__(self, parts: Sequence[Any]) -> None:
        examples, features, values, dense, self.weights, self.labels, indices, sparse_weights, dense_weights, _ = parts
        self.count = len(self.labels)
        self.shapes = [each.shape for each in (*sparse_weights, *dense_weights)]
        self.nominal = np.concatenate(
            [np.zeros(0, np.float32)] + [w.reshape(-1) for w in (*sparse_weights, *dense_weights)]
        )
        rows, columns, numbers = [np.zeros(0, np.int64)], [np.zeros(0, np.int64)], [np.zeros(0, np.float32)]
        start = 0
        for group, weights in enumerate(sparse_weights):
            own = _places(features[group], indices[group], len(weights))
            pairs = examples[group] * max(1, len(weights)) + own
            if len(np.unique(pairs)) < len(pairs):
                raise invalid("Duplicate index in sparse vector.")
            rows.append(examples[group])
            columns.append(start + own)
            numbers.append(values[group] if group < len(values) else np.ones(len(own), np.float32))
            if len(numbers[-1]) != len(own):
                raise invalid(f"sparse_feature_values[{group}] has {len(numbers[-1])} values for {len(own)} features")
            start += len(weights)
        for matrix, weights in zip(dense, dense_weights, strict=True):
            size = weights.size
            if matrix.ndim != 2 or len(matrix) != self.count:
                raise invalid(f"dense_features must have shape [{self.count}, n], got {shape_text(matrix.shape)}")
            if matrix.shape[1] > size:
                raise invalid(f"More dense features than we have parameters for: {matrix.shape[1]}")
            rows.append(np.repeat(np.arange(self.count), matrix.shape[1]))
            columns.append(np.tile(start + np.arange(matrix.shape[1]), self.count))
            numbers.append(matrix.reshape(-1))
            start += size
        row = np.concatenate(rows)
        order = np.argsort(row, kind="stable")
        ends = np.searchsorted(row[order], np.arange(self.count + 1))
        column, number = np.concatenate(columns)[order], np.concatenate(numbers)[order].astype(np.float64)
        self.rows = [(column[a:b], number[a:b]) for a, b in itertools.pairwise(ends)]

    def split(self, flat: np.ndarray) -> list[Any]:
        """A vector over all features as arrays of the shapes of the weights."""
        ends = np.cumsum([int(np.prod(shape)) for shape in self.shapes])
        chunks = np.split(flat, ends[:-1]) if self.shapes else []
        return [torch.from_numpy(chunk.reshape(shape)) for chunk, shape in zip(chunks, self.shapes, strict=True)]


def _places(features: np.ndarray, indices: np.ndarray, count: int) -> np.ndarray:
    """Where the weights of features are: by their index in `indices`, or by themselves where that is empty."""
    if not len(indices):
        bad = features[(features < 0) | (features >= count)]
        places = features
    else:
        order = np.argsort(indices, kind="stable")
        places = order[np.minimum(np.searchsorted(indices[order], features), len(order) - 1)]
        bad = features[(indices[places] != features) | (places >= count)]
    if len(bad):
        raise invalid(f"Found sparse feature indices out of valid range: {int(bad[0])}")
    return places


def _shrunk(weights: np.ndarray, least: float) -> np.ndarray:
    return np.sign(weights) * np.maximum(np.abs(weights) - least, 0.0)


def _ascend(attrs: Any, adaptive: bool, inputs: Sequence[Any]) -> tuple[Any, ...]:
    parts: list[Any] = [
        [to_array(v) for v in part] if isinstance(part, list) else to_array(part) for part in _parts(attrs, inputs)
    ]
    loss, l2, partitions = LOSSES[_text(attrs["loss_type"])], np.float64(attrs["l2"]), attrs["num_loss_partitions"]
    problem = _Problem(parts)
    if parts[9].shape != (problem.count, 4):
        raise invalid(f"Expected shape [{problem.count},4] for example_state_data, got {shape_text(parts[9].shape)}")
    state = parts[9].copy()
    least = attrs["l1"] / l2
    delta = np.zeros_like(problem.nominal)

    def predicted(columns: np.ndarray, numbers: np.ndarray, weights: np.ndarray) -> float:
        return float(numbers @ _shrunk(weights.astype(np.float64), least))

    if adaptive:
        order = _adaptive_order(problem, state, loss, float(l2), predicted)
    else:
        order = host_generator().permutation(problem.count)
    for example in order:
        columns, numbers = problem.rows[example]
        dual, weight = float(state[example, 0]), float(problem.weights[example])
        label = loss.label(float(problem.labels[example]))
        before = predicted(columns, numbers, problem.nominal[columns])
        now = predicted(columns, numbers, problem.nominal[columns] + delta[columns] * partitions)
        moved = float(numbers @ numbers / l2) * partitions * weight
        best = loss.best(label, now, dual, moved)
        delta[columns] += ((best - dual) * weight / l2 * numbers).astype(np.float32)
        state[example] = best, loss.primal(label, before) * weight, loss.dual(label, dual) * weight, weight
    return torch.from_numpy(state), *problem.split(delta)


def _adaptive_order(
    problem: _Problem, state: np.ndarray, loss: DualLoss, l2: float, predicted: Callable[..., Any]
) -> np.ndarray:
    """As many examples as there are, drawn by how far each is from its best (Csiba et al., arXiv:1502.08053)."""
    priorities = np.zeros(problem.count)
    for example, (columns, numbers) in enumerate(problem.rows):
        label = loss.label(float(problem.labels[example]))
        residue = state[example, 0] + loss.derivative(label, predicted(columns, numbers, problem.nominal[columns]))
        priorities[example] = (
            problem.weights[example] * np.sqrt(numbers @ numbers + l2 * loss.smoothness) * abs(residue)
        )
    total = priorities.sum()
    if not np.isfinite(total) or total <= 0:
        return host_generator().permutation(problem.count)
    return host_generator().choice(problem.count, problem.count, p=priorities / total)


def _text(value: Any) -> str:
    return value.decode() if isinstance(value, bytes) else value


def _declare(decl: OpDecl, adaptive: str) -> None:
    decl.on_host(*(arg.name for arg in decl.signature.inputs), outputs=True).not_differentiable()

    @decl.kernel
    def kernel(node: NodeView) -> Callable[..., Any]:
        def ascend(*inputs: Any) -> tuple[torch.Tensor, ...]:
            with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
                return _ascend(node.attrs, node.attrs[adaptive], inputs)

        return ascend


_declare(optimizer_op, "adaptative")
_declare(optimizer_v2_op, "adaptive")


# Of more than one example the order is drawn; sums of these numbers are exact in any order.
_one = np.ones(1, np.float32)
_weights, _state = np.array([0.25, -0.5], np.float32), np.zeros([1, 4], np.float32)
_dense = [[], [], [], [np.array([[0.5, -1.5]], np.float32)], _one, _one, [], [], [_weights], _state]
_columns = [np.array([0, 0]), np.array([1, 2]), np.array([0.5, -1.5], np.float32)]
_sparse = [*([each] for each in _columns), [], _one, _one, [np.array([1, 2])], [_weights], [], _state]
_strengths = {"l1": 0.125, "l2": 1.0, "num_loss_partitions": 1, "num_inner_iterations": 1}
for _op in (optimizer_op, optimizer_v2_op):
    for _loss in ("logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss", "poisson_loss"):
        _op.accepts(*_dense, loss_type=_loss, **_strengths)
    _op.accepts(*_sparse, loss_type="logistic_loss", **_strengths)
    _op.rejects(
        *_dense[:-1], np.zeros([2, 4], np.float32), loss_type="logistic_loss", **_strengths, error=InvalidArgumentError
    )
shrink_op.accepts([np.array([0.05, -2.0, 1.0], np.float32), [2]], l1=0.2, l2=1.0)


@shrink_op.shape
def shrink_shape(op: OpView) -> list[Any]:
    return []


@shrink_op.kernel
def shrink_kernel(node: NodeView) -> Callable[..., Any]:
    least = node.attrs["l1"] / node.attrs["l2"] if node.attrs["l1"] else 0.0

    def shrink(*buffers: Any) -> tuple[()]:
        for buffer in buffers:
            with buffer.lock:
                weights = buffer.read()
                weights.copy_(torch.sign(weights) * (weights.abs() - least).clamp(min=0.0))
        return ()

    return shrink


def sdca_optimizer(
    sparse_example_indices: Sequence[Any],
    sparse_feature_indices: Sequence[Any],
    sparse_feature_values: Sequence[Any],
    dense_features: Sequence[Any],
    example_weights: TensorLike,
    example_labels: TensorLike,
    sparse_indices: Sequence[Any],
    sparse_weights: Sequence[Any],
    dense_weights: Sequence[Any],
    example_state_data: TensorLike,
    loss_type: str,
    l1: float,
    l2: float,
    num_loss_partitions: int,
    num_inner_iterations: int,
    adaptative: bool = True,
    name: str | None = None,
) -> Any:
    """One pass of stochastic dual coordinate ascent over examples of a linear model (arXiv:1209.1873).

    Minimizes the sum of the weighted losses plus l1 * |w| + l2 / 2 * |w|^2. The weights are to be shrunk by l1 / l2 after
    the pass, with `tf.train.sdca_shrink_l1`.

    Args:
        sparse_example_indices: for each sparse group a vector, the example of each of its values.
        sparse_feature_indices: the same for the features.
        sparse_feature_values: the same for the values; groups at the end without values have ones.
        dense_features: matrices [examples, features].
        example_weights: a vector.
        example_labels: a vector; 0 or 1 for the logistic and hinge losses.
        sparse_indices: for each sparse group the features that `sparse_weights` are of; empty where these are by place.
        sparse_weights: for each sparse group a vector.
        dense_weights: for each dense group a vector.
        example_state_data: float32 [examples, 4]: dual variable, primal loss, dual loss, weight; zeros at first.
        loss_type: "logistic_loss", "squared_loss", "hinge_loss", "smooth_hinge_loss" or "poisson_loss".
        l1, l2: how strong the terms are.
        num_loss_partitions: among how many such ops the examples are divided.
        num_inner_iterations: at least 1; a pass is one, as in 1.x.
        adaptative: whether examples are drawn by how far they are from their best rather than all taken in random order.
        name: a name for the operation.

    Returns:
        the new state, and lists of what is to be added to the sparse and the dense weights.

    Raises:
        InvalidArgumentError: if a label does not fit the loss, or indices or shapes do not fit.

    Example:
        >>> state, _, (delta,) = tf.train.sdca_optimizer(
        ...     [], [], [], [[[1.0]]], [1.0], [2.0], [], [], [[0.0]], tf.zeros([1, 4]), "squared_loss", 0.0, 1.0, 1, 1
        ... )
        >>> sess.run(delta)  # the least of (w - 2)**2 / 2 + w**2 / 2
        array([1.], dtype=float32)
    """
    return raw.SdcaOptimizer(
        sparse_example_indices,
        sparse_feature_indices,
        sparse_feature_values,
        dense_features,
        example_weights,
        example_labels,
        sparse_indices,
        sparse_weights,
        dense_weights,
        example_state_data,
        loss_type=loss_type,
        l1=l1,
        l2=l2,
        num_loss_partitions=num_loss_partitions,
        num_inner_iterations=num_inner_iterations,
        adaptative=adaptative,
        name=name,
    )


def sdca_shrink_l1(weights: Sequence[Any], l1: float, l2: float, name: str | None = None) -> Operation:
    """Brings weights nearer to 0 by l1 / l2, and to 0 where they are within it.

    Args:
        weights: reference variables of float32.
        l1, l2: as for `tf.train.sdca_optimizer`.
        name: a name for the operation.

    Returns:
        the operation.

    Example:
        >>> shrink = tf.train.sdca_shrink_l1([w], 0.1, 2.0)
    """
    return raw.SdcaShrinkL1(weights, l1=l1, l2=l2, name=name)
